//! One multiplication, by points that are not kept.

use super::operands::{only, too_many_scalars};
use super::{Multiplication, Points, Scalars, Settings, cpu};
use crate::curve::{Affine, Curve};
use crate::gpu::block_on;
use crate::task::Problem;
use crate::{Device, Result};

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
pub fn multiply<C: Curve>(
    device: &Device,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Affine<C>> {
    block_on(multiply_async(device, points, scalars))
}

/// The asynchronous form of [`multiply`], for browsers.
pub async fn multiply_async<C: Curve>(
    device: &Device,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Affine<C>> {
    multiply_once(device, &Settings::default(), points, scalars, cpu::expect_on_curve).await
}

/// [`multiply`] with options of the method. Refuses options that the device does not have.
pub fn multiply_with<C: Curve>(
    device: &Device,
    settings: &Settings,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Affine<C>> {
    block_on(multiply_once(device, settings, points, scalars, cpu::expect_on_curve))
}

/// [`multiply_with`] for points that lie on the curve. With others the sum is wrong.
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
        return Err(too_many_scalars(scalars.len(), points.len()));
    };
    check(points)?;
    let problem = Multiplication::<C>::new(points.len()).with_settings(settings.for_one_run());
    let vectors = [(0, scalars)];
    let run = problem.plan(device)?.compute_with_async(device, Points::new(points), Scalars::Host(&vectors));
    Ok(only(run.await?.0))
}
