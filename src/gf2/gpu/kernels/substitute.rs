//! Eliminators, and rows reduced by them in the columns that have none.

use crate::gpu::{Kernel, Variant, buffers, params};

/// The eliminators of a block as rows of bits.
pub static ELIMINATORS: Kernel = Kernel {
    name: "gf2/eliminators",
    source: "gf2/eliminators.wgsl",
    bindings: EliminatorsBuffers::BINDINGS,
    params: EliminatorsParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

buffers! {
    /// The buffers of [`ELIMINATORS`].
    pub struct EliminatorsBuffers {
        offsets: read array<u32>,
        indices: read array<u32>,
        eliminators: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`ELIMINATORS`].
    pub struct EliminatorsParams {
        /// The block.
        block,
        /// The first of the tiles.
        first_tile,
        /// The place with which the offsets begin.
        first_position,
        /// The place of column 0.
        last_place,
    }
}

/// Computes the states of the eliminators of each block.
pub static INVERSE: Kernel = Kernel {
    name: "gf2/inverse",
    source: "gf2/inverse.wgsl",
    bindings: InverseBuffers::BINDINGS,
    params: InverseParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

buffers! {
    /// The buffers of [`INVERSE`].
    pub struct InverseBuffers {
        offsets: read array<u32>,
        indices: read array<u32>,
        states: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`INVERSE`].
    pub struct InverseParams {
        /// The block with which the offsets begin.
        first_block,
        /// The place of column 0.
        last_place,
    }
}

/// Writes the reduced form of each column without an eliminator: the column itself.
pub static UNITS: Kernel = Kernel {
    name: "gf2/units",
    source: "gf2/units.wgsl",
    bindings: UnitsBuffers::BINDINGS,
    params: UnitsParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

buffers! {
    /// The buffers of [`UNITS`].
    pub struct UnitsBuffers {
        places: read array<u32>,
        reduced: read_write array<u32>,
    }
}

params! {
    /// The parameters of [`UNITS`].
    pub struct UnitsParams {
        /// Columns.
        len,
        /// Tiles of a reduced form.
        tiles,
    }
}

/// Adds up an eliminator's reduced ones outside its block's leads, block after block.
pub static ELSEWHERE: Kernel = Kernel {
    name: "gf2/elsewhere",
    source: "gf2/elsewhere.wgsl",
    bindings: ElsewhereBuffers::BINDINGS,
    params: ElsewhereParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

buffers! {
    /// The buffers of [`ELSEWHERE`].
    pub struct ElsewhereBuffers {
        offsets: read array<u32>,
        indices: read array<u32>,
        reduced: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`ELSEWHERE`].
    pub struct ElsewhereParams {
        /// The block.
        block,
        /// Tiles of a reduced form.
        tiles,
        /// Tiles of a workgroup.
        lanes,
        /// The place with which the offsets begin.
        first_position,
        /// The place of column 0.
        last_place,
    }
}

/// Reduces the eliminators of a block by each other, block after block.
pub static SUBSTITUTE: Kernel = Kernel {
    name: "gf2/substitute",
    source: "gf2/substitute.wgsl",
    bindings: SubstituteBuffers::BINDINGS,
    params: SubstituteParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

buffers! {
    /// The buffers of [`SUBSTITUTE`].
    pub struct SubstituteBuffers {
        info: read array<u32>,
        states: read array<vec4<u32>>,
        reduced: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`SUBSTITUTE`].
    pub struct SubstituteParams {
        /// The block.
        block,
        /// Tiles of a reduced form.
        tiles,
    }
}

/// Reduces rows of indices to the columns without an eliminator.
pub static GATHER: Kernel = Kernel {
    name: "gf2/gather",
    source: "gf2/gather.wgsl",
    bindings: GatherBuffers::BINDINGS,
    params: GatherParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

buffers! {
    /// The buffers of [`GATHER`].
    pub struct GatherBuffers {
        offsets: read array<u32>,
        indices: read array<u32>,
        reduced: read array<vec4<u32>>,
        matrix: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`GATHER`].
    pub struct GatherParams {
        /// Rows of indices.
        rows,
        /// The row of the matrix that the first one becomes.
        first_row,
        /// Vectors from tile to tile.
        stride,
        /// The first of the tiles, from the part's first on.
        first_tile,
        /// How many tiles.
        count,
        /// The first of the tiles among those of the reduced forms.
        first_reduced,
        /// Tiles of a reduced form.
        tiles,
        /// Tiles of a workgroup.
        lanes,
        /// The place of column 0.
        last_place,
        /// Ones of each row that are done.
        begin,
        /// Ones of each row to do.
        span,
    }
}
