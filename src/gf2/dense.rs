//! What one asks of a matrix over GF(2), in terms of two things that an engine does: bring it to
//! an echelon form, and multiply.

use super::{BitMatrix, Engine};
use crate::gpu::block_on;
use crate::{Error, Result};

/// A matrix in row echelon form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Echelon {
    /// As many rows as the original. Row i < rank has its first one in column `pivots[i]`; the
    /// rows after those are zero.
    pub matrix: BitMatrix,
    /// The pivots' columns, ascending; as many as the rank.
    pub pivots: Vec<u32>,
}

impl Echelon {
    /// The rank of the matrix.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// A basis of the kernel of the matrix whose *reduced* form this is; see [`Engine::kernel`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn kernel(&self) -> Result<BitMatrix> {
        let columns = self.matrix.columns();
        let mut has_pivot = vec![false; columns];
        let mut by_pivot = BitMatrix::zeros(columns, columns)?;
        for (row, &pivot) in self.pivots.iter().enumerate() {
            has_pivot[pivot as usize] = true;
            by_pivot.row64_mut(pivot as usize).copy_from_slice(self.matrix.row64(row));
        }
        let by_column = by_pivot.transposed()?;
        let mut kernel = BitMatrix::zeros(columns - self.rank(), columns)?;
        for (k, column) in (0..columns).filter(|&column| !has_pivot[column]).enumerate() {
            kernel.row64_mut(k).copy_from_slice(by_column.row64(column));
            kernel.set(k, column, true);
        }
        Ok(kernel)
    }
}

/// What the systems A x = b have for solutions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Column k is a solution for right side k, the one whose variables without a pivot are zero.
    pub x: BitMatrix,
    /// The right sides that have no solution, ascending; their columns of `x` say nothing.
    pub inconsistent: Vec<u32>,
    /// The rank of A.
    pub rank: usize,
}

impl Solution {
    /// The solution that the reduced form of A and B [side by side](beside) tells, A having
    /// `columns` columns and B `sides`.
    pub(super) fn from_reduced(reduced: &Echelon, columns: usize, sides: usize) -> Result<Self> {
        let from = columns.div_ceil(64);
        let rank = reduced.rank();
        let mut x = BitMatrix::zeros(columns, sides)?;
        for (row, &pivot) in reduced.pivots.iter().enumerate() {
            copy_right(&reduced.matrix, row, from, x.row64_mut(pivot as usize));
        }
        let mut left = BitMatrix::zeros(1, sides)?;
        for row in rank..reduced.matrix.rows() {
            let right = reduced.matrix.row64(row)[from..].iter();
            left.row64_mut(0).iter_mut().zip(right).for_each(|(any, word)| *any |= word);
        }
        let inconsistent = left.ones(0).map(|k| k as u32).collect();
        Ok(Solution { x, inconsistent, rank })
    }
}

/// The inverse of a square matrix, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inverse {
    /// The inverse.
    Regular(BitMatrix),
    /// There is none.
    Singular {
        /// The rank, less than the number of rows.
        rank: usize,
    },
}

impl Inverse {
    /// Refuses a matrix that is not square.
    pub(super) fn expect_square(a: &BitMatrix) -> Result<()> {
        match a.rows() == a.columns() {
            true => Ok(()),
            false => Err(Error::Input(format!(
                "only a square matrix has an inverse: {} x {}",
                a.rows(),
                a.columns()
            ))),
        }
    }

    /// The inverse, from the solution for the identity of `n` columns.
    pub(super) fn from_solution(solution: Solution, n: usize) -> Self {
        match solution.rank == n {
            true => Inverse::Regular(solution.x),
            false => Inverse::Singular { rank: solution.rank },
        }
    }
}

impl Engine {
    /// The rank of a matrix.
    ///
    /// # Errors
    /// Those of the device; [`Error::OutOfMemory`].
    pub fn rank(&self, matrix: &BitMatrix) -> Result<usize> {
        block_on(self.rank_async(matrix))
    }

    /// [`Engine::rank`] for the browser.
    pub async fn rank_async(&self, matrix: &BitMatrix) -> Result<usize> {
        Ok(self.echelon_async(matrix).await?.rank())
    }

    /// A row echelon form: the rows span the same space, each begins (lowest column first) to the
    /// right of the one above.
    ///
    /// # Errors
    /// Those of the device; [`Error::OutOfMemory`].
    pub fn echelon(&self, matrix: &BitMatrix) -> Result<Echelon> {
        block_on(self.echelon_async(matrix))
    }

    /// [`Engine::echelon`] for the browser.
    pub async fn echelon_async(&self, matrix: &BitMatrix) -> Result<Echelon> {
        self.echelon_within_async(matrix, matrix.columns(), false).await
    }

