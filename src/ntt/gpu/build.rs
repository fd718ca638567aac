//! Makes the passes to compile from the outline of a transform.

use super::kernels;
use super::outline::Outline;
use super::reduction::Modulus;
use super::specs::{Edge, PassSpec};
use super::split::{self, Room, columns_shape, rows_shape, vectors_shape};
use super::steps::{Ends, Outer};
use super::tables::Powers;
use super::tile::{Decimation, Shape};
use crate::gpu::{Kernel, Variant};
use crate::ntt::{Coset, Direction, Transform};
use crate::task::GpuProfile;

/// Blocks of up to 2^18 words take the twiddles between passes from a full table of pairs
/// (2 MiB, which stays in a cache); longer ones multiply them together, which measured faster.
const LOG_PAIRS: u32 = 18;

/// Changes of the entries at the input and the output of a whole transform.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edges {
    /// The weights g^i of the input.
    pub weight_in: Option<u32>,
    /// The weights g^-j of the results.
    pub weight_out: Option<u32>,
    /// The factor of all results.
    pub scale: u32,
}

impl Edges {
    /// No changes.
    pub const INNER: Edges = Edges { weight_in: None, weight_out: None, scale: 1 };

    pub fn new(spec: &Transform, factor: u32, shift: u32) -> Self {
        let shifted = spec.coset != Coset::Subgroup;
        let prime = spec.prime();
        match spec.direction {
            Direction::Forward => {
                Edges { weight_in: shifted.then_some(shift), scale: factor, ..Edges::INNER }
            }
            Direction::Inverse => Edges {
                weight_in: None,
                weight_out: shifted.then(|| prime.inverse(shift)),
                scale: prime.mul(factor, prime.inverse_of_length(spec.log_n)),
            },
        }
    }

    pub fn edge(&self, first: bool, last: bool) -> Edge {
        Edge {
            weighted_in: first && self.weight_in.is_some(),
            weighted_out: last && self.weight_out.is_some(),
            scaled: last && self.weight_out.is_none() && self.scale != 1,
            bounded: false,
        }
    }
}

/// A pass to compile.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub spec: PassSpec,
    pub log_stride: u32,
    /// The primitive root of its blocks' order.
    pub block_root: u32,
}

impl Planned {
    pub fn kernel(&self) -> (&'static Kernel, Variant) {
        (kernel_of(&self.spec, self.log_stride).0, self.spec.variant())
    }

    /// log2 of the rows and the columns of its table of pairs of twiddles, if it has one.
    pub fn pairs(&self) -> Option<(u32, u32)> {
        match (self.spec.ends.outer, self.spec.log_parts) {
            (Outer::Pairs, _) => Some((self.spec.shape.rows, self.log_stride)),
            (_, 0) => None,
            (_, log_parts) => Some((log_parts, self.spec.shape.rows)),
        }
    }

    /// log2 of the exponents of the twiddles that it multiplies together, if it does so.
    pub fn log_powers(&self) -> Option<u32> {
        (self.spec.ends.outer == Outer::Words).then_some(self.log_stride + self.spec.shape.rows)
    }

    /// Bytes of all its tables in a transform of 2^`log_n` words.
    pub fn table_bytes(&self, log_n: u32) -> u64 {
        let twiddles: u32 = self.spec.shape.places().into_iter().map(|place| place.twiddles()).sum();
        8 * u64::from(twiddles.max(1))
            + self.pairs().map_or(0, |(rows, columns)| 8 << (rows + columns))
            + self.log_powers().map_or(0, Powers::bytes)
            + weight_bytes(self.spec.edge, log_n)
    }
}

/// Bytes of the weights of the entries at one end of a transform of 2^`log_n` words.
pub(super) fn weight_bytes(edge: Edge, log_n: u32) -> u64 {
    Powers::bytes(if edge.weighted_in || edge.weighted_out { log_n } else { 0 })
}

/// The properties that all passes of a transform share.
pub(super) struct Builder<'a> {
    pub room: Room,
    pub modulus: Modulus,
    pub log_n: u32,
    /// Words of the whole batch.
    pub words: usize,
    /// Words of a chunk of it.
    pub chunk: usize,
    pub edges: &'a Edges,
}

