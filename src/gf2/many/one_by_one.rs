//! Many matrices on a GPU one after the other, those that are too large for a workgroup.

use std::fmt;

use super::{Many, nth};
use crate::gf2::{BitMatrix, Question};
use crate::task::{Cost, Done, Plan, Planned, Prepared, Problem, Profile, Ready, Way};
use crate::{Device, Result};

/// The way.
#[derive(Debug)]
pub(super) struct OneByOne<Q: Question> {
    plan: Planned<Q>,
    cost: Cost,
}

impl<Q: Question> OneByOne<Q> {
    pub const NAME: &'static str = "one after the other";

    pub fn new(many: &Many<Q>, profile: &Profile) -> Result<Self> {
        let plan = many.each.plan_for(profile)?;
        let one = plan.cost();
        let time = one.time.mul_f64(many.matrices as f64);
        let host_bytes = one.host_bytes.saturating_add(many.answer_bytes());
        Ok(OneByOne { plan, cost: Cost { time, host_bytes, ..one } })
    }
}

impl<Q: Question> Way<Many<Q>> for OneByOne<Q> {
    type Device = Device;
    type Ready<'p> = Prepared<'static, Q>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &Many<Q>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         one after the other, blocked")
    }

    fn prepare<'p>(&self, _: &Many<Q>, device: &Device, (): ()) -> Result<Self::Ready<'p>> {
        self.plan.prepare(device)
    }
}

impl<Q: Question> Ready<Many<Q>> for Prepared<'static, Q> {
    async fn run<'i: 'i>(
        &self,
        _: &Many<Q>,
        (a, b): (&'i [BitMatrix], Option<&'i [BitMatrix]>),
        _: &Done,
    ) -> Result<Vec<Q::Answer>> {
        let mut answers = Vec::with_capacity(a.len());
        for (k, a) in a.iter().enumerate() {
            answers.push(self.run_async((a, nth(b, k))).await?);
        }
        Ok(answers)
    }
}
