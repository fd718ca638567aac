//! Rows of words or of indices to tiles, and tiles to rows of words.

use crate::gf2::gpu::shape::{ONES_A_THREAD, reversed, shared};
use crate::gpu::{Variant, kernel};

kernel! {
    /// Copies the two tiles of a block to its selections.
    static EXTRACT = "gf2/extract", |_| vec![Variant::plain(256)];
    ExtractBuffers { matrix: read array<vec4<u32>>, selections: read_write array<vec4<u32>> }
    ExtractParams {
        /// Vectors from tile to tile.
        stride,
        /// The block's first tile, from the part's first on.
        tile,
    }
}

kernel! {
    /// Packed rows to tiles.
    static PACK = "gf2/pack", |_| vec![Variant::plain(256)];
    PackBuffers { words: read array<u32>, matrix: read_write array<vec4<u32>> }
    PackParams {
        /// Packed rows.
        rows,
        /// Words of a packed row.
        width,
        /// The row of the matrix that the first packed row becomes.
        first_row,
        /// Vectors from tile to tile.
        stride,
        /// The part's first tile.
        part_tile,
        /// The part's tiles.
        tiles,
    }
}

kernel! {
    /// Tiles to packed rows.
    static UNPACK = "gf2/unpack", |_| [false, true].map(reversed).into();
    UnpackBuffers {
        matrix: read array<vec4<u32>>,
        rows: read array<vec2<u32>>,
        words: read_write array<vec4<u32>>,
    }
    UnpackParams {
        /// Rows to unpack.
        rows,
        /// Vectors from tile to tile.
        stride,
        /// The part's first tile.
        part_tile,
        /// The part's tiles.
        part_tiles,
        /// The matrix's tiles.
        tiles,
    }
}

kernel! {
    /// Rows of indices to tiles, columns in reverse order.
    static EXPAND = "gf2/expand", |_| vec![shared(ONES_A_THREAD)];
    ExpandBuffers { offsets: read array<u32>, indices: read array<u32>, matrix: read_write array<u32> }
    ExpandParams {
        /// Rows of indices.
        rows,
        /// Threads that share a row.
        shares,
        /// The row of the matrix that the first one becomes.
        first_row,
        /// Vectors from tile to tile.
        stride,
        /// The part's first tile.
        part_tile,
        /// The part's tiles.
        part_tiles,
        /// The place of column 0.
        last_place,
    }
}
