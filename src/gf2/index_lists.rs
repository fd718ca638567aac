//! Sparse rows over GF(2): the columns of their ones.

use super::BitMatrix;
use super::bit_matrix::expect_sides;
use crate::{Error, Result};

/// Sparse rows over GF(2). Each row is the list of the columns of its ones, strictly descending; the
/// first is the row's lead. A row may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexLists {
    /// Row r is `indices[offsets[r]..offsets[r + 1]]`.
    offsets: Vec<usize>,
    indices: Vec<u32>,
}

impl Default for IndexLists {
    fn default() -> Self {
        IndexLists { offsets: vec![0], indices: Vec::new() }
    }
}

impl IndexLists {
    /// Makes rows from their concatenated `indices`: row r begins at `offsets[r]` and ends before
    /// `offsets[r + 1]`.
    pub fn new(offsets: Vec<usize>, indices: Vec<u32>) -> Result<Self> {
        let ascending = offsets.first() == Some(&0) && offsets.is_sorted();
        if !ascending || offsets.last() != Some(&indices.len()) {
            let order = "ascend from 0 to the number of indices";
            return Err(Error::Unordered { what: "offsets of rows", order });
        }
        let lists = IndexLists { offsets, indices };
        let bad = lists.iter().position(|row| !row.is_sorted_by(|a, b| a > b));
        match bad {
            Some(row) => Err(Error::NotDescending { row }),
            None => Ok(lists),
        }
    }

    /// As [`new`](Self::new), without the checks: the caller has made them.
    pub fn from_checked(offsets: Vec<usize>, indices: Vec<u32>) -> Self {
        IndexLists { offsets, indices }
    }

    /// Makes `count` rows without ones.
    pub fn empty_rows(count: usize) -> Self {
        IndexLists { offsets: vec![0; count + 1], indices: Vec::new() }
    }

    /// Appends a row.
    pub fn push(&mut self, row: &[u32]) -> Result<()> {
        if !row.is_sorted_by(|a, b| a > b) {
            return Err(Error::NotDescending { row: self.len() });
        }
        self.indices.extend_from_slice(row);
        self.offsets.push(self.indices.len());
        Ok(())
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that the lists take.
    pub fn bytes(&self) -> u64 {
        (size_of_val(self.indices()) + size_of_val(self.offsets())) as u64
    }

    /// The bytes that lists of so many rows and ones take.
    pub fn bytes_of(rows: usize, ones: usize) -> u64 {
        let (rows, ones) = (rows as u64, ones as u64);
        (size_of::<usize>() as u64).saturating_mul(rows + 1).saturating_add(4 * ones)
    }

    /// The number of ones in all rows.
    pub fn ones(&self) -> usize {
        self.indices.len()
    }

    /// The columns of the ones of row `r`, strictly descending.
    pub fn row(&self, r: usize) -> &[u32] {
        &self.indices[self.offsets[r]..self.offsets[r + 1]]
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.offsets.windows(2).map(|ends| &self.indices[ends[0]..ends[1]])
    }

    /// The offsets of the rows in [`indices`](Self::indices); there is one more than there are rows.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The indices of all rows, one row after the other.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The highest index of all rows; `None` if there are no ones.
    pub fn highest(&self) -> Option<u32> {
        self.iter().filter_map(|row| row.first().copied()).max()
    }

    /// Makes sparse rows from the rows of a matrix.
    pub fn from_matrix(matrix: &BitMatrix) -> Self {
        let mut lists = IndexLists::default();
        for r in 0..matrix.rows() {
            lists.indices.extend(matrix.ones(r).rev().map(|c| c as u32));
            lists.offsets.push(lists.indices.len());
        }
        lists
    }

    /// The columns as rows: row c of the result lists the rows with a one in column c. An index that is not below `columns` is
    /// refused.
    pub fn transposed(&self, columns: usize) -> Result<Self> {
        let highest = self.highest().map_or(0, |highest| highest as usize + 1);
        Error::expect_shape("a matrix", (self.len(), columns), (self.len(), columns.max(highest)))?;
        expect_sides([self.len()])?;
        let mut offsets = vec![0; columns + 1];
        self.indices.iter().for_each(|&column| offsets[column as usize + 1] += 1);
        (0..columns).for_each(|column| offsets[column + 1] += offsets[column]);
        // Rows from the last one on: they descend in each list.
        let mut next = offsets.clone();
        let mut indices = vec![0; self.ones()];
        for row in (0..self.len()).rev() {
            for &column in self.row(row) {
                let place = &mut next[column as usize];
                indices[*place] = row as u32;
                *place += 1;
            }
        }
        Ok(IndexLists { offsets, indices })
    }

    /// The same rows with every index replaced; `label` must be strictly increasing.
    pub(crate) fn relabelled(&self, label: impl Fn(u32) -> u32) -> Self {
        let indices = self.indices.iter().map(|&index| label(index)).collect();
        IndexLists { offsets: self.offsets.clone(), indices }
    }
}
