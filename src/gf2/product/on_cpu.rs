//! Products on the CPU engine.

use std::fmt;

use super::{Factors, Product};
use crate::gf2::{BitMatrix, cost, cpu};
use crate::task::{Cost, CpuProfile, Done, Ready, Way};
use crate::{Cpu, Result};

/// The way.
#[derive(Debug)]
pub(super) struct OnCpu {
    cost: Cost,
}

impl OnCpu {
    pub const NAME: &'static str = "on the CPU engine";

    pub fn new(&Product { rows, inner, columns, .. }: &Product, cpu: CpuProfile) -> Self {
        let time = crate::gf2::cpu::times::product(rows, inner, columns, cpu);
        let host_bytes = cost::cpu::product_bytes(rows, inner, columns);
        OnCpu { cost: Cost { time, host_bytes, device_bytes: 0, ..Cost::default() } }
    }
}

impl Way<Product> for OnCpu {
    type Device = Cpu;
    type Ready<'p> = Cpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &Product, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         tables of sums, tiles of 512 columns")
    }

    fn prepare<'p>(&self, _: &Product, cpu: &Cpu, (): ()) -> Result<Self::Ready<'p>> {
        Ok(cpu.clone())
    }
}

impl Ready<Product> for Cpu {
    async fn run<'i: 'i>(&self, _: &Product, factors: Factors<'i>, _: &Done) -> Result<BitMatrix> {
        cpu::multiply(self, &*factors.left()?, factors.b)
    }
}
