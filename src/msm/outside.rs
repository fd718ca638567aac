//! Points outside the subgroup, on either engine.

use super::{cost, gpu, membership};
use crate::curve::{Affine, Curve};
use crate::gpu::block_on;
use crate::{Device, One, Result};

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
    let check = async |device: &Device| match device.one() {
        One::Gpu(gpu) if C::ENDOMORPHISM.is_some() && cost::is_worth_checking_on(gpu, points.len()) => {
            gpu::first_outside_async(gpu, points).await
        }
        _ => Ok(membership::first_outside(points)),
    };
    device.on_one(check).await
}
