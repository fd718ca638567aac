//! Matrices that checks read in bands of rows: one in memory is one band.

use super::vectors::{times, times_view};
use crate::Result;
use crate::gf2::{BitMatrix, BitView};

/// A matrix that a check reads in bands of rows.
///
/// # Errors
/// Those of reading; [`Error::OutOfMemory`](crate::Error::OutOfMemory); those of `take`.
pub trait Bands {
    /// The number of rows.
    fn rows(&self) -> usize;

    /// The number of columns.
    fn columns(&self) -> usize;

    /// Gives `take` all rows, in order.
    fn bands(&self, take: &mut dyn FnMut(&BitMatrix) -> Result<()>) -> Result<()>;

    /// Gives `take` the number of the first row of each band, and the band: those of the first `rows` rows, the last
    /// band first, which may have more rows.
    fn bands_in_reverse(
        &self,
        rows: usize,
        take: &mut dyn FnMut(usize, &BitMatrix) -> Result<()>,
    ) -> Result<()>;

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

    fn bands(&self, take: &mut dyn FnMut(&BitMatrix) -> Result<()>) -> Result<()> {
        take(self)
    }

    fn bands_in_reverse(
        &self,
        _: usize,
        take: &mut dyn FnMut(usize, &BitMatrix) -> Result<()>,
    ) -> Result<()> {
        take(0, self)
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

    fn bands(&self, take: &mut dyn FnMut(&BitMatrix) -> Result<()>) -> Result<()> {
        let parts = parts(self, self.rows());
        parts.into_iter().try_for_each(|rows| take(&BitMatrix::from_view(self.part(rows))?))
    }

    fn bands_in_reverse(
        &self,
        rows: usize,
        take: &mut dyn FnMut(usize, &BitMatrix) -> Result<()>,
    ) -> Result<()> {
        let mut parts = parts(self, rows).rev();
        parts.try_for_each(|rows| take(rows.start, &BitMatrix::from_view(self.part(rows))?))
    }

    fn times(&self, vectors: &[u64]) -> Result<Vec<u64>> {
        Ok(times_view(self, vectors))
    }
}

/// The bands of the first rows of a view.
fn parts(view: &BitView<'_>, rows: usize) -> impl DoubleEndedIterator<Item = std::ops::Range<usize>> {
    let a_row = BitMatrix::bytes_of(1, view.columns() as u64) + 8;
    let at_a_time = ((1 << 20) / a_row).max(1) as usize;
    (0..rows).step_by(at_a_time).map(move |first| first..rows.min(first + at_a_time))
}
