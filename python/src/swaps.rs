//! Elimination in the order of ldpc's `row_echelon`: the pivot of a column is the first row, from the place of the next pivot
//! on, that has a one there, and it changes places with the row at that place. The form, the operations on rows and the
//! basis of a kernel follow from this order.

use crate::prelude::*;
use wgalois::gf2;
use wgalois::parallel::*;

use crate::bits::BitMatrix;

/// Words of rows that are worth a second thread.
const SHARED: usize = 1 << 16;

/// The number of a word that has the column, and the column's bit in it.
fn place(column: usize) -> (usize, u32) {
    (column / 32, 1 << (column % 32))
}

/// Eliminates a matrix with pivots in the first `limit` columns, also above the pivots if `full`. Returns the columns of the
/// pivots; row k has the k-th pivot.
fn eliminate(matrix: &mut gf2::BitMatrix, limit: usize, full: bool) -> Result<Vec<u32>> {
    let (rows, stride, check) = (matrix.rows(), matrix.stride(), work::asks());
    let words = matrix.words_mut();
    let mut pivots = Vec::new();
    for column in 0..limit {
        let (place, bit) = place(column);
        let top = pivots.len();
        let Some(row) = (top..rows).find(|row| words[row * stride + place] & bit != 0) else { continue };
        check()?;
        let (before, rest) = words.split_at_mut(top * stride);
        let (pivot, below) = rest.split_at_mut(stride);
        if row > top {
            pivot.swap_with_slice(&mut below[(row - top - 1) * stride..][..stride]);
        }
        // A pivot has zeros in the columns before.
        let pivot = &pivot[place..];
        let reduce = |row: &mut [u32]| {
            if row[place] & bit != 0 {
                row[place..].iter_mut().zip(pivot).for_each(|(word, pivot)| *word ^= pivot);
            }
        };
        let least = (SHARED / stride).max(1);
        below.par_chunks_mut(stride).with_min_len(least).for_each(reduce);
        if full {
            before.par_chunks_mut(stride).with_min_len(least).for_each(reduce);
        }
        pivots.push(column as u32);
    }
    Ok(pivots)
}

/// The matrix with the identity to its right, eliminated: the form beside the operations on rows, and the columns of the
/// pivots.
#[pyfunction]
pub fn gf2_by_swaps(py: Python<'_>, a: &BitMatrix, full: bool) -> PyResult<(BitMatrix, Vec<u32>)> {
    let a = Arc::clone(&a.0);
    let is_short = a.rows() * (a.rows() + a.columns()) <= crate::bits::SHORT / 8;
    work::run_short(py, is_short, (), move |()| {
        let mut both = crate::bits::beside_identity(&a)?;
        let pivots = eliminate(&mut both, a.columns(), full)?;
        Ok((BitMatrix::from(both), pivots))
    })
}
