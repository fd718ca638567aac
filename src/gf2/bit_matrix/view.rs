//! Matrices over GF(2) in borrowed words.

use super::{BitMatrix, LINE_BITS, Line};
use crate::{Error, Result};

/// A matrix over GF(2) in borrowed words: the layout of [`BitMatrix`] with any stride, such as that
/// of a memory-mapped file.
#[derive(Clone, Copy, Debug)]
pub struct BitView<'a> {
    rows: usize,
    columns: usize,
    stride: usize,
    words: &'a [u32],
}

impl BitMatrix {
    /// The matrix as a view.
    pub fn view(&self) -> BitView<'_> {
        BitView { rows: self.rows, columns: self.columns, stride: self.stride(), words: self.words() }
    }
}

impl<'a> BitView<'a> {
    /// A view of `rows` times `columns` bits in `words`, `stride` words from row to row.
    pub fn new(words: &'a [u32], rows: usize, columns: usize, stride: usize) -> Result<Self> {
        let width = columns.div_ceil(32);
        Error::expect_at_least("words from row to row", width as u64, stride as u64)?;
        let needed = match rows {
            0 => Some(0),
            _ => (rows - 1).checked_mul(stride).and_then(|before| before.checked_add(width)),
        };
        let needed = needed.map_or(u64::MAX, |needed| needed as u64);
        Error::expect_at_least("words of a matrix", needed, words.len() as u64)?;
        Ok(BitView { rows, columns, stride, words })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The words of row `r`, without the padding up to the stride.
    pub fn row(&self, r: usize) -> &'a [u32] {
        assert!(r < self.rows, "row {r} of {}", self.rows);
        &self.words[r * self.stride..][..self.columns.div_ceil(32)]
    }

    /// Some rows.
    pub(crate) fn part(&self, rows: std::ops::Range<usize>) -> BitView<'a> {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "rows {rows:?} of {}", self.rows);
        let words = self.words.get(rows.start * self.stride..).unwrap_or_default();
        BitView { rows: rows.len(), words, ..*self }
    }

    /// The entry in row `r`, column `c`.
    pub fn get(&self, r: usize, c: usize) -> bool {
        assert!(c < self.columns, "column {c} of {}", self.columns);
        self.row(r)[c / 32] >> (c % 32) & 1 == 1
    }

    /// Copies columns 512 t to 512 t + 511 of some rows, from row `first` on, a line for each row; zeros where there
    /// is no such column.
    pub(crate) fn copy_columns(&self, t: usize, first: usize, lines: &mut [Line]) {
        const WORDS: usize = LINE_BITS / 32;
        let width = self.columns.div_ceil(32);
        let words = (WORDS * t).min(width)..(WORDS * (t + 1)).min(width);
        for (line, row) in lines.iter_mut().zip(first..) {
            *line = Line::ZERO;
            let target: &mut [u32] = bytemuck::cast_slice_mut(&mut line.0);
            target[..words.len()].copy_from_slice(&self.row(row)[words.clone()]);
            if words.end == width && !words.is_empty() {
                target[words.len() - 1] &= last_mask(self.columns);
            }
        }
    }
}

/// The mask of the last 32-bit word of a row: ones at the columns that exist.
pub fn last_mask(columns: usize) -> u32 {
    match columns % 32 {
        0 => u32::MAX,
        bits => (1 << bits) - 1,
    }
}
