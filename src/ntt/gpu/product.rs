//! Cyclic and negacyclic products of polynomials, as one plan without a reordering pass.
//!
//! Two forward transforms leave bit-reversed order, values are multiplied where they
//! stand, and the way back begins from that order. Where one binding holds a vector, the
//! last pass there, the products and the first pass back are one kernel, and the zeros
//! behind a factor are not read.

use std::sync::Arc;

use super::build::{Builder, Edges, Planned, outer, room};
use super::kernels::{self, PointwiseParams, RowsProductParams, RowsProductToParams};
use super::pass::{Pass, Sources};
use super::plan::Plan;
use super::reduction::Modulus;
use super::scratch::Scratch;
use super::specs::{Edge, FLAT, PassSpec, ProductSpec, pointwise};
use super::split::{ONE_PASS, columns_shape, middle_shape, product_bits, rows_shape};
use super::tables::digits;
use super::tile::{Decimation, Ends};
use crate::field::Prime;
use crate::gpu::{DeviceVec, Gpu, Kernel, Params, Pipeline, Recorder, Variant};
use crate::ntt::{Coset, Direction, Order, Reduction, Transform};
use crate::{Error, Result};

/// A product modulo x^n - 1 or x^n + 1, n = 2^`log_n`, ready to run on vectors that stay on
/// the device. A linear product is a cyclic one of at least its own length.
#[derive(Debug)]
pub struct ProductPlan {
    gpu: Gpu,
    n: usize,
    form: Form,
    scratch: Scratch,
}

#[derive(Debug)]
enum Form {
    /// One dispatch.
    Whole(Middle),
    /// Passes there, the middle, passes back.
    Passes { there: Vec<Pass>, middle: Middle, back: Vec<Pass> },
    /// Past one binding: two transforms, the products, a transform.
    Chunked { there: Box<Plan>, pointwise: Arc<Pipeline>, back: Box<Plan> },
}

#[derive(Debug)]
struct Middle {
    pipeline: Arc<Pipeline>,
    twiddles: DeviceVec<[u32; 2]>,
    weights: DeviceVec<u32>,
    log_words: u32,
    scale: [u32; 2],
}

/// The digits of an index below 2^12 in `shaders/ntt/rows_product.wgsl`.
const LOG_LOW_WEIGHTS: u32 = 6;

impl ProductPlan {
    /// A plan for factors of up to `n` coefficients modulo `prime`; `coset` is
    /// [`Coset::Subgroup`] for x^n - 1, [`Coset::Negacyclic`] for x^n + 1.
    ///
    /// # Errors
    /// [`Error::Input`] where there is no such transform, and the device's faults.
    pub fn new(gpu: &Gpu, prime: Prime, n: usize, coset: Coset, reduction: Reduction) -> Result<Self> {
        let forward = Transform { coset, reduction, output: Order::BitReversed, ..Transform::new(prime, n)? };
        let form = if 2 * n > gpu.chunk_len::<u32>()? {
            Form::chunked(gpu, &forward)?
        } else if forward.log_n <= ONE_PASS {
            Form::Whole(Middle::whole(gpu, &forward)?)
        } else {
            Form::passes(gpu, &forward)?
        };
        Ok(ProductPlan { gpu: gpu.clone(), n, form, scratch: Scratch::default() })
    }

    /// Dispatches of one product.
    pub fn dispatches(&self) -> usize {
        match &self.form {
            Form::Whole(_) => 1,
            Form::Passes { there, back, .. } => there.len() + 1 + back.len(),
            Form::Chunked { there, back, .. } => 2 * there.passes() + 1 + back.passes(),
        }
    }

    /// Words of device memory that a run takes beside the factors and the tables.
    pub(in crate::ntt) fn run_len(&self) -> usize {
        let scratch = match &self.form {
            Form::Whole(_) => 0,
            Form::Passes { .. } => 2 * self.n,
            Form::Chunked { there, back, .. } => self.n + there.scratch_len() + back.scratch_len(),
        };
        self.n + scratch
    }

    /// The product of `left` and `right`, each of at most n coefficients below p: n
    /// coefficients on the device.
    ///
    /// # Errors
    /// [`Error::Input`] for longer factors, and the device's faults.
    pub fn run(&self, left: &DeviceVec<u32>, right: &DeviceVec<u32>) -> Result<DeviceVec<u32>> {
        let mut product = self.gpu.zeros(self.n)?;
        let mut recorder = self.gpu.record();
        self.record(&mut recorder, left, right, &mut product)?;
        recorder.submit()?;
        Ok(product)
    }

