//! Transforms and products on the GPU.
//!
//! A transform is a few passes over the vector, each a kernel of `shaders/ntt/`: along long
//! strides first (decimation in frequency), contiguous vectors last, or the other way round
//! (decimation in time). [`Plan`] and [`ProductPlan`] own the kernels and tables; `split`
//! decides the passes, `tile` what a workgroup does, `butterfly` the arithmetic in it.

mod build;
mod butterfly;
mod halving;
mod kernels;
mod outline;
mod pass;
mod plan;
mod product;
mod reduction;
mod scratch;
mod specs;
mod split;
mod tables;
mod tile;
mod twiddles;
mod variants;

pub use kernels::{
    BIT_REVERSE, COLUMNS, COLUMNS_PAIR, COLUMNS_TO, HALVES, POINTWISE, ROWS, ROWS_PARTS, ROWS_PRODUCT,
    ROWS_PRODUCT_TO, ROWS_TRANSPOSED, ROWS_VECTORS,
};
pub use plan::Plan;
pub use product::ProductPlan;
pub(in crate::ntt) use reduction::{Modulus, ModulusContext};
pub(in crate::ntt) use specs::scale_reductions;
pub(in crate::ntt) use tables::Powers;

use super::Transform;
use crate::Result;
use crate::gpu::{Gpu, Kernel, block_on};

/// The kernels of this module.
pub static KERNELS: &[&Kernel] = &[
    &COLUMNS,
    &COLUMNS_TO,
    &COLUMNS_PAIR,
    &ROWS,
    &ROWS_VECTORS,
    &ROWS_PARTS,
    &ROWS_TRANSPOSED,
    &ROWS_PRODUCT,
    &ROWS_PRODUCT_TO,
    &HALVES,
    &BIT_REVERSE,
    &POINTWISE,
];

/// Transforms host data on the GPU.
///
/// # Errors
/// [`crate::Error::Input`] where `data` are not what `spec` takes, and the device's faults.
pub fn transform(gpu: &Gpu, spec: &Transform, data: &mut [u32]) -> Result<()> {
    block_on(transform_async(gpu, spec, data))
}

/// [`transform`] for the browser.
pub async fn transform_async(gpu: &Gpu, spec: &Transform, data: &mut [u32]) -> Result<()> {
    spec.check_input(data)?;
    if spec.is_empty() {
        return Ok(());
    }
    let plan = Plan::new(gpu, spec)?;
    gpu.need(4 * (data.len() + plan.scratch_len()) as u64, "this transform")?;
    let mut vector = gpu.upload(data)?;
    plan.run(&mut vector)?;
    data.copy_from_slice(&vector.download_async().await?);
    Ok(())
}
