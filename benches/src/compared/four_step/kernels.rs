//! The kernels of the four-step transforms and their variants.

use serde_json::{Value, json};

use super::passes::Base;
use super::{FourStepForm, Transposition, forms};
use crate::compared::{Context, GpuForm, MatrixParams, MoveBuffers, Variables, sample_modulus};
use wgalois::gpu::{Arithmetic, Kernel, Variant, buffers, params};
use wgalois::ntt::Reduction;
use wgalois::ntt::arithmetic::Modulus;

params! {
    /// The parameters of [`BASE`].
    pub(super) struct BaseParams {
        /// log2 of the words between the words of a transform.
        log_stride,
        /// log2 of the frequencies that earlier steps have computed.
        log_done,
        /// log2 of the length of the low table of the twiddles between steps.
        log_low_powers,
    }
}

params! {
    /// The parameters of [`TWISTED_TILES`].
    pub(super) struct TwistedParams {
        /// log2 of the rows of the matrix.
        log_rows,
        /// log2 of its columns.
        log_columns,
        /// log2 of the length of the low table of the twiddles.
        log_low_powers,
    }
}

/// Transforms in workgroup memory.
pub static BASE: Kernel =
    Kernel::of::<BaseBuffers, BaseParams>("four_step/base", "ntt/four_step/base.wgsl", base_variants);

buffers! {
    /// The buffers of [`BASE`].
    pub(super) struct BaseBuffers {
        source: read array<u32>,
        target_words: read_write array<u32>,
        twiddles: read array<vec2<u32>>,
        powers: read array<u32>,
    }
}

/// Transpositions of matrices.
pub static TRANSPOSE: Kernel =
    Kernel::of::<MoveBuffers, MatrixParams>("four_step/transpose", "ntt/four_step/transpose.wgsl", |_| {
        vec![transpose(false), transpose(true)]
    });

/// The transposition of one matrix by tiles of several shapes.
pub static TILES: Kernel =
    Kernel::of::<MoveBuffers, MatrixParams>("four_step/tiles", "ntt/four_step/tiles.wgsl", |_| {
        TileShape::ALL.into_iter().flat_map(|shape| [false, true].map(|p| tiles(shape, p))).collect()
    });

/// The same, times the twiddles between two steps.
pub static TWISTED_TILES: Kernel = Kernel::of::<TwistedTilesBuffers, TwistedParams>(
    "four_step/twisted_tiles",
    "ntt/four_step/tiles.wgsl",
    |arithmetic| {
        let modulus = sample_modulus(Reduction::Auto, arithmetic);
        [false, true].map(|padded| twisted_tiles(TileShape::ALL[0], padded, modulus)).to_vec()
    },
);

buffers! {
    /// The buffers of [`TWISTED_TILES`].
    pub(super) struct TwistedTilesBuffers {
        source: read array<u32>,
        target_words: read_write array<u32>,
        powers: read array<u32>,
    }
}

/// Invocations per workgroup of the kernels that only transpose.
pub(super) const TILE_WORKGROUP: u32 = 256;

/// log2 of the side of a tile of [`TRANSPOSE`].
pub(super) const LOG_TILE: u32 = 5;

/// The tile of a workgroup that transposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TileShape {
    pub log_rows: u32,
    pub log_columns: u32,
}

impl TileShape {
    /// The shapes that are compared: 32 x 32, 8 x 128, 16 x 16 and 16 x 32 words.
    pub const ALL: [TileShape; 4] =
        [TileShape::new(5, 5), TileShape::new(3, 7), TileShape::new(4, 4), TileShape::new(4, 5)];

    const fn new(log_rows: u32, log_columns: u32) -> Self {
        TileShape { log_rows, log_columns }
    }

    /// The unused words after every 32 with which 32 invocations that go down the columns meet 32 banks. Of
    /// 2^r <= 32 rows they access 2^(5 - r) neighbouring words each, and a row has as many gaps as 32 words.
    pub fn gap(self) -> u32 {
        (32 >> self.log_rows) >> self.log_columns.saturating_sub(5)
    }

    fn variables(self, padded: bool, twisted: bool) -> Value {
        let TileShape { log_rows, log_columns } = self;
        let gap = if padded { self.gap() } else { 0 };
        let words = 1u32 << (log_rows + log_columns);
        json!({
            "rows": 1 << log_rows,
            "columns": 1 << log_columns,
            "log_rows": log_rows,
            "log_columns": log_columns,
            // Unused words after every 32.
            "gap": gap,
            "tile_words": words + gap * words / 32,
            // True if the words are multiplied by twiddles.
            "twisted": twisted,
        })
    }
}

/// The text of one step, in a transform of one form.
pub(super) fn base(form: FourStepForm, modulus: Modulus, base: Base) -> Variant {
    let merged = form.transposition == Transposition::Merged;
    let log_transforms = base.log_words - base.log_base;
    let words = 1 << base.log_words;
    let own = json!({
        "log_base": base.log_base,
        "log_transforms": log_transforms,
        "words": words,
        "tile_words": tile_words(words, form.padded),
        "padded": form.padded,
        "merged": merged,
        // True if the step multiplies by the twiddles to a next step.
        "twisted": !base.is_last,
        // True if neighbouring results in memory belong to different transforms.
        "scattered": merged && base.log_done > 0,
    });
    Variant::new(form.workgroup(), Variables { arithmetic: Context::new(modulus), own })
}

/// The words of workgroup memory that a tile takes: a gap follows every 32 when it is padded.
pub(super) fn tile_words(words: u32, padded: bool) -> u32 {
    if padded { words + words / 32 } else { words }
}

pub(super) fn transpose(padded: bool) -> Variant {
    // Words from one row of the tile to the next.
    let pitch = (1 << LOG_TILE) + u32::from(padded);
    Variant::new(TILE_WORKGROUP, json!({ "padded": padded, "pitch": pitch }))
}

pub(super) fn tiles(shape: TileShape, padded: bool) -> Variant {
    Variant::new(TILE_WORKGROUP, shape.variables(padded, false))
}

pub(super) fn twisted_tiles(shape: TileShape, padded: bool, modulus: Modulus) -> Variant {
    let own = shape.variables(padded, true);
    Variant::new(TILE_WORKGROUP, Variables { arithmetic: modulus.context(), own })
}

fn base_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    let modulus = sample_modulus(Reduction::Auto, arithmetic);
    let steps = |form: FourStepForm| {
        let log_base = form.log_base;
        let log_words = log_base + form.transforms.ilog2();
        let first = Base { log_base, log_stride: log_base, log_done: 0, log_words, is_last: false };
        [first, Base { log_done: log_base, is_last: true, ..first }].map(|step| base(form, modulus, step))
    };
    forms().flat_map(steps).collect()
}
