//! General kernels: prefix sums and sorting. They work for every subgroup size and do not depend on
//! the order in which workgroups run.

mod scan;
mod sort;

pub use scan::{SCAN_TILES, SCAN_TOTALS, Scan};
pub use sort::Sort;

#[cfg(test)]
mod tests;

/// The kernels of this module.
pub static KERNELS: &[&crate::gpu::Kernel] =
    &[&SCAN_TOTALS, &SCAN_TILES, &sort::SORT_COUNT, &sort::SORT_SCATTER];

/// Numbers per tile; one workgroup processes a tile.
const TILE: usize = 2048;
