//! Matrices in tiles of 512 columns: the layout that the CPU engine's fast methods use.

use super::panel::CHUNK;
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::gf2::{BitMatrix, BitView, IndexLists};
use crate::parallel::*;

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
        let parts = tiles.lines.par_chunks_mut(view.rows()).enumerate();
        parts.for_each(|(t, tile)| copy_tile(view, t, 0, tile));
        Ok(tiles)
    }

    /// The rows that `rows` names, in that order.
    pub fn to_matrix(&self, rows: &[u32]) -> Result<BitMatrix> {
        let mut matrix = BitMatrix::zeros(rows.len(), self.columns)?;
        let stride = matrix.stride64();
        let lines = matrix.words64_mut().par_chunks_mut(stride).zip(rows);
        lines.with_min_len(CHUNK / 8).for_each(|(words, &row)| {
            for (t, part) in words.chunks_mut(8).enumerate() {
                part.copy_from_slice(&self.line(t, row as usize).0[..part.len()]);
            }
        });
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

/// Copies some rows of tile `t` of a matrix, from row `first` on, on all threads.
pub fn copy_tile(view: BitView<'_>, t: usize, first: usize, lines: &mut [Line]) {
    let chunks = lines.par_chunks_mut(CHUNK).enumerate();
    chunks.for_each(|(k, lines)| view.copy_columns(t, first + CHUNK * k, lines));
}
