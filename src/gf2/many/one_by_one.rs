//! Many matrices on a GPU one after the other, those that are too large for a workgroup.

use std::fmt;

use super::{Many, nth};
use crate::gf2::{BitMatrix, Dense, DenseAnswer};
use crate::task::{Cost, Done, Planned, Prepared, Problem, Profile, Ready, Way};
use crate::{Device, Result};

/// The way.
#[derive(Debug)]
pub(super) struct OneByOne {
    plan: Planned<Dense>,
    cost: Cost,
}

impl OneByOne {
    pub const NAME: &'static str = "one after the other";

    pub fn new(many: &Many, profile: &Profile) -> Result<Self> {
        let plan = many.each.plan_for(profile)?;
        let one = plan.cost();
        let time = one.time.mul_f64(many.matrices as f64);
        let host_bytes = one.host_bytes.saturating_add(many.answer_bytes());
        Ok(OneByOne { plan, cost: Cost { time, host_bytes, ..one } })
    }
}

impl Way<Many> for OneByOne {
    type Device = Device;
    type Ready<'p> = Prepared<'static, Dense>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &Many, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         one after the other, blocked")
    }

    fn prepare<'p>(&self, _: &Many, device: &Device, (): ()) -> Result<Self::Ready<'p>> {
        self.plan.prepare(device)
    }
}

impl Ready<Many> for Prepared<'static, Dense> {
    async fn run<'i: 'i>(
        &self,
        _: &Many,
        (a, b): (&'i [BitMatrix], Option<&'i [BitMatrix]>),
        _: &Done,
    ) -> Result<Vec<DenseAnswer>> {
        let mut answers = Vec::with_capacity(a.len());
        for (k, a) in a.iter().enumerate() {
            answers.push(self.run_async((a, nth(b, k))).await?);
        }
        Ok(answers)
    }
}
