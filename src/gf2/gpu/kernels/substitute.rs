//! Reducers, and rows reduced by them in the columns that have none.

use crate::gpu::{Variant, kernel};

kernel! {
    /// The reducers of a block as rows of bits.
    static ELIMINATORS = "gf2/eliminators", |_| vec![Variant::plain(256)];
    EliminatorsBuffers {
        offsets: read array<u32>,
        indices: read array<u32>,
        eliminators: read_write array<vec4<u32>>,
    }
    EliminatorsParams {
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

kernel! {
    /// Computes the states of the reducers of each block.
    static INVERSE = "gf2/inverse", |_| vec![Variant::plain(256)];
    InverseBuffers { offsets: read array<u32>, indices: read array<u32>, states: read_write array<vec4<u32>> }
    InverseParams {
        /// The block with which the offsets begin.
        first_block,
        /// The place of column 0.
        last_place,
    }
}

kernel! {
    /// Writes the reduced form of each column without a reducer: the column itself.
    static UNITS = "gf2/units", |_| vec![Variant::plain(256)];
    UnitsBuffers { places: read array<u32>, reduced: read_write array<u32> }
    UnitsParams {
        /// Columns.
        len,
        /// Tiles of a reduced form.
        tiles,
    }
}

kernel! {
    /// Adds up a reducer's reduced ones outside its block's leads, block after block.
    static ELSEWHERE = "gf2/elsewhere", |_| vec![Variant::plain(256)];
    ElsewhereBuffers {
        offsets: read array<u32>,
        indices: read array<u32>,
        reduced: read_write array<vec4<u32>>,
    }
    ElsewhereParams {
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

kernel! {
    /// Reduces the reducers of a block by each other, block after block.
    static SUBSTITUTE = "gf2/substitute", |_| vec![Variant::plain(256)];
    SubstituteBuffers {
        info: read array<u32>,
        states: read array<vec4<u32>>,
        reduced: read_write array<vec4<u32>>,
    }
    SubstituteParams {
        /// The block.
        block,
        /// Tiles of a reduced form.
        tiles,
    }
}

kernel! {
    /// Reduces rows of indices to the columns without a reducer.
    static GATHER = "gf2/gather", |_| vec![Variant::plain(256)];
    GatherBuffers {
        offsets: read array<u32>,
        indices: read array<u32>,
        reduced: read array<vec4<u32>>,
        matrix: read_write array<vec4<u32>>,
    }
    GatherParams {
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
