//! The passes of a transform on one GPU, in numbers.

use super::build::{Builder, Edges, Planned, room};
use super::halving;
use super::outline::Outline;
use super::reduction::Modulus;
use super::split::ONE_PASS;
use super::tile::Decimation;
use crate::gpu::Family;
use crate::ntt::{Direction, Order, Transform};
use crate::task::GpuProfile;
use crate::{Error, Result};

/// The passes of a transform, and the tables that they take.
///
/// ```text
/// reversal?  ->  outer radix-2 stages?  ->  passes                                (frequency)
/// reversal?  ->                             passes  ->  outer radix-2 stages?     (time)
/// ```
///
/// The reversal stands at either end. The outer radix-2 stages are those between the chunks of a vector that
/// no single binding holds; the passes do the other stages within each chunk.
#[derive(Clone, Debug)]
pub struct TransformPlan {
    pub(super) spec: Transform,
    pub(super) modulus: Modulus,
    pub(super) edges: Edges,
    /// The primitive n-th root of unity of this direction.
    pub(super) root: u32,
    pub(super) decimation: Decimation,
    /// Outer radix-2 stages.
    pub(super) levels: u32,
    pub(super) passes: Vec<Planned>,
    pub(super) reversal: Option<Reversal>,
    /// Words of one buffer of the data.
    chunk: usize,
}

/// The place of a separate pass that brings the entries into the other order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reversal {
    Before,
    After,
}

impl TransformPlan {
    /// The passes of `spec`, with all results multiplied by `factor`.
    pub fn new(spec: &Transform, factor: u32, gpu: &GpuProfile) -> Result<Self> {
        let modulus = Modulus::new(spec.prime(), spec.reduction(), gpu.arithmetic_of(Family::Words));
        let shift = spec.shift()?;
        let root = match spec.direction {
            Direction::Forward => spec.root()?,
            Direction::Inverse => spec.prime().inverse(spec.root()?),
        };
        let chunk = chunk_len(gpu)? as usize;
        let log_inner = spec.log_n.min(chunk.ilog2());
        let chunked = log_inner < spec.log_n;
        let outline = Outline::new(spec, log_inner, chunked);
        let edges = Edges::new(spec, factor, shift);
        let builder =
            Builder { room: room(gpu), modulus, log_n: spec.log_n, words: spec.len(), chunk, edges: &edges };
        let inner_root = spec.prime().pow(root, 1 << (spec.log_n - log_inner));
        let passes = builder.passes(&outline, inner_root, chunked);
        Ok(TransformPlan {
            spec: *spec,
            modulus,
            root,
            decimation: outline.decimation,
            levels: spec.log_n - log_inner,
            passes,
            reversal: reversal(spec, chunked),
            chunk,
            edges,
        })
    }

    /// Words of the batch.
    pub fn words(&self) -> usize {
        self.spec.len()
    }

    /// Passes over the data: each reads and writes every word once.
    pub fn passes(&self) -> usize {
        self.passes.len() + self.levels as usize + usize::from(self.reversal.is_some())
    }

    /// Dispatches of a run: one for each buffer of a pass.
    pub fn dispatches(&self) -> usize {
        let chunks = self.words().div_ceil(self.chunk);
        let of_levels = self.levels as usize * chunks / 2;
        let of_reversal = match self.reversal {
            // Every chunk of a vector goes to every chunk of it.
            Some(_) => chunks * (self.spec.n() / self.chunk).max(1),
            None => 0,
        };
        chunks * self.passes.len() + of_levels + of_reversal
    }

    /// Words of device memory that a run takes in addition to the data and the tables.
    pub fn scratch_len(&self) -> usize {
        let moves = self.reversal.is_some() || self.passes.iter().any(|pass| pass.spec.out_of_place);
        if moves { self.words() } else { 0 }
    }

    /// Bytes of the tables.
    pub fn table_bytes(&self) -> u64 {
        let passes: u64 = self.passes.iter().map(|pass| pass.table_bytes(self.spec.log_n)).sum();
        passes
            + match self.levels {
                0 => 0,
                levels => halving::table_bytes(&self.edges, levels, self.decimation, self.spec.log_n),
            }
    }
}

/// Words of a chunk of a device vector. A binding must hold a word.
pub(super) fn chunk_len(gpu: &GpuProfile) -> Result<u64> {
    match gpu.binding_bytes / 4 {
        0 => Err(Error::OutOfMemory("an element is larger than a binding".into())),
        words => Ok(1 << words.ilog2()),
    }
}

/// The separate reversal that the orders require, if any.
fn reversal(spec: &Transform, chunked: bool) -> Option<Reversal> {
    if spec.log_n <= ONE_PASS && !chunked {
        return None;
    }
    match (spec.input, spec.output) {
        (Order::BitReversed, Order::BitReversed) => Some(Reversal::Before),
        (Order::Natural, Order::Natural) if chunked => Some(Reversal::After),
        _ => None,
    }
}
