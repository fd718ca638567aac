//! A product ready to run on one GPU: kernels compiled, tables on the device.

use std::sync::Arc;

use super::compile::Compiler;
use super::kernels::{
    self, PointwiseBuffers, PointwiseParams, RowsProductBuffers, RowsProductParams, RowsProductToBuffers,
    RowsProductToParams,
};
use super::pass::{Pass, Sources};
use super::product_plan::{self, Passes, ProductPlan};
use super::scratch::Scratch;
use super::specs::{FLAT, ProductSpec, pointwise};
use super::transform::PreparedTransform;
use crate::gpu::{Buffers, DeviceVec, Gpu, Kernel, Params, Pipeline, Recorder, Variant, Written};
use crate::{Error, Result};

/// A product modulo x^n - 1 or x^n + 1, ready to run on vectors on the device. A linear product is a
/// cyclic one of at least its own length.
#[derive(Debug)]
pub struct PreparedProduct {
    gpu: Gpu,
    n: usize,
    strategy: PreparedStrategy,
    scratch: Scratch,
}

#[derive(Debug)]
enum PreparedStrategy {
    /// Forward passes, the middle, inverse passes; of a whole product, only the middle.
    Passes { there: Vec<Pass>, middle: Middle, back: Vec<Pass> },
    /// Past one binding: two transforms, the pointwise products, one transform.
    Chunked { there: Box<PreparedTransform>, pointwise: Arc<Pipeline>, back: Box<PreparedTransform> },
}

#[derive(Debug)]
struct Middle {
    pipeline: Arc<Pipeline>,
    twiddles: DeviceVec<[u32; 2]>,
    /// Only whole products are weighted here.
    weights: DeviceVec<u32>,
    log_words: u32,
    scale: [u32; 2],
    whole: bool,
}

impl PreparedProduct {
    /// Compiles the kernels and uploads the tables; `scratch` may be shared with other products of the
    /// same plan.
    pub fn new(gpu: &Gpu, plan: &ProductPlan, scratch: Scratch) -> Result<Self> {
        let strategy = match &plan.strategy {
            product_plan::Strategy::Passes { there, middle, back } => {
                // All kernels at once, so that they are compiled in parallel.
                let passes = there.passes.iter().chain(&back.passes);
                let mut kernels: Vec<_> = passes.map(|pass| pass.kernel()).collect();
                kernels.push(kernel(&middle.spec));
                gpu.pipelines_of(&kernels)?;
                let (modulus, log_n) = (middle.spec.modulus, plan.n.ilog2());
                let compile = |Passes { edges, passes }: &Passes| {
                    Compiler { gpu, modulus, log_n, edges }.passes(passes)
                };
                PreparedStrategy::Passes {
                    there: compile(there)?,
                    middle: Middle::new(gpu, middle)?,
                    back: compile(back)?,
                }
            }
            product_plan::Strategy::Chunked { there, back } => PreparedStrategy::Chunked {
                there: Box::new(PreparedTransform::new(gpu, there)?),
                pointwise: gpu.pipeline(&kernels::POINTWISE, &pointwise(there.modulus))?,
                back: Box::new(PreparedTransform::new(gpu, back)?),
            },
        };
        Ok(PreparedProduct { gpu: gpu.clone(), n: plan.n, strategy, scratch })
    }

    /// The product of `left` and `right`, each of at most n coefficients below p: n
    /// coefficients on the device.
    pub fn run(&self, left: &DeviceVec<u32>, right: &DeviceVec<u32>) -> Result<DeviceVec<u32>> {
        let mut product = self.gpu.unset(self.n)?;
        let _turn = self.scratch.turn();
        let mut recorder = self.gpu.record();
        self.record(&mut recorder, left, right, &mut product)?;
        recorder.submit_later()?;
        Ok(product)
    }

