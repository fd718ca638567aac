//! From the outline of a transform to compiled passes with their tables.

use super::kernels;
use super::outline::Outline;
use super::pass::{Pass, Tables};
use super::reduction::Modulus;
use super::specs::{Edge, PassSpec};
use super::split::{self, Room, columns_shape, rows_shape, vectors_shape};
use super::tables::{Powers, outer_pairs};
use super::tile::{Decimation, Ends, Outer, Shape};
use crate::Result;
use crate::gpu::{Gpu, Kernel, Variant};
use crate::ntt::{Coset, Direction, Transform};

/// Blocks of up to 2^18 words take the twiddles between passes from a full table of pairs
/// (2 MiB, which stays in a cache); longer ones multiply them together, which measured faster.
const LOG_PAIRS: u32 = 18;

/// What happens to the entries on the way in and out of a whole transform.
pub(super) struct Edges {
    /// The weights g^i of the entries as they come in.
    pub weight_in: Option<u32>,
    /// The weights g^-j of the results.
    pub weight_out: Option<u32>,
    /// What all results are multiplied by.
    pub scale: u32,
}

impl Edges {
    pub fn new(spec: &Transform, factor: u32, shift: u32) -> Self {
        let shifted = spec.coset != Coset::Subgroup;
        let prime = spec.prime;
        match spec.direction {
            Direction::Forward => {
                Edges { weight_in: shifted.then_some(shift), weight_out: None, scale: factor }
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

/// A pass that is to be compiled.
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
}

/// What all passes of a plan have in common.
pub(super) struct Builder<'a> {
    pub gpu: &'a Gpu,
    pub modulus: Modulus,
    pub log_n: u32,
    /// Words of the whole batch.
    pub words: usize,
    pub edges: &'a Edges,
}

impl Builder<'_> {
    pub fn passes(&self, outline: &Outline, root: u32, chunked: bool) -> Result<Vec<Pass>> {
        let planned = match self.is_in_parts(outline) {
            true => vec![self.in_parts(root)],
            false => self.planned(outline, root, chunked),
        };
        let kernels: Vec<_> = planned.iter().map(Planned::kernel).collect();
        self.gpu.pipelines_of(&kernels)?;
        planned.iter().map(|planned| self.pass(planned)).collect()
    }

    fn planned(&self, outline: &Outline, root: u32, chunked: bool) -> Vec<Planned> {
        let frequency = outline.decimation == Decimation::Frequency;
        let mut order: Vec<usize> = (0..outline.bits.len()).collect();
        if !frequency {
            order.reverse();
        }
        let mut bound_in = 1;
        let mut planned = Vec::new();
        for (turn, &i) in order.iter().enumerate() {
            let log_stride = outline.bits[i + 1..].iter().sum();
            let log_block = log_stride + outline.bits[i];
            let (first, last) = (turn == 0, turn + 1 == order.len());
            // Halving stands before decimation in frequency and after decimation in time.
            let edge = self.edges.edge(first && !(chunked && frequency), last && (frequency || !chunked));
            let bound_out = if last { 1 } else { self.modulus.constant_product_bound() };
            let outer = outer(log_stride, log_block);
            let ends = Ends { bound_in, outer, bound_out };
            let transposing = outline.transposed && last;
            let middle = edge == Edge::INNER && outline.bits.len() > 1;
            let shape = self.shape(outline, i, log_stride, transposing, middle);
            let edge = Edge { bounded: !self.words.is_multiple_of(shape.words() as usize), ..edge };
            let spec = PassSpec {
                shape,
                modulus: self.modulus,
                decimation: outline.decimation,
                root: self.modulus.prime.pow(root, 1 << (outline.log_inner - outline.bits[i])),
                ends,
                edge,
                out_of_place: transposing,
                reversed_in: outline.reversed_in,
                reversed_out: outline.reversed_out && last,
                paired: false,
                log_parts: 0,
            };
            let block_root = self.modulus.prime.pow(root, 1 << (outline.log_inner - log_block));
            planned.push(Planned { spec, log_stride, block_root });
            bound_in = bound_out;
        }
        planned
    }

    /// Whether there is one pass, done in parts.
    fn is_in_parts(&self, outline: &Outline) -> bool {
        let plain = self.edges.edge(true, true) == Edge::INNER && outline.decimation == Decimation::Frequency;
        let whole = outline.bits == [self.log_n] && !outline.reversed_in && !outline.reversed_out;
        plain && whole && split::in_parts(self.log_n, self.words >> self.log_n)
    }

    /// That pass.
    fn in_parts(&self, root: u32) -> Planned {
        let spec = PassSpec::in_parts(self.modulus, self.log_n, root);
        Planned { spec, log_stride: 0, block_root: root }
    }

    fn shape(&self, outline: &Outline, i: usize, log_stride: u32, transposing: bool, middle: bool) -> Shape {
        if log_stride > 0 || transposing {
            columns_shape(outline.bits[i], outline.log_inner, room(self.gpu))
        } else if middle {
            vectors_shape(outline.bits[i])
        } else {
            rows_shape(outline.bits[i])
        }
    }

    /// Compiles one pass, and uploads its tables.
    pub fn pass(&self, planned: &Planned) -> Result<Pass> {
        let &Planned { ref spec, log_stride, block_root } = planned;
        let (kernel, stage) = kernel_of(spec, log_stride);
        let modulus = self.modulus;
        let shape = &spec.shape;
        let powers = (spec.ends.outer == Outer::Words)
            .then(|| Powers::new(self.gpu, modulus, block_root, 1, log_stride + shape.rows))
            .transpose()?;
        let pairs = match (spec.ends.outer, spec.log_parts) {
            (Outer::Pairs, _) => Some((shape.rows, log_stride)),
            (_, 0) => None,
            (_, log_parts) => Some((log_parts, shape.rows)),
        };
        let pairs = pairs
            .map(|(rows, stride)| self.gpu.upload_table(&outer_pairs(modulus, block_root, rows, stride)))
            .transpose()?;
        let mut twiddles = shape.twiddles(modulus, spec.tile_root());
        twiddles.resize(twiddles.len().max(1), [0, 0]);
        Ok(Pass {
            pipeline: self.gpu.pipeline(kernel, &spec.variant())?,
            stage: format!("{stage} 2^{}", shape.rows),
            log_words: shape.rows + shape.columns,
            log_stride,
            tables: Tables {
                twiddles: self.gpu.upload_table(&twiddles)?,
                pairs,
                powers,
                weights: self.weights(spec.edge)?,
            },
            scale: modulus.constant(self.edges.scale),
            out_of_place: spec.out_of_place,
            bare: spec.shape.vectors || spec.log_parts > 0,
        })
    }

    pub fn weights(&self, edge: Edge) -> Result<Powers> {
        let (base, factor) = match (edge.weighted_in, edge.weighted_out) {
            (true, _) => (self.edges.weight_in.unwrap_or(1), 1),
            (_, true) => (self.edges.weight_out.unwrap_or(1), self.edges.scale),
            _ => return Powers::new(self.gpu, self.modulus, 1, 1, 0),
        };
        Powers::new(self.gpu, self.modulus, base, factor, self.log_n)
    }
}

pub(super) fn outer(log_stride: u32, log_block: u32) -> Outer {
    match log_stride {
        0 => Outer::None,
        _ if log_block <= LOG_PAIRS => Outer::Pairs,
        _ => Outer::Words,
    }
}

fn kernel_of(spec: &PassSpec, log_stride: u32) -> (&'static Kernel, &'static str) {
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
pub(super) fn room(gpu: &Gpu) -> Room {
    let limits = gpu.limits();
    Room {
        invocations: limits.max_compute_invocations_per_workgroup.min(Room::LARGE.invocations),
        words: (limits.max_compute_workgroup_storage_size / 4).min(Room::LARGE.words),
    }
}
