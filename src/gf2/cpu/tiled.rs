//! Matrices in tiles of 512 columns: the layout that the CPU engine's fast methods use.

use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, last_mask, zero_lines};
use crate::gf2::{BitMatrix, BitView, IndexLists};

/// A matrix over GF(2) in tiles of 512 columns. A tile holds one line of every row, in order of the
/// rows, so that panels and updates access memory sequentially.
pub struct TiledMatrix {
    rows: usize,
    columns: usize,
    lines: Box<[Line]>,
}

impl TiledMatrix {
    pub fn zeros(rows: usize, columns: usize) -> Result<Self> {
        Ok(TiledMatrix {
            rows,
            columns,
            lines: zero_lines(rows.saturating_mul(columns.div_ceil(LINE_BITS)))?,
        })
    }

    pub fn rows(&self) -> usize {
        self.rows
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
    pub fn tiles_from_mut(&mut self, t: usize) -> &mut [Line] {
        &mut self.lines[t * self.rows..]
    }

    pub fn line(&self, t: usize, row: usize) -> &Line {
        &self.lines[t * self.rows + row]
    }

    pub fn flip(&mut self, row: usize, column: usize) {
        self.lines[column / LINE_BITS * self.rows + row].flip(column % LINE_BITS);
    }

    /// A copy of a matrix; column c stays column c.
    pub fn from_view(view: BitView<'_>) -> Result<Self> {
        let mut tiles = Self::zeros(view.rows(), view.columns())?;
        let last = view.columns().div_ceil(32).saturating_sub(1);
        for row in 0..view.rows() {
            for (t, part) in view.row(row).chunks(LINE_BITS / 32).enumerate() {
                let line = &mut tiles.lines[t * tiles.rows + row];
                bytemuck::cast_slice_mut(&mut line.0)[..part.len()].copy_from_slice(part);
            }
            if view.columns() > 0 {
                let line = &mut tiles.lines[last / (LINE_BITS / 32) * tiles.rows + row];
                let words: &mut [u32] = bytemuck::cast_slice_mut(&mut line.0);
                words[last % (LINE_BITS / 32)] &= last_mask(view.columns());
            }
        }
        Ok(tiles)
    }

    /// The rows that `rows` names, in that order.
    pub fn to_matrix(&self, rows: &[u32]) -> Result<BitMatrix> {
        let mut matrix = BitMatrix::zeros(rows.len(), self.columns)?;
        for (k, &row) in rows.iter().enumerate() {
            for (t, part) in matrix.row64_mut(k).chunks_mut(8).enumerate() {
                part.copy_from_slice(&self.line(t, row as usize).0[..part.len()]);
            }
        }
        Ok(matrix)
    }

    /// Packs sparse rows with the order of the columns reversed: column c is at place
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

    /// The rows that `rows` names, in that order, with the columns reversed back.
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
