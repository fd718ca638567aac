//! The kernels of `shaders/gf2/`.

use super::shape::{Shape, ordered, panel, reversed, shared};
use crate::gpu::{Binding, Kernel, Variant};

/// Columns of a block, two tiles.
pub(super) const BLOCK: usize = 256;
/// Columns of a tile.
pub(super) const TILE: usize = 128;
/// Ones of a row that one thread of *expand* and one dispatch of *gather* do.
pub(super) const SHARE: usize = 2048;
/// Words of `info` a block; see `shaders/gf2/info.wgsl`.
pub(super) const INFO: usize = 272;
/// Words of what a panel notes; see `shaders/gf2/outcome.wgsl`.
pub(super) const OUTCOME_LEN: usize = 4 + 8 * BLOCK;

/// The kernels of this module.
pub static KERNELS: &[&Kernel] = &[
    &UPDATE,
    &UPDATE_NEXT,
    &UPDATE_NEXT_IN_ORDER,
    &STATE,
    &PREDICT,
    &PREDICT_IN_ORDER,
    &ELIMINATORS,
    &PANEL_FIRST,
    &PANEL_FLAGGED,
    &PANEL_REMAINDERS,
    &PANEL_IN_ORDER,
    &EXTRACT,
    &PACK,
    &UNPACK,
    &EXPAND,
    &INVERSE,
    &UNITS,
    &ELSEWHERE,
    &SUBSTITUTE,
    &GATHER,
    &FACTORS,
    &REDUCE_ROWS,
];

const PREVIOUS: Binding = Binding::read("previous", "array<u32>");
const OUTCOME: Binding = Binding::read("outcome", "array<u32>");
const MATRIX: Binding = Binding::read_write("matrix", "array<vec4<u32>>");
const INFO_READ: Binding = Binding::read("info", "array<u32>");
const STATES_READ: Binding = Binding::read("states", "array<vec4<u32>>");
const OFFSETS: Binding = Binding::read("offsets", "array<u32>");
const INDICES: Binding = Binding::read("indices", "array<u32>");

/// Adds a block's pivots to the rows.
pub static UPDATE: Kernel = Kernel {
    name: "gf2/update",
    source: "gf2/update.wgsl",
    bindings: &[
        OUTCOME,
        MATRIX,
        Binding::read("acting", "array<vec4<u32>>"),
        Binding::read("selections", "array<vec4<u32>>"),
    ],
    params: &[
        "rows",
        "stride",
        "part_tile",
        "first_tile",
        "tiles",
        "span",
        "all_rows",
        "selection",
        "selection_stride",
        "first_row",
    ],
    variants: |_| {
        let shapes = [Shape::STAGED, Shape::WIDE, Shape::PORTABLE];
        let variants =
            shapes.iter().flat_map(|shape| [1, Shape::MOST_ROWS / shape.workgroup].map(|rows| (shape, rows)));
        variants.flat_map(|(shape, rows)| [false, true].map(|order| shape.variant(rows, order))).collect()
    },
};

/// The same in the tiles up to those of the next block, which become its selections.
pub static UPDATE_NEXT: Kernel = Kernel {
    name: "gf2/update_next",
    source: "gf2/update_next.wgsl",
    bindings: &[
        OUTCOME,
        MATRIX,
        Binding::read("acting", "array<vec4<u32>>"),
        Binding::read("selections", "array<vec4<u32>>"),
        Binding::read_write("next_selections", "array<vec4<u32>>"),
        Binding::read_write("flags", "array<atomic<u32>>"),
    ],
    params: &["rows", "stride", "part_tile", "first_tile", "tiles", "next_tile", "all_rows", "flagging"],
    variants: |_| vec![ordered(false)],
};

/// The same where rows stay in order.
pub static UPDATE_NEXT_IN_ORDER: Kernel = Kernel {
    name: "gf2/update_next_in_order",
    source: "gf2/update_next.wgsl",
    bindings: &[
        OUTCOME,
        MATRIX,
        Binding::read("acting", "array<vec4<u32>>"),
        Binding::read("selections", "array<vec4<u32>>"),
        Binding::read_write("next_selections", "array<vec4<u32>>"),
        Binding::read("leads", "array<u32>"),
    ],
    params: &["rows", "stride", "part_tile", "first_tile", "tiles", "next_tile", "first_row"],
    variants: |_| vec![ordered(true)],
};

/// What a block's pivots leave of the rows in the block, and which rows have anything left.
pub static STATE: Kernel = Kernel {
    name: "gf2/state",
    source: "gf2/state.wgsl",
    bindings: &[
        OUTCOME,
        INFO_READ,
        STATES_READ,
        Binding::read("selections", "array<vec4<u32>>"),
        Binding::read_write("remainders", "array<vec4<u32>>"),
        Binding::read_write("flags", "array<atomic<u32>>"),
    ],
    params: &["block", "first", "rows", "stride", "again"],
    variants: |_| [false, true].map(ordered).into(),
};

