//! Matrices that the device's memory does not hold at once, in chunks of rows.

use std::ops::Range;

use rayon::prelude::*;

use super::{dense, whole};
use crate::gf2::{BitMatrix, Echelon, Elimination, IndexLists, Method, System};
use crate::gpu::Gpu;
use crate::{Error, Result};

/// Rows below which chunks are not halved any more: padding dominates then.
const LEAST: usize = 1024;

/// Does `work` with as many rows at a time as fit: all of them, and half as many as long as the
/// device runs out of memory.
async fn fitting<T>(rows: usize, work: impl AsyncFn(usize) -> Result<T>) -> Result<T> {
    let mut most = rows.max(1);
    loop {
        match work(most).await {
            Err(Error::OutOfMemory(_)) if most > LEAST => most = most.div_ceil(2).next_multiple_of(64),
            done => return done,
        }
    }
}

/// Eliminates a system in file order.
pub(super) async fn eliminate(gpu: &Gpu, system: &System, method: Method) -> Result<Elimination> {
    fitting(system.row_count(), async |most| match most >= system.row_count() {
        true => whole(gpu, system, method).await,
        false => eliminate_by_rows(gpu, system, method, most).await,
    })
    .await
}

/// Rows meet only eliminators and rows before them: some rows after the other, and what they
/// promote becomes eliminators.
async fn eliminate_by_rows(gpu: &Gpu, system: &System, method: Method, most: usize) -> Result<Elimination> {
    let mut eliminators = system.eliminators().clone();
    let given = eliminators.len();
    let mut promoted = Vec::new();
    for first in (0..system.row_count()).step_by(most) {
        let mut rows = IndexLists::default();
        for row in first..system.row_count().min(first + most) {
            rows.push(system.rows().row(row))?;
        }
        let part = System::new(eliminators.clone(), rows, Some(system.width()))?;
        let result = whole(gpu, &part, method).await?;
        for (k, &row) in result.promoted().iter().enumerate() {
            eliminators.push(&result.promoted_row(k).collect::<Vec<_>>())?;
            promoted.push(first as u32 + row);
        }
    }
    let mut matrix = BitMatrix::zeros(promoted.len(), system.width())?;
    for k in 0..promoted.len() {
        eliminators.row(given + k).iter().for_each(|&column| matrix.set(k, column as usize, true));
    }
    Ok(Elimination::new(system, &promoted, matrix))
}

/// The echelon form of a matrix, reduced if `full`, with pivots in the first `limit` columns only.
pub(in crate::gf2) async fn echelon(
    gpu: &Gpu,
    matrix: &BitMatrix,
    limit: usize,
    full: bool,
) -> Result<Echelon> {
    fitting(matrix.rows(), async |most| match most >= matrix.rows() {
        true => dense::echelon(gpu, matrix, limit, full).await,
        false => echelon_by_rows(gpu, matrix, limit, full, most).await,
    })
    .await
}

/// Some rows after the other, reduced by those before, each chunk then to its reduced form; for a
/// reduced form of all, those before reduced by it.
async fn echelon_by_rows(
    gpu: &Gpu,
    matrix: &BitMatrix,
    limit: usize,
    full: bool,
    most: usize,
) -> Result<Echelon> {
    let mut parts: Vec<Echelon> = Vec::new();
    for first in (0..matrix.rows()).step_by(most) {
        let mut chunk = part(matrix, first..matrix.rows().min(first + most), 0..matrix.columns())?;
        for earlier in &parts {
            reduce(gpu, &mut chunk, earlier, most).await?;
        }
        let chunk = dense::echelon(gpu, &chunk, limit, true).await?;
        if full {
            for earlier in &mut parts {
                reduce(gpu, &mut earlier.matrix, &chunk, most).await?;
            }
        }
        parts.push(chunk);
    }
    let mut order = Vec::new();
    for (k, chunk) in parts.iter().enumerate() {
        let pivots = chunk.pivots.iter().map(|&pivot| Some(pivot)).chain(std::iter::repeat(None));
        order.extend((0..chunk.matrix.rows()).zip(pivots).map(|(row, pivot)| (pivot, k, row)));
    }
    // Rows without a pivot are last.
    order.sort_by_key(|&(pivot, ..)| (pivot.is_none(), pivot));
    let mut sorted = BitMatrix::zeros(matrix.rows(), matrix.columns())?;
    for (row, &(_, k, from)) in order.iter().enumerate() {
        sorted.row64_mut(row).copy_from_slice(parts[k].matrix.row64(from));
    }
    Ok(Echelon { pivots: order.iter().map_while(|&(pivot, ..)| pivot).collect(), matrix: sorted })
}

/// Clears the columns of a reduced form's pivots in `target`.
async fn reduce(gpu: &Gpu, target: &mut BitMatrix, by: &Echelon, most: usize) -> Result<()> {
    if by.pivots.is_empty() || target.rows() == 0 {
        return Ok(());
    }
    let mut selections = BitMatrix::zeros(target.rows(), by.rank())?;
    let stride = selections.stride64();
    let rows = selections.words64_mut().par_chunks_mut(stride).enumerate();
    rows.for_each(|(row, words)| {
        for (k, &pivot) in by.pivots.iter().enumerate() {
            words[k / 64] |= u64::from(target.get(row, pivot as usize)) << (k % 64);
        }
    });
    let pivots = part(&by.matrix, 0..by.rank(), 0..by.matrix.columns())?;
    let sum = multiply_by_rows(gpu, &selections, &pivots, most).await?;
    add(target, 0, &sum);
    Ok(())
}

/// a * b; a has as many columns as b has rows.
pub(in crate::gf2) async fn multiply(gpu: &Gpu, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    let rows = a.rows().max(b.rows());
    fitting(rows, async |most| match most >= rows {
        true => dense::multiply(gpu, a, b).await,
        false => multiply_by_rows(gpu, a, b, most).await,
    })
    .await
}

async fn multiply_by_rows(gpu: &Gpu, a: &BitMatrix, b: &BitMatrix, most: usize) -> Result<BitMatrix> {
    let mut product = BitMatrix::zeros(a.rows(), b.columns())?;
    for inner in (0..b.rows()).step_by(most) {
        let inner = inner..b.rows().min(inner + most);
        let right = part(b, inner.clone(), 0..b.columns())?;
        for first in (0..a.rows()).step_by(most) {
            let left = part(a, first..a.rows().min(first + most), inner.clone())?;
            add(&mut product, first, &dense::multiply(gpu, &left, &right).await?);
        }
    }
    Ok(product)
}

/// Some rows and columns of a matrix; the first column is a multiple of 64, and the last one the
/// matrix's own or a multiple of 64 as well.
fn part(matrix: &BitMatrix, rows: Range<usize>, columns: Range<usize>) -> Result<BitMatrix> {
    let mut part = BitMatrix::zeros(rows.len(), columns.len())?;
    let words = columns.start / 64..columns.end.div_ceil(64);
    for (to, from) in rows.enumerate() {
        part.row64_mut(to)[..words.len()].copy_from_slice(&matrix.row64(from)[words.clone()]);
    }
    Ok(part)
}

/// Adds a matrix of as many columns to the rows from `first` on.
fn add(target: &mut BitMatrix, first: usize, other: &BitMatrix) {
    for row in 0..other.rows() {
        let words = target.row64_mut(first + row).iter_mut();
        words.zip(other.row64(row)).for_each(|(to, word)| *to ^= word);
    }
}
