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
    let rows = system.rows().len() + system.eliminators().len();
    run(cpu, &format!("eliminate {method}"), (rows, system.width()), || match method {
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
    run(cpu, "echelon", (matrix.rows(), matrix.columns()), || dense::echelon(matrix, limit, full, simd))
}

/// A product.
pub(super) fn multiply(cpu: &Cpu, simd: Simd, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    run(cpu, "multiply", (a.rows() + b.rows(), b.columns()), || dense::multiply(a, b, simd))
}

/// Bits of a matrix that are worth a thread; and threads that are started for less, so that small
/// matrices take the ways of large ones.
const BITS_A_THREAD: usize = 1 << 12;
const FEW_THREADS: usize = 8;

/// Runs `work` on the engine's threads, but no more of them than a matrix of `rows` x `columns` has work
/// for: each costs some milliseconds to start.
fn run<T: Send>(
    cpu: &Cpu,
    name: &str,
    (rows, columns): (usize, usize),
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    if cpu.threads == 0 {
        // The pool that is there already; in a browser, the one thread. From outside of it each of the
        // work's many steps would wait for a thread of it to wake.
        return cpu.timeline.time(Phase::Host, name, || rayon::scope(|_| work()));
    }
    let most = (rows.saturating_mul(columns) / BITS_A_THREAD).max(FEW_THREADS);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cpu.threads.min(most)).build();
    let pool = pool.map_err(|error| Error::OutOfMemory(format!("worker threads: {error}").into()))?;
    cpu.timeline.time(Phase::Host, name, || pool.install(work))
}
