//! Exact products of polynomials with integer coefficients, over three primes.
//!
//! The product is computed modulo each of the [`PRIMES`]. The residues of a coefficient belong to exactly
//! one integer between minus and plus half of [`MODULUS`], which Garner's algorithm computes (Knuth, "The
//! Art of Computer Programming", volume 2, section 4.3.2). This integer is the coefficient, since
//! [`check_bound`] keeps coefficients in that range.

mod blocks;
mod garner;
mod three;

pub(super) use garner::{Garner, residues};

use std::fmt;

use self::blocks::InBlocks;
use super::ring::expect_factors;
use super::three_primes::fields;
pub use super::three_primes::{MAX_LOG_N, MODULUS, PRIMES};
use super::ways::{ReadyOnGpu, ways};
use super::{Product, Ring};
use crate::field::Prime;
use crate::gpu::block_on;
use crate::parallel::*;
use crate::task::{Engine, OneOf, Planned, Prepared, Problem, Profile, Ways};
use crate::{Device, Error, Result};

/// The product of two polynomials with integer coefficients, lowest degree first. The zero polynomial may
/// have no coefficients at all.
///
/// The bound on the coefficients depends on the coefficients themselves, see [`check_bound`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExactProduct {
    ring: Ring,
    lengths: [usize; 2],
    magnitudes: Option<[u64; 2]>,
}

impl ExactProduct {
    /// The linear product of polynomials of `a` and `b` coefficients.
    pub fn new(a: usize, b: usize) -> Self {
        ExactProduct { ring: Ring::Linear, lengths: [a, b], magnitudes: None }
    }

    /// Sets the ring.
    #[must_use]
    pub fn with_ring(self, ring: Ring) -> Self {
        ExactProduct { ring, ..self }
    }

    /// States bounds of the magnitudes of the coefficients of the two factors, by which a plan may do with fewer primes. Larger
    /// coefficients are refused.
    #[must_use]
    pub fn with_magnitudes(self, magnitudes: [u64; 2]) -> Self {
        ExactProduct { magnitudes: Some(magnitudes), ..self }
    }

    /// The ring.
    pub fn ring(&self) -> Ring {
        self.ring
    }

    /// The numbers of coefficients of the two factors.
    pub fn lengths(&self) -> [usize; 2] {
        self.lengths
    }

    /// The number of coefficients of the product.
    pub fn length(&self) -> Result<usize> {
        self.ring.length(self.lengths[0], self.lengths[1])
    }

    /// The product modulo one of the primes.
    fn modulo(&self, prime: Prime) -> Product {
        Product::new(prime, self.lengths[0], self.lengths[1]).with_ring(self.ring)
    }

    /// The three products.
    fn products(&self) -> Result<[Product; 3]> {
        let product = |prime| {
            let product = self.modulo(prime);
            product.convolution().map(|_| product).map_err(|error| match error {
                Error::NoProduct { lengths, log_length, largest, .. } => {
                    Error::NoProduct { lengths, log_length, modulus: None, largest }
                }
                other => other,
            })
        };
        let [p0, p1, p2] = fields()?;
        Ok([product(p0)?, product(p1)?, product(p2)?])
    }

    fn check_factors(&self, a: &[i64], b: &[i64]) -> Result<()> {
        expect_factors(self.lengths, [a.len(), b.len()])?;
        if let Some(most) = self.magnitudes {
            for (factor, most) in [a, b].into_iter().zip(most) {
                Error::expect_at_most("a coefficient's magnitude", most, magnitude(factor))?;
            }
        }
        check_bound(self.ring, a, b)
    }
}

impl Problem for ExactProduct {
    const NAME: &'static str = "this product";

