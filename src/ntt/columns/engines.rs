//! Transforms of columns on the CPU engine, which transposes before and after, and on one GPU, along the rows as they lie: its
//! memory holds both matrices, each in one binding.

use std::fmt;
use std::time::Duration;

use super::{ColumnTransform, columns_of, followed_by_zeros, rows_of};
use crate::gpu::{DeviceVec, Gpu, Recorder, staging_bytes};
use crate::ntt::cost::{WORDS, gpu_seconds};
use crate::ntt::cpu_cost::touch_seconds;
use crate::ntt::ways::{OnEngines, ReadyOnGpu};
use crate::ntt::{cpu, gpu, residues};
use crate::task::{Cost, CpuProfile, Done, GpuProfile, Profile, Traffic};
use crate::timeline::{Phase, Timeline};
use crate::{Cpu, Error, Result};

/// The tables of an extension's inverse transform, and of the transform.
#[derive(Debug)]
pub struct Tables {
    inverse: Option<cpu::Plan>,
    transform: cpu::Plan,
}

impl OnEngines for ColumnTransform {
    type Tables = Tables;
    type GpuPlan = gpu::MatrixPlan;
    type GpuKernels = gpu::PreparedMatrix;

    fn cost_on_cpu(&self, cpu: CpuProfile) -> Result<Cost> {
        let cost = self.transform.cost_on_cpu(cpu)?;
        let before = self.inverse.map_or(Ok(Cost::default()), |inverse| inverse.cost_on_cpu(cpu))?;
        let words = self.len_after();
        Ok(Cost {
            time: before.time + cost.time + Duration::from_secs_f64(2.0 * touch_seconds(words, cpu)),
            host_bytes: cost.host_bytes + 8 * words as u64,
            device_bytes: 0,
            ..Cost::default()
        })
    }

    fn tables(&self, cpu: &Cpu) -> Result<Tables> {
        let inverse = self.inverse.map(|inverse| inverse.tables(cpu)).transpose()?;
        Ok(Tables { inverse, transform: self.transform.tables(cpu)? })
    }

    async fn run_on_cpu<'i: 'i>(
        &self,
        tables: &Tables,
        timeline: &Timeline,
        matrix: &'i [u32],
        _: &Done,
    ) -> Result<Vec<u32>> {
        timeline.time(Phase::Host, "transform", || {
            residues::check(matrix, self.transform.prime())?;
            let (width, rows, n) = (self.width(), self.rows, self.rows_after());
            let mut vectors = columns_of(matrix, width, rows)?;
            if let Some(inverse) = &tables.inverse {
                inverse.run(&mut vectors)?;
            }
            let mut vectors = followed_by_zeros(vectors, rows, n)?;
            tables.transform.run(&mut vectors)?;
            rows_of(&vectors, width, n)
        })
    }

    fn plan_on_gpu(&self, _: &Profile, gpu: &GpuProfile) -> Result<(gpu::MatrixPlan, Cost, Traffic)> {
        let plan = gpu::MatrixPlan::new(&self.transform, self.inverse.as_ref(), self.rows.ilog2(), gpu)?;
        let (upload, download) = (4 * self.len_before() as u64, 4 * self.len_after() as u64);
        let seconds = gpu_seconds(gpu, plan.passes(), plan.words_written(), [upload, download]);
        let compiling = Duration::from_secs_f64(WORDS.compile_seconds(gpu));
        let cost = Cost {
            time: Duration::from_secs_f64(seconds) + compiling,
            compiling,
            host_bytes: download
                + staging_bytes(upload.max(download))
                + plan.table_bytes()
                + WORDS.compiler_bytes,
            device_bytes: upload + download + 4 * plan.scratch_len() as u64 + plan.table_bytes(),
            ..Cost::default()
        };
        let dispatches = Some(plan.passes() as u64);
        Ok((plan, cost, Traffic { upload, download, dispatches }))
    }

    fn write_gpu_plan(plan: &gpu::MatrixPlan, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "passes         {}", plan.passes())
    }

    fn kernels(&self, gpu: &Gpu, plan: &gpu::MatrixPlan) -> Result<gpu::PreparedMatrix> {
        gpu::PreparedMatrix::new(gpu, plan)
    }

    async fn run_on_gpu<'i: 'i>(
        &self,
        gpu: &Gpu,
        kernels: &gpu::PreparedMatrix,
        matrix: &'i [u32],
        _: &Done,
    ) -> Result<Vec<u32>> {
        let source = residues::upload_checked_async(gpu, self.transform.prime(), matrix).await?;
        let mut result = gpu.unset(self.len_after())?;
        kernels.run(&source, &mut result)?;
        result.download_async().await
    }
}

impl ReadyOnGpu<ColumnTransform> {
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
