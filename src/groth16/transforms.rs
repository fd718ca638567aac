//! The transforms between the n-th roots of unity and a coset of them.

use ark_ff::PrimeField;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};

use crate::{Error, Result};

/// Transforms of vectors of 2^`log2` values, prepared.
pub(super) struct Transforms<F: PrimeField> {
    roots: Radix2EvaluationDomain<F>,
    coset: Radix2EvaluationDomain<F>,
}

impl<F: PrimeField> Transforms<F> {
    /// Transforms for the coset `shift` times the roots.
    pub(super) fn new(log2: u32, shift: F) -> Result<Self> {
        let roots = Radix2EvaluationDomain::new(1 << log2);
        let both = roots.and_then(|roots: Radix2EvaluationDomain<F>| Some((roots, roots.get_coset(shift)?)));
        let (roots, coset) = both.ok_or_else(|| Error::Input(format!("no transform of 2^{log2} values")))?;
        Ok(Transforms { roots, coset })
    }

    /// Takes the values of a polynomial at the roots to those on the coset.
    pub(super) fn to_coset(&self, values: &mut Vec<F>) -> Result<()> {
        self.roots.ifft_in_place(values);
        self.coset.fft_in_place(values);
        Ok(())
    }

    /// Takes the values of a polynomial on the coset to its coefficients.
    pub(super) fn coefficients_from_coset(&self, values: &mut Vec<F>) -> Result<()> {
        self.coset.ifft_in_place(values);
        Ok(())
    }
}
