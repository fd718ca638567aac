//! Elimination of the reducers' columns for 512 rows at a time, one line a column.
//!
//! Reducers are sparse, so the rows are stored transposed. Adding a reducer to 512 rows takes
//! the line of its lead (the set of rows that have a one there) and adds it to the line of each of its
//! other columns. Work for 512 rows: one addition of a line per one of every reducer.

use super::kernels::scatter;
use crate::Simd;
use crate::gf2::F4Matrix;
use crate::gf2::bit_matrix::Line;

/// Up to 512 rows, transposed.
pub struct Sweep<'a> {
    f4: &'a F4Matrix,
    simd: Simd,
    /// By column: the rows that have a one there.
    columns: Vec<Line>,
}

impl<'a> Sweep<'a> {
    pub fn new(f4: &'a F4Matrix, simd: Simd) -> Self {
        Sweep { f4, simd, columns: vec![Line::ZERO; f4.width()] }
    }

    /// Adds `row` to every row in the set `targets`.
    pub fn add(&mut self, row: &[u32], targets: &Line) {
        scatter(self.simd, &mut self.columns, row, targets);
    }

    /// Adds each of up to 512 rows to one row of this sweep, in order.
    pub fn add_each<'r>(&mut self, rows: impl Iterator<Item = &'r [u32]>) {
        for (k, row) in rows.enumerate() {
            row.iter().for_each(|&column| self.columns[column as usize].flip(k));
        }
    }

    /// Adds each reducer, from the highest lead down to `lowest`, to the rows of `active(lead)`
    /// that have a one at its lead.
    pub fn eliminate(&mut self, lowest: usize, mut active: impl FnMut(usize) -> Line) {
        for lead in (lowest..self.columns.len()).rev() {
            let Some(reducer) = self.f4.reducer_of(lead) else { continue };
            let active = active(lead);
            let (lower, rest) = self.columns.split_at_mut(lead);
            let line = &mut rest[0];
            let hit = Line(std::array::from_fn(|k| line.0[k] & active.0[k]));
            if !hit.is_zero() {
                line.xor(&hit);
                scatter(self.simd, lower, &self.f4.reducers().row(reducer)[1..], &hit);
            }
        }
    }

    pub fn columns(&self) -> &[Line] {
        &self.columns
    }
}
