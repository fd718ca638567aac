//! The CPU engine: vector instructions chosen at run time, all cores.

mod blocked;
mod classic;
mod cost;
mod dense;
mod given;
mod kernels;
mod panel;
mod simd;
mod sweep;
mod tiles;
mod two_stage;

pub(super) use cost::{echelon_time, elimination_bytes, elimination_time};
pub use simd::Simd;

use super::{BitMatrix, Echelon, Elimination, Method, System};
use crate::timeline::Phase;
use crate::{Cpu, Error, Result};

/// The method that `method` stands for.
pub(super) fn resolve(system: &System, method: Method) -> Method {
    if method == Method::Auto { cost::choose(system) } else { method }
}

/// Eliminates a system.
pub(super) fn eliminate(cpu: &Cpu, simd: Simd, system: &System, method: Method) -> Result<Elimination> {
    let method = resolve(system, method);
    run(cpu, &format!("eliminate {method}"), || match method {
        Method::Bands => classic::bands(system, simd),
        Method::Rounds => classic::rounds(system, simd),
        Method::XorThreads => classic::xor_threads(system, simd),
        Method::Blocked => given::eliminate(system, simd),
        Method::Auto | Method::TwoStage => two_stage::eliminate(system, simd),
    })
}

/// An echelon form; see [`dense::echelon`].
pub(super) fn echelon(
    cpu: &Cpu,
    simd: Simd,
    matrix: &BitMatrix,
    limit: usize,
    full: bool,
) -> Result<Echelon> {
    run(cpu, "echelon", || dense::echelon(matrix, limit, full, simd))
}

/// A product.
pub(super) fn multiply(cpu: &Cpu, simd: Simd, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    run(cpu, "multiply", || dense::multiply(a, b, simd))
}

/// Runs `work` on the engine's threads.
fn run<T: Send>(cpu: &Cpu, name: &str, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    if cpu.threads == 0 {
        // The pool that is there already; in a browser, the one thread. From outside of it each of the
        // work's many steps would wait for a thread of it to wake.
        return cpu.timeline.time(Phase::Host, name, || rayon::scope(|_| work()));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cpu.threads).build();
    let pool = pool.map_err(|error| Error::OutOfMemory(format!("worker threads: {error}").into()))?;
    cpu.timeline.time(Phase::Host, name, || pool.install(work))
}
