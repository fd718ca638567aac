//! Transforms of any length that divides p - 1, with any root of that order.
//!
//! They are products (Bluestein, "A linear filtering approach to the computation of discrete Fourier transform", 1970), in a form
//! that takes no square root of w: i j = t(i + j) - t(i) - t(j) with t(k) = k (k - 1) / 2, so
//!
//! ```text
//! X_j = sum over i of x_i g^i w^(i j) = w^-t(j) times the sum over i of (x_i g^i w^-t(i)) w^t(i + j)
//! ```

mod by_products;
mod verify;

use std::fmt;

use by_products::ByProducts;

use super::{Direction, residues};
use crate::field::Prime;
use crate::gpu::block_on;
use crate::task::{Planned, Prepared, Problem, Profile, Ways};
use crate::{Device, Error, Result};

/// A batch of transforms of one length modulo one prime: X_j = sum over i of x_i (g w^j)^i, with w a primitive n-th root of unity.
///
/// n is any divisor of p - 1, 1 included, for which there are products of n and 2 n - 1 coefficients. Vectors stand one after the other,
/// both sides are in natural order, and every entry is below p. [`Transform`](super::Transform) is faster where n is a power of two.
///
/// # Errors
/// - [`Error::Unsuited`]: n does not divide p - 1, or the root does not have the order n.
/// - [`Error::OutOfRange`]: the root or the shift of the coset is 0 or not below p.
///
/// ```
/// use wgalois::field::Prime;
/// use wgalois::ntt::{DiscreteTransform, discrete_transform};
/// use wgalois::{Cpu, Device};
///
/// // 2 has the order 3 modulo 7.
/// let transform = DiscreteTransform::new(Prime::new(7)?, 3)?.with_root(2)?;
/// let mut data = [1, 2, 3];
/// discrete_transform(&Device::Cpu(Cpu::default()), &transform, &mut data)?;
/// assert_eq!(data, [6, (1 + 2 * 2 + 3 * 4) % 7, (1 + 2 * 4 + 3 * 16) % 7]);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DiscreteTransform {
    prime: Prime,
    n: usize,
    root: u32,
    shift: u32,
    batch: usize,
    direction: Direction,
}

impl DiscreteTransform {
    /// One forward transform of length `n` on the subgroup, with the root x^((p - 1) / n) of the smallest generator x.
    pub fn new(prime: Prime, n: usize) -> Result<Self> {
        let order = u64::from(prime.value()) - 1;
        let exponent = order.checked_div(n as u64).filter(|_| order.is_multiple_of(n as u64));
        let Some(exponent) = exponent else {
            let reason = format!("transforms of {n} entries modulo {prime}: the length must divide {order}");
            return Err(Error::unsuited(format!("length {n}"), reason));
        };
        let root = prime.pow(prime.generator(), exponent);
        Ok(DiscreteTransform { prime, n, root, shift: 1, batch: 1, direction: Direction::Forward })
    }

    /// Sets w, a number of order n.
    pub fn with_root(self, root: u32) -> Result<Self> {
        self.expect_unit("root of unity", root)?;
        let is_one = |exponent: usize| self.prime.pow(root, exponent as u64) == 1;
        let divisors = (2..=self.n).filter(|q| self.n.is_multiple_of(*q) && is_prime(*q));
        match is_one(self.n) && !divisors.into_iter().any(|q| is_one(self.n / q)) {
            true => Ok(DiscreteTransform { root, ..self }),
            false => {
                let reason = format!("the root {root}: modulo {} its order is not {}", self.prime, self.n);
                Err(Error::unsuited(format!("root of unity {root}"), reason))
            }
        }
    }

    /// Sets g, the shift of the coset.
    pub fn with_shift(self, shift: u32) -> Result<Self> {
        self.expect_unit("coset shift", shift)?;
        Ok(DiscreteTransform { shift, ..self })
    }

    /// Sets the number of vectors.
    #[must_use]
    pub fn with_batch(self, batch: usize) -> Self {
        DiscreteTransform { batch, ..self }
    }

    /// Sets the direction.
    #[must_use]
    pub fn with_direction(self, direction: Direction) -> Self {
        DiscreteTransform { direction, ..self }
    }

    /// The field.
    pub fn prime(&self) -> Prime {
        self.prime
    }

    /// n, the length of one vector.
    pub fn n(&self) -> usize {
        self.n
    }

    /// w, the root of unity of the forward transform.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// g, the shift of the coset.
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// The number of vectors.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Forward or inverse.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The entries of the whole batch.
    pub fn len(&self) -> usize {
        self.batch.saturating_mul(self.n)
    }

    /// True if the batch is empty.
    pub fn is_empty(&self) -> bool {
        self.batch == 0
    }

    fn expect_unit(&self, what: &'static str, value: u32) -> Result<()> {
        let most = u64::from(self.prime.value()) - 1;
        match (1..=most).contains(&value.into()) {
            true => Ok(()),
            false => Err(Error::OutOfRange { what: what.into(), value: value.into(), least: 1, most }),
        }
    }

    /// Checks that `data` are valid input of this transform.
    pub fn check_words(&self, data: &[u32]) -> Result<()> {
        Error::expect_length("entries", self.len(), data.len())?;
        residues::check_all("entry", data, self.prime.value())
    }
}

/// True if a divisor of a length is prime.
fn is_prime(q: usize) -> bool {
    u32::try_from(q).is_ok_and(crate::field::is_prime)
}

impl Problem for DiscreteTransform {
    const NAME: &'static str = "this transform";

    type Resident<'a> = ();
    /// The batch.
    type Input<'a> = &'a mut [u32];
    type Answer = ();
    type Kernels = ();

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        Ok(Ways::default().with(ByProducts::NAME, ByProducts::new(self, profile)))
    }

    fn check_input(&self, batch: &&mut [u32]) -> Result<()> {
        self.check_words(batch)
    }

    fn reborrow<'s>(batch: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        batch
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = match self.direction {
            Direction::Forward => "forward",
            Direction::Inverse => "inverse",
        };
        let &DiscreteTransform { batch, n, prime, root, .. } = self;
        writeln!(f, "vectors        {batch} {direction}, of {n} words modulo {prime}, root {root}")
    }
}

/// The plan of a [`DiscreteTransform`] on one device.
pub type DiscretePlan = Planned<DiscreteTransform>;

/// A discrete transform ready to run.
pub type PreparedDiscrete = Prepared<'static, DiscreteTransform>;

/// Transforms every vector of the batch in `data`, in place: plans, prepares and runs once.
pub fn discrete_transform(device: &Device, transform: &DiscreteTransform, data: &mut [u32]) -> Result<()> {
    block_on(discrete_transform_async(device, transform, data))
}

/// The asynchronous form of [`discrete_transform`], for browsers.
pub async fn discrete_transform_async(
    device: &Device,
    transform: &DiscreteTransform,
    data: &mut [u32],
) -> Result<()> {
    transform.check_words(data)?;
    transform.plan(device)?.compute_async(device, data).await.map(drop)
}