/// The pivots of a block in every tile, swapped to the front.
pub static PREDICT: Kernel = Kernel {
    name: "gf2/predict",
    source: "gf2/predict.wgsl",
    bindings: &[OUTCOME, INFO_READ, STATES_READ, MATRIX, Binding::read_write("acting", "array<vec4<u32>>")],
    params: &["block", "stride", "part_tile", "first_tile"],
    variants: |_| vec![ordered(false)],
};

/// The pivots of a block in every tile, some of them sparse eliminators; rows stay in order.
pub static PREDICT_IN_ORDER: Kernel = Kernel {
    name: "gf2/predict_in_order",
    source: "gf2/predict.wgsl",
    bindings: &[
        OUTCOME,
        INFO_READ,
        STATES_READ,
        Binding::read("eliminators", "array<vec4<u32>>"),
        MATRIX,
        Binding::read_write("acting", "array<vec4<u32>>"),
    ],
    params: &["block", "stride", "part_tile", "first_tile"],
    variants: |_| vec![ordered(true)],
};

/// The eliminators of a block as rows of bits.
pub static ELIMINATORS: Kernel = Kernel {
    name: "gf2/eliminators",
    source: "gf2/eliminators.wgsl",
    bindings: &[OFFSETS, INDICES, Binding::read_write("eliminators", "array<vec4<u32>>")],
    params: &["block", "first_tile", "first_position", "last_place"],
    variants: |_| vec![Variant::plain(256)],
};

/// Finds pivots of a block among the first rows without one.
pub static PANEL_FIRST: Kernel = Kernel {
    name: "gf2/panel_first",
    source: "gf2/panel.wgsl",
    bindings: &[
        PREVIOUS,
        Binding::read_write("outcome", "array<u32>"),
        Binding::read_write("info", "array<u32>"),
        Binding::read_write("states", "array<vec4<u32>>"),
        Binding::read_write("selections", "array<vec4<u32>>"),
    ],
    params: &["block", "rows", "stride", "last"],
    variants: |_| vec![panel("first", false)],
};

/// Finds pivots of a block without any among flagged rows.
pub static PANEL_FLAGGED: Kernel = Kernel {
    name: "gf2/panel_flagged",
    source: "gf2/panel.wgsl",
    bindings: &[
        PREVIOUS,
        Binding::read_write("outcome", "array<u32>"),
        Binding::read_write("info", "array<u32>"),
        Binding::read_write("states", "array<vec4<u32>>"),
        Binding::read_write("selections", "array<vec4<u32>>"),
        Binding::read_write("flags", "array<u32>"),
    ],
    params: &["block", "rows", "stride", "last"],
    variants: |_| vec![panel("flagged", false)],
};

/// Finds pivots of a block among flagged rows, by what its other pivots leave of them.
pub static PANEL_REMAINDERS: Kernel = Kernel {
    name: "gf2/panel_remainders",
    source: "gf2/panel.wgsl",
    bindings: &[
        PREVIOUS,
        Binding::read_write("outcome", "array<u32>"),
        Binding::read_write("info", "array<u32>"),
        Binding::read_write("states", "array<vec4<u32>>"),
        Binding::read_write("selections", "array<vec4<u32>>"),
        Binding::read("remainders", "array<vec4<u32>>"),
        Binding::read_write("flags", "array<u32>"),
    ],
    params: &["block", "rows", "stride", "last"],
    variants: |_| vec![panel("remainders", false)],
};

/// Finds pivots of a block among flagged rows, the first in order wherever there are several.
pub static PANEL_IN_ORDER: Kernel = Kernel {
    name: "gf2/panel_in_order",
    source: "gf2/panel.wgsl",
    bindings: &[
        PREVIOUS,
        Binding::read_write("outcome", "array<u32>"),
        Binding::read_write("info", "array<u32>"),
        Binding::read_write("states", "array<vec4<u32>>"),
        Binding::read_write("selections", "array<vec4<u32>>"),
        Binding::read("remainders", "array<vec4<u32>>"),
        Binding::read_write("flags", "array<u32>"),
        Binding::read_write("leads", "array<u32>"),
    ],
    params: &["block", "rows", "stride", "last"],
    variants: |_| vec![panel("remainders", true)],
};

/// The two tiles of a block as selections.
pub static EXTRACT: Kernel = Kernel {
    name: "gf2/extract",
    source: "gf2/extract.wgsl",
    bindings: &[
        Binding::read("matrix", "array<vec4<u32>>"),
        Binding::read_write("selections", "array<vec4<u32>>"),
    ],
    params: &["stride", "tile"],
    variants: |_| vec![Variant::plain(256)],
};

