//! Elimination over GF(2) on the GPU.

mod blocks;
mod buffers;
mod chunks;
mod cost;
mod dense;
mod kernels;
mod matrix;
mod rounds;
mod schedule;
mod shape;
mod special;
mod system;
#[cfg(test)]
mod tests;
mod two_stage;

pub(super) use chunks::{echelon, multiply};
pub(super) use cost::host_bytes;
pub use kernels::KERNELS;
pub use matrix::DeviceMatrix;

use super::{Elimination, Method, System};
use crate::gpu::Gpu;
use crate::{Error, Result};

/// The method that `method` stands for.
pub(super) fn resolve(gpu: &Gpu, system: &System, method: Method) -> Method {
    if method == Method::Auto { cost::choose(system, gpu.adapter().is_software()) } else { method }
}

/// Eliminates a system.
pub(super) async fn eliminate(gpu: &Gpu, system: &System, method: Method) -> Result<Elimination> {
    match resolve(gpu, system, method) {
        Method::Rounds => rounds::eliminate_in_rounds(gpu, system).await,
        method @ (Method::Blocked | Method::TwoStage) => chunks::eliminate(gpu, system, method).await,
        method => Err(Error::Usage(format!("method {method} runs on the CPU engine only"))),
    }
}

/// Eliminates a system that fits the device's memory, in file order.
async fn whole(gpu: &Gpu, system: &System, method: Method) -> Result<Elimination> {
    match method {
        Method::Blocked => special::eliminate_in_file_order(gpu, system).await,
        _ => two_stage::eliminate_in_two_stages(gpu, system).await,
    }
}
