//! Products on one GPU, by parts of the rows of both factors.

use std::fmt;

use super::on_gpu::{Costs, ReadyOnGpu};
use super::{Factors, Product};
use crate::gf2::{BitMatrix, cost, gpu};
use crate::gpu::Gpu;
use crate::task::{Cost, Done, GpuProfile, Profile, Ready, Traffic, Way};
use crate::{Error, Result};

/// The way.
#[derive(Debug)]
pub(super) struct InParts {
    costs: Costs,
}

impl InParts {
    pub const NAME: &'static str = "on one GPU in parts";

    pub fn new(product: &Product, gpu: &GpuProfile, profile: &Profile) -> Result<Self> {
        let &Product { rows, inner, columns, .. } = product;
        let (all, binding) = (rows.max(inner), gpu.binding_bytes);
        gpu::expect_columns(columns, binding)?;
        // Recursion takes memory only if all rows fit, or as many as without it.
        let least = |part: usize| gpu::product_bytes((part.min(rows), part.min(inner), columns), binding, 0);
        let part = cost::gpu::rows_at_a_time(profile, all, gpu::most_rows(binding), least);
        match part < all {
            true => Ok(InParts { costs: Costs::new(product, part, gpu, profile) }),
            false => Err(Error::Usage("parts of the rows take no less memory".into())),
        }
    }
}

impl Way<Product> for InParts {
    type Device = Gpu;
    type Ready<'p> = ReadyInParts;

    fn cost(&self) -> Cost {
        self.costs.cost
    }

    fn traffic(&self) -> Traffic {
        self.costs.traffic
    }

    fn write(&self, product: &Product, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, part) = (product.rows.max(product.inner), self.costs.part);
        writeln!(f, "method         tables of sums, tiles of 128 columns")?;
        writeln!(f, "parts          {}, {part} rows at a time", all.div_ceil(part))
    }

    fn prepare<'p>(&self, product: &Product, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        Ok(ReadyInParts(self.costs.ready(product, gpu)?))
    }
}

/// The same kernels, to which no matrices on the device can be given.
#[derive(Debug)]
pub struct ReadyInParts(ReadyOnGpu);

impl Ready<Product> for ReadyInParts {
    async fn run<'i: 'i>(&self, _: &Product, factors: Factors<'i>, _: &Done) -> Result<BitMatrix> {
        self.0.multiply(factors).await
    }
}
