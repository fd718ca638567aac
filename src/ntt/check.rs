//! Checks of results, each with its guarantee.

use rand::Rng;

use super::exact::ExactProduct;
use super::{Product, cost};
use crate::Result;
use crate::verify::Guarantee;

impl Product {
    /// The bytes of host memory that [`check`](Self::check) takes beside the factors and the product: the
    /// folded factors.
    pub fn check_bytes(&self) -> u64 {
        cost::folded_bytes(self.form(), self.lengths())
    }

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
    /// The bytes of host memory that [`check`](Self::check) takes beside the factors and the product: the
    /// residues of all three, and the folded factors.
    pub fn check_bytes(&self) -> u64 {
        let lengths = self.lengths();
        let all = lengths.into_iter().chain(self.length().ok());
        let residues = all.fold(0u64, |sum, length| sum.saturating_add(4 * length as u64));
        residues.saturating_add(cost::folded_bytes(self.form(), lengths))
    }

    /// Checks that `c` is the exact product of `a` and `b`, in linear time.
    ///
    /// # Errors
    /// [`Error::Check`](crate::Error::Check) if it is not; [`Error::Usage`](crate::Error::Usage) if
    /// there is no such product.
    pub fn check(&self, a: &[i64], b: &[i64], c: &[i128], rng: &mut impl Rng) -> Result<Guarantee> {
        self.form().check_exact(a, b, c, rng)
    }
}
