//! The passes of transforms of a row-major matrix's columns on one GPU, in numbers.

use super::build::{Edges, room};
use super::matrix_spec::{MatrixSpec, matrix_bits, matrix_shape};
use super::plan::chunk_len;
use super::reduction::Modulus;
use super::specs::Edge;
use super::steps::{Ends, Outer};
use super::tables::Powers;
use crate::field::bit_reverse;
use crate::ntt::{Direction, Order, Transform};
use crate::task::GpuProfile;
use crate::{Error, Result, Shortage, Side};

/// Blocks of up to 2^20 rows take the twiddles between passes from a full table of pairs, of which all columns take the
/// same.
const LOG_PAIRS: u32 = 20;

/// The passes of a transform, all by decimation in frequency, and the tables that they take.
///
/// ```text
/// source -> pass -> pass in place -> ...                       bit-reversed rows
/// source -> pass to a scratch matrix -> ... -> pass            natural rows, which the last pass puts in their places
/// ```
///
/// If the source has fewer rows than the transform has coefficients, 2^a times as few, the values are those of 2^a short
/// transforms: value j 2^a + c is value j of the source's columns on the coset of g w^c. In bit-reversed order each
/// short transform is a block of rows, and the first pass reads the source for each of them.
#[derive(Clone, Debug)]
pub(in crate::ntt) struct MatrixPlan {
    pub(super) modulus: Modulus,
    pub(super) edges: Edges,
    pub(super) width: usize,
    /// log2 of the rows of the source, and of the result.
    pub(super) log_rows: u32,
    pub(super) log_after: u32,
    pub(super) passes: Vec<MatrixPass>,
    /// The shift of each block's coset.
    pub(super) shifts: Vec<u32>,
}

/// A pass to compile.
#[derive(Clone, Debug)]
pub(super) struct MatrixPass {
    pub spec: MatrixSpec,
    pub log_stride: u32,
    /// The primitive root of its blocks' order.
    pub block_root: u32,
}

impl MatrixPass {
    /// True if its twiddles stand in a full table; false if there are none or it multiplies them together.
    pub fn has_pairs(&self) -> bool {
        self.spec.ends.outer == Outer::Pairs
    }

    pub fn log_block(&self) -> u32 {
        self.log_stride + self.spec.shape.rows
    }
}

impl MatrixPlan {
    /// The passes that take 2^`log_rows` rows of `spec.batch()` words to the rows of `spec`'s results.
    ///
    /// # Errors
    /// [`Error::Input`] if the transform does not exist; [`Error::OutOfMemory`] if a matrix is longer than a binding.
    pub fn new(spec: &Transform, log_rows: u32, gpu: &GpuProfile) -> Result<Self> {
        let (shift, root) = (spec.shift()?, spec.root()?);
        let most = chunk_len(gpu)? as usize;
        if spec.len() > most {
            let message =
                format!("{} words of a matrix: one binding of this device holds {most}", spec.len());
            return Err(Error::OutOfMemory(Shortage { side: Some(Side::Device), ..message.into() }));
        }
        let prime = spec.prime();
        let added = spec.log_n - log_rows;
        let short_root = match spec.direction {
            Direction::Forward => prime.pow(root, 1 << added),
            Direction::Inverse => prime.inverse(root),
        };
        let coset = |block| prime.mul(shift, prime.pow(root, bit_reverse(block, added) as u64));
        let mut plan = MatrixPlan {
            modulus: Modulus::new(prime, spec.reduction(), gpu.arithmetic),
            edges: Edges::new(spec, 1, shift),
            width: spec.batch,
            log_rows,
            log_after: spec.log_n,
            passes: Vec::new(),
            shifts: (0..1usize << added).map(coset).collect(),
        };
        plan.passes = plan.build(spec, short_root, gpu);
        Ok(plan)
    }

    fn build(&self, spec: &Transform, root: u32, gpu: &GpuProfile) -> Vec<MatrixPass> {
        let (modulus, room) = (self.modulus, room(gpu));
        let bits = matrix_bits(self.log_rows, room);
        let mut bound_in = 1;
        let mut passes = Vec::new();
        for (i, &rows) in bits.iter().enumerate() {
            let (first, last) = (i == 0, i + 1 == bits.len());
            let log_stride: u32 = bits[i + 1..].iter().sum();
            let log_block = log_stride + rows;
            let outer = match log_block {
                _ if last => Outer::None,
                ..=LOG_PAIRS => Outer::Pairs,
                _ => Outer::Words,
            };
            let bound_out = if last { 1 } else { modulus.constant_product_bound() };
            let edge = self.edges.edge(first, last);
            // A block of several has a coset even if the first one's is the subgroup.
            let edge = Edge { weighted_in: edge.weighted_in || first && self.shifts.len() > 1, ..edge };
            let order = |log: u32| modulus.prime.pow(root, 1 << (self.log_rows - log));
            let spec = MatrixSpec {
                shape: matrix_shape(rows, room),
                modulus,
                root: order(rows),
                ends: Ends { bound_in, outer, bound_out },
                edge,
                first,
                last,
                reversed_in: first && spec.input == Order::BitReversed,
                reversed_out: last && spec.output == Order::Natural,
            };
            passes.push(MatrixPass { spec, log_stride, block_root: order(log_block) });
            bound_in = bound_out;
        }
        passes
    }

    /// Words of the source.
    pub fn words_before(&self) -> usize {
        self.width << self.log_rows
    }

    /// Words of the result.
    pub fn words_after(&self) -> usize {
        self.width << self.log_after
    }

    /// Passes over the result, each a dispatch.
    pub fn passes(&self) -> usize {
        self.passes.len()
    }

    /// Words of device memory that a run takes in addition to source, result and tables.
    pub fn scratch_len(&self) -> usize {
        let last = self.passes.last().filter(|pass| pass.spec.out_of_place() && !pass.spec.first);
        if last.is_some() { self.words_after() } else { 0 }
    }

    /// Bytes of the tables.
    pub fn table_bytes(&self) -> u64 {
        let of_pass = |pass: &MatrixPass| {
            let twiddles: u32 = pass.spec.shape.places().into_iter().map(|place| place.twiddles()).sum();
            let outer = match pass.spec.ends.outer {
                Outer::None => 0,
                Outer::Pairs => 8 << pass.log_block(),
                Outer::Words => Powers::bytes(pass.log_block()),
            };
            let weights_in =
                (self.shifts.len() as u64) * 4 * ((1 << pass.log_stride) + (1 << pass.spec.shape.rows));
            let weights_out = Powers::bytes(self.log_rows);
            let edge = pass.spec.edge;
            let weights =
                u64::from(edge.weighted_in) * weights_in + u64::from(edge.weighted_out) * weights_out;
            8 * u64::from(twiddles.max(1)) + outer + weights + 4
        };
        self.passes.iter().map(of_pass).sum()
    }
}
