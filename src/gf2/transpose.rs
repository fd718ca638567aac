//! Transposition in blocks of 64 by 64 bits.

use super::BitMatrix;
use super::bit_matrix::{LINE_BITS, Line};
use crate::Result;

/// Transposes 64 words of 64 bits in place: halves of blocks are exchanged, 32, 16, ..., 1 wide
/// (Warren, Hacker's Delight, 7-3).
pub(crate) fn transpose_64(words: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = u64::MAX >> 32;
    while width > 0 {
        for k in (0..64).filter(|k| k & width == 0) {
            let exchange = (words[k] >> width ^ words[k + width]) & mask;
            words[k] ^= exchange << width;
            words[k + width] ^= exchange;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// Transposes up to 512 lines: bit r of line c of `to` is bit c of line r of `from`, zero where
/// `from` has no line r.
pub(crate) fn transpose_lines(from: &[Line], to: &mut [Line]) {
    debug_assert!(from.len() <= LINE_BITS && to.len() <= LINE_BITS);
    for (r, rows) in from.chunks(64).enumerate() {
        for (c, columns) in to.chunks_mut(64).enumerate() {
            let mut block = [0; 64];
            block.iter_mut().zip(rows).for_each(|(word, line)| *word = line.0[c]);
            transpose_64(&mut block);
            columns.iter_mut().zip(&block).for_each(|(line, word)| line.0[r] = *word);
        }
    }
}

impl BitMatrix {
    /// Returns the transposed matrix.
    pub fn transposed(&self) -> Result<Self> {
        let mut transposed = Self::zeros(self.columns(), self.rows())?;
        let (from, to) = (self.stride64(), transposed.stride64());
        for (r, rows) in self.words64().chunks((64 * from).max(1)).enumerate() {
            for (c, columns) in transposed.words64_mut().chunks_mut((64 * to).max(1)).enumerate() {
                let mut block = [0; 64];
                block.iter_mut().zip(rows.chunks(from)).for_each(|(word, row)| *word = row[c]);
                transpose_64(&mut block);
                columns.chunks_mut(to).zip(&block).for_each(|(column, word)| column[r] = *word);
            }
        }
        Ok(transposed)
    }
}
