//! Multiplications that are begun now and awaited later, so that the device always has work.

use std::ops::Range;

use ark_ec::CurveGroup;

use super::bases::not_resident;
use super::gpu::{Apart, PendingApart, Resident};
use super::operands::{expect_scalars, only};
use super::split_scalars::SplitScalars;
use super::{Bases, DeviceScalars, Scalars};
use crate::curve::{Affine, Curve};
use crate::gpu::{BegunRead, block_on};
use crate::scalars::Scalar;
use crate::{Error, Result};

/// A multiplication that [`Bases::begin_on_device`] began.
pub struct PendingMultiplication<C: Curve>(Pending<C>);

enum Pending<C: Curve> {
    Done(Affine<C>),
    Submitted(Vec<BegunRead>),
    Apart(PendingApart),
}

/// Scalars of which most are 0 or 1, split for bases that take bits apart. They are overwritten when they are dropped.
pub struct BitsApart<F: Scalar> {
    split: SplitScalars<F>,
    len: usize,
}

impl<F: Scalar> BitsApart<F> {
    /// Splits scalars, by one pass on all threads.
    pub fn new(scalars: &[F]) -> Self {
        BitsApart { split: SplitScalars::of(scalars), len: scalars.len() }
    }
}

impl<C: Curve> Bases<'_, C> {
    /// Begins the multiplication by the scalars in `range` of a vector on the GPU, the first of them times the first base.
    /// It returns when the work is submitted; [`end`](Self::end) waits for the sum. The vector may be written, cleared or
    /// dropped at once: the device does these things in their order. The sums on the device are cleared behind the work.
    ///
    /// The sum of bases that the plan cuts into parts is complete when this returns.
    ///
    /// ```no_run
    /// use ark_bn254::Fr;
    /// use ark_ec::{AffineRepr, CurveGroup};
    /// use wgalois::curve::{Affine, Bn254};
    /// use wgalois::scalars::DeviceScalars;
    /// use wgalois::task::Problem;
    /// use wgalois::{Device, gpu::Gpu, msm::Multiplication};
    ///
    /// let gpu = Gpu::new()?;
    /// let scalars = DeviceScalars::upload(&gpu, &[1u64, 2, 3, 4].map(Fr::from))?;
    /// let device = Device::Gpu(gpu);
    /// let g = Affine::<Bn254>::generator();
    /// let two = Multiplication::new(2).plan(&device)?.prepare(&device, vec![g; 2])?;
    /// let four = Multiplication::new(4).plan(&device)?.prepare(&device, vec![g; 4])?;
    /// // The device works on both while the host waits for the first.
    /// let (last, all) = (two.begin_on_device(&scalars, 2..4)?, four.begin_on_device(&scalars, 0..4)?);
    /// assert_eq!(two.end(last)?, (g * Fr::from(7)).into_affine());
    /// assert_eq!(four.end(all)?, (g * Fr::from(10)).into_affine());
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    pub fn begin_on_device(
        &self,
        scalars: &DeviceScalars<C::ScalarField>,
        range: Range<usize>,
    ) -> Result<PendingMultiplication<C>> {
        block_on(self.begin_on_device_async(scalars, range))
    }

    /// The asynchronous form of [`Bases::begin_on_device`], for browsers.
    pub async fn begin_on_device_async(
        &self,
        scalars: &DeviceScalars<C::ScalarField>,
        range: Range<usize>,
    ) -> Result<PendingMultiplication<C>> {
        scalars.check(&range)?;
        expect_scalars(range.len(), self.plan().points())?;
        let pending = match self.resident() {
            Ok(Some(resident)) => Pending::Submitted(resident.begin(scalars, range)?),
            Ok(None) => Pending::Done(Affine::default()),
            Err(_) => {
                let mut copy = scalars.copy(range)?;
                let sums = self.run_async(Scalars::Device(&copy)).await;
                // After an error, too.
                copy.clear()?;
                Pending::Done(only(sums?))
            }
        };
        Ok(PendingMultiplication(pending))
    }

    /// True if these bases take bits apart: [`begin_apart`](Self::begin_apart) then begins their multiplications, and scalars that
    /// are on the GPU come back to the host first.
    pub fn takes_bits_apart(&self) -> bool {
        self.apart().is_some()
    }

    /// [`begin_on_device`](Self::begin_on_device) for bases that take bits apart, by the scalars in `range` of those that were split.
    pub fn begin_apart(
        &self,
        scalars: &BitsApart<C::ScalarField>,
        range: Range<usize>,
    ) -> Result<PendingMultiplication<C>> {
        if range.start > range.end || range.end > scalars.len {
            let (start, count, len) = (range.start, range.len(), scalars.len);
            return Err(Error::PastTheEnd { what: "scalars", start, count, len });
        }
        expect_scalars(range.len(), self.plan().points())?;
        let apart = self.apart().ok_or_else(not_resident)?;
        Ok(PendingMultiplication(Pending::Apart(apart.begin(&scalars.split, range, 0)?)))
    }

    /// Waits for a multiplication that these bases began, and returns its sum. Refuses one that other bases began,
    /// which are elsewhere.
    pub fn end(&self, pending: PendingMultiplication<C>) -> Result<Affine<C>> {
        block_on(self.end_async(pending))
    }

    /// The asynchronous form of [`Bases::end`], for browsers.
    pub async fn end_async(&self, pending: PendingMultiplication<C>) -> Result<Affine<C>> {
        match pending.0 {
            Pending::Done(sum) => Ok(sum),
            Pending::Apart(pending) => {
                let apart = self.apart().ok_or_else(not_resident)?;
                Ok(apart.end(pending).await?.into_affine())
            }
            Pending::Submitted(sums) => self.resident()?.ok_or_else(not_resident)?.end(sums).await,
        }
    }

    /// Overwrites the working memory of multiplications on the device, which holds digits of the last scalars and sums.
    /// The working memory of bases that the plan cuts into parts, or that several GPUs share, is not overwritten.
    pub fn clear(&self) -> Result<()> {
        self.apart().map_or(Ok(()), Apart::clear)?;
        self.resident().ok().flatten().map_or(Ok(()), Resident::clear)
    }
}
