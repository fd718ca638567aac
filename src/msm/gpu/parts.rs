//! Multiplications by points that the device's memory does not hold: in parts, one going to the
//! device while it works on the one before.

use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;

use super::bases::{Bases, DeviceScalars, available_memory};
use super::settings::Settings;
use crate::curve::{Affine, Curve, Projective};
use crate::gpu::{DeviceVec, Gpu};
use crate::{Error, Result};

/// Points below which a multiplication is not cut further where memory is short.
const SMALLEST_PART: usize = 1 << 12;

/// The sum of `scalars[i]` times `points[i]`, of which there are as many, all at once if the
/// device's memory allows.
///
/// # Errors
/// [`Error::OutOfMemory`] where it does not allow even a small part, and the device's faults.
pub async fn msm<C: Curve>(
    gpu: &Gpu,
    settings: &Settings,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Affine<C>> {
    let whole = async { settings.upload(gpu, points)?.msm_async(scalars).await };
    match whole.await {
        Err(Error::OutOfMemory(_)) if points.len() > SMALLEST_PART => {
            in_parts(gpu, settings, points, scalars).await
        }
        outcome => outcome,
    }
}

async fn in_parts<C: Curve>(
    gpu: &Gpu,
    settings: &Settings,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Result<Affine<C>> {
    // There is a part, and one on its way: its points as they came besides what was planned.
    let settings = settings.clone().memory(available_memory(gpu) / 3);
    let mut sum = Projective::<C>::ZERO;
    let mut before: Option<Running<C>> = None;
    let (mut at, mut len) = (0, points.len().div_ceil(2));
    while at < points.len() {
        let part = at..points.len().min(at + len);
        match Running::start(gpu, &settings, &points[part.clone()], &scalars[part.clone()]) {
            Ok(running) => {
                at = part.end;
                if let Some(before) = before.replace(running) {
                    sum += before.finish().await?;
                }
            }
            // The one before may be in the way.
            Err(Error::OutOfMemory(e)) => match before.take() {
                Some(before) => sum += before.finish().await?,
                None if len > SMALLEST_PART => len = len.div_ceil(2),
                None => return Err(Error::OutOfMemory(e)),
            },
            Err(e) => return Err(e),
        }
    }
    if let Some(before) = before {
        sum += before.finish().await?;
    }
    Ok(sum.into_affine())
}

/// A part that the device works on.
struct Running<C: Curve> {
    bases: Bases<C>,
    /// Kept until they have been read.
    _scalars: DeviceScalars<C>,
    sums: Vec<DeviceVec<u32>>,
}

impl<C: Curve> Running<C> {
    fn start(
        gpu: &Gpu,
        settings: &Settings,
        points: &[Affine<C>],
        scalars: &[C::ScalarField],
    ) -> Result<Self> {
        let bases = settings.upload(gpu, points)?;
        let scalars = DeviceScalars::upload(gpu, scalars)?;
        let sums = bases.start(&scalars)?;
        Ok(Running { bases, _scalars: scalars, sums })
    }

    async fn finish(self) -> Result<Affine<C>> {
        self.bases.finish(&self.sums).await
    }
}