/// Packed rows to tiles.
pub static PACK: Kernel = Kernel {
    name: "gf2/pack",
    source: "gf2/pack.wgsl",
    bindings: &[Binding::read("words", "array<u32>"), MATRIX],
    params: &["rows", "width", "first_row", "stride", "part_tile", "tiles"],
    variants: |_| vec![Variant::plain(256)],
};

/// Tiles to packed rows.
pub static UNPACK: Kernel = Kernel {
    name: "gf2/unpack",
    source: "gf2/unpack.wgsl",
    bindings: &[
        Binding::read("matrix", "array<vec4<u32>>"),
        Binding::read("rows", "array<vec2<u32>>"),
        Binding::read_write("words", "array<vec4<u32>>"),
    ],
    params: &["rows", "stride", "part_tile", "part_tiles", "tiles"],
    variants: |_| [false, true].map(reversed).into(),
};

/// Sparse rows to tiles.
pub static EXPAND: Kernel = Kernel {
    name: "gf2/expand",
    source: "gf2/expand.wgsl",
    bindings: &[OFFSETS, INDICES, Binding::read_write("matrix", "array<u32>")],
    params: &["rows", "shares", "first_row", "stride", "part_tile", "part_tiles", "last_place"],
    variants: |_| vec![shared(SHARE)],
};

/// The states of the eliminators of each block.
pub static INVERSE: Kernel = Kernel {
    name: "gf2/inverse",
    source: "gf2/inverse.wgsl",
    bindings: &[OFFSETS, INDICES, Binding::read_write("states", "array<vec4<u32>>")],
    params: &["first_block", "last_place"],
    variants: |_| vec![Variant::plain(256)],
};

/// What each column without an eliminator comes to.
pub static UNITS: Kernel = Kernel {
    name: "gf2/units",
    source: "gf2/units.wgsl",
    bindings: &[Binding::read("places", "array<u32>"), Binding::read_write("reduced", "array<u32>")],
    params: &["len", "tiles"],
    variants: |_| vec![Variant::plain(256)],
};

/// What the eliminators of a block come to apart from each other, block after block.
pub static ELSEWHERE: Kernel = Kernel {
    name: "gf2/elsewhere",
    source: "gf2/elsewhere.wgsl",
    bindings: &[OFFSETS, INDICES, Binding::read_write("reduced", "array<vec4<u32>>")],
    params: &["block", "tiles", "lanes", "first_position", "last_place"],
    variants: |_| vec![Variant::plain(256)],
};

/// What each column with an eliminator comes to, block after block.
pub static SUBSTITUTE: Kernel = Kernel {
    name: "gf2/substitute",
    source: "gf2/substitute.wgsl",
    bindings: &[INFO_READ, STATES_READ, Binding::read_write("reduced", "array<vec4<u32>>")],
    params: &["block", "tiles"],
    variants: |_| vec![Variant::plain(256)],
};

/// Sparse rows in the columns without an eliminator.
pub static GATHER: Kernel = Kernel {
    name: "gf2/gather",
    source: "gf2/gather.wgsl",
    bindings: &[OFFSETS, INDICES, Binding::read("reduced", "array<vec4<u32>>"), MATRIX],
    params: &[
        "rows",
        "first_row",
        "stride",
        "first_tile",
        "count",
        "first_reduced",
        "tiles",
        "lanes",
        "last_place",
        "begin",
        "span",
    ],
    variants: |_| vec![Variant::plain(256)],
};

/// Rows of a factor as what an update adds.
pub static FACTORS: Kernel = Kernel {
    name: "gf2/factors",
    source: "gf2/factors.wgsl",
    bindings: &[
        Binding::read("matrix", "array<vec4<u32>>"),
        Binding::read_write("acting", "array<vec4<u32>>"),
    ],
    params: &["block", "stride", "part_tile"],
    variants: |_| vec![Variant::plain(256)],
};

/// Packed rows reduced by packed pivots, one thread a row.
pub static REDUCE_ROWS: Kernel = Kernel {
    name: "gf2/reduce_rows",
    source: "gf2/reduce_rows.wgsl",
    bindings: &[
        Binding::read_write("rows", "array<u32>"),
        Binding::read("pivots", "array<u32>"),
        Binding::read("pivot_of", "array<u32>"),
        Binding::read_write("leads", "array<u32>"),
        Binding::read_write("progress", "array<u32>"),
        Binding::read_write("waiting", "atomic<u32>"),
    ],
    params: &["rows", "width", "first_pivot", "pivots", "steps"],
    variants: |_| vec![Variant::plain(64)],
};
