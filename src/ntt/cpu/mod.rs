//! Transforms and convolutions on the CPU.
//!
//! A [`Plan`] fixes the way: down from natural order (`cooley_tukey`) or up to it (`gentleman_sande`; both in `network`), bit
//! reversal before or after it as the orders require (`reorder`), and the threads' shares (`threads`). Both
//! ways take two levels per pass over memory, depth first, until a block fits the first cache; there the
//! last levels go across the lanes of vectors. All twiddles are Shoup's constants (`arithmetic`), from
//! tables of n / L words for vectors of L lanes (`tables`). The kernels are generic over the vectors
//! (`lanes`; `x86`, `neon`) and compiled once for every set of [`Instructions`] (`kernels`).
//!
//! A further set of instructions takes a type with the methods of `Lanes` and a transposition, and a line in
//! `kernels`.
//!
//! A [`Convolution`] is two plans with a pointwise product in between.

mod arithmetic;
mod convolution;
mod cooley_tukey;
mod gentleman_sande;
mod kernels;
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod network;
mod plan;
mod reorder;
mod residues;
mod rows;
mod tables;
mod threads;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use convolution::Convolution;
pub use kernels::Instructions;
pub use plan::Plan;
pub(in crate::ntt) use residues::{centre, combine};
pub(in crate::ntt) use rows::{Rows, Wanted};

use super::Transform;
use crate::Result;

/// Transforms all vectors of `data` in place, once; a [`Plan`] can run repeatedly.
///
/// `threads` is the number of threads to use, 0 for one per core.
pub fn transform(transform: &Transform, data: &mut [u32], threads: usize) -> Result<()> {
    Plan::new(transform, threads)?.run(data)
}
