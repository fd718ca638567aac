//! The special elimination on one GPU, with all rows on the device at a time, by one method.

use std::fmt;

use crate::gf2::{Elimination, F4Matrix, F4Method, F4Shape, Grid, cost, gpu};
use crate::gpu::Gpu;
use crate::task::{Cost, Done, GpuProfile, Ready, Way};
use crate::{Error, Result};

/// The way.
#[derive(Debug)]
pub(super) struct OnGpu {
    pub method: F4Method,
    grid: Option<Grid>,
    rows: usize,
    cost: Cost,
}

impl OnGpu {
    /// The name of the way of a method.
    pub fn name(method: F4Method) -> &'static str {
        match method {
            F4Method::Rounds => "rounds, on one GPU",
            F4Method::Blocked => "blocked, on one GPU",
            _ => "two-stage, on one GPU",
        }
    }

    pub fn new(f4: &F4Matrix, method: F4Method, gpu: &GpuProfile) -> Result<Self> {
        let (shape, lists, binding) = (F4Shape::of(f4), f4.reducers().len(), gpu.binding_bytes);
        let device_bytes = match method {
            F4Method::Bands | F4Method::XorThreads => {
                return Err(method.only_for("the CPU engine"));
            }
            F4Method::Rounds => {
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
                gpu::f4_bytes(&shape, method, binding)
            }
        };
        let cost = Cost {
            time: cost::gpu::f4_time(gpu, &shape, method),
            compiling: cost::gpu::compiling(gpu),
            host_bytes: cost::gpu::f4_bytes(&shape, lists, method, shape.rows),
            device_bytes,
            ..Cost::default()
        };
        Ok(OnGpu { method, grid: f4.grid(), rows: shape.rows, cost })
    }
}

impl Way<F4Matrix> for OnGpu {
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &F4Matrix, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         {}", self.method)?;
        if let Some(Grid { threads, blocks }) = self.grid {
            writeln!(f, "grid           {threads} threads x {blocks} blocks")?;
        }
        writeln!(f, "parts          1, {} rows at a time", self.rows.max(1))
    }

    fn compile(&self, f4: &F4Matrix, gpu: &Gpu) -> Result<()> {
        self.prepare(f4, gpu, ()).map(drop)
    }

    fn prepare<'p>(&self, f4: &F4Matrix, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        ReadyOnGpu::new(f4, gpu, (self.method, self.grid), self.rows)
    }
}

/// A GPU whose kernels are compiled, and the rows on it at a time.
#[derive(Debug)]
pub(super) struct ReadyOnGpu {
    gpu: Gpu,
    method: (F4Method, Option<Grid>),
    part: usize,
}

impl ReadyOnGpu {
    pub fn new(f4: &F4Matrix, gpu: &Gpu, method: (F4Method, Option<Grid>), part: usize) -> Result<Self> {
        gpu::prepare_f4(gpu, &F4Shape::of(f4), method, part)?;
        Ok(ReadyOnGpu { gpu: gpu.clone(), method, part })
    }
}

impl Ready<F4Matrix> for ReadyOnGpu {
    async fn run<'i: 'i>(&self, _: &F4Matrix, f4: &'i F4Matrix, _: &Done) -> Result<Elimination> {
        gpu::eliminate(&self.gpu, f4, self.method, self.part).await
    }
}
