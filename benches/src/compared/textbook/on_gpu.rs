//! The textbook's transforms on a GPU.

use std::sync::Arc;

use super::kernels::{
    self, BIT_REVERSE, BitReverseParams, POINTWISE, PointwiseBuffers, PointwiseParams, SCALE, STAGE,
    ScaleParams, StageBuffers, StageParams,
};
use super::{Options, Times, Twiddles};
use crate::compared::{InPlaceBuffers, Kernels, Words, check_lengths, powers, submit, timed, upload};
use wgalois::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Variant};
use wgalois::ntt::arithmetic::Modulus;
use wgalois::ntt::{Direction, Order, Transform};
use wgalois::{Error, Result};

/// The kernels and tables of a transform, and of the products by transforms of its length.
#[derive(Debug)]
pub struct TextbookKernels {
    gpu: Gpu,
    spec: Transform,
    workgroup: u32,
    modulus: Modulus,
    reverse: Arc<Pipeline>,
    stage: Arc<Pipeline>,
    scale: Arc<Pipeline>,
    pointwise: Arc<Pipeline>,
    /// Powers of w and of 1/w; one word each if twiddles are computed on the fly.
    tables: [DeviceVec<u32>; 2],
}

impl Kernels for TextbookKernels {
    fn record<'v>(&self, recorder: &mut Recorder, [data, _]: [&'v mut Words; 2]) -> Result<&'v Words> {
        let spec = &self.spec;
        check_lengths(spec.len(), &[data])?;
        if spec.input() == Order::Natural {
            self.record_reversal(recorder, data)?;
        }
        self.record_stages(recorder, data, spec.direction())?;
        if spec.direction() == Direction::Inverse {
            self.record_scale(recorder, data, spec.prime().inverse_of_length(spec.log_n()))?;
        }
        if spec.output() == Order::BitReversed {
            self.record_reversal(recorder, data)?;
        }
        Ok(data)
    }
}

impl TextbookKernels {
    pub(super) fn new(gpu: &Gpu, spec: &Transform, options: &Options) -> Result<Self> {
        let &Options { workgroup, twiddles, .. } = options;
        let modulus = Modulus::new(spec.prime(), options.settled_reduction()?, gpu.arithmetic());
        let root = spec.root()?;
        // A kernel multiplies by pairs of words if the reduction has a quotient per constant, and else by single ones.
        let words = if modulus.has_quotients() { 2 } else { 1 };
        let table = |root: u32| -> Result<DeviceVec<u32>> {
            match twiddles {
                Twiddles::Fly => gpu.zeros(1),
                Twiddles::Table => {
                    let pairs = powers(modulus, root, spec.n() / 2);
                    let table = pairs.iter().flat_map(|pair| &pair[..words]).copied();
                    gpu.upload_table(&table.collect::<Vec<_>>())
                }
            }
        };
        let flat = kernels::flat(modulus, workgroup);
        Ok(TextbookKernels {
            gpu: gpu.clone(),
            spec: *spec,
            workgroup,
            modulus,
            reverse: gpu.pipeline(&BIT_REVERSE, &Variant::plain(workgroup))?,
            stage: gpu.pipeline(&STAGE, &kernels::stage(modulus, twiddles, workgroup))?,
            scale: gpu.pipeline(&SCALE, &flat)?,
            pointwise: gpu.pipeline(&POINTWISE, &flat)?,
            tables: [table(root)?, table(spec.prime().inverse(root))?],
        })
    }

    /// The product of `a` and `b` modulo x^n - 1, n coefficients. Refuses longer factors, and the plan of a batch.
    pub fn multiply(&self, a: &[u32], b: &[u32]) -> Result<(Vec<u32>, Times)> {
        let n = self.spec.n();
        if self.spec.batch() != 1 {
            return Err(Error::OtherPlan { what: "number of vectors" });
        }
        Error::expect_at_most("coefficients of a factor", n as u64, a.len().max(b.len()) as u64)?;
        let upload = |factor| upload(&self.gpu, factor, n);
        let ((mut left, mut right), upload) = timed(|| Ok((upload(a)?, upload(b)?)))?;
        let ((), device) =
            timed(|| submit(&self.gpu, |recorder| self.record_product(recorder, &mut left, &mut right)))?;
        let (result, download) = timed(|| left.download())?;
        Ok((result, Times { upload, device, download }))
    }

    /// Records the product of two vectors of n words modulo x^n - 1, left in `left`.
    pub fn record_product(&self, recorder: &mut Recorder, left: &mut Words, right: &mut Words) -> Result<()> {
        check_lengths(self.spec.n(), &[left, right])?;
        for factor in [&mut *left, &mut *right] {
            self.record_reversal(recorder, factor)?;
            self.record_stages(recorder, factor, Direction::Forward)?;
        }
        let len = left.len() as u32;
        let buffers = PointwiseBuffers { left: left.written()?, right: right.whole()? };
        let params = PointwiseParams { len };
        recorder.dispatch(&self.pointwise, "products", &buffers, &params, self.groups(len))?;
        self.record_reversal(recorder, left)?;
        self.record_stages(recorder, left, Direction::Inverse)?;
        // The products lack the factor that their reduction divided by.
        let (prime, log_n) = (self.spec.prime(), self.spec.log_n());
        let scale = prime.mul(prime.inverse_of_length(log_n), self.modulus.product_factor());
        self.record_scale(recorder, left, scale)
    }

    fn record_reversal(&self, recorder: &mut Recorder, data: &Words) -> Result<()> {
        let len = data.len() as u32;
        let params = BitReverseParams { log_n: self.spec.log_n(), len };
        let buffers = InPlaceBuffers { data: data.written()? };
        recorder.dispatch(&self.reverse, "bit reversal", &buffers, &params, self.groups(len))
    }

    /// Records all stages, from bit-reversed to natural order.
    fn record_stages(&self, recorder: &mut Recorder, data: &Words, direction: Direction) -> Result<()> {
        let (prime, log_n) = (self.spec.prime(), self.spec.log_n());
        let [there, back] = &self.tables;
        let table = if direction == Direction::Forward { there } else { back };
        let butterflies = data.len() as u32 / 2;
        let one = self.modulus.variable(1);
        for stage in 0..log_n {
            // The root of unity of the blocks.
            let root = prime.root_of_unity(stage + 1)?;
            let root = if direction == Direction::Forward { root } else { prime.inverse(root) };
            let root = self.modulus.variable(root);
            let params = StageParams { butterflies, stage, log_step: log_n - 1 - stage, one, root };
            let buffers = StageBuffers { data: data.written()?, table: table.whole()? };
            let groups = self.groups(butterflies);
            recorder.dispatch(&self.stage, &format!("stage {stage}"), &buffers, &params, groups)?;
        }
        Ok(())
    }

    fn record_scale(&self, recorder: &mut Recorder, data: &Words, by: u32) -> Result<()> {
        let len = data.len() as u32;
        let [scale, scale_quotient] = self.modulus.constant(by);
        let params = ScaleParams { len, scale, scale_quotient };
        let buffers = InPlaceBuffers { data: data.written()? };
        recorder.dispatch(&self.scale, "scale", &buffers, &params, self.groups(len))
    }

    fn groups(&self, threads: u32) -> u32 {
        threads.div_ceil(self.workgroup)
    }
}
