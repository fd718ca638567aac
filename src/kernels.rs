//! The table of all kernels, for tests that cover all of them and for `wgalois shaders`.

#[cfg(test)]
mod counts;
#[cfg(test)]
mod traces;

use crate::gpu::{CANARY, Kernel};
use crate::{bench, boolean, gf2, msm, ntt, primitives};

/// The kernels of every family.
static FAMILIES: [&[&Kernel]; 11] = [
    &[&CANARY, &bench::COPY],
    ntt::gpu::KERNELS,
    ntt::textbook::KERNELS,
    ntt::four_step::KERNELS,
    ntt::small::KERNELS,
    ntt::scalar::gpu::KERNELS,
    gf2::gpu::KERNELS,
    primitives::KERNELS,
    msm::gpu::KERNELS,
    boolean::KERNELS,
    boolean::CROSSBRED_KERNELS,
];

/// Returns all kernels of the crate.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    FAMILIES.into_iter().flatten().copied()
}