    /// Records what [`ProductPlan::run`] does, into a vector of n words of the caller's.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        left: &DeviceVec<u32>,
        right: &DeviceVec<u32>,
        product: &mut DeviceVec<u32>,
    ) -> Result<()> {
        if left.len() > self.n || right.len() > self.n || product.len() != self.n {
            let (l, r, n) = (left.len(), right.len(), self.n);
            return Err(Error::Input(format!("factors of {l} and {r} coefficients in a product of {n}")));
        }
        match &self.form {
            Form::Whole(middle) => {
                let buffers = [left.whole()?, right.whole()?, product.whole()?];
                let [scale, scale_quotient] = middle.scale;
                let (left_len, right_len) = (left.len() as u32, right.len() as u32);
                let params = RowsProductToParams { left_len, right_len, scale, scale_quotient };
                middle.record(recorder, &buffers, &params, self.n as u32)
            }
            Form::Passes { there, middle, back } => self.scratch.with(&self.gpu, 2 * self.n, |both| {
                let (log_n, n) = (self.n.ilog2(), self.n as u32);
                let mut sources = Sources::Two([left.whole()?, right.whole()?], [left.len(), right.len()]);
                for pass in there {
                    pass.record_words(recorder, log_n, 0, sources, both.whole()?, 2 * n)?;
                    sources = Sources::InPlace;
                }
                middle.record(recorder, &[both.whole()?], &RowsProductParams { n }, n)?;
                for pass in back {
                    let (source, target) = match pass.out_of_place {
                        true => (Sources::One(both.whole()?), product.whole()?),
                        false => (Sources::InPlace, both.whole()?),
                    };
                    pass.record_words(recorder, log_n, 0, source, target, n)?;
                }
                Ok(())
            }),
            Form::Chunked { there, pointwise, back } => self.scratch.with(&self.gpu, self.n, |other| {
                product.assign(left)?;
                other.assign(right)?;
                there.record(recorder, product)?;
                there.record(recorder, other)?;
                for (l, r) in product.chunks().iter().zip(other.chunks()) {
                    let len = (l.size() / 4) as u32;
                    let params = PointwiseParams { len };
                    recorder.dispatch(pointwise, "products", &[l, r], &params, len.div_ceil(FLAT))?;
                }
                back.record(recorder, product)
            }),
        }
    }
}

/// What the results of a product of transforms of this length must be multiplied by: 1/n,
/// and what the pointwise products left out.
fn scale(modulus: Modulus, log_n: u32) -> u32 {
    modulus.prime.mul(modulus.prime.inverse_of_length(log_n), modulus.product_factor())
}

impl Form {
    fn passes(gpu: &Gpu, forward: &Transform) -> Result<Self> {
        let modulus = Modulus::new(forward.prime, forward.reduction, gpu.arithmetic());
        let (prime, log_n) = (forward.prime, forward.log_n);
        let shift = (forward.coset != Coset::Subgroup).then(|| forward.shift()).transpose()?;
        let bits = product_bits(log_n);
        let (&row_bits, column_bits) = bits.split_last().unwrap_or((&0, &[]));
        let strides: Vec<u32> = (0..column_bits.len()).map(|i| bits[i + 1..].iter().sum()).collect();
        let carried = modulus.constant_product_bound();

        let builder = |edges| Builder { gpu, modulus, log_n, words: 1 << log_n, edges };
        let planned = |i: usize, decimation, root: u32, edge: Edge, bounds: [u32; 2]| {
            let paired = i == 0 && decimation == Decimation::Frequency;
            let (b, log_stride) = (column_bits[i], strides[i]);
            let spec = PassSpec {
                shape: columns_shape(b, log_n, room(gpu)),
                modulus,
                decimation,
                root: prime.pow(root, 1 << (log_n - b)),
                ends: Ends {
                    bound_in: bounds[0],
                    outer: outer(log_stride, log_stride + b),
                    bound_out: bounds[1],
                },
                edge,
                out_of_place: i == 0,
                reversed_in: false,
                reversed_out: false,
                paired,
                log_parts: 0,
            };
            Planned { spec, log_stride, block_root: prime.pow(root, 1 << (log_n - b - log_stride)) }
        };

        let root = forward.root()?;
        let edges_there = Edges { weight_in: shift, weight_out: None, scale: 1 };
        let there = (0..column_bits.len()).map(|i| {
            let first = i == 0;
            let edge = Edge { weighted_in: first && shift.is_some(), ..Edge::INNER };
            let bound_in = if first { 1 } else { carried };
            planned(i, Decimation::Frequency, root, edge, [bound_in, carried])
        });
        let there: Vec<_> = there.collect();

        let edges_back = Edges {
            weight_in: None,
            weight_out: shift.map(|g| prime.inverse(g)),
            scale: scale(modulus, log_n),
        };
        let back = (0..column_bits.len()).rev().map(|i| {
            let last = i == 0;
            let edge = Edge {
                weighted_out: last && shift.is_some(),
                scaled: last && shift.is_none(),
                ..Edge::INNER
            };
            let bound_out = if last { 1 } else { carried };
            planned(i, Decimation::Time, prime.inverse(root), edge, [carried, bound_out])
        });
        let back: Vec<_> = back.collect();

        let spec = ProductSpec {
            shape: middle_shape(row_bits, gpu.arithmetic().int64),
            modulus,
            root: prime.pow(root, 1 << (log_n - row_bits)),
            bound_in: carried,
            whole: false,
            weighted: false,
        };
        let mut kernels: Vec<_> = there.iter().chain(&back).map(Planned::kernel).collect();
        kernels.push(Middle::kernel(&spec));
        gpu.pipelines_of(&kernels)?;
        let build = |edges, passes: &[Planned]| {
            let builder = builder(edges);
            passes.iter().map(|pass| builder.pass(pass)).collect::<Result<_>>()
        };
        Ok(Form::Passes {
            there: build(&edges_there, &there)?,
            middle: Middle::new(gpu, &spec, &[0], 1)?,
            back: build(&edges_back, &back)?,
        })
    }

