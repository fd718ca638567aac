//! Products modulo any number by way of the integers: see [`lift`](crate::ntt::lift).

mod cpu;
mod gpu;

use super::Product;
use crate::ntt::lift::Lift;
use crate::task::{Engine, Profile, Ways};
use crate::{Error, Result};

pub(super) use gpu::OnGpu;

/// The name of these ways.
const NAME: &str = "by products of integers";

/// Adds the ways of one device to those of products.
pub(super) fn with(ways: Ways<Product>, product: &Product, profile: &Profile) -> Ways<Product> {
    match &profile.engine {
        Engine::Cpu(cpu) => ways.with(NAME, cpu::OnCpu::new(product, *cpu)),
        Engine::Gpu(gpu) => ways.with(NAME, OnGpu::new(product, gpu)),
        Engine::Group(_) | Engine::Processes { .. } => ways,
    }
}

/// The transforms of a product that has some.
fn lift(product: &Product) -> Result<Lift> {
    product.lift()?.ok_or_else(|| Error::needs("transforms", "coefficients in both factors"))
}
