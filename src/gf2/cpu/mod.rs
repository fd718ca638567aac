//! The CPU engine: vector instructions chosen at run time, all cores.

pub(super) mod across;
mod blocked;
mod classic;
mod dense;
mod given;
mod kernels;
mod panel;
mod peers;
mod run_context;
mod shape;
mod simd;
mod storage;
mod sweep;
mod team;
mod tiled;
pub(super) mod times;
mod two_stage;
mod update;

pub use crate::Simd;
#[cfg(not(target_arch = "wasm32"))]
pub(super) use panel::{BlockPivots, Panel};
use run_context::RunContext;
#[cfg(not(target_arch = "wasm32"))]
pub(super) use shape::{KnownPivots, Shape, state_bytes, tile_bytes};
#[cfg(not(target_arch = "wasm32"))]
pub(super) use storage::{Panels, Tiles};

#[cfg(not(target_arch = "wasm32"))]
use super::BitView;
#[cfg(not(target_arch = "wasm32"))]
use super::bit_matrix;
use super::rounds::Pivots;
use super::{BitMatrix, Echelon, Elimination, F4Matrix, F4Method, RowReduction, RowSchedule};
use crate::parallel::*;
use crate::timeline::{Meter, Phase};
use crate::{Cpu, Result};

/// Eliminates an F4 matrix by the plan's method, which is never [`F4Method::Auto`], and for rounds by a schedule.
pub(super) fn eliminate(
    cpu: &Cpu,
    f4: &F4Matrix,
    method: F4Method,
    schedule: RowSchedule,
) -> Result<Elimination> {
    let (rows, context) = (f4.rows().len() + f4.reducers().len(), RunContext::on(cpu));
    run(cpu, &format!("eliminate {method}"), (rows, f4.width()), || match method {
        F4Method::Bands => classic::bands(f4, context),
        F4Method::Rounds => classic::rounds(f4, schedule, context),
        F4Method::XorThreads => classic::xor_threads(f4, context),
        F4Method::Blocked => given::blocked(f4, context),
        F4Method::Auto | F4Method::TwoStage => two_stage::two_stage(f4, context),
    })
}

/// Reduces the rows that `active` names by the pivots, each until its lead has no pivot; returns their leads.
pub(super) fn reduce(
    cpu: &Cpu,
    rows: &mut BitMatrix,
    active: &[u32],
    pivots: &Pivots,
    schedule: RowSchedule,
    meter: &Meter,
) -> Result<Vec<Option<u32>>> {
    let shape = (active.len() + pivots.count, rows.columns());
    run(cpu, "reduce", shape, || {
        Ok(classic::reduce(rows, active, pivots, schedule, RunContext::on(cpu), meter))
    })
}

/// An echelon form with all rows, or only the pivots.
pub(super) fn echelon(cpu: &Cpu, matrix: &BitMatrix, reduction: &RowReduction) -> Result<Echelon> {
    run(cpu, "echelon", reduction.shape(), || dense::echelon(matrix, reduction, RunContext::on(cpu)))
}

/// What `answer` makes of each matrix; each is done by one thread. `answer` gets an elimination, which is `reduction`.
pub(super) fn many<T: Send>(
    cpu: &Cpu,
    matrices: &[BitMatrix],
    reduction: &RowReduction,
    answer: impl Fn(usize, &BitMatrix, &dyn Fn(&BitMatrix) -> Result<Echelon>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let shape = (matrices.len() * reduction.rows, reduction.columns);
    let eliminate = |matrix: &BitMatrix| dense::echelon(matrix, reduction, RunContext::on(cpu));
    let one = |(k, matrix)| answer(k, matrix, &eliminate);
    run(cpu, "many eliminations", shape, || matrices.par_iter().enumerate().map(one).try_collect())
}

/// The product a * b.
pub(super) fn multiply(cpu: &Cpu, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    let shape = (a.rows() + b.rows(), b.columns());
    run(cpu, "multiply", shape, || dense::multiply(a, b, RunContext::on(cpu)))
}

/// The product a * b, `band` bytes of it at a time.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn multiply_in_bands(
    cpu: &Cpu,
    a: BitView<'_>,
    b: BitView<'_>,
    band: u64,
    take: &mut dyn FnMut(&BitMatrix) -> Result<()>,
) -> Result<()> {
    let a_row = 64 * b.columns().div_ceil(bit_matrix::LINE_BITS) as u64 + 68;
    let rows = usize::try_from(band / a_row).unwrap_or(usize::MAX).clamp(1, a.rows().max(1));
    let blocks = a.columns().div_ceil(bit_matrix::LINE_BITS);
    let meter = cpu.timeline.meter((a.rows() * blocks) as u64);
    for first in (0..a.rows()).step_by(rows) {
        let end = a.rows().min(first + rows);
        let shape = (end - first + b.rows(), b.columns());
        let work = || dense::multiply_rows(a, b, first..end, RunContext::on(cpu), &meter);
        let product = run(cpu, "multiply", shape, work)?;
        dense::rows_in_bands(&product, take)?;
    }
    Ok(())
}

/// Eliminates the matrix of some files. Returns by row the column of its lead or `u32::MAX`.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn eliminate_on_files(
    cpu: &Cpu,
    shape: &Shape,
    tiles: &mut dyn Tiles,
    panels: &mut dyn Panels,
) -> Result<Vec<u32>> {
    run(cpu, "echelon", (shape.rows, bit_matrix::LINE_BITS * shape.tiles), || {
        blocked::BlockedElimination { shape, given: None, peers: None, context: RunContext::on(cpu) }
            .eliminate(tiles, panels)
    })
}

/// At most one thread is started per this many bits of a matrix; but [`FEW_THREADS`] are always
/// allowed, so that small matrices take the same code path as large ones.
const BITS_A_THREAD: usize = 1 << 12;
const FEW_THREADS: usize = 8;

/// Runs `work` on the engine's threads, using no more of them than a matrix of `rows` x `columns` can
/// occupy: starting one takes some milliseconds.
fn run<T: Send>(
    cpu: &Cpu,
    name: &str,
    (rows, columns): (usize, usize),
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    cpu.simd.checked()?;
    let most = (rows.saturating_mul(columns) / BITS_A_THREAD).max(FEW_THREADS);
    let threads = Threads::new(cpu.threads.min(most))?;
    cpu.timeline.time(Phase::Host, name, || threads.enter(work))
}
