//! The elimination of one matrix: the problem under all that its echelon forms answer.

mod across;
pub(super) mod among;
mod on_cpu;
mod on_gpu;

pub use on_gpu::ReadyOnGpu;

use std::any::Any;
use std::fmt;

use across::Across;
use among::Among;
use on_cpu::OnCpu;
use on_gpu::OnGpu;

use super::row_reduction::RowReduction;
use super::sharing::{self, Alone};
use super::{BitMatrix, Echelon};
use crate::task::{AnyWay, Engine, Member, Planned, Problem, Profile, Ways};
use crate::{Error, Result};

impl RowReduction {
    /// The way of a group that shares the elimination.
    pub(super) fn shared(&self, profile: &Profile, members: &[Member]) -> Result<Across> {
        let shared = Across::new(self, profile, members);
        shared.ok_or_else(|| Error::Usage(sharing::TOO_LITTLE.into()))
    }

    /// The number of parts into which one of these ways divides the rows.
    pub(super) fn parts_of(way: &dyn AnyWay<Self>) -> usize {
        let way: &dyn Any = way;
        way.downcast_ref::<OnGpu>().map_or(1, OnGpu::parts)
    }
}

impl Problem for RowReduction {
    const NAME: &'static str = "this matrix";

    type Resident<'a> = ();
    type Input<'a> = &'a BitMatrix;
    type Answer = Echelon;
    type Kernels = ReadyOnGpu;

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        let none = Ways::default();
        Ok(match &profile.engine {
            Engine::Cpu(cpu) => none.with(OnCpu::NAME, Ok(OnCpu::new(self, *cpu))),
            Engine::Gpu(gpu) => none
                .with(OnGpu::WHOLE, OnGpu::whole(self, gpu))
                .with(OnGpu::IN_PARTS, OnGpu::in_parts(self, gpu, profile)),
            Engine::Group(members) => {
                let is_in_parts = |one: &Planned<Self>| one.way::<OnGpu>().is_some_and(|way| way.parts() > 1);
                let alone = Alone::new(self, profile, |one| self.always_shares || is_in_parts(one));
                alone.with_shared(none, self.shared(profile, members), profile)
            }
            Engine::Processes { size, each } => {
                none.with(Among::NAME, Among::new(self, profile, (*size, each)))
            }
        })
    }

    fn check_input(&self, matrix: &&BitMatrix) -> Result<()> {
        Error::expect_shape("a matrix", self.shape(), (matrix.rows(), matrix.columns()))
    }

    fn reborrow<'s>(matrix: &'s mut &BitMatrix) -> &'s BitMatrix {
        matrix
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "matrix         {} x {}", self.rows, self.columns)
    }
}
