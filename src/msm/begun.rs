//! Multiplications that are begun now and awaited later, so that the device always has work.

use std::ops::Range;

use super::bases::{Place, not_resident};
use super::gpu::BegunSums;
use super::parts::{Vectors, run_parts};
use super::{Bases, DeviceScalars};
use crate::Result;
use crate::curve::{Affine, Curve};
use crate::gpu::block_on;

/// A multiplication that [`Bases::begin_on_device`] began.
pub struct BegunMultiplication<C: Curve>(Begun<C>);

enum Begun<C: Curve> {
    Done(Affine<C>),
    Submitted(BegunSums),
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
    ///
    /// # Errors
    /// As [`Bases::run_on_device`]; [`Error::Usage`] for a range that reaches past the end of the vector.
    pub fn begin_on_device(
        &self,
        scalars: &DeviceScalars<C::ScalarField>,
        range: Range<usize>,
    ) -> Result<BegunMultiplication<C>> {
        block_on(self.begin_on_device_async(scalars, range))
    }

    /// The asynchronous form of [`Bases::begin_on_device`], for browsers.
    ///
    /// # Errors
    /// As [`Bases::begin_on_device`].
    pub async fn begin_on_device_async(
        &self,
        scalars: &DeviceScalars<C::ScalarField>,
        range: Range<usize>,
    ) -> Result<BegunMultiplication<C>> {
        scalars.check(&range)?;
        self.check_len(range.len())?;
        let begun = match &self.place {
            Place::Gpu(resident) => Begun::Submitted(resident.begin(scalars, range)?),
            Place::Nowhere => Begun::Done(Affine::default()),
            Place::Parts(gpu, cut, points) => {
                let mut copy = scalars.copy(range)?;
                let sums =
                    run_parts(&self.plan, (gpu, cut, &self.name), points, &Vectors::Device(&copy), 1).await;
                // After an error, too.
                copy.clear()?;
                Begun::Done(sums?.first().copied().unwrap_or_default())
            }
            Place::Cpu(..) | Place::Group(_) => return Err(self.takes_host_scalars()),
        };
        Ok(BegunMultiplication(begun))
    }

    /// Waits for a multiplication that these bases began, and returns its sum.
    ///
    /// # Errors
    /// [`Error::Usage`] if other bases, which are elsewhere, began it; the device's faults.
    pub fn end(&self, begun: BegunMultiplication<C>) -> Result<Affine<C>> {
        block_on(self.end_async(begun))
    }

    /// The asynchronous form of [`Bases::end`], for browsers.
    ///
    /// # Errors
    /// As [`Bases::end`].
    pub async fn end_async(&self, begun: BegunMultiplication<C>) -> Result<Affine<C>> {
        match (begun.0, &self.place) {
            (Begun::Done(sum), _) => Ok(sum),
            (Begun::Submitted(sums), Place::Gpu(resident)) => resident.end(sums).await,
            (Begun::Submitted(_), _) => Err(not_resident()),
        }
    }

    /// Overwrites the working memory of multiplications on the device, which holds digits of the last scalars and sums.
    /// The working memory of bases that the plan cuts into parts, or that several GPUs share, is not overwritten.
    ///
    /// # Errors
    /// The device's faults.
    pub fn clear(&self) -> Result<()> {
        match &self.place {
            Place::Gpu(resident) => resident.clear(),
            Place::Cpu(..) | Place::Group(_) | Place::Parts(..) | Place::Nowhere => Ok(()),
        }
    }

    /// Names the bases in timelines: the name stands before those of the stages of their multiplications.
    #[must_use]
    pub fn with_name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        match &mut self.place {
            Place::Gpu(resident) => resident.set_name(name),
            Place::Group(bases) => bases.set_name(name),
            Place::Cpu(..) | Place::Parts(..) | Place::Nowhere => (),
        }
        self
    }
}
