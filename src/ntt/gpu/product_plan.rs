//! The passes of a product on one GPU, in numbers.
//!
//! Two forward transforms leave bit-reversed order, the values are multiplied in this order, and the inverse
//! transform begins from it, so that nothing is reordered:
//!
//! ```text
//! 2^12 words and less:    one dispatch
//! up to half a binding:   columns of both factors  ->  rows, products, rows back  ->  columns back
//! longer:                 transform, transform  ->  products  ->  transform
//! ```
//!
//! The first dispatch does not read the zeros after a factor.

use super::build::{Edges, Planned, outer, room};
use super::plan::{TransformPlan, chunk_len};
use super::reduction::Modulus;
use super::specs::{Edge, PassSpec, ProductSpec};
use super::split::{ONE_PASS, columns_shape, middle_shape, product_bits, rows_shape};
use super::steps::Ends;
use super::tables::digits;
use super::tile::Decimation;
use crate::Result;
use crate::gpu::Family;
use crate::ntt::ring::Convolution;
use crate::ntt::{Coset, Direction, Order, Transform};
use crate::task::GpuProfile;

/// The passes of a product modulo x^n - 1 or x^n + 1, and the tables that they take.
#[derive(Clone, Debug)]
pub struct ProductPlan {
    pub(super) n: usize,
    pub(super) strategy: Strategy,
}

#[derive(Clone, Debug)]
pub(super) enum Strategy {
    /// Forward passes over both factors in one vector, the middle, inverse passes over the product; of a whole product,
    /// only the middle.
    Passes { there: Passes, middle: Middle, back: Passes },
    /// Past one binding: two transforms, the pointwise products, one transform.
    Chunked { there: Box<TransformPlan>, back: Box<TransformPlan> },
}

/// The passes of one direction.
#[derive(Clone, Debug)]
pub(super) struct Passes {
    pub edges: Edges,
    pub passes: Vec<Planned>,
}

/// The last forward passes, the pointwise products, and the first inverse passes.
#[derive(Clone, Debug)]
pub(super) struct Middle {
    pub spec: ProductSpec,
    pub scale: u32,
    /// g, if the entries of a whole product are weighted by its powers.
    pub shift: Option<u32>,
}

/// log2 of the low table of weights in `shaders/ntt/rows_product.wgsl`, for indices below 2^12.
const LOG_LOW_WEIGHTS: u32 = 6;
/// log2 of the high table of weights.
const LOG_HIGH_WEIGHTS: u32 = 12 - LOG_LOW_WEIGHTS;

impl ProductPlan {
    /// The passes of a product.
    pub fn new(convolution: &Convolution, gpu: &GpuProfile) -> Result<Self> {
        let n = convolution.n();
        let coset = if convolution.negacyclic { Coset::Negacyclic } else { Coset::Subgroup };
        let forward = Transform::new(convolution.prime, n)?
            .with_coset(coset)
            .with_reduction(convolution.reduction)
            .with_output(Order::BitReversed);
        let strategy = if 2 * n as u64 > chunk_len(gpu)? {
            Strategy::chunked(&forward, gpu)?
        } else if forward.log_n <= ONE_PASS {
            let none = || Passes { edges: Edges::INNER, passes: Vec::new() };
            Strategy::Passes { there: none(), middle: Middle::whole(&forward, gpu)?, back: none() }
        } else {
            Strategy::passes(&forward, gpu)?
        };
        Ok(ProductPlan { n, strategy })
    }

    /// Dispatches of one product.
    pub fn dispatches(&self) -> usize {
        match &self.strategy {
            Strategy::Passes { there, back, .. } => there.passes.len() + 1 + back.passes.len(),
            Strategy::Chunked { there, back } => 2 * there.passes() + 1 + back.passes(),
        }
    }

    /// Words that all passes together read, and write.
    pub fn words_passed(&self) -> usize {
        self.n
            * match &self.strategy {
                Strategy::Passes { there, back, .. } => 2 * there.passes.len() + 2 + back.passes.len(),
                Strategy::Chunked { .. } => self.dispatches(),
            }
    }

    /// Words of device memory that a run takes in addition to the factors, the product and the tables.
    pub fn scratch_len(&self) -> usize {
        match &self.strategy {
            Strategy::Passes { middle, .. } if middle.spec.whole => 0,
            Strategy::Passes { .. } => 2 * self.n,
            Strategy::Chunked { there, back } => self.n + there.scratch_len() + back.scratch_len(),
        }
    }

    /// Bytes of the tables.
    pub fn table_bytes(&self) -> u64 {
        match &self.strategy {
            Strategy::Passes { there, middle, back } => {
                let passes = there.passes.iter().chain(&back.passes);
                let log_n = self.n.ilog2();
                passes.map(|pass| pass.table_bytes(log_n)).sum::<u64>() + middle.table_bytes()
            }
            Strategy::Chunked { there, back } => there.table_bytes() + back.table_bytes(),
        }
    }
}

