//! Transforms of a row-major matrix's columns, ready to run on one GPU: kernels compiled, tables on the device.

use std::sync::Arc;

use super::kernels::{ColumnsBuffers, ColumnsToBuffers};
use super::matrix_plan::{MatrixPass, MatrixPlan};
use super::matrix_spec::MatrixParams;
use super::pass::Tables;
use super::scratch::Scratch;
use super::steps::Outer;
use super::tables::{Powers, digits, geometric, outer_pairs};
use crate::Result;
use crate::gpu::{Buffers, DeviceVec, Gpu, Pipeline, Recorder, Written};

/// Transforms of a matrix's columns, ready to run on the device.
#[derive(Debug)]
pub struct PreparedMatrix {
    gpu: Gpu,
    passes: Vec<Pass>,
    /// Words of the scratch matrix; 0 for none.
    scratch_len: usize,
    scratch: Scratch,
}

#[derive(Debug)]
struct Pass {
    pipeline: Arc<Pipeline>,
    stage: String,
    params: MatrixParams,
    groups: u32,
    out_of_place: bool,
    tables: Tables,
}

impl PreparedMatrix {
    /// Compiles the kernels and uploads the tables.
    pub fn new(gpu: &Gpu, plan: &MatrixPlan) -> Result<Self> {
        let kernels: Vec<_> =
            plan.passes.iter().map(|pass| (pass.spec.kernel(), pass.spec.variant())).collect();
        gpu.pipelines_of(&kernels)?;
        let passes = plan.passes.iter().map(|pass| Pass::new(gpu, plan, pass)).collect::<Result<_>>()?;
        let (gpu, scratch) = (gpu.clone(), Scratch::default());
        Ok(PreparedMatrix { gpu, passes, scratch_len: plan.scratch_len(), scratch })
    }

    /// Transforms the columns of `source` to those of `target`. The lengths must be the plan's, and the entries below
    /// p.
    ///
    /// It returns before the work is done; the next download waits for it.
    pub fn run(&self, source: &DeviceVec<u32>, target: &mut DeviceVec<u32>) -> Result<()> {
        let _turn = self.scratch.turn();
        let mut recorder = self.gpu.record();
        self.record(&mut recorder, source, target)?;
        recorder.submit_later()
    }

    /// Records the work of [`run`](Self::run).
    pub fn record(
        &self,
        recorder: &mut Recorder,
        source: &DeviceVec<u32>,
        target: &mut DeviceVec<u32>,
    ) -> Result<()> {
        self.gpu.expect_same_device([source.gpu(), target.gpu(), recorder.gpu()])?;
        let (source, target) = (source.whole()?, target.whole()?);
        let [between @ .., last] = self.passes.as_slice() else { return Ok(()) };
        if self.scratch_len == 0 {
            let from = self.record_to(recorder, between, source, target)?;
            return last.record(recorder, from, target);
        }
        self.scratch.with(&self.gpu, self.scratch_len, |scratch| {
            let from = self.record_to(recorder, between, source, scratch.whole()?)?;
            last.record(recorder, from, target)
        })
    }

    /// Records passes that leave their results in `target`, and returns where the next one finds them.
    fn record_to<'b>(
        &self,
        recorder: &mut Recorder,
        passes: &[Pass],
        source: &'b wgpu::Buffer,
        target: &'b wgpu::Buffer,
    ) -> Result<&'b wgpu::Buffer> {
        let mut from = source;
        for pass in passes {
            pass.record(recorder, from, target)?;
            from = target;
        }
        Ok(from)
    }
}

