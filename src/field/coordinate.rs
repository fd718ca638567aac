//! Fields in which the coordinates of points lie.

use ark_ff::{Field, Fp2, Fp2Config};

use super::Words;

/// A field of coordinates: a prime field, or its quadratic extension by u with u^2 = -1 or another small number below 0.
pub trait CoordinateField: Field<BasePrimeField: Words> {
    /// -u^2, from 1 to 7; `None` for a prime field.
    fn minus_square() -> Option<u32>;

    /// The words of all coefficients, that of 1 first.
    fn all_words(&self) -> impl Iterator<Item = u64>;
}

impl<F: Words> CoordinateField for F {
    fn minus_square() -> Option<u32> {
        None
    }

    fn all_words(&self) -> impl Iterator<Item = u64> {
        self.words().iter().copied()
    }
}

impl<P: Fp2Config<Fp: Words>> CoordinateField for Fp2<P> {
    fn minus_square() -> Option<u32> {
        (1..8).find(|k| -P::Fp::from(*k) == P::NONRESIDUE)
    }

    fn all_words(&self) -> impl Iterator<Item = u64> {
        [&self.c0, &self.c1].into_iter().flat_map(|part| part.words().iter().copied())
    }
}

/// The prime field of a field of coordinates.
pub type PrimeOf<F> = <F as Field>::BasePrimeField;
