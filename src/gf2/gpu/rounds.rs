//! Algorithm 2 on the GPU as the CUDA programs of the course have it: one thread a row; the host
//! promotes after every round, and rows and pivots are copied both ways. The baseline of the fast
//! methods.

use super::kernels::REDUCE_ROWS;
use crate::gf2::rounds::{self, NONE, Pivots};
use crate::gf2::{BitMatrix, Elimination, System};
use crate::gpu::{Gpu, Pipeline, Variant};
use crate::{Error, Result};

/// Pivots that a row takes in one dispatch at most.
const STEPS: usize = 512;
/// Words that a thread goes through in one dispatch of a software driver: llvmpipe ends a loop,
/// inner rounds included, after 65,535, silently.
const SOFTWARE_WORDS: usize = 32_768;
/// What says that a row is done; see `shaders/gf2/reduce_rows.wgsl`.
const DONE: u32 = u32::MAX;

/// Eliminates a system in rounds.
pub(super) async fn eliminate(gpu: &Gpu, system: &System) -> Result<Elimination> {
    let pipeline = gpu.pipeline(&REDUCE_ROWS, &Variant::plain(64))?;
    rounds::eliminate(system, async |rows: &mut BitMatrix, active: &[u32], pivots: &Pivots| {
        let mut leads = Vec::with_capacity(active.len());
        let most = rows_of_a_binding(gpu, rows.stride())?;
        for block in active.chunks(most) {
            leads.extend(reduce(gpu, &pipeline, rows, block, pivots).await?);
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

/// One round on a block of rows.
async fn reduce(
    gpu: &Gpu,
    pipeline: &Pipeline,
    rows: &mut BitMatrix,
    block: &[u32],
    pivots: &Pivots,
) -> Result<Vec<Option<u32>>> {
    let width = rows.stride();
    let mut words = Vec::with_capacity(block.len() * width);
    block.iter().for_each(|&row| words.extend_from_slice(rows.row(row as usize)));
    let device_rows = gpu.upload_table(&words)?;
    let pivot_of = gpu.upload_table(&pivots.of)?;
    let leads = gpu.upload_table(&vec![NONE; block.len()])?;
    let progress = gpu.upload_table(&vec![width as u32; block.len()])?;
    let mut waiting = gpu.upload_table(&[1u32])?;

    let most = rows_of_a_binding(gpu, width)?;
    let used = &pivots.matrix.words()[..pivots.count * width];
    let parts = used.chunks((most * width).max(1));
    let parts: Vec<_> = parts.map(|part| gpu.upload_table(part)).collect::<Result<_>>()?;
    let none = gpu.upload_table(&[0u32])?;
    let steps = match gpu.adapter().is_software() {
        true => (SOFTWARE_WORDS / width.max(1)).clamp(1, STEPS),
        false => STEPS,
    };
    let count = block.len() as u32;
    while waiting.read_async(0..1).await?[0] != 0 {
        waiting.write(0, &[0])?;
        let mut recorder = gpu.record();
        for k in 0..parts.len().max(1) {
            let (part, bound) = parts.get(k).map_or((&none, 0), |part| (part, part.len() / width.max(1)));
            let params = [count, width as u32, (k * most) as u32, bound as u32, steps as u32];
            let buffers = [
                device_rows.whole()?,
                part.whole()?,
                pivot_of.whole()?,
                leads.whole()?,
                progress.whole()?,
                waiting.whole()?,
            ];
            recorder.dispatch(pipeline, "reduce rows", &buffers, &params, count.div_ceil(64))?;
        }
        recorder.submit()?;
    }
    debug_assert!(progress.read_async(0..block.len()).await?.iter().all(|&progress| progress == DONE));
    let reduced = device_rows.read_async(0..words.len()).await?;
    for (&row, words) in block.iter().zip(reduced.chunks(width.max(1))) {
        rows.row_mut(row as usize).copy_from_slice(words);
    }
    let leads = leads.read_async(0..block.len()).await?;
    Ok(leads.into_iter().map(|lead| (lead != NONE).then_some(lead)).collect())
}
