//! The passes of transforms of a row-major matrix's columns on one GPU, in numbers.

use super::build::{Edges, room};
use super::matrix_spec::{MatrixKind, MatrixSpec, extension_shape, matrix_bits, matrix_shape};
use super::plan::chunk_len;
use super::reduction::Modulus;
use super::specs::Edge;
use super::split::Room;
use super::steps::{Ends, Outer};
use super::tables::Powers;
use super::tile::Decimation;
use crate::field::bit_reverse;
use crate::gpu::Family;
use crate::ntt::{Direction, Order, Transform};
use crate::task::GpuProfile;
use crate::{Error, Result, Shortage, Side};

/// Blocks of up to 2^20 rows take the twiddles between passes from a full table of pairs, of which all columns take the
/// same.
const LOG_PAIRS: u32 = 20;

/// The passes over a matrix, and the tables that they take. Those of a transform are by decimation in frequency:
///
/// ```text
/// source -> pass -> pass in place -> ...                       bit-reversed rows
/// source -> pass to a scratch matrix -> ... -> pass            natural rows, which the last pass puts in their places
/// ```
///
/// If the source has fewer rows than the transform has coefficients, 2^a times as few, the values are those of 2^a short
/// transforms: value j 2^a + c is value j of the source's columns on the coset of g w^c. In bit-reversed order each
/// short transform is a block of rows, and the first pass reads the source for each of them.
///
/// An extension has passes of the inverse transform by decimation in time before, which end at the stride at which the
/// forward transforms begin, so that one pass does both:
///
/// ```text
/// source -> inverse pass -> ... -> inverse pass and forward pass to each block -> pass in place -> ...
/// stride    1                      the longest                                    shorter
/// ```
#[derive(Clone, Debug)]
pub struct MatrixPlan {
    pub(super) modulus: Modulus,
    pub(super) edges: Edges,
    pub(super) width: usize,
    /// log2 of the rows of the source, and of the result.
    pub(super) log_rows: u32,
    pub(super) log_after: u32,
    pub(super) passes: Vec<MatrixPass>,
    /// The base of each block's weights: the shift of its coset, for an extension over that of the source's.
    pub(super) shifts: Vec<u32>,
}

/// A pass to compile.
#[derive(Clone, Debug)]
pub(super) struct MatrixPass {
    pub spec: MatrixSpec,
    pub log_stride: u32,
    /// The primitive root of its blocks' order.
    pub block_root: u32,
    /// Words that it writes.
    pub words: usize,
}

impl MatrixPass {
    /// True if its twiddles stand in a full table; false if there are none or it multiplies them together.
    pub fn has_pairs(&self) -> bool {
        self.spec.ends.outer == Outer::Pairs
    }

    pub fn log_block(&self) -> u32 {
        self.log_stride + self.spec.shape.rows
    }

    pub fn is_extension(&self) -> bool {
        matches!(self.spec.kind, MatrixKind::Extension { .. })
    }
}

impl MatrixPlan {
    /// The passes of the transform `spec` of columns of 2^`log_rows` coefficients, or values of the inverse
    /// transform. A matrix must fit a binding.
    pub fn new(
        spec: &Transform,
        inverse: Option<&Transform>,
        log_rows: u32,
        gpu: &GpuProfile,
    ) -> Result<Self> {
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
        let mut edges = Edges::new(spec, 1, shift);
        let mut base = shift;
        if let Some(inverse) = inverse {
            base = prime.mul(shift, prime.inverse(inverse.shift()?));
            edges = Edges { weight_in: None, scale: prime.inverse_of_length(log_rows), ..edges };
        }
        let of_block = |block| prime.mul(base, prime.pow(root, bit_reverse(block, added) as u64));
        let mut plan = MatrixPlan {
            modulus: Modulus::new(prime, spec.reduction(), gpu.arithmetic_of(Family::Words)),
            edges,
            width: spec.batch,
            log_rows,
            log_after: spec.log_n,
            passes: Vec::new(),
            shifts: (0..1usize << added).map(of_block).collect(),
        };
        plan.passes = match inverse {
            None => plan.forward(spec, short_root, gpu),
            Some(inverse) => plan.extension(inverse, spec, short_root, gpu),
        };
        Ok(plan)
    }

    /// The passes of a transform.
    fn forward(&self, spec: &Transform, root: u32, gpu: &GpuProfile) -> Vec<MatrixPass> {
        let mut cut = Cut::new(self, root, gpu);
        let passes = (0..cut.bits.len()).map(|i| {
            let (first, last) = (i == 0, i + 1 == cut.bits.len());
            let edge = self.edges.edge(first, last);
            // A block of several has a coset even if the first one's is the subgroup.
            let edge = Edge { weighted_in: edge.weighted_in || first && self.shifts.len() > 1, ..edge };
            let orders = [first && spec.input == Order::BitReversed, last && spec.output == Order::Natural];
            cut.pass(i, MatrixKind::Pass(Decimation::Frequency), edge, [first, last], orders)
        });
        passes.collect()
    }

