//! Sizes of tiles and blocks: how engines store matrices and eliminate them.

/// The number of columns that a GPU eliminates at a time: two tiles.
pub const BLOCK: usize = 256;
/// Columns of a GPU's tile: a vector of 128 bits.
pub const TILE: usize = 128;
/// The number of tiles of 512 columns that the CPU engine updates at a time; their reduced pivots take 2 MiB.
pub const GROUP: usize = 64;
