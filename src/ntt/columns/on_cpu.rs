//! Transforms of columns on the CPU engine, which transposes before and after.

use std::fmt;

use super::{ColumnTransform, columns_of, followed_by_zeros, rows_of};
use crate::Cpu;
use crate::Result;
use crate::ntt::{cost, cpu, residues};
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

    pub fn new(columns: &ColumnTransform, threads: usize) -> Self {
        OnCpu { threads, cost: cost::columns_on_cpu(columns, threads) }
    }
}

impl Way<ColumnTransform> for OnCpu {
    type Device = Cpu;
    type Ready<'p> = ReadyOnCpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &ColumnTransform, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "engine         CPU, {} threads", self.threads)
    }

    fn prepare<'p>(&self, columns: &ColumnTransform, cpu: &Cpu, (): ()) -> Result<Self::Ready<'p>> {
        let prepare = |transform| {
            let plan = || cpu::Plan::new(transform, cpu.threads);
            Ok(cpu.timeline.time(Phase::Preparing, "tables", plan)?.recorded(&cpu.timeline))
        };
        Ok(ReadyOnCpu {
            inverse: columns.inverse().map(prepare).transpose()?,
            transform: prepare(columns.transform())?,
            timeline: cpu.timeline.clone(),
        })
    }
}

/// The tables.
#[derive(Debug)]
pub struct ReadyOnCpu {
    inverse: Option<cpu::Plan>,
    transform: cpu::Plan,
    timeline: Timeline,
}

impl ReadyOnCpu {
    fn transform(&self, columns: &ColumnTransform, matrix: &[u32]) -> Result<Vec<u32>> {
        residues::check(matrix, columns.transform().prime())?;
        let (width, rows, n) = (columns.width(), columns.rows(), columns.rows_after());
        let mut vectors = columns_of(matrix, width, rows);
        if let Some(inverse) = &self.inverse {
            inverse.run(&mut vectors)?;
        }
        let mut vectors = followed_by_zeros(vectors, rows, n);
        self.transform.run(&mut vectors)?;
        Ok(rows_of(&vectors, width, n))
    }
}

impl Ready<ColumnTransform> for ReadyOnCpu {
    async fn run<'i: 'i>(&self, columns: &ColumnTransform, matrix: &'i [u32], _: &Done) -> Result<Vec<u32>> {
        let run = move || self.transform(columns, matrix);
        self.timeline.time(Phase::Host, "transform", run)
    }
}
