//! The ring in which two polynomials are multiplied.

use std::borrow::Cow;

use super::{MAX_LOG_N, Reduction, residues};
use crate::field::{Modulus, Prime};
use crate::{Error, Result};

/// The polynomial by which a product of polynomials is reduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ring {
    /// None: the product of a and b coefficients has a + b - 1.
    #[default]
    Linear,
    /// x^N - 1, for any N from 1 to 2^27: the product has N coefficients.
    Cyclic(usize),
    /// x^N + 1, for any N from 1 to 2^27: the product has N coefficients.
    Negacyclic(usize),
}

impl Ring {
    /// The number of coefficients of the product of `a` and `b` coefficients. The zero polynomial
    /// may have none, and then a linear product with it has none either. N must not be 0, and the product has at most
    /// 2^27 coefficients.
    pub fn length(self, a: usize, b: usize) -> Result<usize> {
        let length = match self {
            Ring::Linear if a == 0 || b == 0 => 0,
            Ring::Linear => a.saturating_add(b) - 1,
            Ring::Cyclic(0) | Ring::Negacyclic(0) => {
                let what = "ring of degree";
                return Err(Error::Setting { what, value: 0, least: 1, most: 1 << MAX_LOG_N });
            }
            Ring::Cyclic(n) | Ring::Negacyclic(n) => n,
        };
        Error::expect_at_most("coefficients of a product", 1 << MAX_LOG_N, length as u64)?;
        Ok(length)
    }

    /// Checks that all coefficients of the factors are below the modulus.
    pub(super) fn check_operands(modulus: Modulus, a: &[u32], b: &[u32]) -> Result<()> {
        residues::check_all("the first polynomial's coefficient", a, modulus.value())?;
        residues::check_all("the second polynomial's coefficient", b, modulus.value())
    }

    /// The maximum number of products of coefficients that add up to one coefficient of the result.
    pub(super) fn terms(self, a: usize, b: usize) -> usize {
        let wraps = |length: usize| length.div_ceil(self.folded(length).max(1));
        (a * wraps(b)).min(b * wraps(a))
    }

    /// The number of coefficients of a polynomial of `length` coefficients after [`fold`](Self::fold).
    pub(super) fn folded(self, length: usize) -> usize {
        match self {
            Ring::Linear => length,
            Ring::Cyclic(n) | Ring::Negacyclic(n) => length.min(n),
        }
    }

    /// Bytes of the factors that are folded on the host.
    pub(super) fn folded_bytes(self, lengths: [usize; 2]) -> u64 {
        let folded = lengths.into_iter().map(|length| {
            let left = self.folded(length);
            if left < length { 4 * left as u64 } else { 0 }
        });
        folded.sum()
    }

    /// The remainder of a polynomial modulo that of the ring.
    pub fn fold(self, modulus: impl Into<Modulus>, words: &[u32]) -> Cow<'_, [u32]> {
        let n = match self {
            Ring::Cyclic(n) | Ring::Negacyclic(n) if n < words.len() => n,
            _ => return Cow::Borrowed(words),
        };
        let (modulus, mut folded) = (modulus.into(), words[..n].to_vec());
        for (wraps, block) in words.chunks(n).enumerate().skip(1) {
            let subtract = wraps % 2 == 1 && matches!(self, Ring::Negacyclic(_));
            for (sum, &x) in folded.iter_mut().zip(block) {
                *sum = if subtract { modulus.sub(*sum, x) } else { modulus.add(*sum, x) };
            }
        }
        Cow::Owned(folded)
    }
}

/// A product modulo x^n - 1 or x^n + 1, n = 2^`log_n`: the part that the engines compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convolution {
    pub prime: Prime,
    pub log_n: u32,
    pub negacyclic: bool,
    pub reduction: Reduction,
}

impl Convolution {
    /// n.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }
}

/// Refuses factors of other numbers of coefficients than planned.
pub(super) fn expect_factors(planned: [usize; 2], found: [usize; 2]) -> Result<()> {
    Error::expect_length("coefficients of the first factor", planned[0], found[0])?;
    Error::expect_length("coefficients of the second factor", planned[1], found[1])
}
