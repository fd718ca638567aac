//! How a GPU stores and eliminates a matrix: by tiles of columns, and by blocks of two tiles.

/// The number of columns that are eliminated at a time: two tiles.
pub const BLOCK: usize = 256;
/// Columns of a tile: a vector of 128 bits.
pub const TILE: usize = 128;