/// The factor of the results of a product of transforms of this length: 1/n times the factor that the
/// pointwise products left out.
fn scale(modulus: Modulus, log_n: u32) -> u32 {
    modulus.prime.mul(modulus.prime.inverse_of_length(log_n), modulus.product_factor())
}

impl Strategy {
    fn passes(forward: &Transform, gpu: &GpuProfile) -> Result<Self> {
        let modulus = Modulus::new(forward.prime(), forward.reduction(), gpu.arithmetic_of(Family::Words));
        let (prime, log_n) = (forward.prime(), forward.log_n);
        let shift = (forward.coset != Coset::Subgroup).then(|| forward.shift()).transpose()?;
        let bits = product_bits(log_n);
        let (&row_bits, column_bits) = bits.split_last().unwrap_or((&0, &[]));
        let strides: Vec<u32> = (0..column_bits.len()).map(|i| bits[i + 1..].iter().sum()).collect();
        let carried = modulus.constant_product_bound();

        let planned = |i: usize, decimation, root: u32, edge: Edge, bounds: [u32; 2]| {
            let paired = i == 0 && decimation == Decimation::Frequency;
            let (b, log_stride) = (column_bits[i], strides[i]);
            let ends =
                Ends { bound_in: bounds[0], outer: outer(log_stride, log_stride + b), bound_out: bounds[1] };
            let (shape, pass_root) = (columns_shape(b, log_n, room(gpu)), prime.pow(root, 1 << (log_n - b)));
            let pass = PassSpec::new(shape, modulus, decimation, pass_root, ends);
            let spec = PassSpec { edge, out_of_place: i == 0, paired, ..pass };
            Planned { spec, log_stride, block_root: prime.pow(root, 1 << (log_n - b - log_stride)) }
        };

        let root = forward.root()?;
        let edges_there = Edges { weight_in: shift, ..Edges::INNER };
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
            shape: middle_shape(row_bits, gpu.arithmetic_of(Family::Words).int64),
            modulus,
            root: prime.pow(root, 1 << (log_n - row_bits)),
            bound_in: carried,
            whole: false,
            weighted: false,
        };
        Ok(Strategy::Passes {
            there: Passes { edges: edges_there, passes: there },
            middle: Middle { spec, scale: 1, shift: None },
            back: Passes { edges: edges_back, passes: back },
        })
    }

    fn chunked(forward: &Transform, gpu: &GpuProfile) -> Result<Self> {
        let modulus = Modulus::new(forward.prime(), forward.reduction(), gpu.arithmetic_of(Family::Words));
        let back = forward.inverted().with_direction(Direction::Inverse);
        Ok(Strategy::Chunked {
            there: Box::new(TransformPlan::new(forward, 1, gpu)?),
            back: Box::new(TransformPlan::new(&back, modulus.product_factor(), gpu)?),
        })
    }
}

impl Middle {
    fn whole(forward: &Transform, gpu: &GpuProfile) -> Result<Self> {
        let modulus = Modulus::new(forward.prime(), forward.reduction(), gpu.arithmetic_of(Family::Words));
        let log_n = forward.log_n;
        let shift = (forward.coset != Coset::Subgroup).then(|| forward.shift()).transpose()?;
        let mut shape = rows_shape(log_n);
        // One product has no other columns.
        shape.columns = 0;
        let weighted = shift.is_some();
        let spec = ProductSpec { shape, modulus, root: forward.root()?, bound_in: 1, whole: true, weighted };
        Ok(Middle { spec, scale: scale(modulus, log_n), shift })
    }

    /// The weights of the entries before and after, or one entry if there are none.
    pub fn weights(&self) -> Vec<u32> {
        let (modulus, Some(g)) = (self.spec.modulus, self.shift) else { return vec![0] };
        let mut weights = digits(modulus, g, 1, LOG_LOW_WEIGHTS, LOG_HIGH_WEIGHTS);
        let back = modulus.prime.inverse(g);
        weights.extend(digits(modulus, back, self.scale, LOG_LOW_WEIGHTS, LOG_HIGH_WEIGHTS));
        weights
    }

    fn table_bytes(&self) -> u64 {
        let twiddles: u32 = self.spec.shape.places().into_iter().map(|place| place.twiddles()).sum();
        let weights = match self.shift {
            Some(_) => 2 * ((1 << LOG_LOW_WEIGHTS) + (1 << LOG_HIGH_WEIGHTS)),
            None => 1,
        };
        8 * u64::from(2 * twiddles).max(1) + 4 * weights
    }
}
