//! Products.

use super::bands::Bands;
use super::vectors::{padded, random_vectors, times};
use super::{MISS_BITS, failed, first_difference};
use crate::gf2::BitMatrix;
use crate::verify::Guarantee;
use crate::{Result, Wrong};

/// Checks that c = a b; see [`ProductCheck`]. A wrong product is missed with a chance of at most 2^-64.
pub fn product(a: &dyn Bands, b: &dyn Bands, c: &dyn Bands) -> Result<Guarantee> {
    Wrong::expect_length("rows of B", a.columns(), b.rows())?;
    Wrong::expect_shape("a product", (a.rows(), b.columns()), (c.rows(), c.columns()))?;
    let mut check = ProductCheck::new(a, b)?;
    c.bands(&mut |band| check.take(band))?;
    check.finish()
}

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
    pub fn new(a: &dyn Bands, b: &dyn Bands) -> Result<Self> {
        let vectors = random_vectors(b.columns())?;
        let expected = a.times(&padded(b.times(&vectors)?))?;
        Ok(ProductCheck { vectors, expected, columns: b.columns(), taken: 0, fault: None })
    }

    /// Takes the next rows of the product.
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
        Wrong::none("row", self.fault, "of the product is wrong")
    }

    /// True if all rows were taken.
    pub fn is_complete(&self) -> bool {
        self.taken == self.expected.len()
    }

    /// True if a row was wrong.
    pub fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    /// Returns the guarantee, after all rows. It is an error if a row was wrong or is missing.
    pub fn finish(self) -> Result<Guarantee> {
        self.verdict()?;
        Wrong::expect_length("rows of the product", self.expected.len(), self.taken)?;
        Ok(Guarantee::probable("the product is right", MISS_BITS))
    }
}
