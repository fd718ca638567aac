//! Products on one GPU, with all rows of both factors on the device at a time.

use std::fmt;

use super::{Factors, Product};
use crate::Result;
use crate::gf2::gpu::DeviceMatrix;
use crate::gf2::{BitMatrix, cost, gpu};
use crate::gpu::Gpu;
use crate::task::{Cost, Done, GpuProfile, Profile, Ready, Traffic, Way};

/// The way.
#[derive(Debug)]
pub(super) struct OnGpu {
    costs: Costs,
}

/// The numbers of a product by parts of the rows of both factors.
#[derive(Debug)]
pub(super) struct Costs {
    pub part: usize,
    pub cost: Cost,
    pub traffic: Traffic,
}

impl Costs {
    /// Those of `part` rows at a time.
    pub fn new(product: &Product, part: usize, gpu: &GpuProfile, profile: &Profile) -> Self {
        let &Product { rows, inner, columns, .. } = product;
        let (binding, memory) = (gpu.binding_bytes, profile.device_memory);
        let shape = (part.min(rows), part.min(inner), columns);
        let device_bytes = gpu::product_bytes(shape, binding, memory);
        let gain = gpu::product_gain(shape, binding, memory);
        let compiler = gain.map_or(0, |_| cost::gpu::RECURSION_COMPILER);
        let host_bytes =
            [cost::gpu::product_bytes(rows, inner, columns, part), compiler, product.copied_bytes()];
        let cost = Cost {
            time: cost::gpu::product_time(gpu, (rows, inner, columns), gain.unwrap_or(1.0)),
            host_bytes: host_bytes.into_iter().fold(0, u64::saturating_add),
            device_bytes,
        };
        let traffic = gpu::product_traffic((rows, inner, columns), part, binding, device_bytes);
        Costs { part, cost, traffic }
    }

    /// Compiles the kernels.
    pub fn ready(&self, product: &Product, gpu: &Gpu) -> Result<ReadyOnGpu> {
        let (part, memory) = (self.part, self.cost.device_bytes);
        gpu::prepare_product(gpu, product.shape(), part, memory)?;
        Ok(ReadyOnGpu { gpu: gpu.clone(), part, memory })
    }
}

impl OnGpu {
    pub const NAME: &'static str = "on one GPU";

    pub fn new(product: &Product, gpu: &GpuProfile, profile: &Profile) -> Result<Self> {
        let all = product.rows.max(product.inner);
        gpu::expect_columns(product.columns, gpu.binding_bytes)?;
        gpu::expect_rows(all, gpu.binding_bytes)?;
        Ok(OnGpu { costs: Costs::new(product, all.max(1), gpu, profile) })
    }
}

impl Way<Product> for OnGpu {
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu;

    fn cost(&self) -> Cost {
        self.costs.cost
    }

    fn traffic(&self) -> Traffic {
        self.costs.traffic
    }

    fn write(&self, _: &Product, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         tables of sums, tiles of 128 columns")?;
        writeln!(f, "parts          1, {} rows at a time", self.costs.part)
    }

    fn prepare<'p>(&self, product: &Product, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        self.costs.ready(product, gpu)
    }
}

/// A GPU whose kernels are compiled, the rows on it at a time, and the bytes of its memory.
#[derive(Debug)]
pub struct ReadyOnGpu {
    gpu: Gpu,
    part: usize,
    memory: u64,
}

impl ReadyOnGpu {
    pub(super) async fn multiply(&self, factors: Factors<'_>) -> Result<BitMatrix> {
        gpu::multiply(&self.gpu, &*factors.left()?, factors.b, (self.part, self.memory)).await
    }

    pub(super) fn on_device(&self, a: &DeviceMatrix, b: &DeviceMatrix) -> Result<DeviceMatrix> {
        self.gpu.expect_same_device([a.gpu()])?;
        a.multiply_within(b, self.memory)
    }
}

impl Ready<Product> for ReadyOnGpu {
    async fn run<'i: 'i>(&self, _: &Product, factors: Factors<'i>, _: &Done) -> Result<BitMatrix> {
        self.multiply(factors).await
    }

    fn kernels(&self) -> Option<&Self> {
        Some(self)
    }
}
