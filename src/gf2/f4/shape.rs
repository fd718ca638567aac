//! The numbers of an F4 matrix on which plans depend.

use super::F4Matrix;

/// The sizes of an F4 matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct F4Shape {
    pub columns: usize,
    pub rows: usize,
    /// Ones of all rows together.
    pub row_ones: usize,
    pub eliminators: usize,
    /// Ones of all eliminators together.
    pub eliminator_ones: usize,
}

impl F4Shape {
    pub fn of(f4: &F4Matrix) -> Self {
        F4Shape {
            columns: f4.width(),
            rows: f4.row_count(),
            row_ones: f4.rows().ones(),
            eliminators: f4.eliminator_count(),
            eliminator_ones: f4.eliminators().ones(),
        }
    }

    /// The number of columns that have no eliminator.
    pub fn missing(&self) -> usize {
        self.columns.saturating_sub(self.eliminators)
    }

    /// The maximum number of rows that can be promoted.
    pub fn most_promoted(&self) -> usize {
        self.rows.min(self.missing())
    }
}
