//! Multiplications on one GPU, whose memory holds all points, with their multiples and working memory.

use std::fmt;

use super::fitted::Fitted;
use super::gpu::Resident;
use super::operands::{ResidentPoints, filled};
use super::{Multiplication, Scalars};
use crate::curve::{Affine, Curve};
use crate::task::{Cost, Done, Ready, Running, Traffic, Way, other_device};
use crate::{Device, Error, Result};

/// The way.
#[derive(Debug)]
pub(super) struct OnGpu(pub Fitted);

impl OnGpu {
    pub const NAME: &'static str = "on one GPU";

    pub fn new<C: Curve>(problem: &Multiplication<C>, fitted: Fitted) -> Result<Self> {
        let why = || Error::OutOfMemory("its memory holds a part of the points at a time".into());
        if fitted.part < problem.points() { Err(why()) } else { Ok(OnGpu(fitted)) }
    }
}

impl<C: Curve> Way<Multiplication<C>> for OnGpu {
    fn cost(&self) -> Cost {
        self.0.cost
    }

    fn traffic(&self) -> Traffic {
        self.0.traffic
    }

    fn write(&self, problem: &Multiplication<C>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(problem, f)
    }

    fn compile(&self, problem: &Multiplication<C>, device: &Device) -> Result<()> {
        self.0.compile(problem, device)
    }

    fn prepare<'p>(
        &self,
        problem: &Multiplication<C>,
        device: &Device,
        points: ResidentPoints<'p, C>,
    ) -> Result<Box<dyn Ready<Multiplication<C>> + 'p>> {
        let Device::Gpu(gpu) = device else { return Err(other_device()) };
        let upload = || Resident::new(gpu, &points, problem.settings(), &self.0.cut);
        let resident = if points.is_empty() { None } else { Some(upload()?.with_name(points.name())) };
        Ok(Box::new(ReadyOnGpu(resident)))
    }
}

/// The points on the device; none if there are no points: then every sum is that of no terms, and the device has nothing to do.
pub struct ReadyOnGpu<C: Curve>(pub(super) Option<Resident<C>>);

impl<C: Curve> fmt::Debug for ReadyOnGpu<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "points of {} on a GPU", C::NAME)
    }
}

impl<C: Curve> Ready<Multiplication<C>> for ReadyOnGpu<C> {
    fn run<'r, 'i: 'r>(
        &'r self,
        _: &'r Multiplication<C>,
        scalars: Scalars<'i, C>,
        _: &'r Done,
    ) -> Running<'r, Vec<Affine<C>>> {
        Box::pin(async move {
            match (&self.0, scalars) {
                (None, scalars) => Ok(vec![Affine::default(); scalars.vectors()]),
                (Some(resident), Scalars::Device(scalars)) => {
                    Ok(vec![resident.run_on_device(scalars).await?])
                }
                (Some(resident), Scalars::Host(vectors)) => {
                    let vectors = filled(vectors);
                    resident.run_many(&vectors.iter().map(|vector| &vector[..]).collect::<Vec<_>>()).await
                }
            }
        })
    }

    fn kernels(&self) -> Option<&Self> {
        Some(self)
    }
}
