//! The way of a group of GPUs for problems of many equal things: each GPU does a share of them.

use std::fmt;
use std::ops::Range;

use super::shares::Shares;
use super::{Cost, Done, Engine, Planned, Prepared, Problem, Profile, Ready, Traffic, Way};
use crate::gpu::block_on;
use crate::{Device, Error, Group, Result};

/// A problem of many equal things, of which each device can do a share.
pub trait Divisible: for<'r> Problem<Resident<'r> = (), Input<'r>: Send> {
    /// What the things are called: 'vectors'.
    const THINGS: &'static str;

    /// The number of things.
    fn count(&self) -> usize;

    /// Returns the same problem for `count` things.
    fn part(&self, count: usize) -> Self;

    /// Returns the number of things in an input.
    fn count_of(&self, input: &Self::Input<'_>) -> usize;

    /// Divides an input at the ends of `ranges`, which follow each other and cover all things.
    fn split<'i>(&self, input: Self::Input<'i>, ranges: &[Range<usize>]) -> Vec<Self::Input<'i>>;

    /// The answer of the whole from those of the shares, in order.
    fn join(&self, answers: Vec<Self::Answer>) -> Result<Self::Answer>;
}

/// Shares of a problem for the members of a group, in proportion to their speeds.
#[derive(Debug)]
pub struct Divided<P: Divisible> {
    shares: Shares<Planned<P>>,
}

impl<P: Divisible> Divided<P> {
    /// The name of this way.
    pub const NAME: &'static str = "shared by the group";

    /// Plans a share for each member of a group that is to have one.
    pub fn new(problem: &P, profile: &Profile) -> Result<Self> {
        let Engine::Group(members) = &profile.engine else {
            return Err(Error::Unsupported { device: "a single device", what: "share its work".into() });
        };
        let plan = |count, profile: &Profile| problem.part(count).plan_for(profile);
        Ok(Divided { shares: Shares::plan(profile, members, problem.count(), plan)? })
    }

    /// The plan of the largest share.
    pub fn largest(&self) -> Option<&Planned<P>> {
        self.shares.largest()
    }
}

impl<P: Divisible> Way<P> for Divided<P> {
    type Device = Group;
    type Ready<'p> = ReadyShares<P>;

    fn cost(&self) -> Cost {
        self.shares.cost()
    }

    fn traffic(&self) -> Traffic {
        self.shares.traffic()
    }

    fn write(&self, problem: &P, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shares.write(f, P::THINGS, |count, profile| problem.part(count).plan_for(profile))
    }

    fn prepare<'p>(&self, _: &P, group: &Group, (): ()) -> Result<Self::Ready<'p>> {
        let plans = self.shares.list.iter().map(|share| (share.member, &share.plan)).collect();
        let prepare = |device: &Device, plan: &mut &Planned<P>| plan.prepare(device).map(Some);
        // The share of a GPU that is lost here is prepared on another when it runs.
        let prepared = group.each(plans, prepare, |_, _| Ok(None))?;
        let members = self.shares.list.iter().map(|share| share.member);
        Ok(ReadyShares { group: group.clone(), shares: members.zip(prepared).collect() })
    }
}

/// The prepared share of each member; `None` for one that was lost.
#[derive(Debug)]
pub struct ReadyShares<P: Divisible> {
    group: Group,
    shares: Vec<(usize, Option<Prepared<'static, P>>)>,
}

impl<P: Divisible> Ready<P> for ReadyShares<P> {
    /// Each member runs its share, all at the same time. The share of a member that is lost, or whose memory runs out, is
    /// planned, prepared and run anew, on another or on the same.
    async fn run<'i: 'i>(&self, problem: &P, input: P::Input<'i>, _: &Done) -> Result<P::Answer> {
        let members = || self.shares.iter().map(|(member, _)| *member);
        let ranges = self.group.divide(members(), problem.count_of(&input));
        let inputs = problem.split(input, &ranges);
        let parts = self.shares.iter().zip(ranges).zip(inputs).map(|((share, range), input)| {
            let problem = problem.part(range.len());
            (share.0, Part { prepared: &share.1, problem, input, done: Done::default() })
        });
        let again = |device: &Device, part: &mut Part<'_, '_, P>| {
            let plan = part.problem.plan(device)?;
            block_on(plan.go_on_with(device, (), &mut part.input, &part.done)).map(|(answer, _)| answer)
        };
        let work = |device: &Device, part: &mut Part<'_, '_, P>| {
            let Some(prepared) = part.prepared else { return again(device, part) };
            match block_on(prepared.run_checked(P::reborrow(&mut part.input), &part.done)) {
                Err(Error::OutOfMemory(_)) => again(device, part),
                outcome => outcome,
            }
        };
        problem.join(self.group.each(parts.collect(), work, again)?)
    }
}

/// The share of one member while it runs.
struct Part<'p, 'i, P: Divisible> {
    prepared: &'p Option<Prepared<'static, P>>,
    problem: P,
    input: P::Input<'i>,
    done: Done,
}
