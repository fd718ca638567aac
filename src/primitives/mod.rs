//! General kernels: prefix sums and sorting, for every subgroup size and without
//! assumptions on the order in which workgroups run.

mod scan;
mod sort;

pub use scan::{SCAN_TILES, SCAN_TOTALS, Scan};
pub use sort::{SORT_COUNT, SORT_SCATTER, Sort};

#[cfg(test)]
mod tests;

/// The kernels of this module.
#[cfg(feature = "cli")]
pub static KERNELS: &[&crate::gpu::Kernel] = &[&SCAN_TOTALS, &SCAN_TILES, &SORT_COUNT, &SORT_SCATTER];

/// Numbers that one workgroup handles.
const TILE: usize = 2048;
