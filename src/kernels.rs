//! The table of all kernels: what tests walk and `wgalois shaders` writes.

use crate::gpu::{CANARY, Kernel};
use crate::{bench, gf2, ntt};

/// Every kernel of the crate.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    let families = [ntt::gpu::KERNELS, gf2::gpu::KERNELS];
    [&CANARY, &bench::COPY].into_iter().chain(families.into_iter().flatten().copied())
}
