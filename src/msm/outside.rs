//! Points outside the subgroup, on either engine.

use super::{cost, gpu, membership};
use crate::curve::{Affine, Curve};
use crate::task::Running;
use crate::{Device, One};

/// [`first_outside_async`](super::first_outside_async), compiled where it is called.
pub(super) fn first_outside<'r, C: Curve>(
    device: &'r Device,
    points: &'r [Affine<C>],
) -> Running<'r, Option<usize>> {
    let check = async |device: &Device| match device.one() {
        One::Gpu(gpu) if C::ENDOMORPHISM.is_some() && cost::is_worth_checking_on(gpu, points.len()) => {
            gpu::first_outside_async(gpu, points).await
        }
        _ => Ok(membership::first_outside(points)),
    };
    Box::pin(device.on_one(check))
}
