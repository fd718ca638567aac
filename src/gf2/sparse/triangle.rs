//! Pivots of a sparse matrix that need no arithmetic.

use std::fmt;

use super::peel;
use crate::gf2::IndexLists;
use crate::gf2::bit_matrix::{Line, expect_sides};
use crate::gf2::verify::failed;
use crate::{Error, Result, Wrong};

/// Pivots of a sparse matrix in an order in which each one's row has, in columns of pivots, only its own one and some of pivots
/// before it. The rows and columns that have no pivot make up the remainder.
///
/// ```
/// use wgalois::gf2::{IndexLists, Triangle};
///
/// let mut rows = IndexLists::default(); // 110, 011, 101
/// [[1, 0], [2, 1], [2, 0]].iter().try_for_each(|row| rows.push(row))?;
/// let triangle = Triangle::find(&rows, 3)?;
/// assert_eq!((triangle.pivots(), triangle.remainder()), (2, (1, 1)));
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triangle {
    /// Rows and columns.
    shape: (usize, usize),
    /// The ones of the matrix.
    ones: usize,
    /// The rows and columns of the pivots.
    pivots: Vec<(u32, u32)>,
    /// The rows without a pivot that have ones, ascending.
    rows: Vec<u32>,
    /// The columns without a pivot that have ones, ascending.
    columns: Vec<u32>,
}

impl Triangle {
    /// Finds many pivots of a matrix with so many columns, in time almost linear in its ones. How many there could be at most
    /// is hard to say; the remainder's size depends on it.
    pub fn find(matrix: &IndexLists, columns: usize) -> Result<Self> {
        expect_sides([matrix.len(), columns])?;
        let transposed = matrix.transposed(columns)?;
        Ok(Self::of_pivots(matrix, columns, peel::pivots(matrix, &transposed)))
    }

    /// No pivots: the remainder is the matrix without its empty rows and columns.
    pub(super) fn without_pivots(matrix: &IndexLists, columns: usize) -> Self {
        Self::of_pivots(matrix, columns, Vec::new())
    }

    fn of_pivots(matrix: &IndexLists, columns: usize, pivots: Vec<(u32, u32)>) -> Self {
        let mut is_left = vec![false; columns];
        matrix.indices().iter().for_each(|&column| is_left[column as usize] = true);
        let mut has_pivot = vec![false; matrix.len()];
        for &(row, column) in &pivots {
            has_pivot[row as usize] = true;
            is_left[column as usize] = false;
        }
        let rows =
            (0..).zip(matrix.iter()).filter(|(row, ones)| !has_pivot[*row as usize] && !ones.is_empty());
        Triangle {
            shape: (matrix.len(), columns),
            ones: matrix.ones(),
            rows: rows.map(|(row, _)| row).collect(),
            columns: (0..).zip(is_left).filter(|(_, is_left)| *is_left).map(|(column, _)| column).collect(),
            pivots,
        }
    }

