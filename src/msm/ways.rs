//! The ways of a multiplication.

use std::fmt;

use super::apart::{self, OnGpuApart};
use super::on_cpu::OnCpu;
use super::on_gpu::{OnGpu, ReadyOnGpu};
use super::on_group::{Division, OnGroup};
use super::on_processes::OnProcesses;
use super::operands::expect_scalars;
use super::speeds::family;
use super::{Multiplication, Points, Scalars};
use crate::curve::{Affine, Curve};
use crate::gpu::Family;
use crate::task::{Engine, Problem, Profile, Ways};
use crate::{Error, Result};

impl<C: Curve> Problem for Multiplication<C> {
    const NAME: &'static str = "this multiplication";

    type Resident<'a> = Points<'a, C>;
    type Input<'a> = Scalars<'a, C::ScalarField>;
    /// A sum for each vector, in order.
    type Answer = Vec<Affine<C>>;
    type Kernels = ReadyOnGpu<C>;

    /// That of the coordinates.
    fn families(&self) -> Vec<Family> {
        vec![family::<C>()]
    }

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        Ok(match &profile.engine {
            Engine::Cpu(cpu) => {
                Ways::default().with(OnCpu::NAME, Ok(OnCpu::new(self, *cpu, profile.host_memory)))
            }
            Engine::Gpu(gpu) if self.bits() > 0.0 && self.points() > 0 => {
                let apart = OnGpuApart::new(self, gpu, profile.device_memory);
                match OnGpu::ways(self, gpu, profile.device_memory) {
                    Ok(ways) => ways.with(apart::NAME, apart),
                    // The points fit where all multiples and digits do not.
                    Err(Error::OutOfMemory(shortage)) => match apart {
                        Ok(apart) => Ways::default().with(apart::NAME, Ok(apart)),
                        Err(_) => return Err(Error::OutOfMemory(shortage)),
                    },
                    Err(error) => return Err(error),
                }
            }
            Engine::Gpu(gpu) => OnGpu::ways(self, gpu, profile.device_memory)?,
            Engine::Group(_) => {
                let of = |division| OnGroup::new(self, profile, division);
                let ways = Ways::default().with(Division::Points.name(), of(Division::Points));
                ways.with(Division::Vectors.name(), of(Division::Vectors))
            }
            Engine::Processes { .. } => {
                Ways::default().with(OnProcesses::<Self>::NAME, OnProcesses::new(self, profile))
            }
        })
    }

    fn check_resident(&self, points: &Points<'_, C>) -> Result<()> {
        Error::expect_length("points", self.points(), points.len())
    }

    fn check_input(&self, scalars: &Scalars<'_, C::ScalarField>) -> Result<()> {
        expect_scalars(scalars.reach(), self.points())
    }

    fn reborrow<'s>(scalars: &'s mut Scalars<'_, C::ScalarField>) -> Scalars<'s, C::ScalarField> {
        *scalars
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "curve          {}", C::NAME)?;
        writeln!(f, "points         {}", self.points())?;
        writeln!(f, "vectors        {}", self.vectors())
    }
}
