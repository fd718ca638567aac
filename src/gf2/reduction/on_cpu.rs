//! An elimination on the CPU engine.

use std::fmt;

use super::{RowReduction, Wanted};
use crate::gf2::{BitMatrix, Echelon, cost, cpu};
use crate::task::{Cost, Done, Ready, Running, Way, other_device};
use crate::{Cpu, Device, Result};

/// The way.
#[derive(Debug)]
pub(super) struct OnCpu {
    cost: Cost,
}

impl OnCpu {
    pub const NAME: &'static str = "on the CPU engine";

    pub fn new(reduction: &RowReduction, threads: usize) -> Self {
        let &RowReduction { rows, columns, .. } = reduction;
        let host_bytes = match reduction.form().pivots_only {
            true => cost::cpu::pivots_bytes(rows, columns),
            false => cost::cpu::echelon_bytes(rows, columns),
        };
        let time = cost::cpu::echelon_time(rows, columns, reduction.is_reduced(), threads);
        OnCpu { cost: Cost { time, host_bytes, device_bytes: 0 } }
    }
}

impl Way<RowReduction> for OnCpu {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &RowReduction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         blocked, 512 columns at a time")
    }

    fn prepare<'p>(
        &self,
        _: &RowReduction,
        device: &Device,
        (): (),
    ) -> Result<Box<dyn Ready<RowReduction> + 'p>> {
        match device {
            Device::Cpu(cpu) => Ok(Box::new(ReadyOnCpu { cpu: cpu.clone() })),
            _ => Err(other_device()),
        }
    }
}

#[derive(Debug)]
struct ReadyOnCpu {
    cpu: Cpu,
}

impl Ready<RowReduction> for ReadyOnCpu {
    fn run<'r, 'i: 'r>(
        &'r self,
        reduction: &'r RowReduction,
        matrix: &'i BitMatrix,
        _: &'r Done,
    ) -> Running<'r, Echelon> {
        Box::pin(async move {
            if reduction.form().pivots_only {
                let pivots = cpu::pivots(&self.cpu, matrix)?;
                return Ok(Echelon { matrix: BitMatrix::zeros(0, 0)?, pivots });
            }
            let (limit, full) = (reduction.limit, reduction.wanted == Wanted::Reduced);
            reduction.excerpt(cpu::echelon(&self.cpu, matrix, limit, full)?)
        })
    }
}
