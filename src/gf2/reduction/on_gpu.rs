//! An elimination on one GPU, with all rows on the device at a time.

use std::fmt;

use super::{RowReduction, Wanted};
use crate::Result;
use crate::gf2::gpu::DeviceMatrix;
use crate::gf2::{BitMatrix, Echelon, cost, gpu};
use crate::gpu::Gpu;
use crate::task::{Cost, Done, GpuProfile, Ready, Way};

/// The way.
#[derive(Debug)]
pub(super) struct OnGpu {
    cost: Cost,
}

impl OnGpu {
    pub const NAME: &'static str = "on one GPU";

    pub fn new(reduction: &RowReduction, gpu: &GpuProfile) -> Result<Self> {
        let &RowReduction { rows, columns, limit, .. } = reduction;
        gpu::expect_columns(columns, gpu.binding_bytes)?;
        gpu::expect_rows(rows, gpu.binding_bytes)?;
        let cost = Cost {
            time: cost::gpu::echelon_time(gpu, &reduction.form()),
            host_bytes: cost::gpu::echelon_bytes(rows, columns, rows),
            device_bytes: gpu::dense_bytes(rows, columns, limit, gpu.binding_bytes),
        };
        Ok(OnGpu { cost })
    }
}

impl Way<RowReduction> for OnGpu {
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, reduction: &RowReduction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         blocked, 256 columns at a time")?;
        writeln!(f, "parts          1, {} rows at a time", reduction.rows.max(1))
    }

    fn prepare<'p>(
        &self,
        &RowReduction { rows, columns, .. }: &RowReduction,
        gpu: &Gpu,
        (): (),
    ) -> Result<Self::Ready<'p>> {
        gpu::prepare_echelon(gpu, rows, columns, rows)?;
        Ok(ReadyOnGpu { gpu: gpu.clone() })
    }
}

/// A GPU whose kernels are compiled.
#[derive(Debug)]
pub struct ReadyOnGpu {
    gpu: Gpu,
}

impl ReadyOnGpu {
    /// A basis of the kernel, and the columns of the pivots: only the part of the form that it takes leaves the device.
    pub(in crate::gf2) async fn kernel(&self, matrix: &BitMatrix) -> Result<(BitMatrix, Vec<u32>)> {
        gpu::kernel(&self.gpu, matrix).await
    }

    /// Eliminates on the device, and returns the columns of the pivots.
    pub(in crate::gf2) async fn on_device(
        &self,
        reduction: &RowReduction,
        matrix: &mut DeviceMatrix,
    ) -> Result<Vec<u32>> {
        self.gpu.expect_same_device([matrix.gpu()])?;
        matrix.reduce_to_echelon_async(reduction.limit, reduction.is_reduced()).await
    }

    async fn eliminate(&self, reduction: &RowReduction, matrix: &BitMatrix) -> Result<Echelon> {
        let (gpu, limit, rows) = (&self.gpu, reduction.limit, matrix.rows());
        match reduction.wanted {
            Wanted::Pivots if reduction.form().pivots_only => {
                let pivots = gpu::pivots(gpu, matrix, rows).await?;
                Ok(Echelon { matrix: BitMatrix::zeros(0, 0)?, pivots })
            }
            Wanted::Echelon { from } if from > 0 => gpu::form_from(gpu, matrix, limit, from).await,
            _ => {
                let form = gpu::echelon(gpu, matrix, limit, reduction.is_reduced(), rows).await?;
                reduction.excerpt(form)
            }
        }
    }
}

impl Ready<RowReduction> for ReadyOnGpu {
    async fn run<'i: 'i>(
        &self,
        reduction: &RowReduction,
        matrix: &'i BitMatrix,
        _: &Done,
    ) -> Result<Echelon> {
        self.eliminate(reduction, matrix).await
    }

    fn kernels(&self) -> Option<&Self> {
        Some(self)
    }
}