    /// The reduced row echelon form: besides, a pivot is the only one in its column. It is unique.
    ///
    /// # Errors
    /// Those of the device; [`Error::OutOfMemory`].
    pub fn rref(&self, matrix: &BitMatrix) -> Result<Echelon> {
        block_on(self.rref_async(matrix))
    }

    /// [`Engine::rref`] for the browser.
    pub async fn rref_async(&self, matrix: &BitMatrix) -> Result<Echelon> {
        self.echelon_within_async(matrix, matrix.columns(), true).await
    }

    /// Solves a x = b for every column of b.
    ///
    /// # Errors
    /// [`Error::Input`] where a and b differ in rows; those of the device.
    pub fn solve(&self, a: &BitMatrix, b: &BitMatrix) -> Result<Solution> {
        block_on(self.solve_async(a, b))
    }

    /// [`Engine::solve`] for the browser.
    pub async fn solve_async(&self, a: &BitMatrix, b: &BitMatrix) -> Result<Solution> {
        let reduced = self.echelon_within_async(&beside(a, b)?, a.columns(), true).await?;
        Solution::from_reduced(&reduced, a.columns(), b.columns())
    }

    /// A basis of the kernel { x : a x = 0 }, one vector a row: row k has a one in the k-th column
    /// without a pivot, and in no other of them.
    ///
    /// # Errors
    /// Those of the device; [`Error::OutOfMemory`].
    pub fn kernel(&self, a: &BitMatrix) -> Result<BitMatrix> {
        block_on(self.kernel_async(a))
    }

    /// [`Engine::kernel`] for the browser.
    pub async fn kernel_async(&self, a: &BitMatrix) -> Result<BitMatrix> {
        Ok(self.kernel_and_pivots_async(a).await?.0)
    }

    /// The [`kernel`](Self::kernel) and the pivots' columns, ascending.
    ///
    /// # Errors
    /// Those of the device; [`Error::OutOfMemory`].
    pub fn kernel_and_pivots(&self, a: &BitMatrix) -> Result<(BitMatrix, Vec<u32>)> {
        block_on(self.kernel_and_pivots_async(a))
    }

    /// [`Engine::kernel_and_pivots`] for the browser.
    pub async fn kernel_and_pivots_async(&self, a: &BitMatrix) -> Result<(BitMatrix, Vec<u32>)> {
        let reduced = self.rref_async(a).await?;
        Ok((reduced.kernel()?, reduced.pivots))
    }

    /// The inverse of a square matrix.
    ///
    /// # Errors
    /// [`Error::Input`] where the matrix is not square; those of the device.
    pub fn inverse(&self, a: &BitMatrix) -> Result<Inverse> {
        block_on(self.inverse_async(a))
    }

    /// [`Engine::inverse`] for the browser.
    pub async fn inverse_async(&self, a: &BitMatrix) -> Result<Inverse> {
        Inverse::expect_square(a)?;
        let solution = self.solve_async(a, &BitMatrix::identity(a.rows())?).await?;
        Ok(Inverse::from_solution(solution, a.rows()))
    }

    /// The product a b.
    ///
    /// # Errors
    /// [`Error::Input`] where a has other than as many columns as b has rows; those of the device.
    pub fn mul(&self, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
        block_on(self.mul_async(a, b))
    }

    /// [`Engine::mul`] for the browser.
    pub async fn mul_async(&self, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
        if a.columns() != b.rows() {
            let message = format!("a factor of {} columns and one of {} rows", a.columns(), b.rows());
            return Err(Error::Input(message));
        }
        self.multiply(a, b).await
    }
}

/// a and b side by side, b from the first whole 64-bit word after a's columns.
pub(super) fn beside(a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    if a.rows() != b.rows() {
        let message = format!("the matrix has {} rows, the right sides {}", a.rows(), b.rows());
        return Err(Error::Input(message));
    }
    let from = a.columns().div_ceil(64);
    let mut both = BitMatrix::zeros(a.rows(), 64 * from + b.columns())?;
    let width = b.columns().div_ceil(64);
    for row in 0..a.rows() {
        let target = both.row64_mut(row);
        target[..from].copy_from_slice(&a.row64(row)[..from]);
        target[from..from + width].copy_from_slice(&b.row64(row)[..width]);
    }
    Ok(both)
}

/// Copies the words from `from` on of a row, as many as both have.
fn copy_right(matrix: &BitMatrix, row: usize, from: usize, target: &mut [u64]) {
    target.iter_mut().zip(&matrix.row64(row)[from..]).for_each(|(to, word)| *to = *word);
}