    /// The bytes of host memory that [`find`](Self::find) takes for a matrix of `rows` x `columns` with so many ones, the
    /// result included.
    pub fn bytes_of(rows: usize, columns: usize, ones: usize) -> u64 {
        let lines = rows.saturating_add(columns);
        IndexLists::bytes_of(columns, ones)
            .saturating_add(peel::bytes_of(lines, ones))
            .saturating_add(8 * lines as u64)
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&*self.pivots) + size_of_val(&*self.rows) + size_of_val(&*self.columns)) as u64
    }

    /// The rows and columns of the matrix.
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// The ones of the matrix.
    pub fn ones(&self) -> usize {
        self.ones
    }

    /// The number of pivots.
    pub fn pivots(&self) -> usize {
        self.pivots.len()
    }

    /// The rows and the columns that have no pivot and have ones.
    pub fn remainder(&self) -> (usize, usize) {
        (self.rows.len(), self.columns.len())
    }

    pub(super) fn numbers(&self) -> Numbers {
        Numbers { shape: self.shape, ones: self.ones, pivots: self.pivots(), left: self.remainder() }
    }

    /// The rows of the pivots.
    pub(super) fn pivot_rows(&self) -> impl Iterator<Item = u32> {
        self.pivots.iter().map(|&(row, _)| row)
    }

    /// The rows without a pivot.
    pub(super) fn left_rows(&self) -> &[u32] {
        &self.rows
    }

    /// The columns without a pivot.
    pub(super) fn left_columns(&self) -> &[u32] {
        &self.columns
    }

    /// That of the transposed matrix: the order is the other way round.
    pub(super) fn transposed(&self) -> Self {
        Triangle {
            shape: (self.shape.1, self.shape.0),
            ones: self.ones,
            pivots: self.pivots.iter().rev().map(|&(row, column)| (column, row)).collect(),
            rows: self.columns.clone(),
            columns: self.rows.clone(),
        }
    }

    /// Checks that it is a triangle of this matrix, which has its columns at most. Certain, in time linear in the matrix.
    pub(super) fn check(&self, matrix: &IndexLists) -> Result<()> {
        let (rows, columns) = self.shape;
        Wrong::expect_length("rows of a matrix", rows, matrix.len())?;
        let (mut in_rows, mut in_columns) = (vec![false; rows], vec![false; columns]);
        for &(row, column) in &self.pivots {
            // A number that is too high has no place.
            let places = (in_rows.get_mut(row as usize), in_columns.get_mut(column as usize));
            let (Some(in_row), Some(in_column)) = places else {
                return failed(Wrong::at("row", row, "of a pivot is not in the matrix"));
            };
            if std::mem::replace(in_row, true) || std::mem::replace(in_column, true) {
                return failed(Wrong::at("row", row, "has a pivot whose row or column has two"));
            }
        }
        // Those of pivots that were not read yet.
        let mut is_later = in_columns;
        for &(row, column) in &self.pivots {
            is_later[column as usize] = false;
            let ones = matrix.row(row as usize);
            if !ones.contains(&column) || ones.iter().any(|&column| is_later[column as usize]) {
                return failed(Wrong::at("row", row, "of a pivot does not end at its pivot"));
            }
        }
        let right = Self::of_pivots(matrix, columns, self.pivots.clone());
        Wrong::unless(*self == right, "the triangle's remainder is that of another matrix")
    }

    /// Sets the words of the pivots' columns so that the pivots' rows have the sum zero; those of the other columns are set.
    pub(super) fn extend<S: Sum>(&self, matrix: &IndexLists, words: &mut [S]) {
        self.extend_to(matrix, |_| S::ZERO, words);
    }

    /// As [`extend`](Self::extend), so that the pivots' rows have the sums `of_row`.
    pub(super) fn extend_to<S: Sum>(
        &self,
        matrix: &IndexLists,
        of_row: impl Fn(usize) -> S,
        words: &mut [S],
    ) {
        for &(row, column) in &self.pivots {
            let (row, column) = (row as usize, column as usize);
            words[column] = S::ZERO;
            let mut word = sum(matrix.row(row), words);
            word.add(&of_row(row));
            words[column] = word;
        }
    }
}

/// What a plan knows of a triangle and its matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Rows and columns.
    pub shape: (usize, usize),
    pub ones: usize,
    pub pivots: usize,
    /// The rows and columns without a pivot that have ones.
    pub left: (usize, usize),
}

impl Numbers {
    /// Returns an error for a matrix of another shape.
    pub fn expect_matrix(&self, matrix: &IndexLists) -> Result<()> {
        let (rows, columns) = self.shape;
        let own = matrix.highest().map_or(columns, |column| columns.max(column as usize + 1));
        Error::expect_shape("a matrix", (rows, columns), (matrix.len(), own))
    }

    /// Returns an error for another matrix, or another triangle than the matrix's.
    pub fn expect(&self, matrix: &IndexLists, triangle: &Triangle) -> Result<()> {
        self.expect_matrix(matrix)?;
        match *self == triangle.numbers() && triangle.check(matrix).is_ok() {
            true => Ok(()),
            false => Err(Error::OtherPlan { what: "matrix" }),
        }
    }

    /// Writes the matrix's line of a plan.
    pub fn write_matrix(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, columns) = self.shape;
        writeln!(f, "matrix         {rows} x {columns}, sparse: {} ones", self.ones)
    }
}

/// Bits that are added: those of several vectors at one place.
pub(super) trait Sum: Copy {
    const ZERO: Self;

    fn add(&mut self, other: &Self);
}

impl Sum for u64 {
    const ZERO: Self = 0;

    fn add(&mut self, other: &Self) {
        *self ^= other;
    }
}

impl Sum for Line {
    const ZERO: Self = Line::ZERO;

    fn add(&mut self, other: &Self) {
        self.xor(other);
    }
}

/// The product of a row with vectors, of which `words` has an item a column.
pub(super) fn sum<S: Sum>(row: &[u32], words: &[S]) -> S {
    let mut sum = S::ZERO;
    row.iter().for_each(|&column| sum.add(&words[column as usize]));
    sum
}
