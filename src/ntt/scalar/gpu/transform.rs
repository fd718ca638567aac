//! A transform ready to run on one GPU: kernels compiled, its table on the device.

use std::sync::Arc;

use super::across::{self, Across};
use super::kernels::{FLAT, REVERSE, ReverseBuffers, ReverseParams};
use super::passes::{self, PASS, PASS_TO, PassBuffers, PassParams, PassToBuffers, SUMS, SumsParams};
use super::plan::{Pass, TransformPlan, Way};
use super::tables::TransformTable;
use crate::Result;
use crate::gpu::{Buffers, Gpu, Pipeline, Recorder, Variant, Written};
use crate::ntt::gpu::Scratch;
use crate::ntt::scalar::problem::Transform;
use crate::scalars::{DeviceScalars, SCALAR_BYTES, Scalar};

/// A transform ready to run on vectors on the device.
#[derive(Debug)]
pub struct PreparedTransform<F: Scalar> {
    gpu: Gpu,
    spec: Transform<F>,
    /// What combines the pieces of vectors that no binding holds; `spec` is the transform of these.
    across: Option<Across<F>>,
    passes: Vec<PreparedPass>,
    table: TransformTable,
    reversal: Option<Arc<Pipeline>>,
    /// A vector of the batch's length, for passes that cannot be done in place.
    scratch: Scratch,
}

#[derive(Debug)]
struct PreparedPass {
    pass: Pass,
    pipeline: Arc<Pipeline>,
    stage: String,
    /// The first entry of its factors in the table.
    factors_at: u32,
}

/// Compiles the kernels of a transform.
pub(in crate::ntt::scalar) fn compile<F: Scalar>(gpu: &Gpu, plan: &TransformPlan<F>) -> Result<()> {
    reversal(gpu, plan)?;
    plan.pieces.iter().try_for_each(|pieces| across::compile(gpu, pieces))?;
    pipelines(gpu, plan).map(drop)
}

/// The kernel of every pass.
fn pipelines<F: Scalar>(gpu: &Gpu, plan: &TransformPlan<F>) -> Result<Vec<Arc<Pipeline>>> {
    let kernel = |pass: &Pass| match (pass.shape.way, pass.shape.out_of_place) {
        (Way::Stages, false) => &PASS,
        (Way::Stages, true) => &PASS_TO,
        (Way::Sums, _) => &SUMS,
    };
    let wanted = plan.passes.iter().map(|pass| (kernel(pass), passes::pass::<F>(&pass.shape)));
    gpu.pipelines_of(&wanted.collect::<Vec<_>>())
}

/// The kernel that brings the vectors into the other order, if they are to be.
fn reversal<F: Scalar>(gpu: &Gpu, plan: &TransformPlan<F>) -> Result<Option<Arc<Pipeline>>> {
    let wanted = plan.reverses && plan.spec.log_n() > 0;
    wanted.then(|| gpu.pipeline(&REVERSE, &Variant::plain(FLAT))).transpose()
}

impl<F: Scalar> PreparedTransform<F> {
    /// Compiles the kernels and uploads the table.
    pub fn new(gpu: &Gpu, plan: &TransformPlan<F>) -> Result<Self> {
        let spec = plan.spec;
        let reversal = reversal(gpu, plan)?;
        let pipelines = pipelines(gpu, plan)?;
        let mut factors_at = 0;
        let prepared = |(pass, pipeline): (&Pass, _)| {
            let stage = format!("pass of {} digits from {}", pass.shape.log_rows, pass.row_digit);
            let prepared = PreparedPass { pass: *pass, pipeline, stage, factors_at };
            if pass.shape.way == Way::Sums {
                factors_at += pass.steps(spec.log_n()).iter().map(|step| step.factors() as u32).sum::<u32>();
            }
            prepared
        };
        let passes = plan.passes.iter().zip(pipelines).map(prepared).collect();
        let table = TransformTable::new(gpu, plan)?;
        let across = plan.pieces.as_ref().map(|pieces| Across::new(gpu, pieces)).transpose()?;
        let (gpu, scratch) = (gpu.clone(), Scratch::default());
        Ok(PreparedTransform { gpu, spec, across, passes, table, reversal, scratch })
    }

    /// Transforms every vector of the batch in `data`, which stays on the device. It returns when the work is
    /// submitted.
    pub fn run(&self, data: &mut DeviceScalars<F>) -> Result<()> {
        let _turn = self.scratch.turn();
        let mut recorder = self.gpu.record();
        self.record(&mut recorder, data)?;
        recorder.submit_later()
    }

