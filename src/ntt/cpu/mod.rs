//! The CPU engine.

mod arithmetic;
mod convolution;
mod cooley_tukey;
mod gentleman_sande;
mod kernels;
mod lanes;
pub mod naive;
mod plan;
mod reorder;
mod tables;
mod threads;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use convolution::Convolution;
pub use kernels::Instructions;
pub use plan::Plan;

use super::Transform;
use crate::Result;

/// Transforms all vectors of `data` in place, once; a [`Plan`] does it again and again.
///
/// `threads` is the number of threads to use, 0 for one a core.
///
/// # Errors
/// Those of [`Plan::new`] and [`Plan::run`].
pub fn transform(transform: &Transform, data: &mut [u32], threads: usize) -> Result<()> {
    Plan::new(transform, threads)?.run(data)
}
