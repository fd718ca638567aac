//! Multiplications on the CPU engine, which takes the points where they are.

use std::fmt;
use std::time::Duration;

use super::operands::ResidentPoints;
use super::{Multiplication, Points, Scalars, cost, cpu, cpu_cost};
use crate::curve::{Affine, Curve};
use crate::task::{Cost, CpuProfile, Done, Ready, Way};
use crate::{Cpu, Result};

/// The number of points of the smallest part.
const SMALLEST_PART: usize = 1 << 12;

/// The way.
#[derive(Debug)]
pub(super) struct OnCpu {
    threads: usize,
    /// The number of points that are multiplied at a time.
    pub part: usize,
    cost: Cost,
}

impl OnCpu {
    pub const NAME: &'static str = "on the CPU engine";

    /// Multiplies in parts that fit `memory` bytes of host memory.
    pub fn new<C: Curve>(problem: &Multiplication<C>, cpu: CpuProfile, memory: u64) -> Self {
        let threads = cpu.threads;
        let bytes = |part: usize| cost::cpu_host_bytes::<C>(part as u64, threads as u64);
        let (points, vectors) = (problem.points(), problem.vectors());
        let mut part = points;
        while bytes(part) > memory && part > SMALLEST_PART {
            part = part.next_power_of_two() / 2;
        }
        let time = Duration::from_secs_f64(cpu_cost::seconds::<C>(points, vectors, cpu));
        OnCpu {
            threads,
            part,
            cost: Cost { time, host_bytes: bytes(part), device_bytes: 0, ..Cost::default() },
        }
    }
}

impl<C: Curve> Way<Multiplication<C>> for OnCpu {
    type Device = Cpu;
    type Ready<'p> = ReadyOnCpu<Points<'p, C>>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, problem: &Multiplication<C>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         CPU engine, {} threads", self.threads)?;
        super::tiling::write_parts(f, problem.points(), self.part)
    }

    fn prepare<'p>(
        &self,
        _: &Multiplication<C>,
        cpu: &Cpu,
        points: ResidentPoints<'p, C>,
    ) -> Result<Self::Ready<'p>> {
        Ok(ReadyOnCpu { cpu: cpu.clone(), points, part: self.part })
    }
}

/// The points, which stay where they are.
#[derive(Debug)]
pub struct ReadyOnCpu<P> {
    cpu: Cpu,
    points: P,
    part: usize,
}

impl<C: Curve> Ready<Multiplication<C>> for ReadyOnCpu<Points<'_, C>> {
    async fn run<'i: 'i>(
        &self,
        _: &Multiplication<C>,
        scalars: Scalars<'i, C::ScalarField>,
        _: &Done,
    ) -> Result<Vec<Affine<C>>> {
        let vectors = scalars.on_host("the CPU engine")?;
        cpu::sums(&self.cpu, &self.points, vectors, self.part, self.points.name())
    }
}
