//! Reduced echelon forms of many small matrices, a workgroup each; see `shaders/gf2/reduce_many.wgsl`.

use super::kernels::many::{MOST_ROWS, REDUCE_MANY, ReduceManyBuffers, ReduceManyParams, build};
use super::matrix::chunk_len;
use crate::gf2::bit_matrix::words_of_a_row;
use crate::gf2::dense::expect_pivots;
use crate::gf2::{BitMatrix, Echelon};
use crate::gpu::Gpu;
use crate::huge_pages;
use crate::parallel::*;
use crate::{Error, Result};

/// The most bytes of the matrices on the device at a time: transfers go at full speed, and memory stays free.
const STAGE: usize = 64 << 20;
/// The matrices that a thread of the host copies at a time.
const MATRICES_A_TASK: usize = 16;
/// The iterations of all loops of a thread on a software driver. llvmpipe silently ends a loop after 65,535 iterations,
/// those of inner loops included.
const SOFTWARE_ITERATIONS: usize = 32_768;

/// True if the kernel takes matrices of this shape on a device with this binding limit.
pub fn fits(rows: usize, columns: usize, binding_bytes: u64, is_software: bool) -> bool {
    rows <= MOST_ROWS
        && chunk_len(binding_bytes, 4) >= words_of_one(rows, columns) as u64
        && (!is_software || iterations(rows, columns) <= SOFTWARE_ITERATIONS)
}

/// The 32-bit words of a matrix or of its outcome, whichever are more.
fn words_of_one(rows: usize, columns: usize) -> usize {
    (rows * 2 * words_of_a_row(columns)).max(outcome_words(rows, columns))
}

/// The rank, and two words a pivot.
fn outcome_words(rows: usize, columns: usize) -> usize {
    1 + 2 * rows.min(columns)
}

/// The iterations of all loops of a thread, at most: of a panel, two loops over its rows for each column; of each eight
/// words after it, five for each sum and nine for each word of a row.
fn iterations(rows: usize, columns: usize) -> usize {
    let (panels, own_rows) = (columns.div_ceil(32), rows.div_ceil(256));
    let chunks = panels.div_ceil(8);
    panels * (32 * (1 + 2 * own_rows) + 2 * own_rows + chunks * (4 * 5 + rows.div_ceil(32) * 9))
}

/// The number of matrices on the device at a time, at least one, where `device_bytes` of memory may be used.
pub fn at_a_time(rows: usize, columns: usize, binding_bytes: u64, device_bytes: u64) -> usize {
    let words = chunk_len(binding_bytes, 4).min(STAGE as u64 / 4) / words_of_one(rows, columns) as u64;
    let fitting = device_bytes / bytes(1, rows, columns).max(1);
    usize::try_from(words.min(fitting)).unwrap_or(usize::MAX).max(1)
}

/// Bytes of device memory that `matrices` of them take.
pub fn bytes(matrices: usize, rows: usize, columns: usize) -> u64 {
    let words = rows * 2 * words_of_a_row(columns) + outcome_words(rows, columns);
    4 * matrices as u64 * words as u64
}

/// Compiles the kernel.
pub fn prepare(gpu: &Gpu) -> Result<()> {
    gpu.pipeline(&REDUCE_MANY, &build()).map(drop)
}

/// The reduced echelon forms of matrices of one shape that [`fits`], with pivots in the first `limit` columns only. All
/// are on the device at the same time.
pub async fn reduce(gpu: &Gpu, matrices: &[&BitMatrix], limit: usize) -> Result<Vec<Echelon>> {
    let Some(first) = matrices.first() else { return Ok(Vec::new()) };
    let (rows, columns, width) = (first.rows(), first.columns(), first.stride());
    let (len, outcome) = (rows * width, outcome_words(rows, columns));
    if len == 0 {
        let form = |matrix: &&BitMatrix| Echelon { matrix: (*matrix).clone(), pivots: Vec::new() };
        return Ok(matrices.iter().map(form).collect());
    }
    let pipeline = gpu.pipeline(&REDUCE_MANY, &build())?;
    let mut packed: Vec<u32> = huge_pages::zeros(matrices.len() * len)?;
    let places = packed.par_chunks_mut(len).with_min_len(MATRICES_A_TASK);
    places.zip(matrices).for_each(|(place, matrix)| place.copy_from_slice(matrix.words()));
    let words = gpu.upload(&packed)?;
    drop(packed);
    let outcomes = gpu.zeros::<u32>(matrices.len() * outcome)?;
    let params = ReduceManyParams {
        matrices: matrices.len() as u32,
        rows: rows as u32,
        limit: limit.min(columns) as u32,
        words: columns.div_ceil(32) as u32,
        width: width as u32,
        outcome: outcome as u32,
    };
    let mut recorder = gpu.record();
    let buffers = ReduceManyBuffers { matrices: words.written()?, outcomes: outcomes.written()? };
    recorder.dispatch(&pipeline, "reduce many", &buffers, &params, params.matrices)?;
    recorder.submit()?;
    let (words, outcomes) = (words.download_async().await?, outcomes.download_async().await?);
    let form = |(words, outcome): (&[u32], &[u32])| form((rows, columns), limit.min(columns), words, outcome);
    let words = words.par_chunks(len).with_min_len(MATRICES_A_TASK);
    words.zip(outcomes.par_chunks(outcome)).map(form).try_collect()
}

/// Puts the rows of the pivots, which the outcome names, in order, and the others after them.
fn form((rows, columns): (usize, usize), limit: usize, words: &[u32], outcome: &[u32]) -> Result<Echelon> {
    let faulty = || Error::Nonsense("the outcome of a reduction names no rows of the matrix".into());
    let (rank, places) = outcome.split_first().ok_or_else(faulty)?;
    let places = places.as_chunks::<2>().0.get(..*rank as usize).ok_or_else(faulty)?;
    let mut is_pivot = vec![false; rows];
    for &[_, row] in places {
        let is_pivot = is_pivot.get_mut(row as usize).filter(|is_pivot| !**is_pivot);
        *is_pivot.ok_or_else(faulty)? = true;
    }
    let pivots: Vec<u32> = places.iter().map(|&[column, _]| column).collect();
    expect_pivots(&pivots, rows, limit)?;
    let others = (0..rows).filter(|&row| !is_pivot[row]);
    let mut matrix = BitMatrix::zeros(rows, columns)?;
    let width = matrix.stride();
    for (i, row) in places.iter().map(|&[_, row]| row as usize).chain(others).take(rows).enumerate() {
        matrix.row_mut(i).copy_from_slice(&words[row * width..(row + 1) * width]);
    }
    Ok(Echelon { matrix, pivots })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_names_each_row_once_and_columns_in_order() {
        let width = 2 * words_of_a_row(3);
        let words = vec![0; 2 * width];
        let form = |outcome: &[u32]| form((2, 3), 3, &words, outcome);
        assert_eq!(form(&[2, 0, 1, 2, 0]).unwrap().pivots, [0, 2]);
        for outcome in [[3, 0, 1, 2, 0], [2, 0, 1, 2, 1], [2, 0, 1, 2, 2], [2, 2, 1, 0, 0], [2, 0, 1, 3, 0]] {
            assert!(matches!(form(&outcome), Err(Error::Nonsense(_))), "{outcome:?}");
        }
    }
}
