//! Products on the CPU engine: one after the other, each by all threads.

use std::fmt;

use super::{Convolution, Product};
use crate::ntt::{cost, cpu};
use crate::task::{Cost, Done, Ready, Way};
use crate::timeline::{Phase, Timeline};
use crate::{Cpu, Result};

/// The way.
#[derive(Debug)]
pub(in crate::ntt) struct OnCpu {
    threads: usize,
    convolution: Option<Convolution>,
    cost: Cost,
}

impl OnCpu {
    pub const NAME: &'static str = "on the CPU engine";

    pub fn new(product: &Product, threads: usize) -> Result<Self> {
        let convolution = product.convolution()?;
        let cost = cost::product_on_cpu(product, convolution.as_ref(), threads)?;
        Ok(OnCpu { threads, convolution, cost })
    }

    /// Bytes of tables.
    pub fn table_bytes(&self) -> u64 {
        self.convolution.as_ref().map_or(0, cost::convolution_tables)
    }

    /// Makes the tables.
    pub fn ready(&self, cpu: &Cpu) -> Result<ReadyOnCpu> {
        let prepare = |Convolution { prime, log_n, negacyclic, .. }| {
            cpu::Convolution::new(prime, log_n, negacyclic, cpu.threads)
        };
        let tables = || self.convolution.map(prepare).transpose();
        let convolution = cpu.timeline.time(Phase::Preparing, "tables", tables)?;
        let convolution = convolution.map(|convolution| convolution.recorded(&cpu.timeline));
        Ok(ReadyOnCpu { convolution, timeline: cpu.timeline.clone() })
    }
}

impl Way<Product> for OnCpu {
    type Device = Cpu;
    type Ready<'p> = ReadyOnCpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &Product, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "engine         CPU, {} threads", self.threads)
    }

    fn prepare<'p>(&self, _: &Product, cpu: &Cpu, (): ()) -> Result<Self::Ready<'p>> {
        self.ready(cpu)
    }
}

/// The tables; none if a factor is empty.
#[derive(Debug)]
pub(in crate::ntt) struct ReadyOnCpu {
    convolution: Option<cpu::Convolution>,
    timeline: Timeline,
}

impl ReadyOnCpu {
    /// The product of `a` and `b`, which were checked.
    pub fn multiply(&self, product: &Product, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
        let Some(convolution) = &self.convolution else { return product.zero() };
        let (a, b) = product.fold(a, b);
        let words = self.timeline.time(Phase::Host, "product", || convolution.multiply(&a, &b))?;
        product.finish(words, a.len() + b.len() - 1)
    }
}

impl Ready<Product> for ReadyOnCpu {
    async fn run<'i: 'i>(
        &self,
        product: &Product,
        factors: &'i [[&'i [u32]; 2]],
        _: &Done,
    ) -> Result<Vec<Vec<u32>>> {
        let multiply = |&[a, b]: &[&[u32]; 2]| self.multiply(product, a, b);
        factors.iter().map(multiply).collect()
    }
}
