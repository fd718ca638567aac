//! Products on the CPU engine.

use std::fmt;

use super::{Factors, Product};
use crate::gf2::{BitMatrix, cost, cpu};
use crate::task::{Cost, Done, Ready, Running, Way, other_device};
use crate::{Cpu, Device, Result};

/// The way.
#[derive(Debug)]
pub(super) struct OnCpu {
    cost: Cost,
}

impl OnCpu {
    pub const NAME: &'static str = "on the CPU engine";

    pub fn new(&Product { rows, inner, columns, .. }: &Product, threads: usize) -> Self {
        let time = cost::cpu::product_time(rows, inner, columns, threads);
        let host_bytes = cost::cpu::product_bytes(rows, inner, columns);
        OnCpu { cost: Cost { time, host_bytes, device_bytes: 0 } }
    }
}

impl Way<Product> for OnCpu {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &Product, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         tables of sums, tiles of 512 columns")
    }

    fn prepare<'p>(&self, _: &Product, device: &Device, (): ()) -> Result<Box<dyn Ready<Product> + 'p>> {
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

impl Ready<Product> for ReadyOnCpu {
    fn run<'r, 'i: 'r>(
        &'r self,
        _: &'r Product,
        factors: Factors<'i>,
        _: &'r Done,
    ) -> Running<'r, BitMatrix> {
        Box::pin(async move { cpu::multiply(&self.cpu, &*factors.left()?, factors.b) })
    }
}
