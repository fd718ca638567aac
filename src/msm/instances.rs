//! Functions over a curve that are compiled once, in this crate.
//!
//! An optimised build compiles a generic function again in every crate that calls it. The ways of multiplications over all curves
//! are megabytes of machine code: these functions call this crate's instances instead. They stand above the functions that they
//! call, which do not use them.

use std::any::Any;

use super::Multiplication;
use crate::curve::{Affine, Curve, CurveName, Projective, ScalarField};
use crate::gpu::block_on;
use crate::task::{Profile, Running, Ways};
use crate::{Device, Result, with_curve};

/// This crate's instance of a function over the curve `C`. Each function has a table of its own, so that a program contains
/// only what it calls.
macro_rules! instance {
    ($C:ident: $function:path as $type:ty) => {{
        // If other crates inlined this function, they would compile the instances.
        #[inline(never)]
        fn of(curve: CurveName) -> &'static dyn Any {
            with_curve!(curve, $C => const { &($function as $type) })
        }
        of($C::NAME).downcast_ref::<$type>().unwrap_or_else(|| unreachable!("no two curves have one name"))
    }};
}

type WaysOf<P> = fn(&P, &Profile) -> Result<Ways<P>>;
type Sum<C> = fn(&[Affine<C>], &[ScalarField<C>]) -> Projective<C>;
type Check<C> = for<'r> fn(&'r Device, &'r [Affine<C>]) -> Running<'r, Option<usize>>;

/// The ways of this multiplication.
pub(super) fn ways<C: Curve>(
    problem: &Multiplication<C>,
    profile: &Profile,
) -> Result<Ways<Multiplication<C>>> {
    instance!(C: super::ways::ways as WaysOf<Multiplication<C>>)(problem, profile)
}

/// The sum of `scalars[i]` times `points[i]`, on all threads of the host. Both slices have the same length, less than 2^31; points
/// are on the curve, infinity included.
///
/// No engine is used that this function could be asked to check: GPUs have other code, and the CPU engine of BLS12-381 is blst.
pub fn sum_of_multiples<C: Curve>(points: &[Affine<C>], scalars: &[ScalarField<C>]) -> Projective<C> {
    instance!(C: super::buckets::sum_of_multiples as Sum<C>)(points, scalars)
}

/// The first of `points`, all of them on the curve, that lies outside the subgroup of order r.
/// The CPU checks them if they are few or the GPU is a software driver.
///
/// # Guarantee
/// A GPU checks each point. The CPU does so with few points; with more it checks sums of random ones first, and then a point
/// outside is missed with a probability of at most 2^-128.
pub fn first_outside<C: Curve>(device: &Device, points: &[Affine<C>]) -> Result<Option<usize>> {
    block_on(first_outside_async(device, points))
}

/// The asynchronous form of [`first_outside`], for browsers.
pub async fn first_outside_async<C: Curve>(device: &Device, points: &[Affine<C>]) -> Result<Option<usize>> {
    instance!(C: super::outside::first_outside as Check<C>)(device, points).await
}
