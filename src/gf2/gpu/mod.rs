//! Elimination over GF(2) on the GPU.

mod blocks;
mod cost;
mod dense;
mod kernels;
mod matrix;
mod rounds;
mod special;
mod system;
mod two_stage;

pub(super) use dense::{echelon, multiply};
pub use kernels::KERNELS;
pub use matrix::DeviceMatrix;

use super::{Elimination, Method, System};
use crate::gpu::Gpu;
use crate::{Error, Result};

/// The method that `method` stands for.
pub(super) fn resolve(system: &System, method: Method) -> Method {
    if method == Method::Auto { cost::choose(system) } else { method }
}

/// Eliminates a system.
pub(super) fn eliminate(gpu: &Gpu, system: &System, method: Method) -> Result<Elimination> {
    match resolve(system, method) {
        Method::Rounds => rounds::eliminate(gpu, system),
        Method::Blocked => special::eliminate(gpu, system),
        Method::TwoStage => two_stage::eliminate(gpu, system),
        method => Err(Error::Usage(format!("method {method} runs on the CPU engine only"))),
    }
}
