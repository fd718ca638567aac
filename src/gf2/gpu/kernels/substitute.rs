//! Eliminators, and rows reduced by them in the columns that have none.

use super::{INDICES, INFO, MATRIX, OFFSETS, STATES};
use crate::gpu::{Binding, Kernel, Variant, params};

/// The eliminators of a block as rows of bits.
pub static ELIMINATORS: Kernel = Kernel {
    name: "gf2/eliminators",
    source: "gf2/eliminators.wgsl",
    bindings: &[OFFSETS, INDICES, Binding::read_write("eliminators", "array<vec4<u32>>")],
    params: EliminatorsParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

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
    bindings: &[OFFSETS, INDICES, Binding::read_write("states", "array<vec4<u32>>")],
    params: InverseParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

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
    bindings: &[Binding::read("places", "array<u32>"), Binding::read_write("reduced", "array<u32>")],
    params: UnitsParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

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
    bindings: &[OFFSETS, INDICES, Binding::read_write("reduced", "array<vec4<u32>>")],
    params: ElsewhereParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

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
    bindings: &[INFO, STATES, Binding::read_write("reduced", "array<vec4<u32>>")],
    params: SubstituteParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

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
    bindings: &[OFFSETS, INDICES, Binding::read("reduced", "array<vec4<u32>>"), MATRIX],
    params: GatherParams::NAMES,
    variants: |_| vec![Variant::plain(256)],
};

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
