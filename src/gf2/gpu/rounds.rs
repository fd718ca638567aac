//! Elimination in rounds on the GPU, a thread for whole rows, as in the CUDA programs of a course on
//! parallel programming. It is a baseline for the fast methods.
//!
//! ```text
//! loop:
//!     upload the pivots, and the nonzero rows that are no pivots
//!     each thread adds pivots to its row until the row is zero or no pivot has its lead
//!     download the rows; the first row of each lead becomes a pivot on the host
//! until no row becomes a pivot
//! ```

use std::time::Duration;

use web_time::Instant;

use super::compiled::Build;
use super::kernels::rows::{REDUCE_ROWS, ReduceRowsBuffers, ReduceRowsParams};
use crate::gf2::rounds::{self, NONE, Pivots, lead, work_left};
use crate::gf2::{BitMatrix, Elimination, F4Matrix, Grid};
use crate::gpu::{DeviceVec, Gpu, Variant, block_on};
use crate::timeline::Meter;
use crate::{Error, Result};

/// The maximum number of pivots that are added to a row in one dispatch.
const STEPS: usize = 512;
/// The threads of a workgroup unless the F4 matrix names a grid.
const THREADS: u32 = 64;
/// The iterations of all loops of a thread that one dispatch is planned for on a software driver. llvmpipe
/// silently ends a loop after 65,535 iterations, those of inner loops included; one step of the widest row
/// comes close to that.
const SOFTWARE_ITERATIONS: usize = 32_768;
/// The fewest pivots that a software driver adds to a row in one dispatch, if a thread has several rows.
const SOFTWARE_STEPS: usize = 8;
/// The progress of a row that is done; see `shaders/gf2/reduce_rows.wgsl`.
const DONE: u32 = u32::MAX;
/// The time between two looks at how far the rows of a round are.
const LOOK: Duration = Duration::from_millis(200);

/// The kernel that a grid needs.
pub fn build(grid: Option<Grid>) -> Build {
    (&REDUCE_ROWS, Variant::plain(grid.map_or(THREADS, |grid| grid.threads)))
}

/// Eliminates an F4 matrix in rounds, until `goes_on` is false, as [`rounds::eliminate`].
pub async fn eliminate_in_rounds(
    gpu: &Gpu,
    grid: Option<Grid>,
    f4: &F4Matrix,
    goes_on: impl FnMut(usize) -> bool,
) -> Result<Elimination> {
    let reduce = async |rows: &mut BitMatrix, active: &[u32], pivots: &Pivots, meter: &Meter| {
        reduce_rows(gpu, grid, rows, active, pivots, meter).await
    };
    rounds::eliminate(f4, gpu.timeline(), reduce, goes_on).await
}

/// Runs the first rounds of an elimination, until `goes_on` is false, which is asked after every round but the last
/// with the number of new pivots. The device must have the F4 matrix's grid.
pub fn first_rounds(gpu: &Gpu, f4: &F4Matrix, goes_on: impl FnMut(usize) -> bool) -> Result<()> {
    block_on(eliminate_in_rounds(gpu, f4.grid(), f4, goes_on)).map(drop)
}

/// Reduces the rows that `active` names by the pivots, each until its lead has no pivot; returns their leads. The work
/// that this saves is added to the meter.
pub async fn reduce_rows(
    gpu: &Gpu,
    grid: Option<Grid>,
    rows: &mut BitMatrix,
    active: &[u32],
    pivots: &Pivots,
    meter: &Meter,
) -> Result<Vec<Option<u32>>> {
    let mut leads = Vec::with_capacity(active.len());
    for part in active.chunks(rows_of_a_binding(gpu, rows.stride())?) {
        leads.extend(reduce(gpu, grid, rows, part, pivots, meter).await?);
    }
    Ok(leads)
}

fn rows_of_a_binding(gpu: &Gpu, width: usize) -> Result<usize> {
    match gpu.chunk_len::<u32>()? / width.max(1) {
        0 => Err(Error::OutOfMemory(format!("a row of {width} words passes the binding limit").into())),
        rows => Ok(rows),
    }
}

