//! Multiplications by bases that go to the device in parts.

use std::ops::Range;
use std::sync::Arc;

use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;

use super::gpu::{Resident, Sums};
use super::progress::Progress;
use super::{Cut, DeviceScalars, MultiplicationPlan};
use crate::Result;
use crate::curve::{Affine, Curve, Projective};
use crate::gpu::Gpu;

/// The scalars of some vectors, on the host or on the device.
pub(super) enum Vectors<'s, C: Curve> {
    Host(&'s [&'s [C::ScalarField]]),
    Device(&'s DeviceScalars<C::ScalarField>),
}

/// Computes the sums of several vectors by bases that go to the device in parts:
///
/// ```text
/// for each part:
///     upload its bases                             while the device works on the previous part
///     for each vector:
///         upload its scalars, start the multiplication
///         wait for the multiplication before this one, and add its sum
/// ```
pub(super) async fn run_parts<C: Curve>(
    plan: &MultiplicationPlan<C>,
    (gpu, cut, name): (&Gpu, &Cut, &str),
    points: &[Affine<C>],
    vectors: &Vectors<'_, C>,
    count: usize,
) -> Result<Vec<Affine<C>>> {
    let mut sums = vec![Projective::<C>::ZERO; count];
    let meter = gpu.timeline().meter((0..count).map(|vector| vectors.len(vector) as u64).sum());
    let longest = (0..count).map(|vector| vectors.len(vector)).max().unwrap_or(0);
    let mut done = 0;
    let mut before: Option<Running<C>> = None;
    for (i, points) in points.chunks(plan.part()).enumerate() {
        let first = i * plan.part();
        if longest <= first {
            break;
        }
        let mut resident = Resident::new(gpu, points, plan.settings(), cut)?;
        resident.set_name(name);
        let resident = Arc::new(resident);
        for vector in 0..count {
            let range = first..(first + points.len()).min(vectors.len(vector));
            if range.is_empty() {
                continue;
            }
            let progress = Progress::new(&meter, done, range.len());
            done += range.len();
            let running = vectors.start(gpu, &resident, (vector, range), progress)?;
            if let Some(before) = before.replace(running) {
                before.add_to(&mut sums).await?;
            }
        }
    }
    if let Some(before) = before {
        before.add_to(&mut sums).await?;
    }
    meter.reach(done as u64);
    Ok(Projective::normalize_batch(&sums))
}

impl<C: Curve> Vectors<'_, C> {
    fn len(&self, vector: usize) -> usize {
        match self {
            Vectors::Host(vectors) => vectors[vector].len(),
            Vectors::Device(scalars) => scalars.len(),
        }
    }

    /// Starts the multiplication of a part by the scalars in `range` of a vector.
    fn start(
        &self,
        gpu: &Gpu,
        resident: &Arc<Resident<C>>,
        (vector, range): (usize, Range<usize>),
        progress: Progress,
    ) -> Result<Running<C>> {
        let (sums, scalars) = match self {
            Vectors::Host(vectors) => {
                let scalars = DeviceScalars::upload(gpu, &vectors[vector][range])?;
                (resident.start(&scalars, 0..scalars.len(), progress)?, Some(scalars))
            }
            Vectors::Device(scalars) => (resident.start(scalars, range, progress)?, None),
        };
        Ok(Running { resident: resident.clone(), _scalars: scalars, sums, vector })
    }
}

/// A multiplication that the device works on.
struct Running<C: Curve> {
    resident: Arc<Resident<C>>,
    /// The scalars, kept until the device has read them.
    _scalars: Option<DeviceScalars<C::ScalarField>>,
    sums: Sums,
    vector: usize,
}

impl<C: Curve> Running<C> {
    async fn add_to(self, sums: &mut [Projective<C>]) -> Result<()> {
        sums[self.vector] += self.resident.finish(&self.sums).await?;
        Ok(())
    }
}
