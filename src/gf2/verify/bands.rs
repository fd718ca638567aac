//! Matrices that checks read in bands of rows: one in memory is one band.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::vectors::{times, times_view};
use crate::Result;
use crate::gf2::{BitMatrix, BitView};

/// A matrix that a check reads in bands of rows.
pub trait Bands: fmt::Debug {
    /// The number of rows.
    fn rows(&self) -> usize;

    /// The number of columns.
    fn columns(&self) -> usize;

    /// The number of rows that are read at a time, at least 1.
    fn rows_of_a_band(&self) -> usize;

    /// Reads some rows, at most those of a band. There may be others after them.
    fn band(&self, rows: Range<usize>) -> Result<Cow<'_, BitMatrix>>;

    /// The whole matrix, if it is in memory or in a mapped file.
    fn as_view(&self) -> Option<BitView<'_>> {
        None
    }

    /// Gives `take` all rows, in order; its errors are returned.
    fn bands(&self, take: &mut dyn FnMut(&BitMatrix) -> Result<()>) -> Result<()> {
        let (rows, at_a_time) = (self.rows(), self.rows_of_a_band());
        let mut firsts = (0..rows).step_by(at_a_time);
        firsts.try_for_each(|first| take(&*self.band(first..rows.min(first + at_a_time))?))
    }

    /// The product with 64 vectors, which have entries for whole words of a row: a word a row.
    fn times(&self, vectors: &[u64]) -> Result<Vec<u64>> {
        let mut products = Vec::with_capacity(self.rows());
        self.bands(&mut |band| {
            products.extend(times(band, vectors));
            Ok(())
        })?;
        Ok(products)
    }
}

impl Bands for BitMatrix {
    fn rows(&self) -> usize {
        self.rows()
    }

    fn columns(&self) -> usize {
        self.columns()
    }

    fn rows_of_a_band(&self) -> usize {
        self.rows().max(1)
    }

    fn band(&self, _: Range<usize>) -> Result<Cow<'_, BitMatrix>> {
        Ok(Cow::Borrowed(self))
    }

    fn as_view(&self) -> Option<BitView<'_>> {
        Some(self.view())
    }
}

/// Bands take 1 MiB, or a row.
impl Bands for BitView<'_> {
    fn rows(&self) -> usize {
        self.rows()
    }

    fn columns(&self) -> usize {
        self.columns()
    }

    fn rows_of_a_band(&self) -> usize {
        let a_row = BitMatrix::bytes_of(1, self.columns() as u64) + 8;
        ((1 << 20) / a_row).max(1) as usize
    }

    fn band(&self, rows: Range<usize>) -> Result<Cow<'_, BitMatrix>> {
        BitMatrix::from_view(self.part(rows)).map(Cow::Owned)
    }

    fn as_view(&self) -> Option<BitView<'_>> {
        Some(*self)
    }

    fn times(&self, vectors: &[u64]) -> Result<Vec<u64>> {
        Ok(times_view(self, vectors))
    }
}
