//! Multiplications on a group of GPUs.
//!
//! ```text
//! by points:   each GPU has a share of the points and multiplies it by the same share of every vector;
//!              the host adds the sums
//! by vectors:  each GPU has all points and multiplies them by a share of the vectors
//! ```

use std::fmt;
use std::ops::Range;

use ark_ff::AdditiveGroup;

use super::operands::ResidentPoints;
use super::{Multiplication, MultiplicationPlan, Scalars};
use crate::curve::{Affine, Curve, Projective, normalized};
use crate::task::{
    Cost, Done, Engine, Planned, Prepared, Problem, Profile, Ready, Share, Shares, Traffic, Way, other_device,
};
use crate::{Device, Error, Group, Result};

/// The division of multiplications among GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Division {
    Points,
    Vectors,
}

impl Division {
    /// The name of the way.
    pub fn name(self) -> &'static str {
        match self {
            Division::Points => "the points shared by the group",
            Division::Vectors => "the vectors shared by the group",
        }
    }

    /// The problem of a share of `count` points or vectors.
    fn part<C: Curve>(self, whole: &Multiplication<C>, count: usize) -> Multiplication<C> {
        match self {
            Division::Points => whole.with_points(count),
            Division::Vectors => whole.with_vectors(count),
        }
    }
}

/// The way.
#[derive(Debug)]
pub(super) struct OnGroup<P: Problem> {
    division: Division,
    shares: Shares<Planned<P>>,
}

impl<C: Curve> OnGroup<Multiplication<C>> {
    /// Plans a share for each member of a group that is to have one.
    pub fn new(problem: &Multiplication<C>, profile: &Profile, division: Division) -> Result<Self> {
        let Engine::Group(members) = &profile.engine else { return Err(other_device()) };
        let count = match division {
            Division::Points => problem.points(),
            Division::Vectors if problem.vectors() < 2 => {
                return Err(Error::needs("a group that shares vectors", "two of them"));
            }
            Division::Vectors => problem.vectors(),
        };
        let plan = |count, profile: &Profile| division.part(problem, count).plan_for(profile);
        Ok(OnGroup { division, shares: Shares::plan(profile, members, count, plan)? })
    }

    /// The points that a member with this share has.
    fn points(&self, problem: &Multiplication<C>, share: &Range<usize>) -> Range<usize> {
        match self.division {
            Division::Points => share.clone(),
            Division::Vectors => 0..problem.points(),
        }
    }
}

impl<C: Curve> Way<Multiplication<C>> for OnGroup<Multiplication<C>> {
    type Device = Group;
    type Ready<'p> = ReadyOnGroup<'p, Multiplication<C>>;

    fn cost(&self) -> Cost {
        self.shares.cost()
    }

    fn traffic(&self) -> Traffic {
        self.shares.traffic()
    }

    fn write(&self, problem: &Multiplication<C>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let things = if self.division == Division::Points { "points" } else { "vectors" };
        self.shares.write(f, things, |count, profile| self.division.part(problem, count).plan_for(profile))
    }

    fn compile(&self, _: &Multiplication<C>, group: &Group) -> Result<()> {
        let plans = self.shares.list.iter().map(|share| (share.member, &share.plan)).collect();
        let compile = |device: &Device, plan: &mut &MultiplicationPlan<C>| plan.compile(device);
        group.each(plans, compile, |_, _| Ok(())).map(drop)
    }

    fn prepare<'p>(
        &self,
        problem: &Multiplication<C>,
        group: &Group,
        points: ResidentPoints<'p, C>,
    ) -> Result<Self::Ready<'p>> {
        let shares = self.shares.list.iter().map(|share| (share.member, share)).collect();
        let prepare = |device: &Device, share: &mut &Share<MultiplicationPlan<C>>| {
            let own = points.part(self.points(problem, &share.range));
            share.plan.prepare_with(device, own).map(Some)
        };
        // The points of a GPU that is lost here are prepared on another when they are multiplied.
        let prepared = group.each(shares, prepare, |_, _| Ok(None))?;
        let member = |(share, prepared): (&Share<_>, _)| Member {
            number: share.member,
            points: self.points(problem, &share.range),
            prepared,
        };
        Ok(ReadyOnGroup {
            group: group.clone(),
            division: self.division,
            members: self.shares.list.iter().zip(prepared).map(member).collect(),
            points: group.keeps_going().then_some(points),
        })
    }
}

