//! Checks of results, each with its guarantee.

use rand::Rng;

use super::Product;
use super::exact::ExactProduct;
use crate::Result;
use crate::verify::Guarantee;

impl Product {
    /// Checks that `c` is the product of `a` and `b`, in linear time.
    ///
    /// # Errors
    /// [`Error::Check`](crate::Error::Check) if it is not; [`Error::Input`](crate::Error::Input) if
    /// `a` and `b` are not factors of this product.
    pub fn check(&self, a: &[u32], b: &[u32], c: &[u32], rng: &mut impl Rng) -> Result<Guarantee> {
        self.check_input(a, b)?;
        self.form().check(self.prime(), a, b, c, rng)
    }
}

impl ExactProduct {
    /// Checks that `c` is the exact product of `a` and `b`, in linear time.
    ///
    /// # Errors
    /// [`Error::Check`](crate::Error::Check) if it is not; [`Error::Usage`](crate::Error::Usage) if
    /// there is no such product.
    pub fn check(&self, a: &[i64], b: &[i64], c: &[i128], rng: &mut impl Rng) -> Result<Guarantee> {
        self.form().check_exact(a, b, c, rng)
    }
}
