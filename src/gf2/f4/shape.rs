//! The numbers of a system on which plans depend.

use super::System;

/// The sizes of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemShape {
    pub columns: usize,
    pub rows: usize,
    /// Ones of all rows together.
    pub row_ones: usize,
    pub eliminators: usize,
    /// Ones of all eliminators together.
    pub eliminator_ones: usize,
}

impl SystemShape {
    pub fn of(system: &System) -> Self {
        SystemShape {
            columns: system.width(),
            rows: system.row_count(),
            row_ones: system.rows().ones(),
            eliminators: system.eliminator_count(),
            eliminator_ones: system.eliminators().ones(),
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
