//! Fields in which the coordinates of points lie.

use ark_ff::{Field, Fp2, Fp2Config};

use super::Words;

/// A field of coordinates: a prime field, or its quadratic extension by u with u^2 = -1 or another small number below 0.
pub trait CoordinateField: Field<BasePrimeField: Words> {
    /// -u^2, from 1 to 7; `None` for a prime field.
    fn minus_square() -> Option<u32>;

    /// The words of all coefficients, that of 1 first.
    fn all_words(&self) -> impl Iterator<Item = u64>;

    /// The product, by [`Words::times`].
    #[must_use]
    fn by(&self, other: &Self) -> Self;

    /// The square. WebAssembly has no faster one than the product.
    #[must_use]
    #[inline(always)]
    fn squared(&self) -> Self {
        if cfg!(target_arch = "wasm32") { self.by(self) } else { self.square() }
    }
}

impl<F: Words> CoordinateField for F {
    fn minus_square() -> Option<u32> {
        None
    }

    fn all_words(&self) -> impl Iterator<Item = u64> {
        self.words().iter().copied()
    }

    #[inline(always)]
    fn by(&self, other: &Self) -> Self {
        self.times(other)
    }
}

impl<P: Fp2Config<Fp: Words>> CoordinateField for Fp2<P> {
    fn minus_square() -> Option<u32> {
        (1..8).find(|k| -P::Fp::from(*k) == P::NONRESIDUE)
    }

    fn all_words(&self) -> impl Iterator<Item = u64> {
        [&self.c0, &self.c1].into_iter().flat_map(|part| part.words().iter().copied())
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[inline(always)]
    fn by(&self, other: &Self) -> Self {
        *self * other
    }

    /// Karatsuba's method: three products.
    #[cfg(target_arch = "wasm32")]
    fn by(&self, other: &Self) -> Self {
        let [first, second] = [self.c0.times(&other.c0), self.c1.times(&other.c1)];
        let both = (self.c0 + self.c1).times(&(other.c0 + other.c1));
        let mut c0 = second;
        P::mul_fp_by_nonresidue_and_add(&mut c0, &first);
        Fp2::new(c0, both - first - second)
    }
}

/// The prime field of a field of coordinates.
pub type PrimeOf<F> = <F as Field>::BasePrimeField;
