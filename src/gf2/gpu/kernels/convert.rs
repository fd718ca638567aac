//! Rows of words or of indices to tiles, and tiles to rows of words.

use crate::gf2::gpu::shape::{ONES_A_THREAD, reversed, shared};
use crate::gpu::{Kernel, Variant, buffers, params};

/// Copies the two tiles of a block to its selections.
pub static EXTRACT: Kernel = Kernel {
    name: "gf2/extract",
    source: "gf2/extract.wgsl",
    bindings: ExtractBuffers::BINDINGS,
    params: ExtractParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

buffers! {
    /// The buffers of [`EXTRACT`].
    pub struct ExtractBuffers {
        matrix: read array<vec4<u32>>,
        selections: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`EXTRACT`].
    pub struct ExtractParams {
        /// Vectors from tile to tile.
        stride,
        /// The block's first tile, from the part's first on.
        tile,
    }
}

/// Packed rows to tiles.
pub static PACK: Kernel = Kernel {
    name: "gf2/pack",
    source: "gf2/pack.wgsl",
    bindings: PackBuffers::BINDINGS,
    params: PackParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

buffers! {
    /// The buffers of [`PACK`].
    pub struct PackBuffers {
        words: read array<u32>,
        matrix: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`PACK`].
    pub struct PackParams {
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

/// Tiles to packed rows.
pub static UNPACK: Kernel = Kernel {
    name: "gf2/unpack",
    source: "gf2/unpack.wgsl",
    bindings: UnpackBuffers::BINDINGS,
    params: UnpackParams::NAMES,
    variants: |_| [false, true].map(reversed).into(),
};

buffers! {
    /// The buffers of [`UNPACK`].
    pub struct UnpackBuffers {
        matrix: read array<vec4<u32>>,
        rows: read array<vec2<u32>>,
        words: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`UNPACK`].
    pub struct UnpackParams {
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

/// Rows of indices to tiles, columns in reverse order.
pub static EXPAND: Kernel = Kernel {
    name: "gf2/expand",
    source: "gf2/expand.wgsl",
    bindings: ExpandBuffers::BINDINGS,
    params: ExpandParams::NAMES,
    variants: |_| vec![shared(ONES_A_THREAD)],
};

buffers! {
    /// The buffers of [`EXPAND`].
    pub struct ExpandBuffers {
        offsets: read array<u32>,
        indices: read array<u32>,
        matrix: read_write array<u32>,
    }
}

params! {
    /// The parameters of [`EXPAND`].
    pub struct ExpandParams {
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
