//! Points that are prepared for multiplications.

use super::gpu::{Apart, Resident, Sums};
use super::on_gpu::{OnDevice, ReadyOnGpu};
use super::operands::{expect_scalars, only};
use super::{DeviceScalars, Multiplication, Scalars};
use crate::curve::{Affine, Curve};
use crate::gpu::{Recorder, block_on};
use crate::task::Prepared;
use crate::{Error, Result};

/// Points prepared for multiplications by [`MultiplicationPlan::prepare`](super::MultiplicationPlan::prepare): on a GPU with
/// compiled kernels, tables of multiples and working memory. They can be used any number of times, also from
/// several threads, one at a time.
///
/// Points that the plan cuts into parts, and those on the CPU engine, stay on the host, borrowed
/// or owned as they were given; the others are only on the device.
pub type Bases<'p, C> = Prepared<'p, Multiplication<C>>;

impl<C: Curve> Bases<'_, C> {
    /// The number of bases.
    pub fn len(&self) -> usize {
        self.plan().points()
    }

    /// True if there are no bases.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sum of `scalars[i]` times base i. Scalars may be fewer than bases; the other bases then
    /// count as multiplied by 0.
    pub fn multiply(&self, scalars: &[C::ScalarField]) -> Result<Affine<C>> {
        block_on(self.multiply_async(scalars))
    }

    /// The asynchronous form of [`Bases::multiply`], for browsers.
    pub async fn multiply_async(&self, scalars: &[C::ScalarField]) -> Result<Affine<C>> {
        Ok(only(self.run_many_async(&[scalars]).await?))
    }

    /// One sum for each vector of scalars, in their order. Vectors may have different lengths. A GPU multiplies as many
    /// together as the plan says; while it works on some, the host prepares the next and finishes those before.
    pub fn run_many(&self, vectors: &[&[C::ScalarField]]) -> Result<Vec<Affine<C>>> {
        block_on(self.run_many_async(vectors))
    }

    /// The asynchronous form of [`Bases::run_many`], for browsers.
    pub async fn run_many_async(&self, vectors: &[&[C::ScalarField]]) -> Result<Vec<Affine<C>>> {
        let vectors: Vec<_> = vectors.iter().map(|&scalars| (0, scalars)).collect();
        self.run_async(Scalars::Host(&vectors)).await
    }

    /// The sum of `scalars[i]` times base `first + i`. Bases that are on a GPU, or shared by several, are multiplied by
    /// zeros up to `first`.
    pub fn run_from(&self, first: usize, scalars: &[C::ScalarField]) -> Result<Affine<C>> {
        self.run_many_from(&[(first, scalars)]).map(only)
    }

    /// One sum for each range of the bases: of the scalars of a range times the bases from its first one on. As
    /// [`Bases::run_many`] otherwise; a GPU multiplies the bases up to the first one by zeros.
    ///
    /// ```
    /// use ark_bn254::Fr;
    /// use ark_ec::{AffineRepr, CurveGroup};
    /// use wgalois::curve::{Affine, Bn254};
    /// use wgalois::task::Problem;
    /// use wgalois::{Cpu, Device, msm::Multiplication};
    ///
    /// let device = Device::Cpu(Cpu::default());
    /// let g = Affine::<Bn254>::generator();
    /// let points = [g, (g + g).into_affine(), (g + g + g).into_affine()];
    /// let bases = Multiplication::new(3).with_vectors(2).plan(&device)?.prepare(&device, &points)?;
    /// let (one, two) = ([Fr::from(7)], [Fr::from(1), Fr::from(1)]);
    /// let sums = bases.run_many_from(&[(2, &one), (0, &two)])?;
    /// assert_eq!(sums, [21u64, 3].map(|k| (g * Fr::from(k)).into_affine()));
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    pub fn run_many_from(&self, ranges: &[(usize, &[C::ScalarField])]) -> Result<Vec<Affine<C>>> {
        self.run(Scalars::Host(ranges))
    }

    /// [`Bases::multiply`] for scalars that are on the GPU already.
    pub fn run_on_device(&self, scalars: &DeviceScalars<C::ScalarField>) -> Result<Affine<C>> {
        block_on(self.run_on_device_async(scalars))
    }

    /// The asynchronous form of [`Bases::run_on_device`], for browsers.
    pub async fn run_on_device_async(&self, scalars: &DeviceScalars<C::ScalarField>) -> Result<Affine<C>> {
        Ok(only(self.run_async(Scalars::Device(scalars)).await?))
    }

    /// Records the multiplication by scalars on the GPU, to be submitted with other work.
    /// [`Bases::finish`] computes the sum from the returned [`Sums`]. All multiplications by these bases
    /// use the same working memory, so submit one before you record or run the next. Bases that the plan cuts into
    /// parts are not on the device: they are refused.
    pub fn record(&self, recorder: &mut Recorder, scalars: &DeviceScalars<C::ScalarField>) -> Result<Sums> {
        expect_scalars(scalars.len(), self.plan().points())?;
        match self.resident()? {
            Some(resident) => resident.record(recorder, scalars),
            None => Ok(Sums::of_nothing()),
        }
    }

    /// Waits for a recorded multiplication that was submitted, and returns its sum.
    pub fn finish(&self, sums: &Sums) -> Result<Affine<C>> {
        block_on(self.finish_async(sums))
    }

    /// The asynchronous form of [`Bases::finish`], for browsers.
    pub async fn finish_async(&self, sums: &Sums) -> Result<Affine<C>> {
        match self.resident()? {
            Some(resident) => resident.finish(sums).await,
            None => Ok(Affine::default()),
        }
    }

    /// What a GPU has of them if they take bits apart.
    pub(super) fn apart(&self) -> Option<&Apart<C>> {
        let Some(ReadyOnGpu(OnDevice::Apart(apart))) = self.kernels() else { return None };
        Some(apart)
    }

    /// What a GPU has of them; `None` if there are no bases.
    pub(super) fn resident(&self) -> Result<Option<&Resident<C>>> {
        match self.kernels() {
            Some(ReadyOnGpu(OnDevice::Nothing)) => Ok(None),
            Some(ReadyOnGpu(OnDevice::Whole(resident))) => Ok(Some(resident)),
            Some(ReadyOnGpu(OnDevice::Apart(_))) | None => Err(not_resident()),
        }
    }
}

pub(super) fn not_resident() -> Error {
    Error::only_for("recording and vectors on a GPU", "bases that are all on it")
}
