//! Points that are prepared for multiplications on either engine.

use std::borrow::Cow;

use ark_ff::AdditiveGroup;

use super::gpu::{Compiled, Resident, Sums, compile_check};
use super::group::GroupBases;
use super::parts::{Vectors, run_parts};
use super::plan::Method;
use super::{Cut, DeviceScalars, MultiplicationPlan, cost, cpu};
use crate::curve::{Affine, Curve};
use crate::gpu::{Gpu, Recorder, block_on};
use crate::{Cpu, Device, Error, Result};

/// Points prepared for multiplications by [`MultiplicationPlan::prepare`]: on a GPU with compiled
/// kernels, tables of multiples and working memory. They can be used any number of times, also from
/// several threads, one at a time.
///
/// Points that the plan cuts into parts, and those on the CPU engine, stay on the host, borrowed
/// or owned as they were given; the others are only on the device.
pub struct Bases<'p, C: Curve> {
    pub(super) plan: MultiplicationPlan<C>,
    pub(super) place: Place<'p, C>,
    /// The name in timelines.
    pub(super) name: String,
}

pub(super) enum Place<'p, C: Curve> {
    Cpu(Cpu, Cow<'p, [Affine<C>]>),
    /// All bases are on the device.
    Gpu(Box<Resident<C>>),
    /// The bases go to the device part by part in every run.
    Parts(Gpu, Cut, Cow<'p, [Affine<C>]>),
    /// Each GPU of a group has a share.
    Group(Box<GroupBases<'p, C>>),
    /// There are no bases: every sum is that of no terms, and a GPU has nothing to do.
    Nowhere,
}

impl<C: Curve> MultiplicationPlan<C> {
    /// Prepares the multiplication by `points` on the device that was planned for, after the host has checked that they
    /// lie on the curve; infinity is allowed. Whether they lie in the subgroup of order r is not checked
    /// ([`first_outside`](super::first_outside) does). See [`Multiplication`](super::Multiplication).
    ///
    /// # Errors
    /// [`Error::Input`] for more or fewer points than planned and for one that is not on the curve, [`Error::Usage`]
    /// for a plan for the other engine, [`Error::OutOfMemory`] and the device's other faults.
    pub fn prepare<'p>(
        &self,
        device: &Device,
        points: impl Into<Cow<'p, [Affine<C>]>>,
    ) -> Result<Bases<'p, C>> {
        let points = points.into();
        cpu::expect_on_curve(&points)?;
        self.prepare_unchecked(device, points)
    }

    /// [`prepare`](Self::prepare) for points that lie on the curve. With others, multiplications have wrong sums.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare), but for points off the curve.
    pub fn prepare_unchecked<'p>(
        &self,
        device: &Device,
        points: impl Into<Cow<'p, [Affine<C>]>>,
    ) -> Result<Bases<'p, C>> {
        let points = points.into();
        if points.len() != self.points() {
            let planned = self.points();
            return Err(Error::Input(format!("{} points where {planned} were planned", points.len())));
        }
        if let (Method::Group(plan), Device::Group(group)) = (self.method(), device) {
            let place = Place::Group(Box::new(plan.prepare(self.settings(), group, points)?));
            return Ok(Bases { plan: self.clone(), place, name: String::new() });
        }
        let stays = self.parts() > 1 || matches!(self.method(), Method::Cpu { .. });
        match stays {
            true => self.prepare_keeping(device, &[], || points),
            false => self.prepare_keeping(device, &points, || Cow::Borrowed(&[])),
        }
    }

    /// [`prepare`](Self::prepare) on one device, which takes `points`, or `keep` if they stay on the host.
    pub(super) fn prepare_keeping<'p>(
        &self,
        device: &Device,
        points: &[Affine<C>],
        keep: impl FnOnce() -> Cow<'p, [Affine<C>]>,
    ) -> Result<Bases<'p, C>> {
        let place = match (self.method(), device) {
            (Method::Cpu { .. }, Device::Cpu(cpu)) => Place::Cpu(cpu.clone(), keep()),
            (Method::Gpu(_), Device::Gpu(_)) if self.points() == 0 => Place::Nowhere,
            (Method::Gpu(cut), Device::Gpu(gpu)) if self.parts() > 1 => {
                Place::Parts(gpu.clone(), *cut, keep())
            }
            (Method::Gpu(cut), Device::Gpu(gpu)) => {
                Place::Gpu(Box::new(Resident::new(gpu, points, self.settings(), cut)?))
            }
            _ => return Err(other_engine()),
        };
        Ok(Bases { plan: self.clone(), place, name: String::new() })
    }

    /// Compiles the kernels of [`prepare`](Self::prepare) and, with `check`, those of
    /// [`first_outside`](super::first_outside). Without this call, both compile their kernels; it can
    /// run in parallel with other work, such as reading the points. Through OpenGL, call it on the thread that also
    /// multiplies: its driver takes one thread at a time.
    ///
    /// # Errors
    /// [`Error::Usage`] for a plan for the other engine; the device's faults.
    pub fn compile(&self, device: &Device, check: bool) -> Result<()> {
        match (self.method(), device) {
            (Method::Cpu { .. }, Device::Cpu(_)) => Ok(()),
            (Method::Gpu(_), Device::Gpu(_)) if self.points() == 0 => Ok(()),
            (Method::Gpu(cut), Device::Gpu(gpu)) => {
                let multiply = || Compiled::new::<C>(gpu, self.settings(), cut).map(drop);
                let check = check && cost::is_worth_checking_on(gpu, self.points());
                gpu.beside(multiply, || if check { compile_check::<C>(gpu) } else { Ok(()) }).map(drop)
            }
            (Method::Group(plan), Device::Group(group)) => plan.compile(group, check),
            _ => Err(other_engine()),
        }
    }
}

