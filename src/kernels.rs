//! The table of all kernels: what tests walk and `wgalois shaders` writes.

use crate::gpu::{CANARY, Kernel};
use crate::{bench, ntt};

/// The kernels of every family.
static FAMILIES: [&[&Kernel]; 4] =
    [&[&CANARY, &bench::COPY], ntt::gpu::KERNELS, ntt::textbook::KERNELS, ntt::four_step::KERNELS];

/// Every kernel of the crate.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    FAMILIES.into_iter().flatten().copied()
}
