//! An elimination on the CPU engine.

use std::fmt;

use crate::gf2::{BitMatrix, Echelon, RowReduction, cost, cpu};
use crate::task::{Cost, CpuProfile, Done, Ready, Way};
use crate::{Cpu, Result};

/// The way.
#[derive(Debug)]
pub(super) struct OnCpu {
    cost: Cost,
}

impl OnCpu {
    pub const NAME: &'static str = "on the CPU engine";

    pub fn new(reduction: &RowReduction, cpu: CpuProfile) -> Self {
        let &RowReduction { rows, columns, .. } = reduction;
        let host_bytes = match reduction.has_no_form() {
            true => cost::cpu::pivots_bytes(rows, columns),
            false => cost::cpu::echelon_bytes(rows, columns),
        };
        let time = crate::gf2::cpu::times::echelon(reduction, cpu);
        OnCpu { cost: Cost { time, host_bytes, device_bytes: 0, ..Cost::default() } }
    }
}

impl Way<RowReduction> for OnCpu {
    type Device = Cpu;
    type Ready<'p> = Cpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &RowReduction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         blocked, 512 columns at a time")
    }

    fn prepare<'p>(&self, _: &RowReduction, cpu: &Cpu, (): ()) -> Result<Self::Ready<'p>> {
        Ok(cpu.clone())
    }
}

impl Ready<RowReduction> for Cpu {
    async fn run<'i: 'i>(
        &self,
        reduction: &RowReduction,
        matrix: &'i BitMatrix,
        _: &Done,
    ) -> Result<Echelon> {
        reduction.excerpt(cpu::echelon(self, matrix, &reduction.of(matrix))?)
    }
}
