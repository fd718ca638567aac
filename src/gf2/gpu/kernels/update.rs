//! Pivots in all tiles, and their addition to rows.

use crate::gf2::gpu::shape::{Shape, ordered};
use crate::gpu::{Kernel, Variant, buffers, params};

/// Computes the pivots of a block in the tiles after it, and swaps them to the front.
pub static PREDICT: Kernel = Kernel {
    name: "gf2/predict",
    source: "gf2/predict.wgsl",
    bindings: PredictBuffers::BINDINGS,
    params: PredictParams::NAMES,
    variants: |_| vec![ordered(false)],
};

buffers! {
    /// The buffers of [`PREDICT`].
    pub struct PredictBuffers {
        outcome: read array<u32>,
        info: read array<u32>,
        states: read array<vec4<u32>>,
        matrix: read_write array<vec4<u32>>,
        acting: read_write array<vec4<u32>>,
    }
}

/// Computes the pivots of a block in the tiles after it, some of them eliminators; rows keep their places.
pub static PREDICT_IN_ORDER: Kernel = Kernel {
    name: "gf2/predict_in_order",
    source: "gf2/predict.wgsl",
    bindings: PredictInOrderBuffers::BINDINGS,
    params: PredictParams::NAMES,
    variants: |_| vec![ordered(true)],
};

buffers! {
    /// The buffers of [`PREDICT_IN_ORDER`].
    pub struct PredictInOrderBuffers {
        outcome: read array<u32>,
        info: read array<u32>,
        states: read array<vec4<u32>>,
        eliminators: read array<vec4<u32>>,
        matrix: read_write array<vec4<u32>>,
        acting: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`PREDICT`] and [`PREDICT_IN_ORDER`].
    pub struct PredictParams {
        /// The block.
        block,
        /// Vectors from tile to tile.
        stride,
        /// The part's first tile.
        part_tile,
        /// The first of the tiles.
        first_tile,
    }
}

/// Adds a block's pivots to the rows.
pub static UPDATE: Kernel = Kernel {
    name: "gf2/update",
    source: "gf2/update.wgsl",
    bindings: UpdateBuffers::BINDINGS,
    params: UpdateParams::NAMES,
    variants: |_| {
        shapes().flat_map(|(shape, rows)| [false, true].map(|order| shape.variant(rows, order))).collect()
    },
};

buffers! {
    /// The buffers of [`UPDATE`] and [`UPDATE_STACK`].
    pub struct UpdateBuffers {
        outcome: read array<u32>,
        matrix: read_write array<vec4<u32>>,
        acting: read array<vec4<u32>>,
        selections: read array<vec4<u32>>,
    }
}

/// The shapes of updates, each with its least and its most rows per thread.
fn shapes() -> impl Iterator<Item = (Shape, u32)> {
    let shapes = [Shape::STAGED, Shape::WIDE, Shape::PORTABLE].into_iter();
    shapes.flat_map(|shape| [1, Shape::MOST_ROWS / shape.workgroup].map(|rows| (shape, rows)))
}

params! {
    /// The parameters of [`UPDATE`].
    pub struct UpdateParams {
        /// Rows of the matrix.
        rows,
        /// Vectors from tile to tile.
        stride,
        /// The part's first tile.
        part_tile,
        /// The first of the tiles.
        first_tile,
        /// How many tiles.
        tiles,
        /// Tiles of a workgroup.
        span,
        /// 1 if pivots are added to pivot rows, too. Not used if rows keep their places.
        all_rows,
        /// The vector of `selections` with which the first half of row 0 begins.
        selection,
        /// Vectors from the first halves of selections to the second ones.
        selection_stride,
        /// The first row. Not used where pivot rows stand first.
        first_row,
    }
}

/// [`UPDATE`] of a stack of products, each with pivots of its own: rows of its second factor.
pub static UPDATE_STACK: Kernel = Kernel {
    name: "gf2/update_stack",
    source: "gf2/update.wgsl",
    bindings: UpdateBuffers::BINDINGS,
    params: UpdateStackParams::NAMES,
    variants: |_| shapes().map(|(shape, rows)| shape.stack_variant(rows)).collect(),
};

