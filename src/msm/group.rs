//! Multiplications on a group of GPUs.
//!
//! ```text
//! by points:   each GPU has a share of the points and multiplies it by the same share of every vector;
//!              the host adds the sums
//! by vectors:  each GPU has all points and multiplies them by a share of the vectors
//! ```

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;

use super::{Bases, Multiplication, MultiplicationPlan, Settings};
use crate::curve::{Affine, Curve, Projective};
use crate::task::{Cost, Member, Problem, Profile, Share, Shares, Traffic};
use crate::{Device, Error, Group, Result};

/// The division of multiplications among GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Division {
    Points,
    Vectors,
}

/// The plan of multiplications on a group.
pub(super) struct GroupPlan<C: Curve> {
    division: Division,
    shares: Shares<MultiplicationPlan<C>>,
}

impl<C: Curve> GroupPlan<C> {
    /// Plans `vectors` multiplications of `points` points: the division that is expected to be faster.
    pub fn new(
        points: usize,
        vectors: usize,
        settings: &Settings,
        profile: &Profile,
        members: &[Member],
    ) -> Result<Self> {
        let plan = |division| {
            let count = if division == Division::Points { points } else { vectors };
            let part = part_of(division, points, vectors, settings);
            let shares =
                Shares::plan(profile, members, count, |count, profile| part(count).plan_for(profile))?;
            Ok(GroupPlan { division, shares })
        };
        let by_points = plan(Division::Points);
        if vectors < 2 {
            return by_points;
        }
        match (by_points, plan(Division::Vectors)) {
            (Ok(a), Ok(b)) => Ok(if b.cost().time < a.cost().time { b } else { a }),
            (Err(_), Ok(one)) | (Ok(one), Err(_)) => Ok(one),
            (Err(error), Err(_)) => Err(error),
        }
    }

    pub fn cost(&self) -> Cost {
        self.shares.cost()
    }

    pub fn traffic(&self) -> Traffic {
        self.shares.traffic()
    }

    pub fn write(&self, f: &mut fmt::Formatter<'_>, whole: &MultiplicationPlan<C>) -> fmt::Result {
        let things = if self.division == Division::Points { "points" } else { "vectors" };
        let part = part_of(self.division, whole.points(), whole.vectors(), whole.settings());
        self.shares.write(f, things, |count, profile| part(count).plan_for(profile))
    }

    /// Compiles the kernels of every member.
    pub fn compile(&self, group: &Group, check: bool) -> Result<()> {
        let plans = self.shares.list.iter().map(|share| (share.member, &share.plan)).collect();
        let compile = |device: &Device, plan: &mut &MultiplicationPlan<C>| plan.compile(device, check);
        group.each(plans, compile, |_, _| Ok(())).map(drop)
    }

    /// Prepares every member's points.
    pub fn prepare<'p>(
        &self,
        settings: &Settings,
        group: &Group,
        points: Cow<'p, [Affine<C>]>,
    ) -> Result<GroupBases<'p, C>> {
        let range = |share: &Range<usize>| match self.division {
            Division::Points => share.clone(),
            Division::Vectors => 0..points.len(),
        };
        let shares = self.shares.list.iter().map(|share| (share.member, share)).collect();
        let prepare = |device: &Device, share: &mut &Share<MultiplicationPlan<C>>| {
            let keep = |range: Range<usize>| match &points {
                Cow::Borrowed(points) => Cow::Borrowed(&points[range]),
                Cow::Owned(points) => Cow::Owned(points[range].to_vec()),
            };
            let own = range(&share.range);
            share.plan.prepare_keeping(device, &points[own.clone()], || keep(own)).map(Some)
        };
        // The points of a GPU that is lost here are prepared on another when they are multiplied.
        let prepared = group.each(shares, prepare, |_, _| Ok(None))?;
        let members = self.shares.list.iter().zip(prepared);
        Ok(GroupBases {
            group: group.clone(),
            division: self.division,
            settings: *settings,
            members: members.map(|(share, bases)| (share.member, range(&share.range), bases)).collect(),
            points: group.keeps_going().then_some(points),
        })
    }
}

