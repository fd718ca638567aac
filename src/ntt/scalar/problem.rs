//! A transform over a scalar field, as a problem.

use std::marker::PhantomData;

use crate::ntt::transform::{CosetOf, Direction, TransformOf};
use crate::scalars::Scalar;
use crate::{Error, Result};

/// The longest transform, log2: indices have 32 bits.
const MAX_LOG_N: u32 = 31;

/// The points of a transform of scalars.
pub type Coset<F> = CosetOf<F>;

/// A batch of number-theoretic transforms of one length over a scalar field:
/// X_j = sum over i of x_i (g w^j)^i, with w arkworks' primitive n-th root of unity.
///
/// The vectors of n scalars stand one after the other. n is a power of two from 1 to 2^s, where s is the two-adicity of
/// r - 1: 32 for BLS12-381, 47 for BLS12-377 (31 here), 28 for BN254, 22 for BLS24-315.
///
/// ```
/// use ark_bn254::Fr;
/// use wgalois::ntt::scalar::{Coset, Transform};
/// use wgalois::ntt::{Direction, Order};
///
/// let transform = Transform::<Fr>::new(1 << 10)?
///     .with_batch(3)
///     .with_direction(Direction::Inverse)
///     .with_input(Order::BitReversed)
///     .with_coset(Coset::Shift(Fr::from(7)));
/// assert_eq!(transform.len(), 3 << 10);
/// # Ok::<(), wgalois::Error>(())
/// ```
pub type Transform<F> = TransformOf<Scalars<F>>;

/// The scalars of a field, of which transforms have no settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalars<F>(PhantomData<F>);

impl<F: Scalar> Transform<F> {
    /// One forward transform of length `n`, natural order on both sides, on the subgroup.
    pub fn new(n: usize) -> Result<Self> {
        let most = F::TWO_ADICITY.min(MAX_LOG_N);
        if !n.is_power_of_two() || n.ilog2() > most {
            return Err(Error::NotAPowerOfTwo { what: "length", value: n as u64, least: 1, most: 1 << most });
        }
        Ok(Self::with_settings(Scalars(PhantomData), n.ilog2()))
    }

    /// w, the primitive n-th root of unity of the forward transform: arkworks'.
    pub fn root(&self) -> F {
        root_of_unity(self.log_n)
    }

    /// g, the shift of the coset.
    pub fn shift(&self) -> Result<F> {
        match self.coset {
            Coset::Subgroup => Ok(F::ONE),
            Coset::Shift(g) if g.is_zero() => Err(Error::ZeroShift),
            Coset::Shift(g) => Ok(g),
            Coset::Negacyclic if self.log_n < F::TWO_ADICITY => Ok(root_of_unity(self.log_n + 1)),
            Coset::Negacyclic => {
                let (log_order, largest) = (self.log_n + 1, F::TWO_ADICITY);
                Err(Error::NoRootOfUnity { modulus: None, log_order, largest })
            }
        }
    }

    /// The root of this direction: w or its inverse.
    pub(super) fn directed_root(&self) -> F {
        let root = self.root();
        match self.direction {
            Direction::Forward => root,
            // A power of w, so that nothing has to be unwrapped.
            Direction::Inverse => root.pow([self.n() as u64 - 1]),
        }
    }

    /// The factors of the coefficients by their powers: coefficient i is multiplied by first ratio^i, before a
    /// forward transform or after an inverse one. None if all are 1.
    pub(super) fn weights(&self) -> Result<Option<Weights<F>>> {
        let shift = self.shift()?;
        let weights = match self.direction {
            Direction::Forward => Weights { first: F::ONE, ratio: shift },
            Direction::Inverse => Weights {
                first: F::from(self.n() as u64).inverse().unwrap_or_default(),
                ratio: shift.inverse().unwrap_or_default(),
            },
        };
        Ok(Some(weights).filter(|weights| !weights.are_units()))
    }

    /// The transform of `data` by its definition, in time O(n^2): an oracle for tests.
    pub fn by_definition(&self, data: &[F]) -> Result<Vec<F>> {
        self.check_len(data.len(), "scalars")?;
        let (root, shift) = (self.root(), self.shift()?);
        let inverse = |x: F| x.inverse().unwrap_or_default();
        let point = |j: usize| {
            let power = root.pow([j as u64]);
            match self.direction {
                Direction::Forward => (shift * power, F::ONE),
                Direction::Inverse => {
                    (inverse(power), inverse(F::from(self.n() as u64) * shift.pow([j as u64])))
                }
            }
        };
        Ok(self.sums(data, F::ZERO, |sum, z, x| sum * z + x, point))
    }
}

/// The factors first ratio^i of coefficients.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights<F> {
    pub first: F,
    pub ratio: F,
}

impl<F: Scalar> Weights<F> {
    /// True if all are 1.
    pub fn are_units(&self) -> bool {
        self.first.is_one() && self.ratio.is_one()
    }
}

/// arkworks' root of unity of order 2^`log_n`, at most 2 to the two-adicity.
pub(super) fn root_of_unity<F: Scalar>(log_n: u32) -> F {
    let mut root = F::TWO_ADIC_ROOT_OF_UNITY;
    for _ in log_n..F::TWO_ADICITY {
        root.square_in_place();
    }
    root
}