/// A member of a group, the range of its points, and those points prepared; `None` if it was lost.
#[derive(Debug)]
struct Member<'p, P: Problem> {
    number: usize,
    points: Range<usize>,
    prepared: Option<Prepared<'p, P>>,
}

/// The points on the members of a group.
#[derive(Debug)]
pub struct ReadyOnGroup<'p, P: Problem> {
    group: Group,
    division: Division,
    members: Vec<Member<'p, P>>,
    /// All points, to go on with when a GPU is lost; only if the group keeps going.
    points: Option<P::Resident<'p>>,
}

/// What one member multiplies in a run.
struct MemberShare<'w, 'p, C: Curve> {
    member: &'w Member<'p, Multiplication<C>>,
    vectors: Vec<(usize, &'w [C::ScalarField])>,
}

impl<C: Curve> Ready<Multiplication<C>> for ReadyOnGroup<'_, Multiplication<C>> {
    async fn run<'i: 'i>(
        &self,
        problem: &Multiplication<C>,
        scalars: Scalars<'i, C::ScalarField>,
        _: &Done,
    ) -> Result<Vec<Affine<C>>> {
        let vectors = scalars.on_host("a group")?;
        let multiply = |_: &Device, share: &mut MemberShare<'_, '_, C>| match &share.member.prepared {
            Some(prepared) => prepared.run(Scalars::Host(&share.vectors)),
            None => Err(Error::DeviceLost("the device was lost earlier".into())),
        };
        let again =
            |device: &Device, share: &mut MemberShare<'_, '_, C>| self.run_again(problem, device, share);
        let sums = self.group.each(self.shares(vectors), multiply, again)?;
        match self.division {
            Division::Vectors => Ok(sums.concat()),
            Division::Points => {
                let mut totals = vec![Projective::<C>::ZERO; vectors.len()];
                for sums in sums {
                    totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
                }
                Ok(normalized(&totals))
            }
        }
    }
}

impl<'p, C: Curve> ReadyOnGroup<'p, Multiplication<C>> {
    /// The share of each member.
    fn shares<'w>(
        &'w self,
        vectors: &[(usize, &'w [C::ScalarField])],
    ) -> Vec<(usize, MemberShare<'w, 'p, C>)> {
        let members = self.members.iter().map(|member| member.number);
        let by_vectors = self.group.divide(members, vectors.len());
        let share = |(member, by_vectors): (&'w Member<'p, _>, Range<usize>)| {
            let vectors = match self.division {
                Division::Vectors => vectors[by_vectors].to_vec(),
                Division::Points => vectors.iter().map(|&vector| within(vector, &member.points)).collect(),
            };
            (member.number, MemberShare { member, vectors })
        };
        self.members.iter().zip(by_vectors).map(share).collect()
    }

    /// Does the share of a member that was lost on another.
    fn run_again(
        &self,
        problem: &Multiplication<C>,
        device: &Device,
        share: &mut MemberShare<'_, '_, C>,
    ) -> Result<Vec<Affine<C>>> {
        let Some(points) = &self.points else {
            return Err(Error::DeviceLost("its points are not kept".into()));
        };
        let points = points.part(share.member.points.clone());
        let problem = problem.with_points(points.len()).with_vectors(share.vectors.len());
        let run = problem.plan(device)?.compute_with(device, points, Scalars::Host(&share.vectors));
        run.map(|(sums, _)| sums)
    }
}

/// The scalars of a vector for a range of the points, with the number of the first of these points that has one.
fn within<'s, F>((first, scalars): (usize, &'s [F]), points: &Range<usize>) -> (usize, &'s [F]) {
    let end = points.end.min(first + scalars.len());
    let begin = points.start.max(first).min(end);
    match begin.checked_sub(first) {
        Some(skipped) if begin < end => (begin - points.start, &scalars[skipped..end - first]),
        _ => (0, &[]),
    }
}
