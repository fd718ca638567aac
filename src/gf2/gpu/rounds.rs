//! Elimination in rounds on the GPU, one thread per row, as in the CUDA programs of a course on
//! parallel programming. It is a baseline for the fast methods.
//!
//! ```text
//! loop:
//!     upload the pivots, and the nonzero rows that are not promoted
//!     each thread adds pivots to its row until the row is zero or no pivot has its lead
//!     download the rows; the host promotes the first row of each lead
//! until no row is promoted
//! ```

use super::kernels::rows::{REDUCE_ROWS, ReduceRowsParams};
use crate::gf2::rounds::{self, NONE, Pivots};
use crate::gf2::{BitMatrix, Elimination, System};
use crate::gpu::{Gpu, Pipeline, Variant};
use crate::{Error, Result};

/// The most pivots that are added to a row in one dispatch.
const STEPS: usize = 512;
/// The most words that a thread reads in one dispatch on a software driver: llvmpipe silently ends a
/// loop after 65,535 iterations, those of inner loops included.
const SOFTWARE_WORDS: usize = 32_768;
/// The progress of a row that is done; see `shaders/gf2/reduce_rows.wgsl`.
const DONE: u32 = u32::MAX;

/// Eliminates a system in rounds.
pub(super) async fn eliminate_in_rounds(gpu: &Gpu, system: &System) -> Result<Elimination> {
    let pipeline = gpu.pipeline(&REDUCE_ROWS, &Variant::plain(64))?;
    rounds::eliminate(system, async |rows: &mut BitMatrix, active: &[u32], pivots: &Pivots| {
        let mut leads = Vec::with_capacity(active.len());
        let most = rows_of_a_binding(gpu, rows.stride())?;
        for part in active.chunks(most) {
            leads.extend(reduce(gpu, &pipeline, rows, part, pivots).await?);
        }
        Ok(leads)
    })
    .await
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
    pipeline: &Pipeline,
    rows: &mut BitMatrix,
    part: &[u32],
    pivots: &Pivots,
) -> Result<Vec<Option<u32>>> {
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
    let steps = match gpu.adapter().is_software() {
        true => (SOFTWARE_WORDS / width.max(1)).clamp(1, STEPS),
        false => STEPS,
    };
    let count = part.len() as u32;
    while waiting.read_async(0..1).await?[0] != 0 {
        waiting.write(0, &[0])?;
        let mut recorder = gpu.record();
        for k in 0..chunks.len().max(1) {
            let (chunk, bound) =
                chunks.get(k).map_or((&none, 0), |chunk| (chunk, chunk.len() / width.max(1)));
            let params = ReduceRowsParams {
                rows: count,
                width: width as u32,
                first_pivot: (k * most) as u32,
                pivots: bound as u32,
                steps: steps as u32,
            };
            let buffers = [
                device_rows.whole()?,
                chunk.whole()?,
                pivot_of.whole()?,
                leads.whole()?,
                progress.whole()?,
                waiting.whole()?,
            ];
            recorder.dispatch(pipeline, "reduce rows", &buffers, &params, count.div_ceil(64))?;
        }
        recorder.submit()?;
    }
    debug_assert!(progress.read_async(0..part.len()).await?.iter().all(|&progress| progress == DONE));
    let reduced = device_rows.read_async(0..words.len()).await?;
    for (&row, words) in part.iter().zip(reduced.chunks(width.max(1))) {
        rows.row_mut(row as usize).copy_from_slice(words);
    }
    let leads = leads.read_async(0..part.len()).await?;
    Ok(leads.into_iter().map(|lead| (lead != NONE).then_some(lead)).collect())
}
