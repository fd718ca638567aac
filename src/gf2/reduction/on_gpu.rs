//! An elimination on one GPU: with all rows on the device at a time, or a part of the rows after the other.

use std::fmt;

use crate::Result;
use crate::gf2::gpu::DeviceMatrix;
use crate::gf2::{BitMatrix, Echelon, RowReduction, Wanted, cost, gpu};
use crate::gpu::Gpu;
use crate::task::{Cost, Done, GpuProfile, Profile, Ready, Way};

/// Both ways.
#[derive(Debug)]
pub(super) struct OnGpu {
    /// The rows of a part.
    part: usize,
    parts: usize,
    cost: Cost,
}

impl OnGpu {
    pub const WHOLE: &'static str = "on one GPU";
    pub const IN_PARTS: &'static str = "on one GPU in parts";

    pub fn whole(reduction: &RowReduction, gpu: &GpuProfile) -> Result<Self> {
        gpu::expect_columns(reduction.columns, gpu.binding_bytes)?;
        gpu::expect_rows(reduction.rows, gpu.binding_bytes)?;
        Ok(OnGpu::new(reduction, reduction.rows, gpu))
    }

    pub fn in_parts(reduction: &RowReduction, gpu: &GpuProfile, profile: &Profile) -> Result<Self> {
        gpu::expect_columns(reduction.columns, gpu.binding_bytes)?;
        let (rows, most) = (reduction.rows, gpu::most_rows(gpu.binding_bytes));
        let bytes = |part: usize| device_bytes(reduction, part, gpu);
        match cost::gpu::rows_at_a_time(profile, rows, most, bytes) {
            part if part < rows => Ok(OnGpu::new(reduction, part, gpu)),
            _ => Err(cost::gpu::no_less_memory()),
        }
    }

    fn new(reduction: &RowReduction, part: usize, gpu: &GpuProfile) -> Self {
        let &RowReduction { rows, columns, .. } = reduction;
        let cost = Cost {
            time: cost::gpu::echelon_time(gpu, reduction),
            compiling: cost::gpu::compiling(gpu),
            host_bytes: cost::gpu::echelon_bytes(rows, columns, part),
            device_bytes: device_bytes(reduction, part, gpu),
            ..Cost::default()
        };
        OnGpu { part, parts: rows.div_ceil(part.max(1)).max(1), cost }
    }

    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.parts
    }
}

fn device_bytes(
    &RowReduction { rows, columns, limit, .. }: &RowReduction,
    part: usize,
    gpu: &GpuProfile,
) -> u64 {
    let binding = gpu.binding_bytes;
    let own = gpu::dense_bytes(part.min(rows), columns, limit, binding);
    match part >= rows {
        true => own,
        // Parts are reduced by each other with products.
        false => own.max(gpu::product_bytes((part, part.min(limit), columns), binding, 0)),
    }
}

impl Way<RowReduction> for OnGpu {
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &RowReduction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         blocked, 256 columns at a time")?;
        writeln!(f, "parts          {}, {} rows at a time", self.parts, self.part.max(1))
    }

    fn compile(&self, reduction: &RowReduction, gpu: &Gpu) -> Result<()> {
        self.prepare(reduction, gpu, ()).map(drop)
    }

    fn prepare<'p>(
        &self,
        &RowReduction { rows, columns, .. }: &RowReduction,
        gpu: &Gpu,
        (): (),
    ) -> Result<Self::Ready<'p>> {
        gpu::prepare_echelon(gpu, rows, columns, self.part)?;
        Ok(ReadyOnGpu { gpu: gpu.clone(), part: self.part, is_whole: self.parts == 1 })
    }
}

/// A GPU whose kernels are compiled.
#[derive(Debug)]
pub struct ReadyOnGpu {
    gpu: Gpu,
    part: usize,
    is_whole: bool,
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
        matrix.reduce_to_echelon_async(reduction).await
    }
}

impl Ready<RowReduction> for ReadyOnGpu {
    async fn run<'i: 'i>(
        &self,
        reduction: &RowReduction,
        matrix: &'i BitMatrix,
        _: &Done,
    ) -> Result<Echelon> {
        let (gpu, reduction, part) = (&self.gpu, &reduction.of(matrix), self.part);
        match reduction.wanted {
            Wanted::Pivots if self.is_whole && reduction.has_no_form() => {
                let pivots = gpu::pivots(gpu, matrix, part).await?;
                Ok(Echelon { matrix: BitMatrix::zeros(0, 0)?, pivots })
            }
            Wanted::Echelon { from } if self.is_whole && from > 0 => {
                gpu::form_from(gpu, matrix, reduction, from).await
            }
            _ => reduction.excerpt(gpu::echelon(gpu, matrix, reduction, part).await?),
        }
    }

    /// Only all rows at a time are taken from the device.
    fn kernels(&self) -> Option<&Self> {
        self.is_whole.then_some(self)
    }
}