/// Reduces the `active` rows on the GPU, as many at a time as a binding holds.
async fn reduce(
    gpu: &Gpu,
    grid: Option<Grid>,
    rows: &mut BitMatrix,
    part: &[u32],
    pivots: &Pivots,
    meter: &Meter,
) -> Result<Vec<Option<u32>>> {
    let (kernel, variant) = build(grid);
    let pipeline = gpu.pipeline(kernel, &variant)?;
    let width = rows.stride();
    let mut words = Vec::with_capacity(part.len() * width);
    part.iter().for_each(|&row| words.extend_from_slice(rows.row(row as usize)));
    let device_rows = gpu.upload_table(&words)?;
    let pivot_of = gpu.upload_table(&pivots.of)?;
    let leads = gpu.upload_table(&vec![NONE; part.len()])?;
    let progress = gpu.upload_table(&vec![width as u32; part.len()])?;
    let mut waiting = gpu.upload_table(&[1u32])?;

    let most = rows_of_a_binding(gpu, width)?;
    let used = &pivots.matrix.words()[..pivots.count * width];
    let chunks = used.chunks((most * width).max(1));
    let chunks: Vec<_> = chunks.map(|chunk| gpu.upload_table(chunk)).collect::<Result<_>>()?;
    let none = gpu.upload_table(&[0u32])?;
    let count = part.len() as u32;
    let grid = grid.unwrap_or(Grid { threads: THREADS, blocks: count.div_ceil(THREADS) });
    let share = Share::of(gpu.adapter().is_software(), grid, count, width);
    let (done_before, mut looked) = (meter.done(), Instant::now());
    let before: u64 = part.iter().map(|&row| work_left(lead_of(rows.row64(row as usize)))).sum();
    let mut turns = most_turns(width, share.steps, chunks.len());
    while waiting.read_async(0..1).await?.first() != Some(&0) {
        let endless = || Error::Nonsense("rows wait for more pivots than the matrix has columns".into());
        turns = turns.checked_sub(1).ok_or_else(endless)?;
        if looked.elapsed() >= LOOK {
            let left = work_left_on(&progress, &leads, part.len()).await?;
            meter.reach(meter.done().max(done_before + before.saturating_sub(left)));
            looked = Instant::now();
        }
        waiting.write(0, &[0])?;
        let mut recorder = gpu.record();
        for k in 0..chunks.len().max(1) {
            let (chunk, bound) =
                chunks.get(k).map_or((&none, 0), |chunk| (chunk, chunk.len() / width.max(1)));
            let buffers = ReduceRowsBuffers {
                rows: device_rows.written()?,
                pivots: chunk.whole()?,
                pivot_of: pivot_of.whole()?,
                leads: leads.written()?,
                progress: progress.written()?,
                waiting: waiting.written()?,
            };
            for first_row in (0..count).step_by(share.rows as usize) {
                let params = ReduceRowsParams {
                    first_row,
                    end_row: count.min(first_row + share.rows),
                    threads: grid.threads * grid.blocks,
                    width: width as u32,
                    first_pivot: (k * most) as u32,
                    pivots: bound as u32,
                    steps: share.steps as u32,
                };
                recorder.dispatch(&pipeline, "reduce rows", &buffers, &params, grid.blocks)?;
            }
        }
        recorder.submit()?;
    }
    let reduced = device_rows.read_async(0..words.len()).await?;
    for (&row, words) in part.iter().zip(reduced.chunks(width.max(1))) {
        rows.row_mut(row as usize).copy_from_slice(words);
    }
    let leads = leads.read_async(0..part.len()).await?;
    let leads: Vec<_> = leads.into_iter().map(|lead| (lead != NONE).then_some(lead)).collect();
    expect_reduced(rows, part, &leads, pivots)?;
    let left: u64 = leads.iter().map(|&lead| work_left(lead)).sum();
    meter.reach(done_before + before.saturating_sub(left));
    Ok(leads)
}

/// The maximum number of times that the device goes over all rows: each time it adds `steps` pivots to a row that is not
/// done; or, if the pivots lie in several chunks, at least one. A row takes at most one pivot a column, and the first
/// turn is free.
fn most_turns(width: usize, steps: usize, chunks: usize) -> usize {
    let columns = 32 * width;
    1 + if chunks > 1 { columns } else { columns.div_ceil(steps.max(1)) }
}

/// Returns an error unless the leads are those of the rows, and no pivot has them.
fn expect_reduced(rows: &BitMatrix, part: &[u32], leads: &[Option<u32>], pivots: &Pivots) -> Result<()> {
    for (&row, &lead) in part.iter().zip(leads) {
        let own = lead_of(rows.row64(row as usize));
        if own != lead {
            return Err(Error::nonsense_at("row", row, format!("has the lead {own:?}, not {lead:?}")));
        }
        if let Some(lead) = lead
            && pivots.of.get(lead as usize) != Some(&NONE)
        {
            let fault = format!("has its lead in column {lead}, which has a pivot");
            return Err(Error::nonsense_at("row", row, fault));
        }
    }
    Ok(())
}

fn lead_of(words: &[u64]) -> Option<u32> {
    lead(words, words.len()).map(|lead| lead as u32)
}

