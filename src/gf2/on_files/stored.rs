//! Answers that stay on the disk and are read a band of rows at a time.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::scratch::Scratch;
use crate::gf2::BitMatrix;
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::gf2::transpose::transpose_64;
use crate::gf2::verify::Bands;
use crate::{Error, Result};

/// Marks a row of an answer that is zero.
pub(super) const ZERO: u32 = u32::MAX;

/// Lines that are read at a time.
const CHUNK: usize = 4096;

/// Tiles of a matrix in a file.
#[derive(Debug)]
pub(super) struct StoredTiles {
    pub scratch: Scratch,
    pub rows: usize,
    /// The tile with which the file begins.
    pub first_tile: usize,
}

impl StoredTiles {
    fn at(&self, tile: usize, row: usize) -> usize {
        (tile - self.first_tile) * self.rows + row
    }

    pub fn write(&self, tile: usize, tiles: &[Line]) -> Result<()> {
        self.scratch.write(self.at(tile, 0), tiles)
    }

    /// Writes lines of one tile from row `row` on.
    pub fn write_rows(&self, tile: usize, row: usize, lines: &[Line]) -> Result<()> {
        self.scratch.write(self.at(tile, row), lines)
    }

    pub fn read(&self, tile: usize, row: usize, lines: &mut [Line]) -> Result<()> {
        self.scratch.read(self.at(tile, row), lines)
    }
}

/// A matrix that is the answer of an operation on files. It is read a band of rows at a time.
#[derive(Debug)]
pub struct StoredMatrix {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) source: Rows,
    /// Bytes that a band may take.
    pub(super) band: u64,
}

/// The rows of an answer.
#[derive(Debug)]
pub(super) enum Rows {
    /// Row r is row `order[r]` of the tiles from tile `first` on, or [`ZERO`], without the columns `omitted` of the tiles,
    /// which ascend.
    Ordered { tiles: Arc<StoredTiles>, first: usize, order: Arc<Vec<u32>>, omitted: Vec<u32> },
    /// A basis of the kernel of the matrix whose reduced form the tiles hold; see
    /// [`Echelon::kernel`](crate::gf2::Echelon::kernel).
    Kernel { tiles: Arc<StoredTiles>, pivots: Vec<Pivot>, free: Vec<u32> },
}

/// A pivot's column, and its row in the tiles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pivot {
    pub column: u32,
    pub row: u32,
}

impl StoredMatrix {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Reads all rows in order and gives them to `take`, a band at a time.
    pub fn bands(&self, mut take: impl FnMut(&BitMatrix) -> Result<()>) -> Result<()> {
        match &self.source {
            Rows::Ordered { .. } => {
                let at_a_time = self.rows_of_a_band();
                let firsts = (0..self.rows).step_by(at_a_time);
                firsts
                    .into_iter()
                    .try_for_each(|first| take(&*self.band(first..self.rows.min(first + at_a_time))?))
            }
            Rows::Kernel { tiles, pivots, free } => self.kernel(tiles, pivots, free, &mut take),
        }
    }

    /// Reads other rows of the same tiles, in this order; for [`Rows::Ordered`] only.
    pub(super) fn bands_of(&self, order: Vec<u32>, take: impl FnMut(&BitMatrix) -> Result<()>) -> Result<()> {
        let Rows::Ordered { tiles, first, omitted, .. } = &self.source else {
            return Err(out_of_order());
        };
        let (rows, order) = (order.len(), Arc::new(order));
        let source = Rows::Ordered { tiles: tiles.clone(), first: *first, order, omitted: omitted.clone() };
        StoredMatrix { rows, columns: self.columns, source, band: self.band }.bands(take)
    }

