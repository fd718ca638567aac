//! The special elimination on the CPU engine, by one method.

use std::fmt;

use crate::gf2::{Elimination, F4Matrix, F4Method, F4Shape, RowSchedule, cost, cpu};
use crate::task::{Cost, CpuProfile, Done, Ready, Way};
use crate::{Cpu, Result};

/// The way.
#[derive(Debug)]
pub(super) struct OnCpu {
    pub method: F4Method,
    schedule: RowSchedule,
    cost: Cost,
}

impl OnCpu {
    /// The name of the way of a method.
    pub fn name(method: F4Method) -> &'static str {
        match method {
            F4Method::Bands => "bands, on the CPU engine",
            F4Method::Rounds => "rounds, on the CPU engine",
            F4Method::XorThreads => "xor-threads, on the CPU engine",
            F4Method::Blocked => "blocked, on the CPU engine",
            F4Method::Auto | F4Method::TwoStage => "two-stage, on the CPU engine",
        }
    }

    pub fn new(f4: &F4Matrix, method: F4Method, cpu: CpuProfile) -> Self {
        let (shape, lists) = (F4Shape::of(f4), f4.reducers().len());
        let cost = Cost {
            time: crate::gf2::cpu::times::f4(&shape, method, cpu),
            host_bytes: cost::cpu::f4_bytes(&shape, lists, method, cpu.threads),
            device_bytes: 0,
            ..Cost::default()
        };
        OnCpu { method, schedule: f4.schedule(), cost }
    }
}

impl Way<F4Matrix> for OnCpu {
    type Device = Cpu;
    /// The engine, and the method with its schedule.
    type Ready<'p> = (Cpu, F4Method, RowSchedule);

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &F4Matrix, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         {}", self.method)?;
        match self.schedule == RowSchedule::default() {
            true => Ok(()),
            false => writeln!(f, "schedule       {}", self.schedule),
        }
    }

    fn prepare<'p>(&self, _: &F4Matrix, cpu: &Cpu, (): ()) -> Result<Self::Ready<'p>> {
        Ok((cpu.clone(), self.method, self.schedule))
    }
}

impl Ready<F4Matrix> for (Cpu, F4Method, RowSchedule) {
    async fn run<'i: 'i>(&self, _: &F4Matrix, f4: &'i F4Matrix, _: &Done) -> Result<Elimination> {
        cpu::eliminate(&self.0, f4, self.1, self.2)
    }
}