/// The most work that is left on `count` rows, some of which wait for the next dispatch.
async fn work_left_on(progress: &DeviceVec<u32>, leads: &DeviceVec<u32>, count: usize) -> Result<u64> {
    let (progress, leads) = (progress.read_async(0..count).await?, leads.read_async(0..count).await?);
    let left = |(below, lead): (u32, u32)| match below {
        DONE => work_left((lead != NONE).then_some(lead)),
        // The words of 32 bits from `below` on are zero.
        below => work_left(below.saturating_mul(32).checked_sub(1)),
    };
    Ok(progress.into_iter().zip(leads).map(left).fold(0, u64::saturating_add))
}

/// The work of one dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    /// Rows.
    rows: u32,
    /// The maximum number of pivots that are added to a row.
    steps: usize,
}

impl Share {
    /// Returns the share of a dispatch for `count` rows of `width` words: all rows, or on a software driver
    /// as many as keep its limit of iterations.
    ///
    /// With s steps a row takes at most s (width + 1) + width + 2 iterations: s additions, the steps
    /// themselves, the search of its highest word, and one iteration over the rows.
    fn of(is_software: bool, grid: Grid, count: u32, width: usize) -> Self {
        if !is_software {
            return Share { rows: count.max(1), steps: STEPS };
        }
        let threads = u64::from(grid.threads) * u64::from(grid.blocks);
        let needed = u64::from(count).div_ceil(threads).max(1) as usize;
        let least = SOFTWARE_STEPS * (width + 1) + width + 2;
        let rows_a_thread = (SOFTWARE_ITERATIONS / least).clamp(1, needed);
        let steps = (SOFTWARE_ITERATIONS / rows_a_thread).saturating_sub(width + 2) / (width + 1);
        let rows = threads.saturating_mul(rows_a_thread as u64).min(u64::from(count.max(1)));
        Share { rows: rows as u32, steps: steps.clamp(1, STEPS) }
    }
}

/// The maximum number of columns that a software driver reduces without ending a loop early: one step of a row of 2^15
/// words takes too many iterations.
pub const SOFTWARE_COLUMNS: usize = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_suffice_for_a_pivot_in_each_column() {
        // 64 columns: 64 pivots and a turn that finds the row done.
        assert_eq!([1, 7, 63, 64, 512].map(|steps| most_turns(2, steps, 1)), [65, 11, 3, 2, 2]);
        assert_eq!(most_turns(2, 512, 2), 65);
    }

    #[test]
    fn leads_are_those_of_the_rows_and_have_no_pivot() {
        let lists = |offsets: &[usize], columns: &[u32]| {
            crate::gf2::IndexLists::new(offsets.to_vec(), columns.to_vec()).unwrap()
        };
        let f4 = F4Matrix::new(lists(&[0, 1], &[1]), lists(&[0, 1, 2, 2], &[0, 1]), Some(2)).unwrap();
        let (rows, pivots) = (rounds::dense_rows(&f4).unwrap(), Pivots::new(&f4).unwrap());
        let expect = |part: &[u32], leads: &[Option<u32>]| expect_reduced(&rows, part, leads, &pivots);
        expect(&[0, 2], &[Some(0), None]).unwrap();
        for (part, leads) in [([0, 2], [Some(1), None]), ([0, 2], [None, None]), ([0, 1], [Some(0), Some(1)])]
        {
            assert!(matches!(expect(&part, &leads), Err(Error::Nonsense(_))), "{part:?}");
        }
    }

    #[test]
    fn a_software_driver_gets_no_more_iterations_than_it_runs() {
        // Rows are padded to whole lines of 16 words.
        for width in [1, 2, 33, 1000, SOFTWARE_COLUMNS.div_ceil(32) + 15] {
            for grid in [(1, 1), (10, 1024), (256, 32), (64, 7)] {
                let grid = Grid { threads: grid.0, blocks: grid.1 };
                for count in [0, 1, 63, 54_274] {
                    let Share { rows, steps } = Share::of(true, grid, count, width);
                    assert!((1..=count.max(1)).contains(&rows) && steps >= 1);
                    let rows_a_thread = rows.div_ceil(grid.threads * grid.blocks) as usize;
                    let iterations = rows_a_thread * (steps * (width + 1) + width + 2);
                    let most = if width <= 1000 { SOFTWARE_ITERATIONS } else { 65_535 };
                    assert!(iterations <= most, "{width} {grid} {count}: {iterations}");
                }
            }
        }
        let grid = Grid { threads: 1, blocks: 1 };
        assert_eq!(Share::of(false, grid, 9, 5), Share { rows: 9, steps: STEPS });
    }
}
