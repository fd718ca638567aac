//! The result of eliminating an F4 matrix.

use super::F4Matrix;
use crate::gf2::{BitMatrix, IndexLists};
use crate::{Error, Result, Wrong};

/// The result of eliminating an [`F4Matrix`]: every row becomes a pivot or is reduced to zero.
#[derive(Clone, Debug)]
pub struct Elimination {
    rows: usize,
    labels: Option<Vec<u32>>,
    /// The rows that became pivots, ascending; the others were reduced to zero.
    new_pivots: Vec<u32>,
    /// By new pivot: its row of `matrix`.
    places: Vec<u32>,
    /// The new pivots in their final form.
    matrix: BitMatrix,
}

impl Elimination {
    /// Makes the result for an F4 matrix: row k of `matrix` is the final form of row `rows[k]` of the
    /// F4 matrix; all other rows became zero.
    pub(crate) fn new(f4: &F4Matrix, rows: &[u32], matrix: BitMatrix) -> Self {
        debug_assert_eq!(rows.len(), matrix.rows());
        let mut places: Vec<u32> = (0..rows.len() as u32).collect();
        places.sort_unstable_by_key(|&place| rows[place as usize]);
        Elimination {
            rows: f4.row_count(),
            labels: f4.labels().map(<[u32]>::to_vec),
            new_pivots: places.iter().map(|&place| rows[place as usize]).collect(),
            places,
            matrix,
        }
    }

    /// Makes the result from one list per row; an empty list is a row that was reduced to zero.
    pub fn from_lists(f4: &F4Matrix, lists: &IndexLists) -> Result<Self> {
        Wrong::expect_length("rows", f4.row_count(), lists.len())?;
        let rows: Vec<u32> = (0..lists.len() as u32).filter(|&r| !lists.row(r as usize).is_empty()).collect();
        let mut matrix = BitMatrix::zeros(rows.len(), f4.width())?;
        for (k, &row) in rows.iter().enumerate() {
            for &column in lists.row(row as usize) {
                let label = match f4.labels() {
                    None => Some(column as usize).filter(|&column| column < f4.width()),
                    Some(labels) => labels.binary_search(&column).ok(),
                };
                let Some(label) = label else {
                    let fault = format!("has a one in column {column}, and the system has none there");
                    return Err(Error::Check(Wrong::at("row", row, fault)));
                };
                matrix.set(k, label, true);
            }
        }
        Ok(Elimination::new(f4, &rows, matrix))
    }

    /// All rows as a matrix of `columns` columns.
    pub fn to_matrix(&self, columns: usize) -> Result<BitMatrix> {
        let mut matrix = BitMatrix::zeros(self.rows, columns)?;
        for (k, &row) in self.new_pivots.iter().enumerate() {
            self.new_pivot(k).for_each(|column| matrix.set(row as usize, column as usize, true));
        }
        Ok(matrix)
    }

    /// The number of rows, rows of zeros included.
    pub fn row_count(&self) -> usize {
        self.rows
    }

    /// The new pivots, ascending; all others were reduced to zero.
    pub fn new_pivots(&self) -> &[u32] {
        &self.new_pivots
    }

    /// The columns of the ones of row `new_pivots()[k]`, descending.
    pub fn new_pivot(&self, k: usize) -> impl Iterator<Item = u32> + '_ {
        self.matrix.ones(self.places[k] as usize).rev().map(|column| self.label(column))
    }

    /// The packed words of row `new_pivots()[k]`; [`label`](Self::label) maps its columns to true ones.
    pub fn words(&self, k: usize) -> &[u64] {
        self.matrix.row64(self.places[k] as usize)
    }

    /// The number of columns of [`words`](Self::words).
    pub fn width(&self) -> usize {
        self.matrix.columns()
    }

    /// The true number of packed column `column`.
    pub fn label(&self, column: usize) -> u32 {
        self.labels.as_ref().map_or(column as u32, |labels| labels[column])
    }

    /// The columns of the ones of row `r`, descending; none if it was reduced to zero.
    pub fn row(&self, r: usize) -> impl Iterator<Item = u32> + '_ {
        let k = self.new_pivots.binary_search(&(r as u32)).ok();
        k.into_iter().flat_map(|k| self.new_pivot(k))
    }

    /// The rows as lists, in order; a row that was reduced to zero is empty.
    pub fn to_lists(&self) -> IndexLists {
        let mut offsets = vec![0];
        let mut indices = Vec::new();
        for (k, &row) in self.new_pivots.iter().enumerate() {
            offsets.resize(row as usize + 1, indices.len());
            indices.extend(self.new_pivot(k));
            offsets.push(indices.len());
        }
        offsets.resize(self.rows + 1, indices.len());
        IndexLists::from_checked(offsets, indices)
    }
}
