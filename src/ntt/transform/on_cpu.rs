//! Transforms on the CPU engine.

use std::fmt;

use super::{Engines, Entry, TransformOf};
use crate::Cpu;
use crate::Result;
use crate::task::{Cost, Done, Ready, Way};
use crate::timeline::{Phase, Timeline};

/// The way.
#[derive(Debug)]
pub(super) struct OnCpu {
    threads: usize,
    cost: Cost,
}

impl OnCpu {
    pub const NAME: &'static str = "on the CPU engine";

    pub fn new(transform: &impl Engines, threads: usize) -> Self {
        OnCpu { threads, cost: transform.cost_on_cpu(threads) }
    }
}

impl<E: Entry, S: Clone> Way<TransformOf<E, S>> for OnCpu
where
    TransformOf<E, S>: Engines<Element = E>,
{
    type Device = Cpu;
    type Ready<'p> = ReadyOnCpu<TransformOf<E, S>>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &TransformOf<E, S>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "engine         CPU, {} threads", self.threads)
    }

    fn prepare<'p>(&self, transform: &TransformOf<E, S>, cpu: &Cpu, (): ()) -> Result<Self::Ready<'p>> {
        let tables = cpu.timeline.time(Phase::Preparing, "tables", || transform.tables(cpu))?;
        Ok(ReadyOnCpu::<TransformOf<E, S>> { tables, timeline: cpu.timeline.clone() })
    }
}

/// The tables.
#[derive(Debug)]
pub(super) struct ReadyOnCpu<T: Engines> {
    tables: T::Tables,
    timeline: Timeline,
}

impl<E: Entry, S: Clone> Ready<TransformOf<E, S>> for ReadyOnCpu<TransformOf<E, S>>
where
    TransformOf<E, S>: Engines<Element = E>,
{
    async fn run<'i: 'i>(&self, _: &TransformOf<E, S>, batch: &'i mut [E], done: &Done) -> Result<()> {
        let run = || TransformOf::<E, S>::run_on_cpu(&self.tables, &mut batch[done.get()..]);
        self.timeline.time(Phase::Host, "transform", run)
    }
}