fn other_engine() -> Error {
    Error::Usage("this plan was made for the other engine".into())
}

impl<C: Curve> Bases<'_, C> {
    /// The number of bases.
    pub fn len(&self) -> usize {
        self.plan.points()
    }

    /// True if there are no bases.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The plan of multiplications by these bases.
    pub fn plan(&self) -> &MultiplicationPlan<C> {
        &self.plan
    }

    /// The sum of `scalars[i]` times base i. Scalars may be fewer than bases; the other bases then
    /// count as multiplied by 0.
    ///
    /// # Errors
    /// [`Error::Input`] for more scalars than bases, and the device's faults.
    pub fn run(&self, scalars: &[C::ScalarField]) -> Result<Affine<C>> {
        block_on(self.run_async(scalars))
    }

    /// The sum of `scalars[i]` times base `first + i`. Bases that are on a GPU, or shared by several, are multiplied by
    /// zeros up to `first`.
    ///
    /// # Errors
    /// As [`Bases::run`].
    pub fn run_from(&self, first: usize, scalars: &[C::ScalarField]) -> Result<Affine<C>> {
        let sums = self.run_many_from(&[(first, scalars)])?;
        Ok(sums.first().copied().unwrap_or_default())
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
    ///
    /// # Errors
    /// As [`Bases::run`], also for a range that ends behind the last base.
    pub fn run_many_from(&self, ranges: &[(usize, &[C::ScalarField])]) -> Result<Vec<Affine<C>>> {
        let end = |&(first, scalars): &(usize, &[C::ScalarField])| first.saturating_add(scalars.len());
        ranges.iter().try_for_each(|range| self.check_len(end(range)))?;
        if let Place::Cpu(cpu, points) = &self.place {
            let sum = |range: &(usize, &[C::ScalarField])| {
                let points = &points[range.0..end(range)];
                let sums = cpu::sums(cpu, points, &[range.1], self.plan.part(), &self.name)?;
                Ok(sums.first().copied().unwrap_or_default())
            };
            return ranges.iter().map(sum).collect();
        }
        let mut vectors = Vec::with_capacity(ranges.len());
        for &(first, scalars) in ranges {
            let mut filled = Cow::Borrowed(scalars);
            if first > 0 {
                filled = Cow::Owned([&vec![C::ScalarField::ZERO; first][..], scalars].concat());
            }
            vectors.push(filled);
        }
        self.run_many(&vectors.iter().map(|vector| &vector[..]).collect::<Vec<_>>())
    }

    /// The asynchronous form of [`Bases::run`], for browsers.
    ///
    /// # Errors
    /// As [`Bases::run`].
    pub async fn run_async(&self, scalars: &[C::ScalarField]) -> Result<Affine<C>> {
        let sums = self.run_many_async(&[scalars]).await?;
        Ok(sums.first().copied().unwrap_or_default())
    }

    /// One sum for each vector of scalars, in their order. Vectors may have different lengths. A GPU multiplies as many
    /// together as the plan says; while it works on some, the host prepares the next and finishes those before.
    ///
    /// # Errors
    /// As [`Bases::run`].
    pub fn run_many(&self, vectors: &[&[C::ScalarField]]) -> Result<Vec<Affine<C>>> {
        block_on(self.run_many_async(vectors))
    }

    /// The asynchronous form of [`Bases::run_many`], for browsers.
    ///
    /// # Errors
    /// As [`Bases::run`].
    pub async fn run_many_async(&self, vectors: &[&[C::ScalarField]]) -> Result<Vec<Affine<C>>> {
        vectors.iter().try_for_each(|scalars| self.check_len(scalars.len()))?;
        match &self.place {
            Place::Cpu(cpu, points) => cpu::sums(cpu, points, vectors, self.plan.part(), &self.name),
            Place::Group(bases) => bases.run_many(vectors),
            Place::Nowhere => Ok(vec![Affine::default(); vectors.len()]),
            Place::Gpu(resident) => resident.run_many(vectors).await,
            Place::Parts(gpu, cut, points) => {
                run_parts(&self.plan, (gpu, cut, &self.name), points, &Vectors::Host(vectors), vectors.len())
                    .await
            }
        }
    }

    /// [`Bases::run`] for scalars that are on the GPU already.
    ///
    /// # Errors
    /// As [`Bases::run`]; [`Error::Usage`] on the CPU engine, and for scalars on another device.
    pub fn run_on_device(&self, scalars: &DeviceScalars<C::ScalarField>) -> Result<Affine<C>> {
        block_on(self.run_on_device_async(scalars))
    }

    /// The asynchronous form of [`Bases::run_on_device`], for browsers.
    ///
    /// # Errors
    /// As [`Bases::run_on_device`].
    pub async fn run_on_device_async(&self, scalars: &DeviceScalars<C::ScalarField>) -> Result<Affine<C>> {
        self.check_len(scalars.len())?;
        match &self.place {
            Place::Cpu(..) | Place::Group(_) => Err(self.takes_host_scalars()),
            Place::Gpu(resident) => resident.run_on_device(scalars).await,
            Place::Nowhere => Ok(Affine::default()),
            Place::Parts(gpu, cut, points) => {
                let sums =
                    run_parts(&self.plan, (gpu, cut, &self.name), points, &Vectors::Device(scalars), 1)
                        .await?;
                Ok(sums.first().copied().unwrap_or_default())
            }
        }
    }

    pub(super) fn takes_host_scalars(&self) -> Error {
        let engine = if matches!(self.place, Place::Cpu(..)) { "the CPU engine" } else { "a group" };
        Error::Usage(format!("{engine} takes scalars from the host"))
    }

    /// Records the multiplication by scalars on the GPU, to be submitted with other work.
    /// [`Bases::finish`] computes the sum from the returned [`Sums`]. All multiplications by these bases
    /// use the same working memory, so submit one before you record or run the next.
    ///
    /// # Errors
    /// [`Error::Input`] for more scalars than bases; [`Error::Usage`] on the CPU engine, and for
    /// bases that the plan cuts into parts, which are not on the device.
    pub fn record(&self, recorder: &mut Recorder, scalars: &DeviceScalars<C::ScalarField>) -> Result<Sums> {
        self.check_len(scalars.len())?;
        match &self.place {
            Place::Gpu(resident) => resident.record(recorder, scalars),
            Place::Nowhere => Ok(Sums::of_nothing()),
            _ => Err(not_resident()),
        }
    }

    /// Waits for a recorded multiplication that was submitted, and returns its sum.
    ///
    /// # Errors
    /// [`Error::Usage`] if [`Bases::record`] refuses; the device's faults.
    pub fn finish(&self, sums: &Sums) -> Result<Affine<C>> {
        block_on(self.finish_async(sums))
    }

    /// The asynchronous form of [`Bases::finish`], for browsers.
    ///
    /// # Errors
    /// As [`Bases::finish`].
    pub async fn finish_async(&self, sums: &Sums) -> Result<Affine<C>> {
        match &self.place {
            Place::Gpu(resident) => resident.finish(sums).await,
            Place::Nowhere => Ok(Affine::default()),
            _ => Err(not_resident()),
        }
    }

    pub(super) fn check_len(&self, scalars: usize) -> Result<()> {
        match scalars <= self.len() {
            true => Ok(()),
            false => Err(Error::Input(format!("{scalars} scalars for {} bases", self.len()))),
        }
    }
}

pub(super) fn not_resident() -> Error {
    Error::Usage("only bases that are all on a GPU can be recorded".into())
}
