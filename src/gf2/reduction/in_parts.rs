//! An elimination on one GPU, a part of the rows after the other.

use std::fmt;

use super::RowReduction;
use crate::gf2::{BitMatrix, Echelon, cost, gpu};
use crate::gpu::Gpu;
use crate::task::{Cost, Done, GpuProfile, Profile, Ready, Way};
use crate::{Error, Result};

/// The way.
#[derive(Debug)]
pub(super) struct InParts {
    rows: usize,
    /// The rows of a part.
    part: usize,
    cost: Cost,
}

impl InParts {
    pub const NAME: &'static str = "on one GPU in parts";

    pub fn new(reduction: &RowReduction, gpu: &GpuProfile, profile: &Profile) -> Result<Self> {
        let &RowReduction { rows, columns, limit, .. } = reduction;
        let binding = gpu.binding_bytes;
        gpu::expect_columns(columns, binding)?;
        let bytes = |part: usize| {
            let own = gpu::dense_bytes(part.min(rows), columns, limit, binding);
            match part >= rows {
                true => own,
                // Parts are reduced by each other with products.
                false => own.max(gpu::product_bytes((part, part.min(limit), columns), binding, 0)),
            }
        };
        let part = cost::gpu::rows_at_a_time(profile, rows, gpu::most_rows(binding), bytes);
        if part >= rows {
            return Err(Error::Usage("parts of the rows take no less memory".into()));
        }
        let cost = Cost {
            time: cost::gpu::echelon_time(gpu, &reduction.form()),
            host_bytes: cost::gpu::echelon_bytes(rows, columns, part),
            device_bytes: bytes(part),
        };
        Ok(InParts { rows, part, cost })
    }

    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.rows.div_ceil(self.part)
    }
}

impl Way<RowReduction> for InParts {
    type Device = Gpu;
    type Ready<'p> = ReadyInParts;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &RowReduction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         blocked, 256 columns at a time")?;
        writeln!(f, "parts          {}, {} rows at a time", self.parts(), self.part)
    }

    fn prepare<'p>(
        &self,
        &RowReduction { rows, columns, .. }: &RowReduction,
        gpu: &Gpu,
        (): (),
    ) -> Result<Self::Ready<'p>> {
        gpu::prepare_echelon(gpu, rows, columns, self.part)?;
        Ok(ReadyInParts { gpu: gpu.clone(), part: self.part })
    }
}

#[derive(Debug)]
pub struct ReadyInParts {
    gpu: Gpu,
    part: usize,
}

impl Ready<RowReduction> for ReadyInParts {
    async fn run<'i: 'i>(
        &self,
        reduction: &RowReduction,
        matrix: &'i BitMatrix,
        _: &Done,
    ) -> Result<Echelon> {
        let (limit, full) = (reduction.limit, reduction.is_reduced());
        reduction.excerpt(gpu::echelon(&self.gpu, matrix, limit, full, self.part).await?)
    }
}
