//! Multiplications on one GPU by points that go to it part by part in every run, since its memory is too short for all.

use std::sync::Arc;

use ark_ec::CurveConfig;
use ark_ff::AdditiveGroup;

use super::gpu::{Resident, Sums};
use super::operands::filled;
use super::progress::Progress;
use super::{Cut, DeviceScalars, Multiplication, Points, Scalars, Settings};
use crate::Result;
use crate::curve::{Affine, Curve, Projective, normalized};
use crate::gpu::Gpu;
use crate::task::{Done, Ready};

/// The points, which stay on the host.
#[derive(Debug)]
pub(super) struct ReadyInParts<P> {
    pub gpu: Gpu,
    pub cut: Cut,
    /// The number of points of a part.
    pub part: usize,
    pub settings: Settings,
    pub points: P,
}

/// A part's multiplication that the device works on: the points, the scalars if they were uploaded for it, which are kept until
/// the device has read them, the sums, and the number of the vector.
type Started<C> = (Arc<Resident<C>>, Option<DeviceScalars<<C as CurveConfig>::ScalarField>>, Sums, usize);

impl<C: Curve> Ready<Multiplication<C>> for ReadyInParts<Points<'_, C>> {
    /// Computes the sums of several vectors:
    ///
    /// ```text
    /// for each part:
    ///     upload its points                            while the device works on the previous part
    ///     for each vector:
    ///         upload its scalars, start the multiplication
    ///         wait for the multiplication before this one, and add its sum
    /// ```
    async fn run<'i: 'i>(
        &self,
        _: &Multiplication<C>,
        scalars: Scalars<'i, C::ScalarField>,
        _: &Done,
    ) -> Result<Vec<Affine<C>>> {
        let ReadyInParts { gpu, cut, part, settings, points } = self;
        let (vectors, on_device) = match scalars {
            Scalars::Host(vectors) => (filled(vectors), None),
            Scalars::Device(scalars) => (Vec::new(), Some(scalars)),
        };
        let lengths: Vec<usize> = match on_device {
            Some(scalars) => vec![scalars.len()],
            None => vectors.iter().map(|vector| vector.len()).collect(),
        };
        let mut sums = vec![Projective::<C>::ZERO; lengths.len()];
        let add = async |started: Option<Started<C>>, sums: &mut [Projective<C>]| -> Result<()> {
            if let Some((resident, _scalars, own, vector)) = started {
                sums[vector] += resident.finish(&own).await?;
            }
            Ok(())
        };
        let meter = gpu.timeline().meter(lengths.iter().map(|&len| len as u64).sum());
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let (mut done, mut before) = (0, None);
        for (first, chunk) in (0..longest).step_by(*part).zip(points.chunks(*part)) {
            let resident = Arc::new(Resident::new(gpu, points.name(), chunk, settings, cut)?);
            for (vector, &len) in lengths.iter().enumerate() {
                let range = first..len.min(first + chunk.len());
                if range.is_empty() {
                    continue;
                }
                let progress = Progress::new(&meter, done, range.len());
                done += range.len();
                let (own, uploaded) = match on_device {
                    Some(scalars) => (resident.start(scalars, range, progress)?, None),
                    None => {
                        let scalars = DeviceScalars::upload(gpu, &vectors[vector][range])?;
                        (resident.start(&scalars, 0..scalars.len(), progress)?, Some(scalars))
                    }
                };
                add(before.replace((Arc::clone(&resident), uploaded, own, vector)), &mut sums).await?;
            }
        }
        add(before, &mut sums).await?;
        meter.reach(done as u64);
        Ok(normalized(&sums))
    }
}
