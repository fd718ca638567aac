//! The check of a product.

use super::{IS_PRODUCT, guarantee};
#[cfg(doc)]
use crate::Error;
use crate::Result;
use crate::gf2::verify::vectors::{padded, random_vectors, times, times_view};
use crate::gf2::verify::{failed, first_difference};
use crate::gf2::{BitMatrix, BitView};
use crate::verify::Guarantee;

/// A check of a product as its rows are written: a (b v) = c v for 64 random vectors v. A wrong product is missed with a
/// chance of at most 2^-64.
#[derive(Debug)]
pub struct ProductCheck {
    vectors: Vec<u64>,
    /// By row: the word of a (b v).
    expected: Vec<u64>,
    columns: usize,
    /// The rows that were taken.
    taken: usize,
    fault: Option<usize>,
}

impl ProductCheck {
    /// Draws the vectors, and reads both factors.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn new(a: BitView<'_>, b: BitView<'_>) -> Result<Self> {
        let vectors = random_vectors(b.columns())?;
        let expected = times_view(&a, &padded(times_view(&b, &vectors)));
        Ok(ProductCheck { vectors, expected, columns: b.columns(), taken: 0, fault: None })
    }

    /// Takes the next rows of the product.
    ///
    /// # Errors
    /// [`Error::Check`] with the first row that is wrong.
    pub fn take(&mut self, band: &BitMatrix) -> Result<()> {
        let expected = self.expected.get(self.taken..self.taken + band.rows());
        let (Some(expected), true) = (expected, band.columns() == self.columns) else {
            return failed("a product of another shape");
        };
        let wrong = first_difference(expected, &times(band, &self.vectors));
        self.fault = self.fault.or(wrong.map(|row| self.taken + row));
        self.taken += band.rows();
        self.verdict()
    }

    fn verdict(&self) -> Result<()> {
        match self.fault {
            Some(row) => failed(format!("row {row} of the product is wrong")),
            None => Ok(()),
        }
    }

    /// True if all rows were taken.
    pub fn is_complete(&self) -> bool {
        self.taken == self.expected.len()
    }

    /// True if a row was wrong.
    pub fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    /// Returns the guarantee, after all rows.
    ///
    /// # Errors
    /// [`Error::Check`] if a row was wrong or is missing.
    pub fn finish(self) -> Result<Guarantee> {
        self.verdict()?;
        match self.is_complete() {
            true => guarantee(IS_PRODUCT),
            false => failed(format!("a product of {} rows", self.taken)),
        }
    }
}
