//! The shape of a blocked elimination, and the memory that it takes.

use crate::gf2::RowReduction;
use crate::gf2::bit_matrix::LINE_BITS;

/// The shape of an elimination; lead means lowest column. Of the rows with a lead that has no pivot, the first in order
/// becomes a pivot.
pub struct Shape {
    pub rows: usize,
    /// The tiles of all processes.
    pub tiles: usize,
    /// Pivots are sought in the columns before this one.
    pub limit: usize,
    /// Clears the pivots' columns in all rows, earlier new pivots included.
    pub is_reduced: bool,
    /// Tiles of a group, at least 1.
    pub at_a_time: usize,
    pub known: KnownPivots,
}

/// The first rows of a matrix, whose leads are known and distinct. They become pivots as they are.
#[derive(Default)]
pub struct KnownPivots {
    /// The number of these rows, rows of zeros included.
    pub rows: usize,
    /// The lead and the number of each row that is not zero, by ascending lead.
    pub leads: Vec<(u32, u32)>,
}

impl Shape {
    /// The shape of an elimination of all tiles at a time.
    pub fn in_memory(reduction: &RowReduction) -> Self {
        let &RowReduction { rows, columns, limit, .. } = reduction;
        let (tiles, is_reduced) = (columns.div_ceil(LINE_BITS), reduction.is_reduced());
        Shape { rows, tiles, limit, is_reduced, at_a_time: tiles.max(1), known: KnownPivots::default() }
    }
}

/// Bytes that an elimination takes in addition to its tiles: two blocks' multipliers, lists of rows, pivots of all
/// blocks.
#[cfg(not(target_arch = "wasm32"))]
pub fn state_bytes(rows: u64, limit: u64) -> u64 {
    let (lists, new_pivots) = (16 + 32, size_of::<super::panel::NewPivot>() as u64 + 8);
    let blocks = limit.div_ceil(LINE_BITS as u64);
    let of_blocks = blocks.saturating_mul(8 * LINE_BITS as u64 + 256);
    (rows.saturating_mul(128 + lists))
        .saturating_add(rows.min(limit).saturating_mul(new_pivots))
        .saturating_add(of_blocks)
        .saturating_add(512 << 10)
}

/// Bytes of a tile in memory, with the block's pivots in it.
#[cfg(not(target_arch = "wasm32"))]
pub fn tile_bytes(rows: u64) -> u64 {
    rows.saturating_mul(64).saturating_add(64 * LINE_BITS as u64)
}
