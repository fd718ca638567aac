//! Right sides through a triangle.
//!
//! ```text
//! A = [P B; C D], the pivots first     A [x; y] = [b; c]
//! S y = c - C P^-1 b                   right sides of the remainder S = D - C P^-1 B     (`reduced`)
//! x = P^-1 (b - B y)                   the unknowns of the pivots' columns               (`substituted`)
//! ```
//!
//! 512 right sides are one line for each column of A; [`Triangle::extend_to`] solves with P.

use super::triangle::{Sum, Triangle, sum};
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::gf2::{BitMatrix, IndexLists};

/// The bytes of a block of right sides at work, for a matrix of so many columns.
pub fn bytes_of(columns: usize) -> u64 {
    size_of::<Line>() as u64 * columns as u64
}

/// The right sides of the remainder, a row for each row without a pivot.
pub fn reduced(matrix: &IndexLists, triangle: &Triangle, b: &BitMatrix) -> Result<BitMatrix> {
    let rows = triangle.left_rows();
    let mut reduced = BitMatrix::zeros(rows.len(), b.columns())?;
    let mut words = zero_lines(triangle.shape().1)?;
    for block in 0..b.columns().div_ceil(LINE_BITS) {
        triangle.extend_to(matrix, |row| line(b, row, block), &mut words);
        for (k, &row) in rows.iter().enumerate() {
            let mut side = line(b, row as usize, block);
            side.add(&sum(matrix.row(row as usize), &words));
            set_line(&mut reduced, k, block, &side);
        }
    }
    Ok(reduced)
}

/// The solutions of the matrix, a row for each of its columns, from those of the remainder. Unknowns whose columns are empty are 0.
pub fn substituted(
    matrix: &IndexLists,
    triangle: &Triangle,
    b: &BitMatrix,
    of_remainder: &BitMatrix,
) -> Result<BitMatrix> {
    let columns = triangle.shape().1;
    let mut solutions = BitMatrix::zeros(columns, b.columns())?;
    let mut words = zero_lines(columns)?;
    for block in 0..b.columns().div_ceil(LINE_BITS) {
        for (k, &column) in triangle.left_columns().iter().enumerate() {
            words[column as usize] = line(of_remainder, k, block);
        }
        triangle.extend_to(matrix, |row| line(b, row, block), &mut words);
        words.iter().enumerate().for_each(|(column, word)| set_line(&mut solutions, column, block, word));
    }
    Ok(solutions)
}

/// 512 columns of a row, with zeros after its last one.
fn line(matrix: &BitMatrix, row: usize, block: usize) -> Line {
    let mut line = Line::ZERO;
    line.0.iter_mut().zip(&matrix.row64(row)[8 * block..]).for_each(|(to, word)| *to = *word);
    line
}

/// Writes 512 columns of a row, or as many as it has.
pub fn set_line(matrix: &mut BitMatrix, row: usize, block: usize, line: &Line) {
    matrix.row64_mut(row)[8 * block..].iter_mut().zip(&line.0).for_each(|(to, word)| *to = *word);
}
