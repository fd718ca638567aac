//! Pivots in all tiles, and their addition to rows.

use crate::gf2::gpu::shape::{Shape, ordered};
use crate::gpu::{Variant, kernel};

kernel! {
    /// Computes the pivots of a block in the tiles after it, and swaps them to the front.
    static PREDICT = "gf2/predict", |_| vec![ordered(false)];
    PredictBuffers {
        outcome: read array<u32>,
        info: read array<u32>,
        states: read array<vec4<u32>>,
        matrix: read_write array<vec4<u32>>,
        acting: read_write array<vec4<u32>>,
    }
    PredictParams {
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

kernel! {
    /// Computes the pivots of a block in the tiles after it, some of them reducers; rows keep their places.
    static PREDICT_IN_ORDER = "gf2/predict_in_order" in "gf2/predict.wgsl", |_| vec![ordered(true)];
    PredictInOrderBuffers {
        outcome: read array<u32>,
        info: read array<u32>,
        states: read array<vec4<u32>>,
        eliminators: read array<vec4<u32>>,
        matrix: read_write array<vec4<u32>>,
        acting: read_write array<vec4<u32>>,
    }
    PredictParams
}

kernel! {
    /// Adds a block's pivots to the rows.
    static UPDATE = "gf2/update", |_| {
        shapes().flat_map(|(shape, rows)| [false, true].map(|order| shape.variant(rows, order))).collect()
    };
    UpdateBuffers {
        outcome: read array<u32>,
        matrix: read_write array<vec4<u32>>,
        acting: read array<vec4<u32>>,
        selections: read array<vec4<u32>>,
    }
    UpdateParams {
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

/// The shapes of updates, each with its least and its most rows per thread.
fn shapes() -> impl Iterator<Item = (Shape, u32)> {
    let shapes = [Shape::STAGED, Shape::WIDE, Shape::PORTABLE].into_iter();
    shapes.flat_map(|shape| [1, Shape::MOST_ROWS / shape.workgroup].map(|rows| (shape, rows)))
}

kernel! {
    /// [`UPDATE`] of a stack of products, each with pivots of its own: rows of its second factor.
    static UPDATE_STACK = "gf2/update_stack" in "gf2/update.wgsl",
        |_| shapes().map(|(shape, rows)| shape.stack_variant(rows)).collect();
    UpdateBuffers
    UpdateStackParams {
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

kernel! {
    /// [`UPDATE`] in the tiles up to those of the next block, which become its selections.
    static UPDATE_NEXT = "gf2/update_next", |_| vec![ordered(false)];
    UpdateNextBuffers {
        outcome: read array<u32>,
        matrix: read_write array<vec4<u32>>,
        acting: read array<vec4<u32>>,
        selections: read array<vec4<u32>>,
        next_selections: read_write array<vec4<u32>>,
        flags: read_write array<atomic<u32>>,
    }
    UpdateNextParams {
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

kernel! {
    /// [`UPDATE_NEXT`] where rows keep their places.
    static UPDATE_NEXT_IN_ORDER = "gf2/update_next_in_order" in "gf2/update_next.wgsl", |_| vec![ordered(true)];
    UpdateNextInOrderBuffers {
        outcome: read array<u32>,
        matrix: read_write array<vec4<u32>>,
        acting: read array<vec4<u32>>,
        selections: read array<vec4<u32>>,
        next_selections: read_write array<vec4<u32>>,
        leads: read array<u32>,
    }
    UpdateNextInOrderParams {
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

kernel! {
    /// Copies rows of a factor to the place of an update's pivots.
    static FACTORS = "gf2/factors", |_| vec![Variant::plain(256)];
    FactorsBuffers { matrix: read array<vec4<u32>>, acting: read_write array<vec4<u32>> }
    FactorsParams {
        /// The block of rows.
        block,
        /// Vectors from tile to tile.
        stride,
        /// The part's first tile.
        part_tile,
    }
}
