//! Matrices in tiles of 512 columns, the layout of the CPU engine's fast methods.

use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, last_mask, zero_lines};
use crate::gf2::{BitMatrix, BitView, IndexLists};

/// A matrix over GF(2) in tiles of 512 columns: a tile holds one line of every row, one after the
/// other, so that a panel and an update read and write memory in order.
pub(super) struct Tiles {
    rows: usize,
    columns: usize,
    lines: Box<[Line]>,
}

impl Tiles {
    pub fn zeros(rows: usize, columns: usize) -> Result<Self> {
        Ok(Tiles { rows, columns, lines: zero_lines(rows.saturating_mul(columns.div_ceil(LINE_BITS)))? })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of tiles.
    pub fn count(&self) -> usize {
        self.columns.div_ceil(LINE_BITS)
    }

    pub fn tile(&self, t: usize) -> &[Line] {
        &self.lines[t * self.rows..(t + 1) * self.rows]
    }

    pub fn tile_mut(&mut self, t: usize) -> &mut [Line] {
        &mut self.lines[t * self.rows..(t + 1) * self.rows]
    }

    /// All lines from tile `t` on, tile after tile.
    pub fn from_tile_mut(&mut self, t: usize) -> &mut [Line] {
        &mut self.lines[t * self.rows..]
    }

    pub fn line(&self, t: usize, row: usize) -> &Line {
        &self.lines[t * self.rows + row]
    }

    pub fn bit(&self, row: usize, column: usize) -> bool {
        self.line(column / LINE_BITS, row).bit(column % LINE_BITS)
    }

    pub fn flip(&mut self, row: usize, column: usize) {
        self.lines[column / LINE_BITS * self.rows + row].flip(column % LINE_BITS);
    }

    /// A copy of a matrix; column c stays column c.
    pub fn from_view(view: BitView<'_>) -> Result<Self> {
        let mut tiles = Self::zeros(view.rows(), view.columns())?;
        tiles.copy_from(view, 0);
        Ok(tiles)
    }

    /// Writes a matrix of as many rows over the columns from `512 * first_tile` on.
    pub fn copy_from(&mut self, view: BitView<'_>, first_tile: usize) {
        let mask = last_mask(view.columns());
        for row in 0..view.rows() {
            let words = view.row(row);
            for (t, part) in words.chunks(LINE_BITS / 32).enumerate() {
                let line = &mut self.lines[(first_tile + t) * self.rows + row];
                let target = &mut bytemuck::cast_slice_mut(&mut line.0)[..part.len()];
                target.copy_from_slice(part);
                if t * (LINE_BITS / 32) + part.len() == words.len() {
                    target[part.len() - 1] &= mask;
                }
            }
        }
    }

    /// The columns from `512 * first_tile` on of the rows that `rows` names, `columns` of them.
    pub fn to_matrix(&self, rows: &[u32], first_tile: usize, columns: usize) -> Result<BitMatrix> {
        let mut matrix = BitMatrix::zeros(rows.len(), columns)?;
        for (k, &row) in rows.iter().enumerate() {
            let words = matrix.row64_mut(k);
            for (t, part) in words.chunks_mut(8).enumerate().take(columns.div_ceil(LINE_BITS)) {
                part.copy_from_slice(&self.line(first_tile + t, row as usize).0[..part.len()]);
            }
        }
        Ok(matrix)
    }

    /// Sparse rows with the order of the columns reversed: column c at place
    /// `last_place - c`, so that a row's highest column comes first.
    pub fn from_lists_reversed(lists: &IndexLists, width: usize) -> Result<Self> {
        let mut tiles = Self::zeros(lists.len(), width)?;
        let last = tiles.last_place();
        for (row, list) in lists.iter().enumerate() {
            list.iter().for_each(|&c| tiles.flip(row, last - c as usize));
        }
        Ok(tiles)
    }

    /// The place of column 0 when columns are reversed.
    pub fn last_place(&self) -> usize {
        (self.count() * LINE_BITS).saturating_sub(1)
    }

    /// The rows that `rows` names, columns reversed back.
    pub fn to_matrix_reversed(&self, rows: &[u32]) -> Result<BitMatrix> {
        let mut matrix = BitMatrix::zeros(rows.len(), self.columns)?;
        let last_word = self.count() * 8 - usize::from(self.count() > 0);
        for (k, &row) in rows.iter().enumerate() {
            for (w, word) in matrix.row64_mut(k).iter_mut().enumerate().take(last_word + 1) {
                let place = last_word - w;
                *word = self.line(place / 8, row as usize).0[place % 8].reverse_bits();
            }
        }
        Ok(matrix)
    }
}
