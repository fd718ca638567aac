//! Multi-scalar multiplication: the sum of `k_i P_i` over a curve's subgroup of order r.
//!
//! [`multiply`] does it once, for points and scalars on the host, on either engine. To multiply
//! by the same points again, keep them as [`Bases`].
//!
//! ```text
//! Multiplication   how many points, how many vectors of scalars, Settings
//!   |  plan(&device)
//!   v
//! MultiplicationPlan   engine, windows, chunks, parts, time, memory
//!   |  prepare(&device, points)
//!   v
//! Bases   multiply(scalars)  run_many(vectors)  run_on_device(DeviceScalars)  record(recorder, ..)
//! ```
//!
//! On a GPU it follows Chen, Peng, Dai, Luo and He, "Load-Balanced Parallel Implementation on
//! GPUs for Multi-Scalar Multiplication" (TCHES 2024, 2). [`Scheme`] cuts scalars into signed
//! digits and sends digits to buckets; [`Cut`] cuts the work to fit the device; the host puts the
//! last few points together by Horner's rule. The CPU engine is blst for BLS12-381, both groups; on
//! the other curves it adds up affine points, with an inversion for many additions.
//!
//! Sums over G2 are those over another curve: `multiply::<Bls12_381G2>` and so on.
//!
//! The time of a multiplication depends on the scalars: neither engine is suitable for secret ones.

mod affine_sums;
mod bases;
mod buckets;
mod cost;
pub mod cpu;
mod finish;
mod forms;
pub(crate) mod gpu;
mod in_parts;
pub mod membership;
mod msm64;
mod on_cpu;
mod on_gpu;
mod on_group;
mod on_processes;
mod operands;
mod pending;
mod plan;
mod precompute;
mod problem;
mod progress;
mod search;
mod settings;
mod signed_digits;
mod test_points;
#[cfg(test)]
mod tests;
mod tiling;
mod verify;
mod windows;

pub use bases::Bases;
pub use forms::{Accumulators, Addends, Balance, Reduction};
pub use gpu::Sums;
pub(crate) use on_processes::serve;
pub use operands::{Points, Scalars};
pub use pending::PendingMultiplication;
pub use plan::MultiplicationPlan;
pub use precompute::Precompute;
pub use problem::Multiplication;
pub use settings::{MAX_PAIR_ROUNDS, Settings};
pub use test_points::{Known, scalars as random_scalars};
pub use tiling::Cut;
pub use verify::verify;
pub use windows::{MAX_WIDTH, MIN_WIDTH, ScalarBits, Scheme};

pub use crate::scalars::DeviceScalars;

use crate::curve::{Affine, Curve};
use crate::gpu::block_on;
use crate::task::Problem;
use crate::{Device, One, Result};

/// The sum of `scalars[i]` times `points[i]`. The host checks that the points lie on the curve. They must also lie in
/// the subgroup of order r, since scalars are taken modulo r. Infinity is allowed. Points without a scalar count
/// as multiplied by 0. Points that do not fit a GPU's memory go to it in parts.
///
/// ```
/// use ark_bn254::Fr;
/// use ark_ec::{AffineRepr, CurveGroup};
/// use wgalois::curve::{Affine, Bn254};
/// use wgalois::{Cpu, Device, msm};
///
/// let g = Affine::<Bn254>::generator();
/// let device = Device::Cpu(Cpu::default());
/// let sum = msm::multiply(&device, &[g, g], &[Fr::from(2), Fr::from(3)])?;
/// assert_eq!(sum, (g * Fr::from(5)).into_affine());
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// [`Error::Input`] for more scalars than points and for a point that is not on the curve; [`Error::OutOfMemory`] with the bytes that would
/// suffice; the device's faults.
pub fn multiply<C: Curve>(
    device: &Device,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Affine<C>> {
    block_on(multiply_async(device, points, scalars))
}

/// The asynchronous form of [`multiply`], for browsers.
///
/// # Errors
/// As [`multiply`].
pub async fn multiply_async<C: Curve>(
    device: &Device,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Affine<C>> {
    multiply_once(device, &Settings::default(), points, scalars, cpu::expect_on_curve).await
}

/// [`multiply`] with options of the method.
///
/// # Errors
/// As [`multiply`]; [`Error::Usage`] for options that the device does not have.
pub fn multiply_with<C: Curve>(
    device: &Device,
    settings: &Settings,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Affine<C>> {
    block_on(multiply_once(device, settings, points, scalars, cpu::expect_on_curve))
}

/// [`multiply_with`] for points that lie on the curve. With others the sum is wrong.
///
/// # Errors
/// As [`multiply_with`], but for points off the curve.
pub fn multiply_unchecked<C: Curve>(
    device: &Device,
    settings: &Settings,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Affine<C>> {
    block_on(multiply_once(device, settings, points, scalars, |_| Ok(())))
}

/// Prepares the points that have scalars for one run, after a check of them.
async fn multiply_once<C: Curve>(
    device: &Device,
    settings: &Settings,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
    check: impl FnOnce(&[Affine<C>]) -> Result<()>,
) -> Result<Affine<C>> {
    let Some(points) = points.get(..scalars.len()) else {
        return Err(operands::too_many_scalars(scalars.len(), points.len()));
    };
    check(points)?;
    let problem = Multiplication::<C>::new(points.len()).with_settings(settings.for_one_run());
    let vectors = [(0, scalars)];
    let run = problem.plan(device)?.compute_with_async(device, Points::new(points), Scalars::Host(&vectors));
    Ok(bases::only(run.await?.0))
}

/// The first of `points`, all of them on the curve, that lies outside the subgroup of order r.
/// The CPU checks them if they are few or the GPU is a software driver.
///
/// # Guarantee
/// A GPU checks each point. The CPU does so with few points; with more it checks sums of random ones first, and then a point
/// outside is missed with a probability of at most 2^-128.
///
/// # Errors
/// The device's faults.
pub fn first_outside<C: Curve>(device: &Device, points: &[Affine<C>]) -> Result<Option<usize>> {
    block_on(first_outside_async(device, points))
}

/// The asynchronous form of [`first_outside`], for browsers.
///
/// # Errors
/// As [`first_outside`].
pub async fn first_outside_async<C: Curve>(device: &Device, points: &[Affine<C>]) -> Result<Option<usize>> {
    let check = async |device: &Device| match device.one() {
        One::Gpu(gpu) if C::ENDOMORPHISM.is_some() && cost::is_worth_checking_on(gpu, points.len()) => {
            gpu::first_outside_async(gpu, points).await
        }
        _ => Ok(membership::first_outside(points)),
    };
    device.on_one(check).await
}
