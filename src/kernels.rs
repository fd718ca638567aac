//! The table of all kernels: what tests walk and `wgalois shaders` writes.

use crate::gpu::{CANARY, Kernel};
use crate::{bench, ntt};

/// Every kernel of the crate.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    [&CANARY, &bench::COPY].into_iter().chain(ntt::gpu::KERNELS.iter().copied())
}
