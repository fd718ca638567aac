//! The check of transforms over scalar fields: both sides as polynomials, at one random point.
//!
//! The coefficients x_i and the values X_j are those of one polynomial of degree below n if and only if the
//! polynomial of the coefficients and that of the values are the same. At a point z that is none of the g w^j
//!
//! ```text
//! sum over i of x_i z^i   =   ((z/g)^n - 1)/n  sum over j of X_j w^j / (z/g - w^j)
//! ```
//!
//! (Berrut and Trefethen, "Barycentric Lagrange interpolation", SIAM Review 46, 2004, section 6). Two different
//! polynomials agree in fewer than n of the r points, so that a random z misses a wrong result with a chance below
//! n / (r - n): at most 2^(log2 n - 251) for the fields here.

use ark_ff::serial_batch_inversion_and_mul;
use rand::Rng;

use super::powers::Powers;
use super::problem::Transform;
use crate::ntt::{Direction, verify::on_threads};
use crate::parallel::*;
use crate::scalars::Scalar;
use crate::verify::Guarantee;
use crate::{Device, Result, Wrong};

impl<F: Scalar> Transform<F> {
    /// Checks that this transform takes `before` to `after`, in linear time on the host: both are evaluated as
    /// polynomials at one random point. A wrong `after` is missed with a chance of at most n 2^-251.
    ///
    /// ```
    /// use ark_bn254::Fr;
    /// use wgalois::ntt::scalar::Transform;
    /// use wgalois::{Cpu, Device};
    ///
    /// let (device, transform) = (Device::Cpu(Cpu::default()), Transform::<Fr>::new(2)?);
    /// let (before, after) = ([5u64, 3].map(Fr::from), [8u64, 2].map(Fr::from));
    /// let guarantee = transform.check(&device, &before, &after)?;
    /// assert_eq!(guarantee.claim(), "every vector is the transform of its input");
    /// assert!(transform.check(&device, &before, &before).is_err());
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    pub fn check(&self, device: &Device, before: &[F], after: &[F]) -> Result<Guarantee> {
        on_threads(device, || self.check_at_random(before, after, &mut rand::rng()))
    }

    fn check_at_random(&self, before: &[F], after: &[F], rng: &mut impl Rng) -> Result<Guarantee> {
        self.check_len(before.len(), "scalars")?;
        Wrong::expect_length("scalars", before.len(), after.len())?;
        let shift = self.shift()?.inverse().unwrap_or_default();
        let n = self.n() as u64;
        // A point of the coset, where the formula divides by 0, comes up with a chance of n/r.
        let (point, vanishing) = loop {
            let point: F = random(rng);
            let vanishing = (point * shift).pow([n]) - F::ONE;
            if !vanishing.is_zero() {
                break (point, vanishing);
            }
        };
        let ((coefficients, first), (values, second)) = match self.direction {
            Direction::Forward => ((before, self.input), (after, self.output)),
            Direction::Inverse => ((after, self.output), (before, self.input)),
        };
        let (of_point, of_root) =
            (Powers::new(point, self.log_n, first), Powers::new(self.root(), self.log_n, second));
        let factor = vanishing / F::from(n);
        let agree =
            |(x, y): (&[F], &[F])| of_point.dot(x) == factor * interpolate(&of_root, y, point * shift);
        let vectors = coefficients.par_chunks(self.n()).zip(values.par_chunks(self.n()));
        let wrong = vectors.position_first(|vectors| !agree(vectors));
        Wrong::none("vector", wrong, "is not the transform of its input")?;
        Ok(Guarantee::probable("every vector is the transform of its input", bits::<F>(self.log_n)))
    }
}

/// A wrong transform is missed with a chance of at most 2^-bits: n / (r - n) with r above 2^(its bits - 1) and n far
/// below.
fn bits<F: Scalar>(log_n: u32) -> u32 {
    (F::MODULUS_BIT_SIZE - 2).saturating_sub(log_n)
}

/// A random scalar, from 64 bytes, so that every one is as likely as any other but for 2^-256.
pub(super) fn random<F: Scalar>(rng: &mut impl Rng) -> F {
    let mut bytes = [0; 64];
    rng.fill_bytes(&mut bytes);
    F::from_le_bytes_mod_order(&bytes)
}

/// The sum of X_j w^j / (z - w^j).
fn interpolate<F: Scalar>(roots: &Powers<F>, values: &[F], z: F) -> F {
    let block = |(block, values): (usize, &[F])| {
        let (power, table) = roots.of_block(block);
        let points: Vec<F> = table.iter().map(|root| power * root).collect();
        let mut inverses: Vec<F> = points.iter().map(|point| z - point).collect();
        serial_batch_inversion_and_mul(&mut inverses, &F::ONE);
        let terms = values.iter().zip(points).zip(inverses);
        terms.map(|((value, point), inverse)| *value * point * inverse).sum::<F>()
    };
    values.par_chunks(roots.block()).enumerate().map(block).sum()
}