    type Resident<'a> = ();
    /// The factors.
    type Input<'a> = (&'a [i64], &'a [i64]);
    /// The coefficients, [`ExactProduct::length`] of them.
    type Answer = Vec<i128>;
    type Kernels = ReadyOnGpu<Self>;

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        self.length()?;
        self.products()?;
        let of_group = || Ok(Ways::default().with(OneOf::<Self>::NAME, OneOf::new(self, profile)));
        let ways = ways(self, profile, of_group)?;
        Ok(match &profile.engine {
            Engine::Cpu(cpu) => ways.with(InBlocks::NAME, InBlocks::new(self, *cpu)),
            _ => ways,
        })
    }

    fn check_input(&self, &(a, b): &Self::Input<'_>) -> Result<()> {
        self.check_factors(a, b)
    }

    fn reborrow<'s>(factors: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        *factors
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([p0, p1, p2], [a, b]) = (PRIMES, self.lengths);
        writeln!(f, "factors        {a} and {b} integer coefficients")?;
        writeln!(f, "primes         {p0}, {p1}, {p2}")?;
        match self.products().and_then(|[product, ..]| product.convolution()) {
            Ok(Some(convolution)) => writeln!(f, "transforms     of 2^{} words", convolution.log_n),
            _ => writeln!(f, "transforms     none"),
        }
    }
}

/// The plan of an [`ExactProduct`] on one device: a product modulo each of the [`PRIMES`].
pub type ExactPlan = Planned<ExactProduct>;

/// An exact product ready to run.
pub type PreparedExact = Prepared<'static, ExactProduct>;

/// The product of `a` and `b` over the integers: plans, prepares and runs once. A linear product has at most 2^26
/// coefficients.
///
/// ```
/// use wgalois::ntt::exact::{self, ExactProduct};
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let product = exact::multiply(&device, &ExactProduct::new(2, 2), &[1 << 40, -1], &[1 << 40, 1])?;
/// assert_eq!(product, [1 << 80, 0, -1]);
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn multiply(device: &Device, product: &ExactProduct, a: &[i64], b: &[i64]) -> Result<Vec<i128>> {
    block_on(multiply_async(device, product, a, b))
}

/// The asynchronous form of [`multiply`], for browsers.
pub async fn multiply_async(
    device: &Device,
    product: &ExactProduct,
    a: &[i64],
    b: &[i64],
) -> Result<Vec<i128>> {
    product.length()?;
    product.check_input(&(a, b))?;
    let magnitudes = product.magnitudes.unwrap_or_else(|| [a, b].map(magnitude));
    let product = product.with_magnitudes(magnitudes);
    Ok(product.plan(device)?.compute_async(device, (a, b)).await?.0)
}

/// The largest magnitude of a coefficient; 0 if there are none.
pub fn magnitude(coefficients: &[i64]) -> u64 {
    let part = |part: &[i64]| part.iter().fold(0, |most: u64, x| most.max(x.unsigned_abs()));
    coefficients.par_chunks(1 << 16).map(part).max().unwrap_or(0)
}

/// Checks that no coefficient of the product can be too large: twice the largest number of terms that add up
/// to one coefficient, times the largest magnitudes of `a` and of `b`, has to be below [`MODULUS`]. For a
/// linear product that number is the length of the shorter operand.
pub fn check_bound(ring: Ring, a: &[i64], b: &[i64]) -> Result<()> {
    let (terms, a, b) = (ring.terms(a.len(), b.len()), u128::from(magnitude(a)), u128::from(magnitude(b)));
    // a and b are at most 2^63.
    match (2 * a * b).checked_mul(terms as u128) {
        Some(bound) if bound < MODULUS => Ok(()),
        _ => {
            let most = (MODULUS / 2).to_string();
            Err(Error::CoefficientsTooLarge { terms, a: a as u64, b: b as u64, most })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_exact() {
        // 2 * 1 * a * b against the modulus.
        let fits = |a: i64, b: i64| check_bound(Ring::Linear, &[a], &[b]).is_ok();
        let b = 1i64 << 30;
        let a = ((MODULUS - 1) / (2 * b as u128)) as i64;
        assert!(fits(a, b) && fits(-a, b) && fits(b, -a) && !fits(a + 1, b) && !fits(b, -a - 1));
        assert!(!fits(i64::MIN, i64::MIN) && fits(0, i64::MIN));
        assert!(check_bound(Ring::Linear, &[], &[i64::MIN]).is_ok());
        // Folded operands add more terms to one coefficient.
        let (x, y) = (vec![1i64 << 44; 4], vec![1i64 << 43; 4]);
        assert!(check_bound(Ring::Linear, &x, &y).is_ok());
        assert!(check_bound(Ring::Cyclic(4), &x, &y).is_ok());
        assert!(check_bound(Ring::Cyclic(1), &x, &y).is_err());
    }
}