/// The problem of a share of `count` points or vectors.
fn part_of<C: Curve>(
    division: Division,
    points: usize,
    vectors: usize,
    settings: &Settings,
) -> impl Fn(usize) -> Multiplication<C> {
    let settings = *settings;
    move |count| {
        let (points, vectors) = match division {
            Division::Points => (count, vectors),
            Division::Vectors => (points, count),
        };
        Multiplication::new(points).with_vectors(vectors).with_settings(settings)
    }
}

/// A member of a group, the range of its points, and those points prepared; `None` if it was lost.
type MemberBases<'p, C> = (usize, Range<usize>, Option<Bases<'p, C>>);

/// Points that are prepared on a group.
pub(super) struct GroupBases<'p, C: Curve> {
    group: Group,
    division: Division,
    settings: Settings,
    members: Vec<MemberBases<'p, C>>,
    /// All points, to go on with when a GPU is lost; only if the group keeps going.
    points: Option<Cow<'p, [Affine<C>]>>,
}

/// The work of one member in a run.
struct Work<'w, 'p, C: Curve> {
    points: Range<usize>,
    bases: &'w Option<Bases<'p, C>>,
    vectors: Vec<&'w [C::ScalarField]>,
}

impl<C: Curve> GroupBases<'_, C> {
    /// Names the bases in timelines.
    pub fn set_name(&mut self, name: &str) {
        for (_, _, bases) in &mut self.members {
            *bases = bases.take().map(|bases| bases.with_name(name));
        }
    }

    /// One sum for each vector of scalars. No vector has more scalars than there are points.
    pub fn run_many(&self, vectors: &[&[C::ScalarField]]) -> Result<Vec<Affine<C>>> {
        let work = |_: &Device, work: &mut Work<'_, '_, C>| match work.bases {
            Some(bases) => bases.run_many(&work.vectors),
            None => Err(Error::DeviceLost("the device was lost earlier".into())),
        };
        let sums =
            self.group.each(self.shares(vectors), work, |device, work| self.run_again(device, work))?;
        match self.division {
            Division::Vectors => Ok(sums.concat()),
            Division::Points => {
                let mut totals = vec![Projective::<C>::ZERO; vectors.len()];
                for sums in sums {
                    totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
                }
                Ok(Projective::normalize_batch(&totals))
            }
        }
    }

    /// The share of each member.
    fn shares<'w>(&'w self, vectors: &'w [&'w [C::ScalarField]]) -> Vec<(usize, Work<'w, 'w, C>)> {
        let members = self.members.iter().map(|(member, ..)| *member);
        let by_vectors = self.group.divide(members, vectors.len());
        let work = |((member, points, bases), by_vectors): (&'w MemberBases<'_, C>, Range<usize>)| {
            let vectors = match self.division {
                Division::Vectors => vectors[by_vectors].to_vec(),
                Division::Points => {
                    let part =
                        |v: &&'w [C::ScalarField]| &v[points.start.min(v.len())..points.end.min(v.len())];
                    vectors.iter().map(part).collect()
                }
            };
            (*member, Work { points: points.clone(), bases, vectors })
        };
        self.members.iter().zip(by_vectors).map(work).collect()
    }

    /// Does the work of a member that was lost on another.
    fn run_again(&self, device: &Device, work: &mut Work<'_, '_, C>) -> Result<Vec<Affine<C>>> {
        let Some(points) = &self.points else {
            return Err(Error::DeviceLost("its points are not kept".into()));
        };
        let points = &points[work.points.clone()];
        let problem = Multiplication::<C>::new(points.len())
            .with_vectors(work.vectors.len())
            .with_settings(self.settings);
        problem.plan(device)?.prepare_unchecked(device, points)?.run_many(&work.vectors)
    }
}
