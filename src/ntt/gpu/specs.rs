//! The specifications of the fast transforms' kernels: everything that determines their texts.

use serde::Serialize;

use super::butterfly::Program;
use super::reduction::{Modulus, ModulusContext};
use super::split::{LOG_PARTS, parts_shape};
use super::steps::{self, Ends, Outer, StepContext, TileContext};
use super::tile::{self, Decimation, Layout, Shape};
use crate::gpu::Variant;

/// Invocations per workgroup of the kernels with one word per thread.
pub(super) const FLAT: u32 = 256;

/// The changes of values where they enter or leave a whole transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Edge {
    /// Entries are weighted as they come in, or as they go out.
    pub weighted_in: bool,
    pub weighted_out: bool,
    /// Results are multiplied by a constant.
    pub scaled: bool,
    /// Loads past source_len and stores past target_len are skipped.
    pub bounded: bool,
}

impl Edge {
    /// No changes: the pass is in the middle.
    pub const INNER: Edge = Edge { weighted_in: false, weighted_out: false, scaled: false, bounded: false };
}

#[derive(Serialize)]
struct PassContext<'a> {
    #[serde(flatten)]
    tile: TileContext,
    #[serde(flatten)]
    spec: &'a PassSpec,
    scale_reductions: Vec<u32>,
    source: &'a str,
    target: &'a str,
    outer: Outer,
    steps: Vec<StepContext>,
    /// The order of the whole vector before and after the pass.
    index_in: &'a str,
    index_out: &'a str,
    staged_in: bool,
    staged_out: bool,
    /// The slots of the words that a thread stages, relative to the first.
    slots_in: Vec<u32>,
    slots_out: Vec<u32>,
    /// The first step with another numbering of the threads; 0 for none.
    late: usize,
    /// The step that takes the twiddles of the pass; -1 for none.
    outer_step: i32,
    /// Statements for one word of each part.
    parts: Vec<String>,
}

/// Everything that determines the text of a pass, of which the template takes some as it is.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PassSpec {
    #[serde(skip)]
    pub shape: Shape,
    #[serde(skip)]
    pub modulus: Modulus,
    pub decimation: Decimation,
    /// The primitive 2^b-th root of unity of the pass.
    #[serde(skip)]
    pub root: u32,
    #[serde(skip)]
    pub ends: Ends,
    #[serde(flatten)]
    pub edge: Edge,
    #[serde(skip)]
    pub out_of_place: bool,
    /// True if the pass brings its own vectors into the other order at either end.
    pub reversed_in: bool,
    pub reversed_out: bool,
    /// True if a second source holds the second vector.
    pub paired: bool,
    /// log2 of the parts of a vector: see `shaders/ntt/rows_parts.wgsl`. The shape is a part's, the root the
    /// whole vector's.
    pub log_parts: u32,
}

impl PassSpec {
    /// A pass in place, without anything at its ends.
    pub fn new(shape: Shape, modulus: Modulus, decimation: Decimation, root: u32, ends: Ends) -> Self {
        PassSpec {
            shape,
            modulus,
            decimation,
            root,
            ends,
            edge: Edge::INNER,
            out_of_place: false,
            reversed_in: false,
            reversed_out: false,
            paired: false,
            log_parts: 0,
        }
    }

    /// A whole transform of 2^`bits` in parts; `root` is of that order.
    pub fn in_parts(modulus: Modulus, bits: u32, root: u32) -> Self {
        let ends = Ends { bound_in: modulus.constant_product_bound(), outer: Outer::None, bound_out: 1 };
        let part = PassSpec::new(parts_shape(bits), modulus, Decimation::Frequency, root, ends);
        PassSpec { out_of_place: true, log_parts: LOG_PARTS, ..part }
    }

