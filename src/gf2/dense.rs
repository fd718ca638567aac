//! The results of dense linear algebra over GF(2), and their derivation from echelon forms.

use super::BitMatrix;
use super::transpose::transpose_64;
use crate::parallel::*;
use crate::{Error, Result};

/// A matrix in row echelon form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Echelon {
    /// As many rows as the original; of a [form from a column on](super::Dense::with_form_from), only those with a
    /// pivot there. Row i < rank has its first one in column `pivots[i]`; the rows after those are zero.
    pub matrix: BitMatrix,
    /// The pivots' columns, ascending; as many as the rank.
    pub pivots: Vec<u32>,
}

impl Echelon {
    /// The rank of the matrix.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// The rows whose pivots do not come before column `from`.
    pub(super) fn starting_at(mut self, from: usize) -> Result<Self> {
        let first = self.pivots.partition_point(|&pivot| (pivot as usize) < from);
        let mut matrix = BitMatrix::zeros(self.rank() - first, self.matrix.columns())?;
        for row in 0..matrix.rows() {
            matrix.row64_mut(row).copy_from_slice(self.matrix.row64(first + row));
        }
        Ok(Echelon { matrix, pivots: self.pivots.split_off(first) })
    }

    /// A basis of the kernel of the matrix whose *reduced* form this is; see
    /// [`kernel`](super::kernel).
    ///
    /// If row i has pivot p, entry p of vector k is the entry of row i in the k-th column without a
    /// pivot. Computed in blocks of 64 x 64 bits: the rows whose pivots lie in one word of columns are
    /// transposed in another word of columns.
    pub fn kernel(&self) -> Result<BitMatrix> {
        let columns = self.matrix.columns();
        expect_pivots(&self.pivots, self.matrix.rows(), columns)?;
        let mut has_pivot = vec![false; columns];
        self.pivots.iter().for_each(|&pivot| has_pivot[pivot as usize] = true);
        let free: Vec<usize> = (0..columns).filter(|&column| !has_pivot[column]).collect();
        let mut kernel = BitMatrix::zeros(free.len(), columns)?;
        let mut first_row = 0;
        for word in 0..columns.div_ceil(64) {
            let pivots = &self.pivots[first_row..];
            let pivots = &pivots[..pivots.partition_point(|&pivot| (pivot as usize) < 64 * (word + 1))];
            let mut first = 0;
            while first < free.len() {
                let of_columns = free[first] / 64;
                let count = free[first..].partition_point(|&column| column / 64 == of_columns);
                let mut block = [0; 64];
                for (row, &pivot) in (first_row..).zip(pivots) {
                    block[pivot as usize % 64] = self.matrix.row64(row)[of_columns];
                }
                if !pivots.is_empty() {
                    transpose_64(&mut block);
                }
                for k in first..first + count {
                    kernel.row64_mut(k)[word] = block[free[k] % 64];
                }
                first += count;
            }
            first_row += pivots.len();
        }
        for (k, &column) in free.iter().enumerate() {
            kernel.set(k, column, true);
        }
        Ok(kernel)
    }
}

/// The solutions of A x = b for several right sides b.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Column k is the solution for right side k whose variables without a pivot are zero.
    pub x: BitMatrix,
    /// The right sides that have no solution, ascending; their columns of `x` are arbitrary.
    pub inconsistent: Vec<u32>,
    /// The rank of A.
    pub rank: usize,
}

impl Solution {
    /// Returns the solutions of the right sides that have one, in their order.
    pub fn into_solvable(mut self) -> BitMatrix {
        self.x.remove_columns(&self.inconsistent);
        self.x
    }

    /// Reads the solution from the reduced form of A and B [side by side](beside); A has `columns`
    /// columns and B `sides`.
    pub(super) fn from_reduced(reduced: &Echelon, columns: usize, sides: usize) -> Result<Self> {
        expect_pivots(&reduced.pivots, reduced.matrix.rows(), columns)?;
        let from = columns.div_ceil(64);
        let rank = reduced.rank();
        let mut x = BitMatrix::zeros(columns, sides)?;
        each_row(&mut x, |unknown, target| {
            // An unknown without a pivot is 0.
            if let Ok(row) = reduced.pivots.binary_search(&(unknown as u32)) {
                copy_right(&reduced.matrix, row, from, target);
            }
        });
        let mut left = BitMatrix::zeros(1, sides)?;
        for row in rank..reduced.matrix.rows() {
            let right = reduced.matrix.row64(row)[from..].iter();
            left.row64_mut(0).iter_mut().zip(right).for_each(|(any, word)| *any |= word);
        }
        let inconsistent = left.ones(0).map(|k| k as u32).collect();
        Ok(Solution { x, inconsistent, rank })
    }
}

