//! The way of a group, or of several processes, for work that is not shared: the fastest GPU does it, or process 0.

use std::fmt;

use super::shares::write_unshared;
use super::{Cost, Done, Engine, Planned, Prepared, Problem, Profile, Ready, Traffic, Way, other_device};
use crate::{Device, Result};

/// A problem that one device does: the fastest GPU of a group, or the next one if that is lost and the group keeps going; the
/// device of process 0.
#[derive(Debug)]
pub struct OneOf<P: Problem> {
    plan: Planned<P>,
    engine: Engine,
    devices: usize,
}

impl<P: for<'a> Problem<Resident<'a> = ()>> OneOf<P> {
    /// The name of this way.
    pub const NAME: &'static str = "on one device";

    /// Plans the problem for the fastest GPU of the group, or for process 0 of the processes, that have this profile.
    pub fn new(problem: &P, profile: &Profile) -> Result<Self> {
        Ok(OneOf {
            plan: problem.plan_for(&profile.of_one())?,
            engine: profile.engine.clone(),
            devices: profile.device_count(),
        })
    }

    /// The plan of that device.
    pub(crate) fn plan(&self) -> &Planned<P> {
        &self.plan
    }
}

impl<P: for<'a> Problem<Resident<'a> = ()>> Way<P> for OneOf<P> {
    type Device = Device;
    type Ready<'p> = ReadyOnOne<P>;

    fn cost(&self) -> Cost {
        self.plan.cost()
    }

    fn traffic(&self) -> Traffic {
        self.plan.traffic()
    }

    fn write(&self, _: &P, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.engine {
            Engine::Processes { size, .. } if size > 1 => {
                writeln!(f, "processes      1 of {size}: this work is not shared")?;
            }
            _ => write_unshared(f, self.devices)?,
        }
        self.plan.write_way(f)
    }

    fn prepare<'p>(&self, _: &P, device: &Device, (): ()) -> Result<Self::Ready<'p>> {
        let one = match device {
            Device::Group(group) => Device::Gpu(group.one().1.clone()),
            Device::Processes(processes) => processes.own().clone(),
            Device::Cpu(_) | Device::Gpu(_) => return Err(other_device()),
        };
        Ok(ReadyOnOne { device: device.clone(), prepared: self.plan.prepare(&one)?, one })
    }
}

/// The prepared form of one device.
#[derive(Debug)]
pub struct ReadyOnOne<P: Problem> {
    /// The group, or the processes.
    device: Device,
    /// Where the prepared form is.
    one: Device,
    prepared: Prepared<'static, P>,
}

impl<P: for<'a> Problem<Resident<'a> = ()>> Ready<P> for ReadyOnOne<P> {
    async fn run<'i: 'i>(&self, problem: &P, mut input: P::Input<'i>, done: &Done) -> Result<P::Answer> {
        let run = async |device: &Device| match device {
            one if one.is_same(&self.one) => self.prepared.run_checked(P::reborrow(&mut input), done).await,
            // Another GPU, since that was lost.
            device => Ok(problem.plan(device)?.go_on_with(device, (), &mut input, done).await?.0),
        };
        self.device.on_one(run).await
    }

    fn kernels(&self) -> Option<&P::Kernels> {
        self.prepared.kernels()
    }
}
