//! The kernel of a sparse matrix, which is read in bands: a basis may take far more memory than the matrix.
//!
//! With E the reduced form of the remainder, and its columns in the order *pivots of E, others*, E is [I F]. Vector k has a 1 in the
//! k-th of these others and column k of F at the pivots of E; the triangle gives the entries at its own pivots. Columns without
//! ones have a unit vector each. So F and the triangle are all that is kept.

use std::borrow::Cow;
use std::ops::Range;

use super::right_sides::set_line;
use super::triangle::Triangle;
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::gf2::transpose::transpose_lines;
use crate::gf2::verify::Bands;
use crate::gf2::{BitMatrix, Echelon, IndexLists};
use crate::{Error, Result};

/// A basis of the kernel of a sparse matrix; [`vectors`](Self::vectors) has its vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseKernel {
    /// The columns of the matrix.
    columns: usize,
    /// The columns of the remainder's pivots.
    pivots: Vec<u32>,
    /// F: a row for each pivot of the remainder, a column for each of its other columns.
    others: BitMatrix,
    free: Vec<u32>,
}

impl SparseKernel {
    /// Reads the kernel from the reduced form of the remainder.
    pub(super) fn new(matrix: &IndexLists, triangle: &Triangle, form: &Echelon) -> Result<Self> {
        let (columns, left) = (triangle.shape().1, triangle.left_columns());
        let is_pivot = |k: usize| form.pivots.binary_search(&(k as u32)).is_ok();
        let of_remainder = left.iter().enumerate().filter(|(k, _)| !is_pivot(*k)).map(|(_, &column)| column);
        let mut has_ones = vec![false; columns];
        matrix.indices().iter().for_each(|&column| has_ones[column as usize] = true);
        let empty = (0..).zip(has_ones).filter(|(_, has_ones)| !has_ones).map(|(column, _)| column);
        let free = of_remainder.chain(empty).collect();
        let mut others = form.matrix.copy_of_rows(0..form.rank())?;
        others.remove_columns(&form.pivots);
        let pivots = form.pivots.iter().map(|&k| left[k as usize]).collect();
        Ok(SparseKernel { columns, pivots, others, free })
    }

    /// The number of vectors.
    pub fn dimension(&self) -> usize {
        self.free.len()
    }

    /// For each vector a column in which it has a one, and the other vectors have none.
    pub fn free_columns(&self) -> &[u32] {
        &self.free
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> u64 {
        self.others.bytes() + (size_of_val(&*self.pivots) + size_of_val(&*self.free)) as u64
    }

    /// The vectors, one a row, for the matrix and the triangle of which this is the kernel.
    pub fn vectors<'a>(
        &'a self,
        matrix: &'a IndexLists,
        triangle: &'a Triangle,
    ) -> Result<KernelVectors<'a>> {
        triangle.numbers().expect_matrix(matrix)?;
        let is_own = self.columns == triangle.shape().1
            && self.others.columns() <= self.free.len()
            && self.pivots.len() == self.others.rows();
        match is_own {
            true => Ok(KernelVectors { kernel: self, matrix, triangle }),
            false => Err(Error::OtherPlan { what: "matrix" }),
        }
    }
}

/// The vectors of a [`SparseKernel`], one a row, computed in bands of 512.
#[derive(Debug)]
pub struct KernelVectors<'a> {
    kernel: &'a SparseKernel,
    matrix: &'a IndexLists,
    triangle: &'a Triangle,
}

impl KernelVectors<'_> {
    /// The bytes of a band of a matrix of so many columns, and of its computation.
    pub fn bytes_of(columns: usize) -> u64 {
        BitMatrix::bytes_of(LINE_BITS as u64, columns as u64)
            .saturating_add(size_of::<Line>() as u64 * columns as u64)
    }
}

impl Bands for KernelVectors<'_> {
    fn rows(&self) -> usize {
        self.kernel.dimension()
    }

    fn columns(&self) -> usize {
        self.kernel.columns
    }

    fn rows_of_a_band(&self) -> usize {
        LINE_BITS
    }

    fn band(&self, rows: Range<usize>) -> Result<Cow<'_, BitMatrix>> {
        let KernelVectors { kernel, matrix, triangle } = self;
        let SparseKernel { columns, pivots, others, free } = kernel;
        let mut words = zero_lines(*columns)?;
        (0..)
            .zip(pivots)
            .for_each(|(row, &pivot)| words[pivot as usize] = line_from(others, row, rows.start));
        (0..).zip(&free[rows.clone()]).for_each(|(k, &column)| words[column as usize].flip(k));
        triangle.extend(matrix, &mut words);
        transposed(&words, rows.len()).map(Cow::Owned)
    }
}

/// 512 columns of a row from column `first` on, with zeros after its last one.
fn line_from(matrix: &BitMatrix, row: usize, first: usize) -> Line {
    let words = matrix.row64(row).get(first / 64..).unwrap_or_default();
    let word = |k: usize| u128::from(words.get(k).copied().unwrap_or(0));
    Line(std::array::from_fn(|k| ((word(k) | word(k + 1) << 64) >> (first % 64)) as u64))
}

/// The first `rows` bits of each line as a matrix with a column for each line.
fn transposed(lines: &[Line], rows: usize) -> Result<BitMatrix> {
    let mut matrix = BitMatrix::zeros(rows, lines.len())?;
    let mut block = zero_lines(rows)?;
    for (k, lines) in lines.chunks(LINE_BITS).enumerate() {
        // The last lines may be fewer.
        block.fill(Line::ZERO);
        transpose_lines(lines, &mut block);
        block.iter().enumerate().for_each(|(row, line)| set_line(&mut matrix, row, k, line));
    }
    Ok(matrix)
}

#[cfg(test)]
impl SparseKernel {
    /// Kernels that keep the structure, and what a check says of each.
    pub(super) fn wrong_ones(&self) -> impl Iterator<Item = (Self, &'static str)> {
        let mut bit = self.clone();
        let one = bit.others.get(0, 1);
        bit.others.set(0, 1, !one);
        let mut shorter = self.clone();
        shorter.others.remove_columns(&[0]);
        shorter.free.remove(0);
        let mut twice = self.clone();
        twice.free[1] = twice.free[0];
        let mut exchanged = self.clone();
        // Of two vectors that differ at a pivot.
        let first = self.others.ones(0).next().unwrap();
        let other = (0..self.others.columns()).find(|&k| !self.others.get(0, k)).unwrap();
        exchanged.free.swap(first, other);
        let mut in_another = self.clone();
        std::mem::swap(&mut in_another.pivots[0], &mut in_another.free[0]);
        [
            (bit, "of the matrix is not zero on the kernel"),
            (shorter, "vectors of the kernel"),
            (twice, "columns of vectors of the kernel"),
            (exchanged, "of the matrix is not zero on the kernel"),
            (in_another, ""),
        ]
        .into_iter()
    }
}
