//! Packed matrices over GF(2).

mod line;
mod view;

use std::fmt;

pub(crate) use line::{LINE_BITS, Line, SetBits, zero_lines};
pub use view::BitView;
pub use view::last_mask;

use crate::{Error, Result};

#[cfg(target_endian = "big")]
compile_error!("packed matrices are views of little-endian words");

/// The maximum number of rows or columns of a [`BitMatrix`]: their numbers have 32 bits, and the last number means
/// "none".
pub const MAX_SIDE: usize = u32::MAX as usize;

/// A matrix over GF(2) with 32 bits packed in a word.
///
/// Row-major: row r begins at word r * [`stride`](Self::stride). Column c is bit c % 32 (the lowest
/// bit is 0) of word c / 32 of its row. Bits past the last column are zero. The same bytes read as
/// little-endian 64-bit words have column c at bit c % 64 of word c / 64.
#[derive(Clone)]
pub struct BitMatrix {
    rows: usize,
    columns: usize,
    /// 64-bit words from the beginning of a row to that of the next.
    stride: usize,
    lines: Box<[Line]>,
}

/// The number of 64-bit words in a row of a [`BitMatrix`] with `columns` columns; wide rows are whole
/// cache lines.
pub(super) fn words_of_a_row(columns: usize) -> usize {
    let words = columns.div_ceil(64);
    if words > 8 { words.next_multiple_of(8) } else { words }
}

impl BitMatrix {
    /// The zero matrix of `rows` times `columns`. It takes rows * columns bits, rounded up to words, in wide matrices
    /// to 64 bytes a row.
    pub fn zeros(rows: usize, columns: usize) -> Result<Self> {
        expect_sides([rows, columns])?;
        let stride = words_of_a_row(columns);
        let count = rows.checked_mul(stride).ok_or_else(|| {
            Error::OutOfMemory(
                format!("{rows} x {columns} bits are more than this machine can address").into(),
            )
        })?;
        Ok(BitMatrix { rows, columns, stride, lines: zero_lines(count.div_ceil(8))? })
    }

    /// The bytes of host memory that a matrix of `rows` times `columns` takes.
    pub fn bytes_of(rows: u64, columns: u64) -> u64 {
        let words = columns.div_ceil(64);
        let stride = if words > 8 { words.next_multiple_of(8) } else { words };
        rows.saturating_mul(stride.saturating_mul(8)).saturating_add(64)
    }