/// Returns an error unless these are columns of pivots that a form may have: ascending, below `limit`, and not more than
/// the form has rows. Whoever reads a form relies on it, before any check of the form itself.
pub(super) fn expect_pivots(pivots: &[u32], rows: usize, limit: usize) -> Result<()> {
    if pivots.len() > rows {
        return Err(Error::nonsense_at("pivot", pivots.len() - 1, format!("of a form with {rows} rows")));
    }
    if let Some(pair) = pivots.windows(2).find(|pair| pair[0] >= pair[1]) {
        let fault = format!("has a pivot after column {}", pair[0]);
        return Err(Error::nonsense_at("column", pair[1], fault));
    }
    match pivots.last() {
        Some(&last) if last as usize >= limit => {
            let fault = format!("has a pivot, where pivots are sought in {limit} columns");
            Err(Error::nonsense_at("column", last, fault))
        }
        _ => Ok(()),
    }
}

/// The inverse of a square matrix, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inverse {
    /// The inverse.
    Regular(BitMatrix),
    /// The matrix has no inverse.
    Singular {
        /// The rank, less than the number of rows.
        rank: usize,
    },
}

impl Inverse {
    /// Returns an error for a matrix that is not square.
    pub(super) fn expect_square(a: &BitMatrix) -> Result<()> {
        match a.rows() == a.columns() {
            true => Ok(()),
            false => Err(Error::NotSquare { rows: a.rows(), columns: a.columns() }),
        }
    }

    /// Reads the inverse from the solution for the identity of `n` columns.
    pub(super) fn from_solution(solution: Solution, n: usize) -> Self {
        match solution.rank == n {
            true => Inverse::Regular(solution.x),
            false => Inverse::Singular { rank: solution.rank },
        }
    }
}

/// The error of a matrix and right sides with other numbers of rows.
pub(super) fn other_rows(a: usize, b: usize) -> Error {
    Error::ShapeMismatch { operation: "solve", a: (a, "rows"), b: (b, "rows") }
}

/// Returns a and b side by side; b begins at the first whole 64-bit word after a's columns.
pub(super) fn beside(a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    if a.rows() != b.rows() {
        return Err(other_rows(a.rows(), b.rows()));
    }
    let from = a.columns().div_ceil(64);
    let mut both = BitMatrix::zeros(a.rows(), 64 * from + b.columns())?;
    let width = b.columns().div_ceil(64);
    each_row(&mut both, |row, target| {
        target[..from].copy_from_slice(&a.row64(row)[..from]);
        target[from..from + width].copy_from_slice(&b.row64(row)[..width]);
    });
    Ok(both)
}

/// Gives each row of a matrix to `write`, with its number and in any order: threads share them.
fn each_row(matrix: &mut BitMatrix, write: impl Fn(usize, &mut [u64]) + Sync) {
    /// Words that a thread writes at a time.
    const SHARE: usize = 1 << 13;
    let stride = matrix.stride64().max(1);
    let rows = matrix.words64_mut().par_chunks_mut(stride).with_min_len((SHARE / stride).max(1));
    rows.enumerate().for_each(|(row, words)| write(row, words));
}

/// Copies the words of a row from word `from` on to `target`, as many as both have.
fn copy_right(matrix: &BitMatrix, row: usize, from: usize, target: &mut [u64]) {
    target.iter_mut().zip(&matrix.row64(row)[from..]).for_each(|(to, word)| *to = *word);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pivots_that_no_form_has_are_refused_before_they_are_indices() {
        let form =
            |pivots: &[u32]| Echelon { matrix: BitMatrix::identity(3).unwrap(), pivots: pivots.to_vec() };
        assert_eq!(form(&[0, 1, 2]).kernel().unwrap().rows(), 0);
        assert_eq!(Solution::from_reduced(&form(&[0, 1]), 2, 1).unwrap().rank, 2);
        for pivots in [&[3][..], &[1, 0], &[1, 1], &[0, 1, 2, 3], &[u32::MAX]] {
            assert!(matches!(form(pivots).kernel(), Err(Error::Nonsense(_))), "{pivots:?}");
            let solution = Solution::from_reduced(&form(pivots), 3, 0);
            assert!(matches!(solution, Err(Error::Nonsense(_))), "{pivots:?}");
        }
        assert!(Solution::from_reduced(&form(&[0, 2]), 2, 1).is_err());
    }
}