impl Builder<'_> {
    /// The passes, in the order in which they run.
    pub fn passes(&self, outline: &Outline, root: u32, chunked: bool) -> Vec<Planned> {
        match self.is_in_parts(outline) {
            true => vec![self.in_parts(root)],
            false => self.planned(outline, root, chunked),
        }
    }

    fn planned(&self, outline: &Outline, root: u32, chunked: bool) -> Vec<Planned> {
        let frequency = outline.decimation == Decimation::Frequency;
        let mut order: Vec<usize> = (0..outline.bits.len()).collect();
        if !frequency {
            order.reverse();
        }
        let mut bound_in = 1;
        let mut planned = Vec::new();
        for (done, &i) in order.iter().enumerate() {
            let log_stride = outline.bits[i + 1..].iter().sum();
            let log_block = log_stride + outline.bits[i];
            let (first, last) = (done == 0, done + 1 == order.len());
            // Halving comes before decimation in frequency and after decimation in time.
            let edge = self.edges.edge(first && !(chunked && frequency), last && (frequency || !chunked));
            let bound_out = if last { 1 } else { self.modulus.constant_product_bound() };
            let outer = outer(log_stride, log_block);
            let ends = Ends { bound_in, outer, bound_out };
            let transposing = outline.transposed && last;
            let middle = edge == Edge::INNER && outline.bits.len() > 1;
            let shape = self.shape(outline, i, log_stride, transposing, middle);
            // Both are powers of two, so a chunk of a workgroup's words or more is a multiple of them.
            let of_group = shape.words() as usize;
            let bounded = !self.words.is_multiple_of(of_group) || self.chunk < of_group;
            let edge = Edge { bounded, ..edge };
            let pass_root = self.modulus.prime.pow(root, 1 << (outline.log_inner - outline.bits[i]));
            let spec = PassSpec {
                edge,
                out_of_place: transposing,
                reversed_in: outline.reversed_in,
                reversed_out: outline.reversed_out && last,
                ..PassSpec::new(shape, self.modulus, outline.decimation, pass_root, ends)
            };
            let block_root = self.modulus.prime.pow(root, 1 << (outline.log_inner - log_block));
            planned.push(Planned { spec, log_stride, block_root });
            bound_in = bound_out;
        }
        planned
    }

    /// True if there is a single pass that is done in parts.
    fn is_in_parts(&self, outline: &Outline) -> bool {
        let plain = self.edges.edge(true, true) == Edge::INNER && outline.decimation == Decimation::Frequency;
        let whole = outline.bits == [self.log_n] && !outline.reversed_in && !outline.reversed_out;
        plain && whole && split::in_parts(self.log_n, self.words >> self.log_n)
    }

    /// The single pass in parts.
    fn in_parts(&self, root: u32) -> Planned {
        let spec = PassSpec::in_parts(self.modulus, self.log_n, root);
        Planned { spec, log_stride: 0, block_root: root }
    }

    fn shape(&self, outline: &Outline, i: usize, log_stride: u32, transposing: bool, middle: bool) -> Shape {
        if log_stride > 0 || transposing {
            columns_shape(outline.bits[i], outline.log_inner, self.room)
        } else if middle {
            vectors_shape(outline.bits[i])
        } else {
            rows_shape(outline.bits[i])
        }
    }
}

/// The kind of twiddles between a pass along 2^`log_stride` words and the next, in blocks of 2^`log_block`.
pub(super) fn outer(log_stride: u32, log_block: u32) -> Outer {
    match log_stride {
        0 => Outer::None,
        _ if log_block <= LOG_PAIRS => Outer::Pairs,
        _ => Outer::Words,
    }
}

/// The kernel of a pass, and the name of its stage.
pub(super) fn kernel_of(spec: &PassSpec, log_stride: u32) -> (&'static Kernel, &'static str) {
    match (log_stride > 0, spec.out_of_place) {
        (true, true) if spec.paired => (&kernels::COLUMNS_PAIR, "columns of both"),
        (true, false) => (&kernels::COLUMNS, "columns"),
        (true, true) => (&kernels::COLUMNS_TO, "columns"),
        (false, false) if spec.shape.vectors => (&kernels::ROWS_VECTORS, "rows"),
        (false, false) => (&kernels::ROWS, "rows"),
        (false, true) if spec.log_parts > 0 => (&kernels::ROWS_PARTS, "rows in parts"),
        (false, true) => (&kernels::ROWS_TRANSPOSED, "rows transposed"),
    }
}

/// Room for tiles.
pub(super) fn room(gpu: &GpuProfile) -> Room {
    Room {
        invocations: gpu.workgroup_invocations.min(Room::LARGE.invocations),
        words: (gpu.workgroup_bytes / 4).min(Room::LARGE.words),
    }
}
