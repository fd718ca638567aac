//! Multi-scalar multiplication: the sum of k_i P_i over a curve's subgroup of order r.
//!
//! [`msm`] does it once, for points and scalars on the host, on either engine. Who multiplies
//! by the same points again keeps them on the device as [`Bases`].
//!
//! On a GPU it follows Chen, Peng, Dai, Luo and He, "Load-Balanced Parallel Implementation on
//! GPUs for Multi-Scalar Multiplication" (TCHES 2024, 2). [`Scheme`] says how scalars become
//! signed digits and digits go to buckets; [`Cut`] how wide windows are, and how the work is
//! cut to fit the device; `gpu` has the steps in their order; the last step, a few points
//! put together by Horner's rule, is the host's.

pub mod baseline;
pub mod cpu;
mod cut;
mod finish;
pub mod gpu;
mod known;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod samples;
mod scheme;
mod short;
mod verify;

pub use cut::{Choice, Cut, Limits, MAX_PAIR_ROUNDS, THREADS};
pub use gpu::{Balance, Bases, DeviceScalars, Settings};
pub use known::{Known, scalars as random_scalars};
pub use scheme::{Destination, MAX_WIDTH, MIN_WIDTH, Precompute, Scheme};
pub use verify::verify;

use crate::curve::{Affine, Curve};
use crate::gpu::{Gpu, block_on};
use crate::{Device, Error, Result};

/// Points from which on a GPU checks them sooner than the CPU: a core takes some 60 us a
/// point, a GPU its time to compile the kernel.
const WORTH_A_GPU: usize = 1 << 16;

/// The sum of `scalars[i]` times `points[i]` on either engine. Points lie on the curve, and
/// in the subgroup of order r for the sum to mean anything; infinity is allowed. `settings`
/// are for a GPU. Where the points do not fit its memory they go there in parts.
///
/// # Errors
/// [`Error::Input`] for more scalars than points, and the device's faults.
pub fn msm<C: Curve>(
    device: &Device,
    settings: &Settings,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Affine<C>> {
    block_on(msm_async(device, settings, points, scalars))
}

/// [`msm`] for the browser.
pub async fn msm_async<C: Curve>(
    device: &Device,
    settings: &Settings,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Affine<C>> {
    if scalars.len() > points.len() {
        return Err(Error::Input(format!("{} scalars for {} points", scalars.len(), points.len())));
    }
    match device {
        Device::Cpu(cpu) => cpu::msm(cpu, points, scalars),
        Device::Gpu(gpu) => gpu::msm(gpu, settings, &points[..scalars.len()], scalars).await,
    }
}

/// Compiles what [`msm`] by `n` points and, with `check`, [`first_outside`] of them need on a GPU.
/// Neither has to be prepared, but this can go on beside other work, as reading the points.
///
/// # Errors
/// The device's faults.
pub fn prepare<C: Curve>(device: &Device, settings: &Settings, n: usize, check: bool) -> Result<()> {
    match device {
        Device::Cpu(_) => Ok(()),
        Device::Gpu(gpu) => gpu::prepare::<C>(gpu, settings, n, check && is_worth_checking_on(gpu, n)),
    }
}

/// Whether a GPU checks `n` points sooner than the CPU.
fn is_worth_checking_on(gpu: &Gpu, n: usize) -> bool {
    n >= WORTH_A_GPU && !gpu.adapter().is_software()
}

/// The first of `points`, all of them on the curve, that lies outside the subgroup of order r.
/// Few points, and all where the GPU is a software driver, are checked on the CPU.
///
/// # Errors
/// The device's faults.
pub fn first_outside<C: Curve>(device: &Device, points: &[Affine<C>]) -> Result<Option<usize>> {
    block_on(first_outside_async(device, points))
}

/// [`first_outside`] for the browser.
pub async fn first_outside_async<C: Curve>(device: &Device, points: &[Affine<C>]) -> Result<Option<usize>> {
    match device {
        Device::Gpu(gpu) if is_worth_checking_on(gpu, points.len()) => {
            gpu::first_outside_async(gpu, points).await
        }
        _ => Ok(cpu::first_outside(points)),
    }
}
