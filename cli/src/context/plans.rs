//! The plan of a verb within the user's memory: made, reported, run.

use super::super::memory::sufficient;
use super::super::streams::write_stdout;
use crate::prelude::*;
use std::fmt::Display;
use wgalois::task::{Cost, Planned, Profile, Rejected};
use wgalois::{Shortage, Side};

/// Demands of a verb that its problem does not state. The default is none, and a thread per core.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demands {
    /// Number of threads of the CPU engine; 0 is one per core.
    pub threads: usize,
    /// Bytes of host memory that the verb takes beside the plan's all the time.
    pub beside: u64,
    /// Bytes of host memory that the verification takes, the answer included.
    pub check: u64,
}

impl Context {
    /// Runs a plan once, timed under this name, and reports the plan that led to the answer: a smaller one if the device's
    /// memory ran out.
    pub fn compute<P: for<'r> Problem<Resident<'r> = ()>>(
        &self,
        name: &str,
        (device, plan): (&Device, Planned<P>),
        input: P::Input<'_>,
    ) -> Result<P::Answer> {
        self.compute_with(name, (device, plan), (), input)
    }

    /// [`compute`](Self::compute) of a problem with data that all its runs have in common.
    pub fn compute_with<P: Problem>(
        &self,
        name: &str,
        (device, plan): (&Device, Planned<P>),
        resident: P::Resident<'_>,
        input: P::Input<'_>,
    ) -> Result<P::Answer> {
        let (answer, plan) = self.watch(name, || plan.compute_with(device, resident, input))?;
        self.report("plan", plan.cost().to_json());
        Ok(answer)
    }

    /// Reports a plan. With `--plan` it prints the plan and returns `None`: the verb then ends.
    pub fn take<P: Problem>(&self, plan: &Planned<P>) -> Result<Option<()>> {
        self.take_plan(plan, plan.cost(), plan.others())
    }

    /// [`take`](Self::take) of a plan whose problem is forgotten.
    fn take_plan(&self, plan: &dyn Display, cost: Cost, others: &[Rejected]) -> Result<Option<()>> {
        self.report("plan", cost.to_json());
        if !self.options.plan {
            return Ok(Some(()));
        }
        if !self.json() {
            let others = if self.options.verbose > 0 { others } else { &[] };
            write_stdout(|out| {
                writeln!(out, "{plan}")?;
                others.iter().try_for_each(|other| writeln!(out, "{:15}{other}", "not taken"))
            })?;
        }
        Ok(None)
    }

    /// Plans within the memory of a profile and refuses a check for which it is too small. The error
    /// states the `--memory` that suffices.
    pub(super) fn plan_within<P: Problem>(
        &self,
        problem: &P,
        profile: &Profile,
        demands: Demands,
    ) -> Result<Planned<P>> {
        let checking = if self.options.verify { demands.check } else { 0 };
        let profile = &Profile { budget: profile.budget.beside(demands.beside), ..profile.clone() };
        self.within(profile, demands.beside, |profile| {
            let plan = problem.plan_for(profile)?;
            expect_room_for_check(checking, profile).map(|()| plan)
        })
    }

    /// Plans by `plan` within the memory of a profile, where `beside` bytes of host memory are taken besides. The error states
    /// the `--memory` that suffices.
    pub fn within<T>(
        &self,
        profile: &Profile,
        beside: u64,
        plan: impl Fn(&Profile) -> Result<T>,
    ) -> Result<T> {
        let with_enough =
            |error| self.with_enough(error, profile, beside, &|profile| plan(profile).map(drop));
        plan(profile).map_err(with_enough)
    }

    /// The error of `plan` with the `--memory` that suffices, if there is one.
    fn with_enough(
        &self,
        error: Error,
        profile: &Profile,
        beside: u64,
        plan: &dyn Fn(&Profile) -> Result<()>,
    ) -> Error {
        let held = self.held.get().saturating_add(beside);
        match error {
            // Where the driver does not report a device's memory, little is assumed without a limit, and a larger limit says that there
            // is more.
            Error::OutOfMemory(mut shortage)
                if self.options.memory.is_some() || shortage.side == Some(Side::Device) =>
            {
                if let Some(memory) = sufficient(&shortage, profile, held, plan) {
                    shortage.message += &format!("; --memory {memory} suffices, with all that is held");
                }
                Error::OutOfMemory(shortage)
            }
            other => other,
        }
    }
}

/// Refuses a check of `bytes` for which the host's memory is too small.
fn expect_room_for_check(bytes: u64, profile: &Profile) -> Result<()> {
    match bytes > profile.host_memory {
        true => {
            let what = "the verification";
            Err(Error::OutOfMemory(Shortage::new(what, Side::Host, bytes, profile.host_memory)))
        }
        false => Ok(()),
    }
}
