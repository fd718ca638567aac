//! Products on one GPU: with all rows of both factors on the device at a time, or a part of them after the other.

use std::fmt;

use super::{Factors, Product};
use crate::Result;
use crate::gf2::gpu::DeviceMatrix;
use crate::gf2::{BitMatrix, cost, gpu};
use crate::gpu::Gpu;
use crate::task::{Cost, Done, GpuProfile, Profile, Ready, Traffic, Way};

/// Both ways.
#[derive(Debug)]
pub(super) struct OnGpu {
    /// The rows of a part.
    part: usize,
    parts: usize,
    cost: Cost,
    traffic: Traffic,
}

impl OnGpu {
    pub const WHOLE: &'static str = "on one GPU";
    pub const IN_PARTS: &'static str = "on one GPU in parts";

    pub fn whole(product: &Product, gpu: &GpuProfile, profile: &Profile) -> Result<Self> {
        let all = product.rows.max(product.inner);
        gpu::expect_columns(product.columns, gpu.binding_bytes)?;
        gpu::expect_rows(all, gpu.binding_bytes)?;
        Ok(OnGpu::new(product, all.max(1), gpu, profile))
    }

    pub fn in_parts(product: &Product, gpu: &GpuProfile, profile: &Profile) -> Result<Self> {
        let &Product { rows, inner, columns, .. } = product;
        let (all, binding) = (rows.max(inner), gpu.binding_bytes);
        gpu::expect_columns(columns, binding)?;
        // Recursion takes memory only if all rows fit, or as many as without it.
        let least = |part: usize| gpu::product_bytes((part.min(rows), part.min(inner), columns), binding, 0);
        match cost::gpu::rows_at_a_time(profile, all, gpu::most_rows(binding), least) {
            part if part < all => Ok(OnGpu::new(product, part, gpu, profile)),
            _ => Err(cost::gpu::no_less_memory()),
        }
    }

    fn new(product: &Product, part: usize, gpu: &GpuProfile, profile: &Profile) -> Self {
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
            compiling: cost::gpu::compiling_few(gpu),
            host_bytes: host_bytes.into_iter().fold(0, u64::saturating_add),
            device_bytes,
            ..Cost::default()
        };
        let traffic = gpu::product_traffic((rows, inner, columns), part, binding, device_bytes);
        OnGpu { part, parts: rows.max(inner).div_ceil(part).max(1), cost, traffic }
    }
}

impl Way<Product> for OnGpu {
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn write(&self, _: &Product, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         tables of sums, tiles of 128 columns")?;
        writeln!(f, "parts          {}, {} rows at a time", self.parts, self.part)
    }

    fn compile(&self, product: &Product, gpu: &Gpu) -> Result<()> {
        self.prepare(product, gpu, ()).map(drop)
    }

    fn prepare<'p>(&self, product: &Product, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        let (part, memory) = (self.part, self.cost.device_bytes);
        gpu::prepare_product(gpu, product.shape(), part, memory)?;
        Ok(ReadyOnGpu { gpu: gpu.clone(), part, memory, is_whole: self.parts == 1 })
    }
}

/// A GPU whose kernels are compiled, the rows on it at a time, and the bytes of its memory.
#[derive(Debug)]
pub struct ReadyOnGpu {
    gpu: Gpu,
    part: usize,
    memory: u64,
    is_whole: bool,
}

impl ReadyOnGpu {
    pub(super) fn on_device(&self, a: &DeviceMatrix, b: &DeviceMatrix) -> Result<DeviceMatrix> {
        self.gpu.expect_same_device([a.gpu()])?;
        a.multiply_within(b, self.memory)
    }
}

impl Ready<Product> for ReadyOnGpu {
    async fn run<'i: 'i>(&self, _: &Product, factors: Factors<'i>, _: &Done) -> Result<BitMatrix> {
        gpu::multiply(&self.gpu, &*factors.left()?, factors.b, (self.part, self.memory)).await
    }

    /// Only all rows at a time are taken from the device.
    fn kernels(&self) -> Option<&Self> {
        self.is_whole.then_some(self)
    }
}
