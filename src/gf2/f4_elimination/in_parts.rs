//! The special elimination on one GPU, a part of the rows after the other: new pivots of earlier parts are reducers of
//! the later ones.

use std::fmt;

use super::on_gpu::ReadyOnGpu;
use crate::Result;
use crate::gf2::{F4Matrix, F4Method, F4Shape, cost, gpu};
use crate::gpu::Gpu;
use crate::task::{Cost, GpuProfile, Profile, Way};

/// The way.
#[derive(Debug)]
pub(super) struct InParts {
    pub method: F4Method,
    rows: usize,
    /// The rows of a part.
    part: usize,
    cost: Cost,
}

impl InParts {
    /// The name of the way of a method.
    pub fn name(method: F4Method) -> &'static str {
        match method {
            F4Method::Blocked => "blocked, on one GPU in parts",
            _ => "two-stage, on one GPU in parts",
        }
    }

    pub fn new(f4: &F4Matrix, method: F4Method, gpu: &GpuProfile, profile: &Profile) -> Result<Self> {
        if !matches!(method, F4Method::Blocked | F4Method::TwoStage) {
            return Err(method.only_for("all rows at a time"));
        }
        let (shape, lists, binding) = (F4Shape::of(f4), f4.reducers().len(), gpu.binding_bytes);
        let bytes = |part: usize| gpu::f4_bytes(&part_of(&shape, part), method, binding);
        let part = cost::gpu::rows_at_a_time(profile, shape.rows, gpu::most_rows(binding), bytes);
        if part >= shape.rows {
            return Err(cost::gpu::no_less_memory());
        }
        let cost = Cost {
            time: cost::gpu::f4_time(gpu, &shape, method),
            compiling: cost::gpu::compiling(gpu),
            host_bytes: cost::gpu::f4_bytes(&shape, lists, method, part),
            device_bytes: bytes(part),
            ..Cost::default()
        };
        Ok(InParts { method, rows: shape.rows, part, cost })
    }
}

/// An upper bound on the shape of the F4 matrix that consists of a part of `part` rows and all rows
/// that became pivots before it.
fn part_of(shape: &F4Shape, part: usize) -> F4Shape {
    if part >= shape.rows {
        return *shape;
    }
    let new_pivot_ones = shape.most_new_pivots().saturating_mul(shape.columns);
    F4Shape {
        rows: part,
        row_ones: shape.row_ones.min(part.saturating_mul(shape.columns)),
        reducer_ones: shape.reducer_ones.saturating_add(new_pivot_ones),
        ..*shape
    }
}

impl Way<F4Matrix> for InParts {
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &F4Matrix, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         {}", self.method)?;
        writeln!(f, "parts          {}, {} rows at a time", self.rows.div_ceil(self.part), self.part)
    }

    fn prepare<'p>(&self, f4: &F4Matrix, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        ReadyOnGpu::new(f4, gpu, (self.method, None), self.part)
    }
}
