//! The table of all kernels: what tests walk and `wgalois shaders` writes.

use crate::gpu::{CANARY, Kernel};
use crate::{bench, msm, ntt, primitives};

/// The kernels of every family.
static FAMILIES: [&[&Kernel]; 6] = [
    &[&CANARY, &bench::COPY],
    ntt::gpu::KERNELS,
    ntt::textbook::KERNELS,
    ntt::four_step::KERNELS,
    primitives::KERNELS,
    msm::gpu::KERNELS,
];

/// Every kernel of the crate.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    FAMILIES.into_iter().flatten().copied()
}
