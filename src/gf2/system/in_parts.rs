//! The special elimination on one GPU, a part of the rows after the other: rows that earlier parts promoted are eliminators of
//! the later ones.

use std::fmt;

use super::on_gpu::ReadyOnGpu;
use crate::Result;
use crate::gf2::{Method, System, SystemShape, cost, gpu};
use crate::gpu::Gpu;
use crate::task::{Cost, GpuProfile, Profile, Way};

/// The way.
#[derive(Debug)]
pub(super) struct InParts {
    pub method: Method,
    rows: usize,
    /// The rows of a part.
    part: usize,
    cost: Cost,
}

impl InParts {
    /// The name of the way of a method.
    pub fn name(method: Method) -> &'static str {
        match method {
            Method::Blocked => "blocked, on one GPU in parts",
            _ => "two-stage, on one GPU in parts",
        }
    }

    pub fn new(system: &System, method: Method, gpu: &GpuProfile, profile: &Profile) -> Result<Self> {
        if !matches!(method, Method::Blocked | Method::TwoStage) {
            return Err(method.only_for("all rows at a time"));
        }
        let (shape, lists, binding) =
            (SystemShape::of(system), system.eliminators().len(), gpu.binding_bytes);
        let bytes = |part: usize| gpu::system_bytes(&part_of(&shape, part), method, binding);
        let part = cost::gpu::rows_at_a_time(profile, shape.rows, gpu::most_rows(binding), bytes);
        if part >= shape.rows {
            return Err(cost::gpu::no_less_memory());
        }
        let cost = Cost {
            time: cost::gpu::system_time(gpu, &shape, method),
            host_bytes: cost::gpu::system_bytes(&shape, lists, method, part),
            device_bytes: bytes(part),
        };
        Ok(InParts { method, rows: shape.rows, part, cost })
    }
}

/// An upper bound on the shape of the system that consists of a part of `part` rows and all rows
/// promoted before it.
fn part_of(shape: &SystemShape, part: usize) -> SystemShape {
    if part >= shape.rows {
        return *shape;
    }
    let promoted_ones = shape.most_promoted().saturating_mul(shape.columns);
    SystemShape {
        rows: part,
        row_ones: shape.row_ones.min(part.saturating_mul(shape.columns)),
        eliminator_ones: shape.eliminator_ones.saturating_add(promoted_ones),
        ..*shape
    }
}

impl Way<System> for InParts {
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &System, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         {}", self.method)?;
        writeln!(f, "parts          {}, {} rows at a time", self.rows.div_ceil(self.part), self.part)
    }

    fn prepare<'p>(&self, system: &System, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        ReadyOnGpu::new(system, gpu, (self.method, None), self.part)
    }
}
