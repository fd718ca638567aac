//! Multiplications on one GPU by points that go to it part by part in every run, since its memory is too short for all.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;

use super::gpu::{Resident, Sums};
use super::operands::filled;
use super::progress::Progress;
use super::{Cut, DeviceScalars, Multiplication, Points, Scalars, Settings};
use crate::Result;
use crate::curve::{Affine, Curve, Projective};
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

impl<C: Curve> Ready<Multiplication<C>> for ReadyInParts<Points<'_, C>> {
    async fn run<'i: 'i>(
        &self,
        _: &Multiplication<C>,
        scalars: Scalars<'i, C::ScalarField>,
        _: &Done,
    ) -> Result<Vec<Affine<C>>> {
        match scalars {
            Scalars::Host(vectors) => self.sums(&Vectors::Host(filled(vectors))).await,
            Scalars::Device(scalars) => self.sums(&Vectors::Device(scalars)).await,
        }
    }
}

/// The scalars of some vectors, on the host or on the device.
enum Vectors<'s, C: Curve> {
    Host(Vec<Cow<'s, [C::ScalarField]>>),
    Device(&'s DeviceScalars<C::ScalarField>),
}

impl<C: Curve> ReadyInParts<Points<'_, C>> {
    /// Computes the sums of several vectors:
    ///
    /// ```text
    /// for each part:
    ///     upload its points                            while the device works on the previous part
    ///     for each vector:
    ///         upload its scalars, start the multiplication
    ///         wait for the multiplication before this one, and add its sum
    /// ```
    async fn sums(&self, vectors: &Vectors<'_, C>) -> Result<Vec<Affine<C>>> {
        let ReadyInParts { gpu, cut, part, settings, points } = self;
        let mut sums = vec![Projective::<C>::ZERO; vectors.count()];
        let lengths = || (0..vectors.count()).map(|vector| vectors.len(vector));
        let meter = gpu.timeline().meter(lengths().map(|len| len as u64).sum());
        let longest = lengths().max().unwrap_or(0);
        let mut done = 0;
        let mut before: Option<Started<C>> = None;
        for (i, chunk) in points.chunks(*part).enumerate() {
            let first = i * part;
            if longest <= first {
                break;
            }
            let resident = Resident::new(gpu, chunk, settings, cut)?.with_name(points.name());
            let resident = Arc::new(resident);
            for vector in 0..vectors.count() {
                let range = first..(first + chunk.len()).min(vectors.len(vector));
                if range.is_empty() {
                    continue;
                }
                let progress = Progress::new(&meter, done, range.len());
                done += range.len();
                let started = vectors.start(gpu, &resident, (vector, range), progress)?;
                if let Some(before) = before.replace(started) {
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
}

impl<C: Curve> Vectors<'_, C> {
    fn count(&self) -> usize {
        match self {
            Vectors::Host(vectors) => vectors.len(),
            Vectors::Device(_) => 1,
        }
    }

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
    ) -> Result<Started<C>> {
        let (sums, scalars) = match self {
            Vectors::Host(vectors) => {
                let scalars = DeviceScalars::upload(gpu, &vectors[vector][range])?;
                (resident.start(&scalars, 0..scalars.len(), progress)?, Some(scalars))
            }
            Vectors::Device(scalars) => (resident.start(scalars, range, progress)?, None),
        };
        Ok(Started { resident: resident.clone(), _scalars: scalars, sums, vector })
    }
}

/// A multiplication that the device works on.
struct Started<C: Curve> {
    resident: Arc<Resident<C>>,
    /// The scalars, kept until the device has read them.
    _scalars: Option<DeviceScalars<C::ScalarField>>,
    sums: Sums,
    vector: usize,
}

impl<C: Curve> Started<C> {
    async fn add_to(self, sums: &mut [Projective<C>]) -> Result<()> {
        sums[self.vector] += self.resident.finish(&self.sums).await?;
        Ok(())
    }
}
