//! A problem with the way that was chosen for one device.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::any_way::AnyWay;
use super::offers::{Offer, Rejected, Taken, cheapest_offer};
use super::shared::{self, Refusal};
use super::{Cost, Done, Prepared, Problem, Profile, Traffic, Way, within_memory};
use crate::gpu::block_on;
use crate::{Device, Result};

/// The plan of a problem for one device: the cheapest way that fits. `--plan` prints its text, several lines without a
/// line break at the end.
#[derive(Clone, Debug)]
pub struct Planned<P: Problem> {
    problem: P,
    profile: Profile,
    name: &'static str,
    way: Arc<dyn AnyWay<P>>,
    others: Vec<Rejected>,
}

impl<P: Problem> Planned<P> {
    /// Chooses the cheapest of the problem's ways that fit the profile's memory.
    pub(super) fn cheapest(problem: &P, profile: &Profile) -> Result<Self> {
        shared::cheapest(profile, |profile| Self::of_profile(problem, profile))
    }

    /// [`cheapest`](Self::cheapest) of the ways as they are for this profile.
    fn of_profile(problem: &P, profile: &Profile) -> Result<Self, Refusal> {
        let ways = problem.ways(profile).map_err(|error| Refusal { error, left: None })?.0;
        let (mut offers, mut offered) = (Vec::new(), Vec::new());
        for (name, way) in ways {
            let cost = way.as_ref().ok().map(|way| way.cost());
            let way = way.and_then(|way| way.check(profile, P::NAME).map(|()| way));
            let (way, fits) = way.map_or_else(|error| (None, Err(error)), |way| (Some(way), Ok(())));
            offers.push(Offer { name, cost, fits });
            offered.push(way);
        }
        let Taken { number, name, others } = cheapest_offer(offers, profile)?;
        let way = offered.swap_remove(number).unwrap_or_else(|| unreachable!("a way that fits is taken"));
        Ok(Planned { problem: problem.clone(), profile: profile.clone(), name, way, others })
    }

    /// The problem.
    pub fn problem(&self) -> &P {
        &self.problem
    }

    /// The name of the way.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The expected time and the memory of one run.
    pub fn cost(&self) -> Cost {
        self.way.cost()
    }

    /// The data that one run sends through the host, and its dispatches. Zeros on the CPU engine.
    pub fn traffic(&self) -> Traffic {
        self.way.traffic()
    }

    /// [`cost`](Self::cost) if a GPU has the data before and after: without the transfers.
    pub fn cost_on_device(&self) -> Cost {
        let cost = self.cost();
        Cost { time: cost.time.saturating_sub(self.traffic().time_on(&self.profile)), ..cost }
    }

    /// The other ways on the device, each with its time or the reason why it cannot be taken.
    pub fn others(&self) -> &[Rejected] {
        &self.others
    }

    /// The way, if it is a `W`.
    pub fn way<W: Way<P>>(&self) -> Option<&W> {
        (&*self.way as &dyn Any).downcast_ref()
    }

    /// Writes all lines but the cost, for plans that contain this one.
    pub(crate) fn write_lines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.write(f)?;
        self.write_way(f)
    }

    /// Writes the lines that state the way.
    pub(crate) fn write_way(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.way.write(&self.problem, f)
    }

    /// Compiles the kernels of [`prepare_with`](Self::prepare_with), which does it otherwise.
    pub fn compile(&self, device: &Device) -> Result<()> {
        self.way.compile(&self.problem, device)
    }

    /// Makes tables, compiles kernels, and uploads what all runs have in common.
    pub fn prepare_with<'p>(&self, device: &Device, resident: P::Resident<'p>) -> Result<Prepared<'p, P>> {
        self.problem.check_resident(&resident)?;
        let prepare = || self.way.prepare(&self.problem, device, resident);
        let ready = match device {
            Device::Gpu(gpu) => gpu.compare_compiling(self.cost().compiling, prepare)?,
            _ => prepare()?,
        };
        Ok(Prepared { planned: self.clone(), ready })
    }

    /// Prepares and runs once. If memory runs out although the plan was within its bounds, the run is planned for half the
    /// memory, and for half of that, which is said once. An answer comes with the plan that led to it.
    pub async fn compute_with_async(
        self,
        device: &Device,
        resident: P::Resident<'_>,
        mut input: P::Input<'_>,
    ) -> Result<(P::Answer, Self)> {
        self.problem.check_input(&input)?;
        self.go_on_with(device, resident, &mut input, &Done::default()).await
    }

    /// The blocking form of [`compute_with_async`](Self::compute_with_async).
    pub fn compute_with(
        self,
        device: &Device,
        resident: P::Resident<'_>,
        input: P::Input<'_>,
    ) -> Result<(P::Answer, Self)> {
        block_on(self.compute_with_async(device, resident, input))
    }

    /// [`compute_with_async`](Self::compute_with_async) of an input that was checked, of which `done` is done.
    pub(super) async fn go_on_with(
        self,
        device: &Device,
        resident: P::Resident<'_>,
        input: &mut P::Input<'_>,
        done: &Done,
    ) -> Result<(P::Answer, Self)> {
        let (problem, profile) = (self.problem.clone(), self.profile.clone());
        let mut first = Some(self);
        within_memory(profile, async |profile| {
            let planned = match first.take() {
                Some(planned) => planned,
                None => problem.plan_for(profile)?,
            };
            let prepared = planned.prepare_with(device, resident.clone())?;
            let answer = prepared.run_checked(P::reborrow(input), done).await?;
            Ok((answer, planned))
        })
        .await
    }
}

impl<P: for<'a> Problem<Resident<'a> = ()>> Planned<P> {
    /// Makes tables and compiles kernels.
    pub fn prepare(&self, device: &Device) -> Result<Prepared<'static, P>> {
        self.prepare_with(device, ())
    }

    /// Prepares and runs once; see [`compute_with_async`](Self::compute_with_async).
    pub async fn compute_async(self, device: &Device, input: P::Input<'_>) -> Result<(P::Answer, Self)> {
        self.compute_with_async(device, (), input).await
    }

    /// The blocking form of [`compute_async`](Self::compute_async).
    pub fn compute(self, device: &Device, input: P::Input<'_>) -> Result<(P::Answer, Self)> {
        self.compute_with(device, (), input)
    }
}

impl<P: Problem> fmt::Display for Planned<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_lines(f)?;
        self.cost().fmt(f)
    }
}