    fn chunked(gpu: &Gpu, forward: &Transform) -> Result<Self> {
        let modulus = Modulus::new(forward.prime, forward.reduction, gpu.arithmetic());
        let back = Transform { direction: Direction::Inverse, ..forward.inverted() };
        Ok(Form::Chunked {
            there: Box::new(Plan::new(gpu, forward)?),
            pointwise: gpu.pipeline(&kernels::POINTWISE, &pointwise(modulus))?,
            back: Box::new(Plan::with_factor(gpu, &back, modulus.product_factor())?),
        })
    }
}

impl Middle {
    fn kernel(spec: &ProductSpec) -> (&'static Kernel, Variant) {
        let kernel = if spec.whole { &kernels::ROWS_PRODUCT_TO } else { &kernels::ROWS_PRODUCT };
        (kernel, spec.variant())
    }

    fn new(gpu: &Gpu, spec: &ProductSpec, weights: &[u32], scale: u32) -> Result<Self> {
        let (kernel, variant) = Self::kernel(spec);
        let mut twiddles = spec.twiddles();
        twiddles.resize(twiddles.len().max(1), [0, 0]);
        Ok(Middle {
            pipeline: gpu.pipeline(kernel, &variant)?,
            twiddles: gpu.upload_table(&twiddles)?,
            weights: gpu.upload_table(weights)?,
            log_words: spec.shape.rows + spec.shape.columns,
            scale: spec.modulus.constant(scale),
        })
    }

    fn whole(gpu: &Gpu, forward: &Transform) -> Result<Self> {
        let modulus = Modulus::new(forward.prime, forward.reduction, gpu.arithmetic());
        let (prime, log_n) = (forward.prime, forward.log_n);
        let weighted = forward.coset != Coset::Subgroup;
        let mut shape = rows_shape(log_n);
        // One product: no other columns.
        shape.columns = 0;
        let spec = ProductSpec { shape, modulus, root: forward.root()?, bound_in: 1, whole: true, weighted };
        let scale = scale(modulus, log_n);
        let mut weights = vec![0];
        if weighted {
            let g = forward.shift()?;
            let high = 12 - LOG_LOW_WEIGHTS;
            weights = digits(modulus, g, 1, LOG_LOW_WEIGHTS, high);
            weights.extend(digits(modulus, prime.inverse(g), scale, LOG_LOW_WEIGHTS, high));
        }
        Middle::new(gpu, &spec, &weights, scale)
    }

    fn record(
        &self,
        recorder: &mut Recorder,
        data: &[&wgpu::Buffer],
        params: &impl Params,
        words: u32,
    ) -> Result<()> {
        let mut buffers = data.to_vec();
        buffers.push(self.twiddles.whole()?);
        // Only whole products are weighted here.
        if data.len() > 1 {
            buffers.push(self.weights.whole()?);
        }
        recorder.dispatch(&self.pipeline, "rows and products", &buffers, params, words >> self.log_words)
    }
}