    /// The passes of an extension. A weight's part that belongs to the stride stands in the twiddles between passes, the
    /// rest in a table of rows.
    fn extension(
        &self,
        inverse: &Transform,
        spec: &Transform,
        root: u32,
        gpu: &GpuProfile,
    ) -> Vec<MatrixPass> {
        let mut cut = Cut::new(self, root, gpu);
        let last = cut.bits.len() - 1;
        let from_natural = inverse.input == Order::Natural;
        let to_natural = spec.output == Order::Natural;
        let back = (1..=last).rev().map(|i| {
            let first = i == last;
            let orders = [first && from_natural, false];
            cut.pass(i, MatrixKind::Pass(Decimation::Time), Edge::INNER, [first, false], orders)
        });
        let mut passes: Vec<_> = back.collect();
        let root_back = self.modulus.prime.inverse(cut.root_of(cut.bits[0]));
        let kind = MatrixKind::Extension { root_back, bound_back: cut.bound };
        // Weights are products with constants.
        cut.bound = self.modulus.constant_product_bound();
        let forward = (0..=last).map(|i| {
            let kind = if i == 0 { kind } else { MatrixKind::Pass(Decimation::Frequency) };
            let alone = last == 0;
            let orders = [alone && from_natural, i == last && to_natural];
            cut.pass(i, kind, Edge::INNER, [alone, i == last], orders)
        });
        passes.extend(forward);
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

    /// Passes, each a dispatch.
    pub fn passes(&self) -> usize {
        self.passes.len()
    }

    /// Words that all passes write.
    pub fn words_written(&self) -> usize {
        self.passes.iter().map(|pass| pass.words).sum()
    }

    /// Words of device memory that a run takes in addition to source, result and tables.
    pub fn scratch_len(&self) -> usize {
        let last = self.passes.last().filter(|pass| pass.spec.out_of_place() && !pass.spec.first);
        if last.is_some() { self.words_after() } else { 0 }
    }

    /// Bytes of the tables.
    pub fn table_bytes(&self) -> u64 {
        let blocks = self.shifts.len() as u64;
        let of_pass = |pass: &MatrixPass| {
            let (rows, log_stride, edge) = (pass.spec.shape.rows, pass.log_stride, pass.spec.edge);
            let [extends, not] = [pass.is_extension(), !pass.is_extension()].map(u64::from);
            let twiddles: u64 =
                pass.spec.shape.places().into_iter().map(|place| u64::from(place.twiddles())).sum();
            let twiddles = twiddles * (1 + extends) + extends * (blocks << rows);
            let (outer, low_weights) = match pass.spec.ends.outer {
                Outer::None => (0, 0),
                Outer::Pairs => ((1 + extends * blocks) * (8 << pass.log_block()), 0),
                Outer::Words => (Powers::bytes(pass.log_block()), extends * blocks * (4 << log_stride)),
            };
            let weights_in = blocks * 4 * ((1 << log_stride) + (1 << rows));
            let weights_out = Powers::bytes(self.log_rows);
            let weights = u64::from(edge.weighted_in) * not * weights_in
                + u64::from(edge.weighted_out) * weights_out
                + low_weights;
            8 * twiddles.max(1) + outer + weights + 4
        };
        self.passes.iter().map(of_pass).sum()
    }
}

/// The cut of a plan's rows into passes, which it makes in the order in which they run.
struct Cut<'p> {
    plan: &'p MatrixPlan,
    room: Room,
    /// The bits of each pass, from the longest stride down.
    bits: Vec<u32>,
    /// The primitive root of the order of the source's rows. Passes by decimation in time take its inverse.
    root: u32,
    /// The values come in below so many p to the next pass.
    bound: u32,
}

impl<'p> Cut<'p> {
    fn new(plan: &'p MatrixPlan, root: u32, gpu: &GpuProfile) -> Self {
        let room = room(gpu);
        Cut { plan, room, bits: matrix_bits(plan.log_rows, room), root, bound: 1 }
    }

    /// The primitive root of order 2^`log`.
    fn root_of(&self, log: u32) -> u32 {
        self.plan.modulus.prime.pow(self.root, 1 << (self.plan.log_rows - log))
    }

    /// The pass of bits `i`.
    fn pass(
        &mut self,
        i: usize,
        kind: MatrixKind,
        edge: Edge,
        [first, last]: [bool; 2],
        [reversed_in, reversed_out]: [bool; 2],
    ) -> MatrixPass {
        let modulus = self.plan.modulus;
        let (rows, log_stride) = (self.bits[i], self.bits[i + 1..].iter().sum());
        let log_block = log_stride + rows;
        let outer = match log_block {
            _ if log_stride == 0 => Outer::None,
            ..=LOG_PAIRS => Outer::Pairs,
            _ => Outer::Words,
        };
        let bound_out = if last { 1 } else { modulus.constant_product_bound() };
        let is_back = kind == MatrixKind::Pass(Decimation::Time);
        let root_of = |log| match is_back {
            true => modulus.prime.inverse(self.root_of(log)),
            false => self.root_of(log),
        };
        let (root, block_root) = (root_of(rows), root_of(log_block));
        let spec = MatrixSpec {
            shape: match kind {
                MatrixKind::Pass(_) => matrix_shape(rows, self.room),
                MatrixKind::Extension { .. } => extension_shape(rows, self.room),
            },
            modulus,
            kind,
            root,
            ends: Ends { bound_in: std::mem::replace(&mut self.bound, bound_out), outer, bound_out },
            edge,
            first,
            last,
            reversed_in,
            reversed_out,
        };
        let words = if is_back { self.plan.words_before() } else { self.plan.words_after() };
        MatrixPass { spec, log_stride, block_root, words }
    }
}