    /// Records the work of [`run`](Self::run), into the caller's vector of n words.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        left: &DeviceVec<u32>,
        right: &DeviceVec<u32>,
        product: &mut DeviceVec<u32>,
    ) -> Result<()> {
        let count = left.len().max(right.len());
        Error::expect_at_most("coefficients of a factor", self.n as u64, count as u64)?;
        Error::expect_length("coefficients of the product", self.n, product.len())?;
        self.gpu.expect_same_device([left.gpu(), right.gpu(), product.gpu(), recorder.gpu()])?;
        match &self.strategy {
            PreparedStrategy::Passes { middle, .. } if middle.whole => {
                let buffers = RowsProductToBuffers {
                    left: left.whole()?,
                    right: right.whole()?,
                    data: product.written()?,
                    twiddles: middle.twiddles.whole()?,
                    weights: middle.weights.whole()?,
                };
                let [scale, scale_quotient] = middle.scale;
                let (left_len, right_len) = (left.len() as u32, right.len() as u32);
                let params = RowsProductToParams { left_len, right_len, scale, scale_quotient };
                middle.record(recorder, &buffers, &params, self.n as u32)
            }
            PreparedStrategy::Passes { there, middle, back } => {
                self.scratch.with(&self.gpu, 2 * self.n, |both| {
                    let (log_n, n) = (self.n.ilog2(), self.n as u32);
                    let mut sources =
                        Sources::Two([left.whole()?, right.whole()?], [left.len(), right.len()]);
                    for pass in there {
                        pass.record_words(recorder, log_n, 0, sources, both.whole()?, 2 * n)?;
                        sources = Sources::InPlace;
                    }
                    let buffers =
                        RowsProductBuffers { data: both.written()?, twiddles: middle.twiddles.whole()? };
                    middle.record(recorder, &buffers, &RowsProductParams { n }, n)?;
                    for pass in back {
                        let (source, target) = match pass.out_of_place {
                            true => (Sources::One(both.whole()?), product.whole()?),
                            false => (Sources::InPlace, both.whole()?),
                        };
                        pass.record_words(recorder, log_n, 0, source, target, n)?;
                    }
                    Ok(())
                })
            }
            PreparedStrategy::Chunked { there, pointwise, back } => {
                self.scratch.with(&self.gpu, self.n, |other| {
                    product.assign(left)?;
                    other.assign(right)?;
                    there.record(recorder, product)?;
                    there.record(recorder, other)?;
                    for (l, r) in product.chunks().iter().zip(other.chunks()) {
                        let len = (l.size() / 4) as u32;
                        let params = PointwiseParams { len };
                        let buffers = PointwiseBuffers { left: Written(l), right: r };
                        recorder.dispatch(pointwise, "products", &buffers, &params, len.div_ceil(FLAT))?;
                    }
                    back.record(recorder, product)
                })
            }
        }
    }
}

/// The kernel of the middle of a product.
fn kernel(spec: &ProductSpec) -> (&'static Kernel, Variant) {
    let kernel = if spec.whole { &kernels::ROWS_PRODUCT_TO } else { &kernels::ROWS_PRODUCT };
    (kernel, spec.variant())
}

impl Middle {
    fn new(gpu: &Gpu, plan: &product_plan::Middle) -> Result<Self> {
        let spec = &plan.spec;
        let (kernel, variant) = kernel(spec);
        let mut twiddles = spec.twiddles();
        twiddles.resize(twiddles.len().max(1), [0, 0]);
        Ok(Middle {
            pipeline: gpu.pipeline(kernel, &variant)?,
            twiddles: gpu.upload_table(&twiddles)?,
            weights: gpu.upload_table(&plan.weights())?,
            log_words: spec.shape.rows + spec.shape.columns,
            scale: spec.modulus.constant(plan.scale),
            whole: spec.whole,
        })
    }

    fn record(
        &self,
        recorder: &mut Recorder,
        buffers: &dyn Buffers,
        params: &impl Params,
        words: u32,
    ) -> Result<()> {
        recorder.dispatch(&self.pipeline, "rows and products", buffers, params, words >> self.log_words)
    }
}
