//! Transforms of words: over the integers modulo a prime below 2^31.

use super::residues;
use super::transform::{CosetOf, Direction, TransformOf};
use crate::field::Prime;
use crate::{Error, Result};

/// The reduction that a kernel or engine uses for its modular products.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The fastest: Shoup's for constants, Montgomery's for products of variables.
    #[default]
    Auto,
    /// Montgomery (1985), R = 2^32.
    Montgomery,
    /// Barrett (1986), with a precomputed reciprocal.
    Barrett,
    /// Shoup, with a precomputed quotient per constant.
    Shoup,
    /// The remainder operator.
    Plain,
}

/// The settings of a transform of words: the prime, and how the GPU's kernels reduce products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WordSettings {
    pub(super) prime: Prime,
    pub(super) reduction: Reduction,
}

/// The longest transform, log2.
pub const MAX_LOG_N: u32 = 27;

/// The points of a transform of words.
pub type Coset = CosetOf<u32>;

/// A batch of number-theoretic transforms of one length modulo one prime:
/// X_j = sum over i of x_i (g w^j)^i, with w the prime's primitive n-th root of unity.
///
/// The vectors of n coefficients stand one after the other; every entry is below p, before and after.
/// n is a power of two from 2 to 2^27. [`ColumnTransform`](super::ColumnTransform) transforms the columns of a table where
/// they are; [`transposed`](super::transposed()) brings them into this form, and [`DeviceVec::assign_padded`](crate::gpu::DeviceVec::assign_padded) puts zeros
/// between vectors.
///
/// Transforms are linear: words in Montgomery form, R x mod p, go through unchanged and come out as R X mod p.
///
/// ```
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::{Coset, Direction, Order, Transform};
///
/// let transform = Transform::new(BABY_BEAR, 1 << 10)?
///     .with_batch(8)
///     .with_direction(Direction::Inverse)
///     .with_input(Order::BitReversed)
///     .with_coset(Coset::Negacyclic);
/// assert_eq!(transform.len(), 8 << 10);
/// # Ok::<(), wgalois::Error>(())
/// ```
pub type Transform = TransformOf<WordSettings>;

/// The error of a length that no transform has.
pub(super) fn no_length(n: usize) -> Error {
    Error::NotAPowerOfTwo { what: "length", value: n as u64, least: 2, most: 1 << MAX_LOG_N }
}

impl Transform {
    /// One forward transform of length `n`, natural order on both sides, on the subgroup.
    pub fn new(prime: Prime, n: usize) -> Result<Self> {
        if !n.is_power_of_two() || !(2..=1 << MAX_LOG_N).contains(&n) {
            return Err(no_length(n));
        }
        prime.root_of_unity(n.ilog2())?;
        Ok(Self::with_settings(WordSettings { prime, reduction: Reduction::Auto }, n.ilog2()))
    }

    /// Sets the reduction of the GPU's kernels; the CPU engine has one reduction only.
    #[must_use]
    pub fn with_reduction(self, reduction: Reduction) -> Self {
        Transform { settings: WordSettings { reduction, ..self.settings }, ..self }
    }

    /// The field.
    pub fn prime(&self) -> Prime {
        self.settings.prime
    }

    /// The reduction of the GPU's kernels.
    pub fn reduction(&self) -> Reduction {
        self.settings.reduction
    }

    /// w, the primitive n-th root of unity of the forward transform. There is one for every transform that
    /// [`Transform::new`] made.
    pub fn root(&self) -> Result<u32> {
        self.prime().root_of_unity(self.log_n)
    }

    /// g, the shift of the coset.
    pub fn shift(&self) -> Result<u32> {
        match self.coset {
            Coset::Subgroup => Ok(1),
            Coset::Shift(g) if g > 0 && g < self.prime().value() => Ok(g),
            Coset::Shift(g) => {
                let (value, most) = (g.into(), u64::from(self.prime().value()) - 1);
                Err(Error::OutOfRange { what: "coset shift".into(), value, least: 1, most })
            }
            Coset::Negacyclic => self.prime().root_of_unity(self.log_n + 1),
        }
    }

    /// Checks that `data` are valid input of this transform.
    pub fn check_words(&self, data: &[u32]) -> Result<()> {
        self.shift()?;
        self.check_len(data.len(), "entries")?;
        residues::check_all("entry", data, self.prime().value())
    }

    /// The transform of `data` by its definition, in time O(n^2): an oracle for tests.
    pub fn by_definition(&self, data: &[u32]) -> Result<Vec<u32>> {
        self.check_words(data)?;
        let (p, root, shift) = (self.prime(), self.root()?, self.shift()?);
        let point = |j: usize| {
            let power = p.pow(root, j as u64);
            match self.direction {
                Direction::Forward => (p.mul(shift, power), 1),
                Direction::Inverse => {
                    let divisor = p.mul(self.n() as u32, p.pow(shift, j as u64));
                    (p.inverse(power), p.inverse(divisor))
                }
            }
        };
        Ok(self.sums(data, 0, |sum, z, x| p.add(p.mul(sum, z), x), point))
    }
}
