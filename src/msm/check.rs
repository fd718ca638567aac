//! The check of sums.

use super::{Multiplication, cost, multiply_unchecked, verify};
use crate::curve::{Affine, Curve};
use crate::verify::Guarantee;
use crate::{Device, Error, Result};

impl<C: Curve> Multiplication<C> {
    /// The bytes of host memory that [`check`](Self::check) takes beside its arguments and the multiplication
    /// that it calls.
    pub fn check_bytes(&self) -> u64 {
        cost::check_host_bytes::<C>(self.points() as u64)
    }

    /// Checks that `sums[j]` is the sum of `vectors[j][i]` times `points[i]`, with one more multiplication on
    /// `device`, which need not be trusted: see [`verify`](super::verify).
    pub fn check(
        &self,
        device: &Device,
        points: &[Affine<C>],
        vectors: &[&[C::ScalarField]],
        sums: &[Affine<C>],
    ) -> Result<Guarantee> {
        Error::expect_length("points", self.points(), points.len())?;
        let again = |scalars: &[C::ScalarField]| {
            multiply_unchecked(device, self.settings(), &points[..scalars.len()], scalars)
        };
        verify(points, vectors, sums, &mut rand::rng(), again)
    }
}