    pub fn variant(&self) -> Variant {
        let frequency = self.decimation == Decimation::Frequency;
        // Wide windows at the end of contiguous vectors are 32 consecutive words or more;
        // narrower ones go through workgroup memory to become so.
        let narrow = self.shape.rows - self.shape.registers < 5;
        let stacked = self.shape.layout == Layout::Stacked;
        let orders = if frequency { ["natural", "reversed"] } else { ["reversed", "natural"] };
        let flipped = |order: &'static str, flip: bool| match (order, flip) {
            ("natural", true) => "reversed",
            ("reversed", true) => "natural",
            _ => order,
        };
        let last_step = self.shape.steps.len() - 1;
        let transposed = !stacked && self.reversed_out;
        let renumbered = stacked && frequency && self.reversed_out && last_step > 0 && !narrow;
        let context = PassContext {
            tile: steps::context(&self.shape, self.modulus),
            spec: self,
            scale_reductions: self.modulus.scale_reductions(),
            source: if self.out_of_place { "source" } else { "data" },
            target: "data",
            outer: self.ends.outer,
            steps: steps::steps(&self.shape, self.modulus, self.decimation, self.tile_root(), &self.ends, 0),
            index_in: flipped(orders[0], self.reversed_in),
            index_out: flipped(orders[1], self.reversed_out),
            slots_in: tile::staged(&self.shape, self.reversed_in),
            slots_out: tile::staged(&self.shape, self.reversed_out),
            staged_in: stacked && (narrow || !frequency || self.reversed_in),
            staged_out: stacked && !renumbered && (narrow || frequency || self.reversed_out),
            late: match (transposed, renumbered) {
                (true, _) => 1,
                (_, true) => last_step,
                _ => 0,
            },
            outer_step: match (self.ends.outer, frequency) {
                (Outer::None, _) => -1,
                (_, true) => last_step as i32,
                (_, false) => 0,
            },
            parts: self.parts(),
        };
        Variant::new(self.shape.threads(), context)
    }

    /// The primitive root of the tile's order.
    pub fn tile_root(&self) -> u32 {
        self.modulus.prime.pow(self.root, 1 << self.log_parts)
    }

    /// For each part, its word of the first butterflies, times the twiddle before the tile.
    fn parts(&self) -> Vec<String> {
        let all: Vec<usize> = (0..1 << self.log_parts).collect();
        let root = self.modulus.prime.pow(self.root, 1 << self.shape.rows);
        let mut butterflies = Program::new(self.modulus, all.len(), 1);
        butterflies.transform_dif(&all, root);
        let part = |&part: &usize| {
            let mut program = butterflies.clone();
            program.outer_pair(part, part);
            program.to_wgsl()
        };
        if self.log_parts > 0 { all.iter().map(part).collect() } else { Vec::new() }
    }
}

#[derive(Serialize)]
struct ProductContext<'a> {
    #[serde(flatten)]
    tile: TileContext,
    #[serde(flatten)]
    spec: &'a ProductSpec,
    steps: Vec<StepContext>,
    steps_back: Vec<StepContext>,
    scale_reductions: Vec<u32>,
    late: usize,
    outer_step: i32,
}

/// Everything that determines the text of the middle of a product, of which the template takes some as it is.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ProductSpec {
    #[serde(skip)]
    pub shape: Shape,
    #[serde(skip)]
    pub modulus: Modulus,
    /// The primitive 2^b-th root of unity.
    #[serde(skip)]
    pub root: u32,
    /// Values come in below this many p.
    #[serde(skip)]
    pub bound_in: u32,
    /// The product is whole: factors of any length come in, results go out scaled.
    pub whole: bool,
    pub weighted: bool,
}

impl ProductSpec {
    pub fn variant(&self) -> Variant {
        let modulus = self.modulus;
        let there = Ends { bound_in: self.bound_in, outer: Outer::None, bound_out: 1 };
        let bound_out = if self.whole { 1 } else { modulus.constant_product_bound() };
        let back = Ends { bound_in: 1, outer: Outer::None, bound_out };
        let root_back = modulus.prime.inverse(self.root);
        let offset = self.shape.twiddles(modulus, self.root).len() as u32;
        let context = ProductContext {
            tile: steps::context(&self.shape, modulus),
            steps: steps::steps(&self.shape, modulus, Decimation::Frequency, self.root, &there, 0),
            steps_back: steps::steps(&self.shape, modulus, Decimation::Time, root_back, &back, offset),
            spec: self,
            scale_reductions: modulus.scale_reductions(),
            late: 0,
            outer_step: -1,
        };
        Variant::new(self.shape.threads(), context)
    }

    /// The twiddles there and back.
    pub fn twiddles(&self) -> Vec<[u32; 2]> {
        let mut table = self.shape.twiddles(self.modulus, self.root);
        table.extend(self.shape.twiddles(self.modulus, self.modulus.prime.inverse(self.root)));
        table
    }
}

#[derive(Serialize)]
struct OuterRadix2Context {
    #[serde(flatten)]
    modulus: ModulusContext,
    #[serde(flatten)]
    edge: Edge,
    scale_reductions: Vec<u32>,
    decimation: Decimation,
}

pub(super) fn outer_radix2(modulus: Modulus, decimation: Decimation, edge: Edge) -> Variant {
    let (scale_reductions, modulus) = (modulus.scale_reductions(), modulus.context());
    Variant::new(FLAT, OuterRadix2Context { modulus, edge, scale_reductions, decimation })
}

pub(super) fn bit_reverse() -> Variant {
    Variant::plain(FLAT)
}

pub(super) fn pointwise(modulus: Modulus) -> Variant {
    Variant::new(FLAT, modulus.context())
}
