//! The table of this crate's kernels, for tests that cover all of them.

#[cfg(test)]
mod tests;

use crate::gpu::{CANARY, Kernel, RATE_KERNELS};
use crate::{gf2, msm, ntt, primitives};

/// The kernels of every family.
static FAMILIES: [&[&Kernel]; 7] = [
    &[&CANARY],
    RATE_KERNELS,
    ntt::gpu::KERNELS,
    ntt::scalar::gpu::KERNELS,
    gf2::gpu::KERNELS,
    primitives::KERNELS,
    msm::gpu::KERNELS,
];

/// Returns all kernels of the crate.
pub fn kernels() -> impl Iterator<Item = &'static Kernel> {
    FAMILIES.into_iter().flatten().copied()
}