impl Pass {
    fn new(gpu: &Gpu, plan: &MatrixPlan, planned: &MatrixPass) -> Result<Self> {
        let MatrixPass { ref spec, log_stride, block_root, words } = *planned;
        let (modulus, rows) = (plan.modulus, spec.shape.rows);
        let prime = modulus.prime;
        let mut twiddles = spec.twiddles();
        let mut pairs = Vec::new();
        if planned.is_extension() {
            for &shift in &plan.shifts {
                let base = prime.pow(shift, 1 << log_stride);
                let weights = geometric(modulus, base, plan.edges.scale, 1 << rows);
                twiddles.extend(weights.map(|weight| modulus.constant(weight)));
            }
            if planned.has_pairs() {
                pairs = outer_pairs(modulus, [prime.inverse(block_root), 1], rows, log_stride);
                for &shift in &plan.shifts {
                    pairs.extend(outer_pairs(modulus, [block_root, shift], rows, log_stride));
                }
            }
        } else if planned.has_pairs() {
            pairs = outer_pairs(modulus, [block_root, 1], rows, log_stride);
        }
        twiddles.resize(twiddles.len().max(1), [0, 0]);
        let pairs = planned.has_pairs().then(|| gpu.upload_table(&pairs)).transpose()?;
        let powers = (spec.ends.outer == Outer::Words)
            .then(|| Powers::new(gpu, modulus, block_root, 1, planned.log_block()))
            .transpose()?;
        let edge = spec.edge;
        let alone = |words: &[u32]| Ok(Powers { words: gpu.upload_table(words)?, log_low: 0 });
        let weights = match (edge.weighted_in, plan.edges.weight_out) {
            (true, _) => {
                let of_block = |&shift| digits(modulus, shift, 1, log_stride, rows);
                alone(&plan.shifts.iter().flat_map(of_block).collect::<Vec<_>>())
            }
            (_, Some(base)) if edge.weighted_out => {
                Powers::new(gpu, modulus, base, plan.edges.scale, plan.log_rows)
            }
            _ if planned.is_extension() && spec.ends.outer == Outer::Words => {
                let of_block = |&shift| geometric(modulus, shift, 1, 1 << log_stride);
                let weights = plan.shifts.iter().flat_map(of_block).map(|weight| modulus.variable(weight));
                alone(&weights.collect::<Vec<_>>())
            }
            _ => alone(&[0]),
        }?;
        // The words of a matrix fit 32 bits.
        let log_blocks = if spec.spreads() { plan.log_after - plan.log_rows } else { 0 };
        let columns = (words >> (log_blocks + rows)) as u32;
        // A group of an extension does all blocks.
        let log_groups = if planned.is_extension() { 0 } else { log_blocks };
        let scale = modulus.constant(plan.edges.scale);
        Ok(Pass {
            pipeline: gpu.pipeline(spec.kernel(), &spec.variant())?,
            stage: format!("{} 2^{rows}", if planned.is_extension() { "extension" } else { "matrix" }),
            params: MatrixParams {
                width: plan.width as u32,
                log_stride,
                log_blocks,
                columns,
                shift_in: 32 - plan.log_rows,
                shift_out: 32 - plan.log_after,
                log_low_powers: powers.as_ref().map_or(0, |powers| powers.log_low),
                log_low_weights: weights.log_low,
                scale: scale[0],
                scale_quotient: scale[1],
            },
            groups: columns.div_ceil(1 << spec.shape.columns) << log_groups,
            out_of_place: spec.out_of_place(),
            tables: Tables { twiddles: gpu.upload_table(&twiddles)?, pairs, powers, weights },
        })
    }

    fn record(&self, recorder: &mut Recorder, source: &wgpu::Buffer, target: &wgpu::Buffer) -> Result<()> {
        let [twiddles, pairs, powers, weights] = self.tables.whole()?;
        let data = Written(target);
        let buffers: &dyn Buffers = match self.out_of_place {
            true => &ColumnsToBuffers { source, data, twiddles, pairs, powers, weights },
            false => &ColumnsBuffers { data, twiddles, pairs, powers, weights },
        };
        recorder.dispatch(&self.pipeline, &self.stage, buffers, &self.params, self.groups)
    }
}
