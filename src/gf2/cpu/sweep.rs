//! Elimination of the eliminators' columns for 512 rows at a time, one line a column.
//!
//! Eliminators are sparse, so the rows are held transposed: what eliminator e does to 512 rows is
//! to add one line, the rows that have its lead, to a line for each of its other columns. Work:
//! one addition of a line for every one of every eliminator, for 512 rows.

use super::kernels::scatter;
use crate::Simd;
use crate::gf2::bit_matrix::Line;
use crate::gf2::{IndexLists, System};

/// Up to 512 rows, transposed.
pub(super) struct Sweep<'a> {
    system: &'a System,
    simd: Simd,
    /// By column: the rows that have a one there.
    columns: Vec<Line>,
}

impl<'a> Sweep<'a> {
    pub fn new(system: &'a System, simd: Simd) -> Self {
        Sweep { system, simd, columns: vec![Line::ZERO; system.width()] }
    }

    /// Adds `row` to all the rows of `targets`.
    pub fn add(&mut self, row: &[u32], targets: &Line) {
        scatter(self.simd, &mut self.columns, row, targets);
    }

    /// Adds row k of `lists` from `first` on to row k here.
    pub fn add_each(&mut self, lists: &IndexLists, first: usize) {
        for (k, row) in (first..lists.len()).take(crate::gf2::bit_matrix::LINE_BITS).enumerate() {
            lists.row(row).iter().for_each(|&column| self.columns[column as usize].flip(k));
        }
    }

    /// Adds eliminators, from the highest lead down to `lowest`, to the rows that have a one at
    /// their lead and are named in `active(lead)`.
    pub fn eliminate(&mut self, lowest: usize, mut active: impl FnMut(usize) -> Line) {
        for lead in (lowest..self.columns.len()).rev() {
            let Some(eliminator) = self.system.eliminator_of(lead) else { continue };
            let active = active(lead);
            let (lower, rest) = self.columns.split_at_mut(lead);
            let line = &mut rest[0];
            let hit = Line(std::array::from_fn(|k| line.0[k] & active.0[k]));
            if !hit.is_zero() {
                line.xor(&hit);
                scatter(self.simd, lower, &self.system.eliminators().row(eliminator)[1..], &hit);
            }
        }
    }

    pub fn columns(&self) -> &[Line] {
        &self.columns
    }
}