    /// The rows that `order` names. In each tile they are read from the first to the last, some at a time.
    fn ordered(
        &self,
        tiles: &StoredTiles,
        first_tile: usize,
        order: &[u32],
        omitted: &[u32],
    ) -> Result<BitMatrix> {
        let columns = self.columns + omitted.len();
        let mut band = BitMatrix::zeros(order.len(), columns)?;
        let mut sources: Vec<(u32, u32)> =
            order.iter().zip(0..).filter(|&(&row, _)| row != ZERO).map(|(&row, k)| (row, k)).collect();
        sources.sort_unstable();
        let mut lines = zero_lines(CHUNK.min(tiles.rows))?;
        for t in 0..columns.div_ceil(LINE_BITS) {
            let mut left = &sources[..];
            while let Some(&(first, _)) = left.first() {
                let end = left.partition_point(|&(row, _)| ((row - first) as usize) < lines.len());
                let (now, later) = left.split_at(end);
                let count = (now[end - 1].0 - first) as usize + 1;
                tiles.read(first_tile + t, first as usize, &mut lines[..count])?;
                for &(row, k) in now {
                    let words = band.row64_mut(k as usize)[8 * t..].iter_mut();
                    words.zip(&lines[(row - first) as usize].0).for_each(|(to, word)| *to = *word);
                }
                left = later;
            }
        }
        if !omitted.is_empty() {
            band.remove_columns(omitted);
        }
        Ok(band)
    }

    /// Writes the kernel's vectors: those of the free columns of one word, or of some words, at a time.
    fn kernel(
        &self,
        tiles: &StoredTiles,
        pivots: &[Pivot],
        free: &[u32],
        take: &mut impl FnMut(&BitMatrix) -> Result<()>,
    ) -> Result<()> {
        let mut lines = zero_lines(tiles.rows)?;
        let mut loaded = None;
        let at_a_time = (self.rows_of_a_band() / 64).clamp(1, 8);
        let mut left = free;
        while let Some(&column) = left.first() {
            let (tile, word) = (column as usize / LINE_BITS, column as usize / 64);
            let words = word..(word + at_a_time).min(8 * (tile + 1));
            let (now, later) = left.split_at(left.partition_point(|&c| (c as usize) < 64 * words.end));
            if loaded.replace(tile) != Some(tile) {
                tiles.read(tile, 0, &mut lines)?;
            }
            take(&self.vectors(&lines, pivots, now, words)?)?;
            left = later;
        }
        Ok(())
    }

    /// The kernel's vectors for the free columns `free`, which lie in `words` of the tile with these `lines`.
    fn vectors(
        &self,
        lines: &[Line],
        pivots: &[Pivot],
        free: &[u32],
        words: Range<usize>,
    ) -> Result<BitMatrix> {
        let mut vectors = BitMatrix::zeros(free.len(), self.columns)?;
        for pivots in pivots.chunk_by(|a, b| a.column / 64 == b.column / 64) {
            let target = pivots[0].column as usize / 64;
            // A row has no ones before its pivot.
            if target >= words.end {
                break;
            }
            for word in words.clone() {
                let mut block = [0; 64];
                for pivot in pivots {
                    block[pivot.column as usize % 64] = lines[pivot.row as usize].0[word % 8];
                }
                transpose_64(&mut block);
                for (k, &column) in free.iter().enumerate().filter(|&(_, &c)| c as usize / 64 == word) {
                    vectors.row64_mut(k)[target] = block[column as usize % 64];
                }
            }
        }
        free.iter().enumerate().for_each(|(k, &column)| vectors.set(k, column as usize, true));
        Ok(vectors)
    }
}

/// The error of rows out of order, which a kernel's basis does not have.
fn out_of_order() -> Error {
    Error::only_for("rows out of order", "those that are stored")
}

impl Bands for StoredMatrix {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn rows_of_a_band(&self) -> usize {
        let omitted = match &self.source {
            Rows::Ordered { omitted, .. } => omitted.len(),
            _ => 0,
        };
        let a_row = BitMatrix::bytes_of(1, (self.columns + omitted) as u64) + 8;
        usize::try_from(self.band / a_row).unwrap_or(usize::MAX).max(1)
    }

    fn band(&self, rows: Range<usize>) -> Result<Cow<'_, BitMatrix>> {
        match &self.source {
            Rows::Ordered { tiles, first, order, omitted } => {
                self.ordered(tiles, *first, &order[rows], omitted).map(Cow::Owned)
            }
            Rows::Kernel { .. } => Err(out_of_order()),
        }
    }

    fn bands(&self, take: &mut dyn FnMut(&BitMatrix) -> Result<()>) -> Result<()> {
        self.bands(take)
    }
}
