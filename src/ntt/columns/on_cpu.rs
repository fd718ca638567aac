//! Transforms of columns on the CPU engine, which transposes before and after.

use std::fmt;

use super::{ColumnTransform, columns_of, followed_by_zeros, rows_of};
use crate::ntt::{cost, cpu, residues};
use crate::task::{Cost, Done, Ready, Running, Way, other_device};
use crate::timeline::{Phase, Timeline};
use crate::{Device, Result};

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
    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &ColumnTransform, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "engine         CPU, {} threads", self.threads)
    }

    fn prepare<'p>(
        &self,
        columns: &ColumnTransform,
        device: &Device,
        (): (),
    ) -> Result<Box<dyn Ready<ColumnTransform> + 'p>> {
        let Device::Cpu(cpu) = device else { return Err(other_device()) };
        let prepare = |transform| {
            let plan = || cpu::Plan::new(transform, cpu.threads);
            Ok(cpu.timeline.time(Phase::Preparing, "tables", plan)?.recorded(&cpu.timeline))
        };
        Ok(Box::new(ReadyOnCpu {
            inverse: columns.inverse().map(prepare).transpose()?,
            transform: prepare(columns.transform())?,
            timeline: cpu.timeline.clone(),
        }))
    }
}

/// The tables.
#[derive(Debug)]
struct ReadyOnCpu {
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
    fn run<'r, 'i: 'r>(
        &'r self,
        columns: &'r ColumnTransform,
        matrix: &'i [u32],
        _: &'r Done,
    ) -> Running<'r, Vec<u32>> {
        let run = move || self.transform(columns, matrix);
        Box::pin(async move { self.timeline.time(Phase::Host, "transform", run) })
    }
}
