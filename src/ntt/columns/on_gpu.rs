//! Transforms of columns on one GPU, along the rows as they lie.

use std::fmt;

use super::ColumnTransform;
use crate::gpu::{DeviceVec, Gpu, Recorder};
use crate::ntt::{cost, gpu, residues};
use crate::task::{Cost, Done, GpuProfile, Ready, Traffic, Way};
use crate::{Error, Result};

/// The way. The GPU's memory holds both matrices, each in one binding.
#[derive(Debug)]
pub(super) struct OnGpu {
    plan: gpu::MatrixPlan,
    cost: Cost,
    traffic: Traffic,
}

impl OnGpu {
    pub const NAME: &'static str = "on one GPU";

    pub fn new(columns: &ColumnTransform, gpu: &GpuProfile) -> Result<Self> {
        let plan = gpu::MatrixPlan::new(columns, gpu)?;
        let cost = cost::columns_on_gpu(columns, &plan, gpu);
        let traffic = Traffic {
            upload: 4 * columns.len_before() as u64,
            download: 4 * columns.len_after() as u64,
            dispatches: Some(plan.passes() as u64),
        };
        Ok(OnGpu { plan, cost, traffic })
    }

    /// The passes over the matrix.
    pub fn passes(&self) -> usize {
        self.plan.passes()
    }
}

impl Way<ColumnTransform> for OnGpu {
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn write(&self, _: &ColumnTransform, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "engine         GPU")?;
        writeln!(f, "passes         {}", self.passes())
    }

    fn prepare<'p>(&self, _: &ColumnTransform, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        Ok(ReadyOnGpu { gpu: gpu.clone(), kernels: gpu::PreparedMatrix::new(gpu, &self.plan)? })
    }
}

/// The kernels and tables.
#[derive(Debug)]
pub struct ReadyOnGpu {
    gpu: Gpu,
    kernels: gpu::PreparedMatrix,
}

impl ReadyOnGpu {
    /// Transforms a matrix on the device.
    pub fn on_device(&self, columns: &ColumnTransform, matrix: &DeviceVec<u32>) -> Result<DeviceVec<u32>> {
        check_lengths(columns, matrix.len(), columns.len_after())?;
        let mut result = self.gpu.unset(columns.len_after())?;
        self.kernels.run(matrix, &mut result)?;
        Ok(result)
    }

    /// Records [`on_device`](Self::on_device).
    pub fn record(
        &self,
        columns: &ColumnTransform,
        recorder: &mut Recorder,
        matrix: &DeviceVec<u32>,
        result: &mut DeviceVec<u32>,
    ) -> Result<()> {
        check_lengths(columns, matrix.len(), result.len())?;
        self.kernels.record(recorder, matrix, result)
    }
}

/// A kernel does not check where it reads and writes.
fn check_lengths(columns: &ColumnTransform, before: usize, after: usize) -> Result<()> {
    Error::expect_length("words of the matrix", columns.len_before(), before)?;
    Error::expect_length("words of the result", columns.len_after(), after)
}

impl Ready<ColumnTransform> for ReadyOnGpu {
    async fn run<'i: 'i>(&self, columns: &ColumnTransform, matrix: &'i [u32], _: &Done) -> Result<Vec<u32>> {
        let source = residues::upload_checked_async(&self.gpu, columns.transform().prime(), matrix).await?;
        self.on_device(columns, &source)?.download_async().await
    }

    fn kernels(&self) -> Option<&Self> {
        Some(self)
    }
}