params! {
    /// The parameters of [`UPDATE_STACK`].
    pub struct UpdateStackParams {
        /// Rows of the stack.
        rows,
        /// Vectors from tile to tile.
        stride,
        /// The part's first tile.
        part_tile,
        /// The first of the tiles.
        first_tile,
        /// How many tiles.
        tiles,
        /// Tiles of a workgroup.
        span,
        /// The vector of `selections` with which the first half of row 0 begins.
        selection,
        /// Vectors from the first halves of selections to the second ones.
        selection_stride,
        /// The first row.
        first_row,
        /// Rows of a product, a multiple of a workgroup's.
        factor_rows,
        /// Tiles of a second factor.
        factor_tiles,
    }
}

/// [`UPDATE`] in the tiles up to those of the next block, which become its selections.
pub static UPDATE_NEXT: Kernel = Kernel {
    name: "gf2/update_next",
    source: "gf2/update_next.wgsl",
    bindings: UpdateNextBuffers::BINDINGS,
    params: UpdateNextParams::NAMES,
    variants: |_| vec![ordered(false)],
};

buffers! {
    /// The buffers of [`UPDATE_NEXT`].
    pub struct UpdateNextBuffers {
        outcome: read array<u32>,
        matrix: read_write array<vec4<u32>>,
        acting: read array<vec4<u32>>,
        selections: read array<vec4<u32>>,
        next_selections: read_write array<vec4<u32>>,
        flags: read_write array<atomic<u32>>,
    }
}

params! {
    /// The parameters of [`UPDATE_NEXT`].
    pub struct UpdateNextParams {
        /// Rows of the matrix.
        rows,
        /// Vectors from tile to tile.
        stride,
        /// The part's first tile.
        part_tile,
        /// The first of the tiles.
        first_tile,
        /// How many tiles.
        tiles,
        /// The next block's first tile.
        next_tile,
        /// 1 if pivots are added to pivot rows, too.
        all_rows,
        /// 1 where rows that are not zero in the next block are flagged.
        flagging,
    }
}

/// [`UPDATE_NEXT`] where rows keep their places.
pub static UPDATE_NEXT_IN_ORDER: Kernel = Kernel {
    name: "gf2/update_next_in_order",
    source: "gf2/update_next.wgsl",
    bindings: UpdateNextInOrderBuffers::BINDINGS,
    params: UpdateNextInOrderParams::NAMES,
    variants: |_| vec![ordered(true)],
};

buffers! {
    /// The buffers of [`UPDATE_NEXT_IN_ORDER`].
    pub struct UpdateNextInOrderBuffers {
        outcome: read array<u32>,
        matrix: read_write array<vec4<u32>>,
        acting: read array<vec4<u32>>,
        selections: read array<vec4<u32>>,
        next_selections: read_write array<vec4<u32>>,
        leads: read array<u32>,
    }
}

params! {
    /// The parameters of [`UPDATE_NEXT_IN_ORDER`].
    pub struct UpdateNextInOrderParams {
        /// Rows of the matrix.
        rows,
        /// Vectors from tile to tile.
        stride,
        /// The part's first tile.
        part_tile,
        /// The first of the tiles.
        first_tile,
        /// How many tiles.
        tiles,
        /// The next block's first tile.
        next_tile,
        /// The first row.
        first_row,
    }
}

/// Copies rows of a factor to the place of an update's pivots.
pub static FACTORS: Kernel = Kernel {
    name: "gf2/factors",
    source: "gf2/factors.wgsl",
    bindings: FactorsBuffers::BINDINGS,
    params: FactorsParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

buffers! {
    /// The buffers of [`FACTORS`].
    pub struct FactorsBuffers {
        matrix: read array<vec4<u32>>,
        acting: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`FACTORS`].
    pub struct FactorsParams {
        /// The block of rows.
        block,
        /// Vectors from tile to tile.
        stride,
        /// The part's first tile.
        part_tile,
    }
}
