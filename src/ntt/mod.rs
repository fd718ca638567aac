//! Number-theoretic transforms and the products that they make fast.

pub mod cpu;
pub mod exact;
pub mod four_step;
pub mod gpu;
pub mod integer;
mod product;
pub mod textbook;
mod transform;
mod verify;

pub use gpu::{Plan, ProductPlan};
pub use product::{Product, multiply, multiply_async, multiply_with};
pub use transform::{Coset, Direction, MAX_LOG_N, Order, Reduction, Transform};

use crate::gpu::block_on;
use crate::timeline::Phase;
use crate::{Device, Result};

/// Transforms every vector of the batch in `data`, in place, on either engine.
///
/// # Errors
/// [`crate::Error::Input`] where `data` are not what `spec` takes; whatever the device reports.
pub fn transform(device: &Device, spec: &Transform, data: &mut [u32]) -> Result<()> {
    block_on(transform_async(device, spec, data))
}

/// [`transform`] for the browser.
pub async fn transform_async(device: &Device, spec: &Transform, data: &mut [u32]) -> Result<()> {
    match device {
        Device::Cpu(engine) => {
            engine.timeline.time(Phase::Host, "transform", || cpu::transform(spec, data, engine.threads))
        }
        Device::Gpu(device) => gpu::transform_async(device, spec, data).await,
    }
}
