//! The special elimination on one GPU, with all rows on the device at a time, by one method.

use std::fmt;

use crate::gf2::{Elimination, Grid, Method, System, SystemShape, cost, gpu};
use crate::gpu::Gpu;
use crate::task::{Cost, Done, GpuProfile, Ready, Way};
use crate::{Error, Result};

/// The way.
#[derive(Debug)]
pub(super) struct OnGpu {
    pub method: Method,
    grid: Option<Grid>,
    rows: usize,
    cost: Cost,
}

impl OnGpu {
    /// The name of the way of a method.
    pub fn name(method: Method) -> &'static str {
        match method {
            Method::Rounds => "rounds, on one GPU",
            Method::Blocked => "blocked, on one GPU",
            _ => "two-stage, on one GPU",
        }
    }

    pub fn new(system: &System, method: Method, gpu: &GpuProfile) -> Result<Self> {
        let (shape, lists, binding) =
            (SystemShape::of(system), system.eliminators().len(), gpu.binding_bytes);
        let device_bytes = match method {
            Method::Bands | Method::XorThreads => {
                return Err(method.only_for("the CPU engine"));
            }
            Method::Rounds => {
                let (value, most) = (shape.columns as u64, gpu::SOFTWARE_COLUMNS as u64);
                if gpu.is_software && value > most {
                    let what = "columns in rounds on a software driver";
                    return Err(Error::Setting { what, value, least: 0, most });
                }
                // This baseline keeps all rows and pivots on the device at once.
                cost::matrix_bytes(lists + 3 * shape.rows, shape.columns)
            }
            _ => {
                gpu::expect_rows(shape.rows, binding)?;
                gpu::system_bytes(&shape, method, binding)
            }
        };
        let cost = Cost {
            time: cost::gpu::system_time(gpu, &shape, method),
            host_bytes: cost::gpu::system_bytes(&shape, lists, method, shape.rows),
            device_bytes,
        };
        Ok(OnGpu { method, grid: system.grid(), rows: shape.rows, cost })
    }
}

impl Way<System> for OnGpu {
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &System, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         {}", self.method)?;
        if let Some(Grid { threads, blocks }) = self.grid {
            writeln!(f, "grid           {threads} threads x {blocks} blocks")?;
        }
        writeln!(f, "parts          1, {} rows at a time", self.rows.max(1))
    }

    fn prepare<'p>(&self, system: &System, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        ReadyOnGpu::new(system, gpu, (self.method, self.grid), self.rows)
    }
}

/// A GPU whose kernels are compiled, and the rows on it at a time.
#[derive(Debug)]
pub(super) struct ReadyOnGpu {
    gpu: Gpu,
    method: (Method, Option<Grid>),
    part: usize,
}

impl ReadyOnGpu {
    pub fn new(system: &System, gpu: &Gpu, method: (Method, Option<Grid>), part: usize) -> Result<Self> {
        gpu::prepare_system(gpu, &SystemShape::of(system), method, part)?;
        Ok(ReadyOnGpu { gpu: gpu.clone(), method, part })
    }
}

impl Ready<System> for ReadyOnGpu {
    async fn run<'i: 'i>(&self, _: &System, system: &'i System, _: &Done) -> Result<Elimination> {
        gpu::eliminate(&self.gpu, system, self.method, self.part).await
    }
}
