//! Many small matrices on the CPU engine, one by each thread.

use std::fmt;

use super::Many;
use crate::gf2::{BitMatrix, DenseAnswer, cost, cpu as engine};
use crate::task::{Cost, CpuProfile, Done, Ready, Way};
use crate::{Cpu, Result};

/// How much longer a small matrix takes than its elimination: memory, and its way into tiles and back. From 64 to 256 rows on 16 threads
/// of a Xeon.
const SMALL: f64 = 2.0;

/// The way.
#[derive(Debug)]
pub(super) struct ByThreads {
    cost: Cost,
}

impl ByThreads {
    pub const NAME: &'static str = "one by each thread";

    pub fn new(many: &Many, cpu: CpuProfile) -> Self {
        let each = many.each.reduction();
        let one = crate::gf2::cpu::times::echelon(&each, cpu.one_thread());
        let at_a_time = cpu.threads.min(many.matrices) as u64;
        let working = cost::cpu::echelon_bytes(each.rows, each.columns).saturating_mul(at_a_time);
        let cost = Cost {
            time: one.mul_f64(SMALL * many.matrices as f64 / cpu.threads.max(1) as f64),
            host_bytes: many.answer_bytes().saturating_add(working),
            device_bytes: 0,
            ..Cost::default()
        };
        ByThreads { cost }
    }
}

impl Way<Many> for ByThreads {
    type Device = Cpu;
    type Ready<'p> = Cpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &Many, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         one by each thread")
    }

    fn prepare<'p>(&self, _: &Many, cpu: &Cpu, (): ()) -> Result<Self::Ready<'p>> {
        Ok(cpu.clone())
    }
}

impl Ready<Many> for Cpu {
    async fn run<'i: 'i>(
        &self,
        many: &Many,
        (a, b): (&'i [BitMatrix], Option<&'i [BitMatrix]>),
        _: &Done,
    ) -> Result<Vec<DenseAnswer>> {
        let dense = &many.each;
        engine::many(self, a, &dense.reduction(), |k, a, eliminate| {
            let sides = dense.right_sides((a, b.and_then(|b| b.get(k))))?;
            let form = eliminate(sides.as_ref().unwrap_or(a))?;
            Ok(dense.read(form)?.0)
        })
    }
}