    /// The bytes of host memory that this matrix takes.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.lines) as u64
    }

    /// The identity matrix of `n` times `n`.
    pub fn identity(n: usize) -> Result<Self> {
        let mut identity = Self::zeros(n, n)?;
        (0..n).for_each(|i| identity.set(i, i, true));
        Ok(identity)
    }

    /// A copy of a view.
    pub fn from_view(view: BitView<'_>) -> Result<Self> {
        let mut matrix = Self::zeros(view.rows(), view.columns())?;
        for r in 0..view.rows() {
            let row = view.row(r);
            let copy = matrix.row_mut(r);
            copy[..row.len()].copy_from_slice(row);
            if let Some(last) = row.len().checked_sub(1) {
                copy[last] &= last_mask(view.columns());
            }
        }
        Ok(matrix)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// 32-bit words from the beginning of a row to that of the next.
    pub fn stride(&self) -> usize {
        2 * self.stride
    }

    /// All words, row after row, `rows * stride` of them.
    pub fn words(&self) -> &[u32] {
        &bytemuck::cast_slice(&self.lines)[..2 * self.rows * self.stride]
    }

    /// All words, for writing. Bits past the last column must stay zero.
    pub fn words_mut(&mut self) -> &mut [u32] {
        let length = 2 * self.rows * self.stride;
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..length]
    }

    /// The words of row `r`.
    pub fn row(&self, r: usize) -> &[u32] {
        bytemuck::cast_slice(self.row64(r))
    }

    /// The words of row `r`, for writing. Bits past the last column must stay zero.
    pub fn row_mut(&mut self, r: usize) -> &mut [u32] {
        bytemuck::cast_slice_mut(self.row64_mut(r))
    }

    /// Row `r` as 64-bit words.
    pub fn row64(&self, r: usize) -> &[u64] {
        &self.words64()[r * self.stride..(r + 1) * self.stride]
    }

    /// Row `r` as 64-bit words, for writing. Bits past the last column must stay zero.
    pub fn row64_mut(&mut self, r: usize) -> &mut [u64] {
        let stride = self.stride;
        &mut self.words64_mut()[r * stride..(r + 1) * stride]
    }

    /// A copy of some rows.
    pub(super) fn copy_of_rows(&self, rows: std::ops::Range<usize>) -> Result<Self> {
        let mut copy = BitMatrix::zeros(rows.len(), self.columns)?;
        let stride = self.stride;
        copy.words64_mut().copy_from_slice(&self.words64()[rows.start * stride..rows.end * stride]);
        Ok(copy)
    }

    /// 64-bit words from the beginning of a row to that of the next.
    pub fn stride64(&self) -> usize {
        self.stride
    }

    #[doc(hidden)]
    pub fn words64(&self) -> &[u64] {
        &bytemuck::cast_slice(&self.lines)[..self.rows * self.stride]
    }

    #[doc(hidden)]
    pub fn words64_mut(&mut self) -> &mut [u64] {
        let length = self.rows * self.stride;
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..length]
    }

    /// The entry in row `r`, column `c`.
    pub fn get(&self, r: usize, c: usize) -> bool {
        assert!(c < self.columns, "column {c} of {}", self.columns);
        self.row64(r)[c / 64] >> (c % 64) & 1 == 1
    }

    /// Writes the entry in row `r`, column `c`.
    pub fn set(&mut self, r: usize, c: usize, one: bool) {
        assert!(c < self.columns, "column {c} of {}", self.columns);
        let word = &mut self.row64_mut(r)[c / 64];
        *word = *word & !(1 << (c % 64)) | u64::from(one) << (c % 64);
    }

    /// Removes columns, in place: column c becomes column c - k if k removed ones are before it. `columns` ascend.
    ///
    /// ```text
    /// for each row, for each kept column: append its bit to a word; store a full word
    /// ```
    ///
    /// A word is stored at or before the word that is read, so nothing unread is overwritten.
    pub(super) fn remove_columns(&mut self, columns: &[u32]) {
        let (rows, before, old_stride) = (self.rows, self.columns, self.stride);
        let removed = |c: usize| columns.binary_search(&(c as u32)).is_ok();
        let mask = |k: usize| {
            (64 * k..before.min(64 * k + 64))
                .filter(|&c| !removed(c))
                .fold(0u64, |mask, c| mask | 1 << (c % 64))
        };
        let kept: Vec<u64> = (0..before.div_ceil(64)).map(mask).collect();
        let after = kept.iter().map(|mask| mask.count_ones() as usize).sum();
        let stride = words_of_a_row(after);
        let words: &mut [u64] = bytemuck::cast_slice_mut(&mut self.lines);
        for r in 0..rows {
            let (mut at, mut word, mut bits) = (r * stride, 0u64, 0);
            for (k, &mask) in kept.iter().enumerate() {
                let from = words[r * old_stride + k];
                for bit in SetBits(mask) {
                    word |= (from >> bit & 1) << bits;
                    bits += 1;
                    if bits == 64 {
                        words[at] = word;
                        (at, word, bits) = (at + 1, 0, 0);
                    }
                }
            }
            if bits > 0 {
                words[at] = word;
                at += 1;
            }
            words[at..(r + 1) * stride].fill(0);
        }
        (self.columns, self.stride) = (after, stride);
    }

    /// The columns of the ones of row `r`, ascending.
    pub fn ones(&self, r: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.row64(r).iter().enumerate().flat_map(|(k, &word)| SetBits(word).map(move |bit| 64 * k + bit))
    }

    /// The number of ones.
    pub fn count_ones(&self) -> u64 {
        self.words64().iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

/// Returns an error for more rows or columns than a matrix may have.
pub(super) fn expect_sides(sides: impl IntoIterator<Item = usize>) -> Result<()> {
    let check = |side| Error::expect_at_most("rows or columns", MAX_SIDE as u64, side as u64);
    sides.into_iter().try_for_each(check)
}

/// The error of factors of `columns` columns and `rows` rows.
pub(super) fn mismatch(columns: usize, rows: usize) -> Error {
    Error::ShapeMismatch { operation: "multiply", a: (columns, "columns"), b: (rows, "rows") }
}

impl PartialEq for BitMatrix {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows && self.columns == other.columns && self.words64() == other.words64()
    }
}

impl Eq for BitMatrix {}

impl fmt::Debug for BitMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} x {} over GF(2)", self.rows, self.columns)?;
        for r in 0..self.rows.min(64) {
            let text: String =
                (0..self.columns.min(128)).map(|c| if self.get(r, c) { '1' } else { '.' }).collect();
            writeln!(f, "{text}")?;
        }
        Ok(())
    }
}
