//! The numbers of an F4 matrix on which plans depend.

use super::F4Matrix;

/// The sizes of an F4 matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct F4Shape {
    pub columns: usize,
    pub rows: usize,
    /// Ones of all rows together.
    pub row_ones: usize,
    pub reducers: usize,
    /// Ones of all reducers together.
    pub reducer_ones: usize,
}

impl F4Shape {
    pub fn of(f4: &F4Matrix) -> Self {
        F4Shape {
            columns: f4.width(),
            rows: f4.row_count(),
            row_ones: f4.rows().ones(),
            reducers: f4.reducer_count(),
            reducer_ones: f4.reducers().ones(),
        }
    }

    /// The number of columns that have no reducer.
    pub fn missing(&self) -> usize {
        self.columns.saturating_sub(self.reducers)
    }

    /// The maximum number of rows that can become pivots.
    pub fn most_new_pivots(&self) -> usize {
        self.rows.min(self.missing())
    }
}
