//! The remainder of a triangle, or sums of its rows.
//!
//! With the pivots first, A is [P B; C D]. The remainder S = D - C P^-1 B has the rank of A less the number of pivots. Column k
//! of S is [C D] times the vector that has a 1 in the k-th column without a pivot, and that the rows of the pivots map to 0:
//! [`Triangle::extend`] finds it. 512 of these vectors are one line for each column of A.

use super::triangle::{Triangle, sum};
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::gf2::{BitMatrix, IndexLists};
use crate::parallel::*;

/// Rows beyond the columns of sums: 2^-64 is the chance that sums of random rows have a smaller rank than the rows.
const SPARE: usize = 64;

/// The bytes of blocks at work, unless one takes more.
const BLOCKS: u64 = 1 << 28;

/// The number of rows for a remainder of so many rows and columns: all of them, or sums if there are many more rows than
/// columns.
pub fn rows_of((rows, columns): (usize, usize)) -> usize {
    if rows > columns + columns / 4 + SPARE { columns + SPARE } else { rows }
}

/// The place of row `k` of `rows` rows among `count` rows of a remainder; rows with the same place are added.
pub fn place(k: usize, rows: usize, count: usize) -> usize {
    if rows == count {
        return k;
    }
    // Equal or related rows are seldom neighbours after a multiplication by the golden ratio.
    let hash = (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    ((hash * count as u64) >> 32) as usize
}

/// The bytes of a block of 512 columns at work.
fn block_bytes(columns: usize, rows: usize) -> u64 {
    size_of::<Line>() as u64 * (columns as u64).saturating_add(rows as u64)
}

/// The blocks at work at once, of `blocks` blocks, by so many threads.
fn at_once(threads: usize, blocks: usize, columns: usize, rows: usize) -> usize {
    let fitting = BLOCKS / block_bytes(columns, rows).max(1);
    threads.min(blocks).min(usize::try_from(fitting).unwrap_or(usize::MAX)).max(1)
}

/// The bytes of [`remainder`], its result not included, with so many threads, of a matrix of `columns` columns with `left` of them
/// left.
pub fn bytes_of(threads: usize, columns: usize, left: usize, rows: usize) -> u64 {
    let blocks = left.div_ceil(LINE_BITS);
    block_bytes(columns, rows).saturating_mul(at_once(threads, blocks, columns, rows) as u64)
}

/// The remainder as `rows` rows; see [`place`].
pub fn remainder(matrix: &IndexLists, triangle: &Triangle, rows: usize) -> Result<BitMatrix> {
    let (columns, left) = (triangle.shape().1, triangle.left_columns());
    let mut remainder = BitMatrix::zeros(rows, left.len())?;
    let blocks = left.len().div_ceil(LINE_BITS);
    let at_once = at_once(threads(), blocks, columns, rows);
    let block = |_| Ok(Block { vectors: zero_lines(columns)?, products: zero_lines(rows)? });
    let mut work: Vec<Block> = (0..at_once).map(block).collect::<Result<_>>()?;
    let mut first = 0;
    for of_blocks in left.chunks(LINE_BITS * at_once) {
        let work = &mut work[..of_blocks.len().div_ceil(LINE_BITS)];
        work.par_iter_mut()
            .zip(of_blocks.par_chunks(LINE_BITS))
            .with_max_len(1)
            .for_each(|(block, columns)| block.compute(matrix, triangle, columns));
        let words = first..first + of_blocks.len().div_ceil(64);
        for row in 0..rows {
            let target = &mut remainder.row64_mut(row)[words.clone()];
            let products = work.iter().flat_map(|block| block.products[row].0);
            target.iter_mut().zip(products).for_each(|(word, product)| *word = product);
        }
        first = words.end;
    }
    Ok(remainder)
}

/// Some columns of the remainder.
struct Block {
    /// One line for each column of the matrix; those of columns without a pivot are zero between blocks.
    vectors: Box<[Line]>,
    /// One line for each row of the remainder.
    products: Box<[Line]>,
}

impl Block {
    fn compute(&mut self, matrix: &IndexLists, triangle: &Triangle, columns: &[u32]) {
        let Block { vectors, products } = self;
        columns.iter().enumerate().for_each(|(k, &column)| vectors[column as usize].flip(k));
        triangle.extend(matrix, vectors);
        products.fill(Line::ZERO);
        let (rows, count) = (triangle.left_rows(), products.len());
        for (k, &row) in rows.iter().enumerate() {
            products[place(k, rows.len(), count)].xor(&sum(matrix.row(row as usize), vectors));
        }
        columns.iter().for_each(|&column| vectors[column as usize] = Line::ZERO);
    }
}
