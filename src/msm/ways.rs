//! The ways of a multiplication.

use super::Multiplication;
use super::apart::{self, OnGpuApart};
use super::on_cpu::OnCpu;
use super::on_gpu::OnGpu;
use super::on_group::{Division, OnGroup};
use super::on_processes::OnProcesses;
use crate::curve::Curve;
use crate::task::{Engine, Profile, Ways};
use crate::{Error, Result};

/// The ways of this multiplication.
pub(super) fn ways<C: Curve>(
    problem: &Multiplication<C>,
    profile: &Profile,
) -> Result<Ways<Multiplication<C>>> {
    Ok(match &profile.engine {
        Engine::Cpu(cpu) => {
            Ways::default().with(OnCpu::NAME, Ok(OnCpu::new(problem, *cpu, profile.host_memory)))
        }
        Engine::Gpu(gpu) if problem.bits() > 0.0 && problem.points() > 0 => {
            let apart = OnGpuApart::new(problem, gpu, profile.device_memory);
            match OnGpu::ways(problem, gpu, profile.device_memory) {
                Ok(ways) => ways.with(apart::NAME, apart),
                // The points fit where all multiples and digits do not.
                Err(Error::OutOfMemory(shortage)) => match apart {
                    Ok(apart) => Ways::default().with(apart::NAME, Ok(apart)),
                    Err(_) => return Err(Error::OutOfMemory(shortage)),
                },
                Err(error) => return Err(error),
            }
        }
        Engine::Gpu(gpu) => OnGpu::ways(problem, gpu, profile.device_memory)?,
        Engine::Group(_) => {
            let of = |division| OnGroup::new(problem, profile, division);
            let ways = Ways::default().with(Division::Points.name(), of(Division::Points));
            ways.with(Division::Vectors.name(), of(Division::Vectors))
        }
        Engine::Processes { .. } => {
            Ways::default().with(OnProcesses::<Multiplication<C>>::NAME, OnProcesses::new(problem, profile))
        }
    })
}
