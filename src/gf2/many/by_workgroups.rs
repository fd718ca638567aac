//! Many small matrices on a GPU, one by each workgroup.

use std::fmt;

use super::{Many, nth};
use crate::gf2::{BitMatrix, DenseAnswer, cost, gpu};
use crate::gpu::Gpu;
use crate::task::{Cost, Done, GpuProfile, Profile, Ready, Way};
use crate::{Error, Result};

/// The way.
#[derive(Debug)]
pub(super) struct ByWorkgroups {
    /// Matrices on the device at a time.
    at_a_time: usize,
    cost: Cost,
}

impl ByWorkgroups {
    pub const NAME: &'static str = "one by each workgroup";

    pub fn new(many: &Many, gpu: &GpuProfile, profile: &Profile) -> Result<Self> {
        let each = many.each.reduction();
        let (rows, columns, binding) = (each.rows, each.columns, gpu.binding_bytes);
        if !gpu::many_fit(rows, columns, binding, gpu.is_software) {
            let what = format!("reduce matrices of {rows} x {columns}").into();
            return Err(Error::Unsupported { device: "a workgroup", what });
        }
        let most = gpu::many_at_a_time(rows, columns, binding, profile.device_memory);
        let at_a_time = most.min(many.matrices.max(1));
        let device_bytes = gpu::many_bytes(at_a_time, rows, columns);
        let cost = Cost {
            time: cost::gpu::many_time(gpu, many.matrices, rows, columns),
            compiling: cost::gpu::compiling_few(gpu),
            host_bytes: cost::gpu::many_bytes(many.answer_bytes(), device_bytes),
            device_bytes,
            ..Cost::default()
        };
        Ok(ByWorkgroups { at_a_time, cost })
    }
}

impl Way<Many> for ByWorkgroups {
    type Device = Gpu;
    type Ready<'p> = ReadyByWorkgroups;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &Many, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         one by each workgroup, {} on the device at a time", self.at_a_time)
    }

    fn compile(&self, _: &Many, gpu: &Gpu) -> Result<()> {
        gpu::prepare_many(gpu)
    }

    fn prepare<'p>(&self, _: &Many, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        gpu::prepare_many(gpu)?;
        Ok(ReadyByWorkgroups { gpu: gpu.clone(), at_a_time: self.at_a_time })
    }
}

#[derive(Debug)]
pub struct ReadyByWorkgroups {
    gpu: Gpu,
    at_a_time: usize,
}

impl Ready<Many> for ReadyByWorkgroups {
    async fn run<'i: 'i>(
        &self,
        many: &Many,
        (a, b): (&'i [BitMatrix], Option<&'i [BitMatrix]>),
        _: &Done,
    ) -> Result<Vec<DenseAnswer>> {
        let each = many.each;
        let limit = each.reduction().limit;
        let mut answers = Vec::with_capacity(a.len());
        for first in (0..a.len()).step_by(self.at_a_time) {
            let part = first..a.len().min(first + self.at_a_time);
            let sides = part.clone().map(|k| each.right_sides((&a[k], nth(b, k))));
            let sides = sides.collect::<Result<Vec<_>>>()?;
            let matrices = sides.iter().zip(&a[part]).map(|(side, a)| side.as_ref().unwrap_or(a));
            let forms = gpu::reduce_many(&self.gpu, &matrices.collect::<Vec<_>>(), limit).await?;
            drop(sides);
            for form in forms {
                answers.push(each.read(form)?.0);
            }
        }
        Ok(answers)
    }
}