    /// Records the work of [`run`](Self::run).
    pub fn record(&self, recorder: &mut Recorder, data: &mut DeviceScalars<F>) -> Result<()> {
        self.spec.check_len(data.len(), "scalars")?;
        self.gpu.expect_same_device([data.gpu(), recorder.gpu()])?;
        if data.is_empty() {
            return Ok(());
        }
        if let Some(pipeline) = &self.reversal {
            self.scratch.exchange(data.words_mut(), |source, target| {
                for (from, to) in source.chunks().iter().zip(target.chunks()) {
                    let params = ReverseParams { log_n: self.spec.log_n(), len: scalars_of(to) };
                    let groups = params.len.div_ceil(FLAT);
                    let buffers = ReverseBuffers { source_scalars: from, target_scalars: Written(to) };
                    recorder.dispatch(pipeline, "bit reversal", &buffers, &params, groups)?;
                }
                Ok(())
            })?;
        }
        if let Some(across) = &self.across {
            self.interleave(recorder, data, across.pieces.interleaves_first)?;
            if !across.pieces.time {
                across.record(recorder, data.words())?;
            }
        }
        for pass in &self.passes {
            if pass.pass.shape.out_of_place {
                self.scratch.exchange(data.words_mut(), |source, target| {
                    for (from, to) in source.chunks().iter().zip(target.chunks()) {
                        self.record_pass(recorder, pass, Some(from), to)?;
                    }
                    Ok(())
                })?;
            } else {
                for chunk in data.words().chunks() {
                    self.record_pass(recorder, pass, None, chunk)?;
                }
            }
        }
        if let Some(across) = &self.across {
            if across.pieces.time {
                across.record(recorder, data.words())?;
            }
            self.interleave(recorder, data, across.pieces.interleaves_last)?;
        }
        Ok(())
    }

    /// Records the interleaving of pieces, if it is due.
    fn interleave(&self, recorder: &mut Recorder, data: &mut DeviceScalars<F>, is_due: bool) -> Result<()> {
        match &self.across {
            Some(across) if is_due => self
                .scratch
                .exchange(data.words_mut(), |source, target| across.interleave(recorder, source, target)),
            _ => Ok(()),
        }
    }

    fn record_pass(
        &self,
        recorder: &mut Recorder,
        prepared: &PreparedPass,
        source: Option<&wgpu::Buffer>,
        target: &wgpu::Buffer,
    ) -> Result<()> {
        let PreparedPass { pass, pipeline, stage, .. } = prepared;
        let len = scalars_of(target);
        let groups = len.div_ceil(1 << pass.shape.log_outputs());
        let target_scalars = Written(target);
        let [tables, second_tables, third_tables] = &self.table.words;
        let (tables, second_tables, third_tables) =
            (tables.whole()?, second_tables.whole()?, third_tables.whole()?);
        let buffers: &dyn Buffers = match source {
            Some(source_scalars) => {
                &PassToBuffers { source_scalars, target_scalars, tables, second_tables, third_tables }
            }
            None => &PassBuffers { target_scalars, tables, second_tables, third_tables },
        };
        let TransformTable { factors, weights_at, log_low_weights, .. } = self.table;
        let log_n = self.spec.log_n();
        match pass.shape.way {
            Way::Stages => {
                let params = PassParams {
                    log_n,
                    len,
                    log_rows: pass.shape.log_rows,
                    row_digit: pass.row_digit,
                    upper_digit: pass.upper_digit,
                    factors,
                    weights_at,
                    log_low_weights,
                };
                recorder.dispatch(pipeline, stage, buffers, &params, groups)
            }
            Way::Sums => {
                let [first, _] = pass.steps(log_n);
                let first_at = prepared.factors_at;
                let params = SumsParams {
                    log_n,
                    len,
                    row_digit: pass.row_digit,
                    factors,
                    first_at,
                    second_at: first_at + first.factors() as u32,
                    weights_at,
                    log_low_weights,
                };
                recorder.dispatch(pipeline, stage, buffers, &params, groups)
            }
        }
    }

    /// Overwrites the scratch vector.
    pub fn clear(&self) -> Result<()> {
        self.scratch.clear()
    }
}

/// Scalars of a buffer.
fn scalars_of(buffer: &wgpu::Buffer) -> u32 {
    (buffer.size() / SCALAR_BYTES) as u32
}
