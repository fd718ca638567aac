//! The way of a group for work that is not shared: its fastest GPU does it.

use std::fmt;

use super::shares::write_unshared;
use super::{
    Cost, Done, Plan, Planned, Prepared, Problem, Profile, Ready, Running, Solvable, Traffic, Way,
    other_device,
};
use crate::gpu::Gpu;
use crate::{Device, Group, Result};

/// A problem that one GPU of a group does: the fastest; the next one, if that is lost and the group keeps going.
#[derive(Debug)]
pub struct OneOf<P: Solvable> {
    plan: Planned<P>,
    devices: usize,
}

impl<P: for<'a> Solvable<Resident<'a> = ()>> OneOf<P> {
    /// The name of this way.
    pub const NAME: &'static str = "on the fastest GPU of the group";

    /// Plans the problem for the fastest GPU of the group that has this profile.
    pub fn new(problem: &P, profile: &Profile) -> Result<Self> {
        Ok(OneOf { plan: problem.plan_for(&profile.of_one())?, devices: profile.device_count() })
    }
}

impl<P: for<'a> Solvable<Resident<'a> = ()>> Way<P> for OneOf<P> {
    fn cost(&self) -> Cost {
        self.plan.cost()
    }

    fn traffic(&self) -> Traffic {
        self.plan.traffic()
    }

    fn write(&self, _: &P, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_unshared(f, self.devices)?;
        self.plan.write_way(f)
    }

    fn prepare<'p>(&self, _: &P, device: &Device, (): ()) -> Result<Box<dyn Ready<P> + 'p>> {
        let Device::Group(group) = device else { return Err(other_device()) };
        let (_, gpu) = group.one();
        let prepared = self.plan.prepare(&Device::Gpu(gpu.clone()))?;
        Ok(Box::new(ReadyOnOne { group: group.clone(), gpu: gpu.clone(), prepared }))
    }
}

/// The prepared form of one member.
#[derive(Debug)]
struct ReadyOnOne<P: Solvable> {
    group: Group,
    gpu: Gpu,
    prepared: Prepared<'static, P>,
}

impl<P: for<'a> Solvable<Resident<'a> = ()>> Ready<P> for ReadyOnOne<P> {
    fn run<'r, 'i: 'r>(
        &'r self,
        problem: &'r P,
        mut input: P::Input<'i>,
        done: &'r Done,
    ) -> Running<'r, P::Answer> {
        Box::pin(async move {
            let run = async |device: &Device| match device {
                Device::Gpu(gpu) if gpu.is_same_device(&self.gpu) => {
                    self.prepared.run_checked(P::reborrow(&mut input), done).await
                }
                // Another one, since that was lost.
                _ => Ok(problem.plan(device)?.go_on_with(device, (), &mut input, done).await?.0),
            };
            Device::Group(self.group.clone()).on_one(run).await
        })
    }

    fn kernels(&self) -> Option<&P::Kernels> {
        self.prepared.kernels()
    }
}
