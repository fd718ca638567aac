//! Products on one GPU, one after the other.

use std::fmt;

use super::{Convolution, Product};
use crate::gpu::{DeviceVec, Gpu, Recorder};
use crate::ntt::{Form, cost, gpu};
use crate::task::{Cost, Done, GpuProfile, Ready, Traffic, Way};
use crate::{Error, Result};

/// The way.
#[derive(Debug)]
pub(in crate::ntt) struct OnGpu {
    /// None if a factor is empty.
    plan: Option<gpu::ProductPlan>,
    cost: Cost,
    traffic: Traffic,
}

impl OnGpu {
    pub const NAME: &'static str = "on one GPU";

    pub fn new(product: &Product, gpu: &GpuProfile) -> Result<Self> {
        let convolution = product.convolution()?;
        let plan = convolution.map(|convolution| gpu::ProductPlan::new(&convolution, gpu)).transpose()?;
        let factors = product.folded().iter().sum::<usize>() as u64;
        let one = Traffic {
            upload: if plan.is_some() { 4 * factors } else { 0 },
            download: 4 * convolution.map_or(0, |convolution| convolution.n()) as u64,
            dispatches: Some(plan.as_ref().map_or(0, gpu::ProductPlan::dispatches) as u64),
        };
        let cost = cost::product_on_gpu(product, plan.as_ref(), gpu)?;
        Ok(OnGpu { plan, cost, traffic: one.times(product.batch() as u64) })
    }

    /// The dispatches of one product.
    pub fn dispatches(&self) -> usize {
        self.plan.as_ref().map_or(0, gpu::ProductPlan::dispatches)
    }

    /// Bytes of tables.
    pub fn table_bytes(&self) -> u64 {
        self.plan.as_ref().map_or(0, gpu::ProductPlan::table_bytes)
    }

    /// Makes the tables and compiles the kernels. Products of the same lengths, one after the other, may share the scratch
    /// vector.
    pub fn ready(&self, gpu: &Gpu, scratch: &gpu::Scratch) -> Result<ReadyOnGpu> {
        let prepare = |plan| gpu::PreparedProduct::new(gpu, plan, scratch.clone());
        Ok(ReadyOnGpu { gpu: gpu.clone(), kernels: self.plan.as_ref().map(prepare).transpose()? })
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
        writeln!(f, "engine         GPU")?;
        writeln!(f, "dispatches     {}", self.dispatches())
    }

    fn prepare<'p>(&self, _: &Product, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        self.ready(gpu, &gpu::Scratch::default())
    }
}

/// The kernels and tables; none if a factor is empty.
#[derive(Debug)]
pub struct ReadyOnGpu {
    gpu: Gpu,
    kernels: Option<gpu::PreparedProduct>,
}

impl ReadyOnGpu {
    /// The product of `a` and `b`, which were checked.
    pub async fn multiply(&self, product: &Product, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
        let Some(kernels) = &self.kernels else { return product.zero() };
        let (a, b) = product.fold(a, b);
        let words = kernels.run(&self.gpu.upload(&a)?, &self.gpu.upload(&b)?)?.download_async().await?;
        product.finish(words, a.len() + b.len() - 1)
    }

    /// The product of device vectors; see [`PreparedProduct::run_on_device`](super::PreparedProduct::run_on_device).
    pub fn on_device(
        &self,
        product: &Product,
        left: &DeviceVec<u32>,
        right: &DeviceVec<u32>,
    ) -> Result<DeviceVec<u32>> {
        self.unfolded(product)?.run(left, right)
    }

    /// Records [`on_device`](Self::on_device).
    pub fn record(
        &self,
        product: &Product,
        recorder: &mut Recorder,
        [left, right]: [&DeviceVec<u32>; 2],
        result: &mut DeviceVec<u32>,
    ) -> Result<()> {
        self.unfolded(product)?.record(recorder, left, right, result)
    }

    /// The kernels, if nothing is folded on the host.
    fn unfolded(&self, product: &Product) -> Result<&gpu::PreparedProduct> {
        match (&self.kernels, product.convolution()?) {
            (Some(kernels), Some(convolution)) if is_unfolded(product, &convolution)? => Ok(kernels),
            (None, _) => {
                Err(Error::Usage("a factor of this product has no coefficients: nothing runs".into()))
            }
            _ => {
                let what = "fold this product: its factors come from the host".into();
                Err(Error::Unsupported { device: "a GPU", what })
            }
        }
    }
}

/// True if the transforms give the product in its own ring.
fn is_unfolded(product: &Product, convolution: &Convolution) -> Result<bool> {
    let [a, b] = product.folded();
    let in_its_ring = match product.form() {
        Form::Linear => true,
        Form::Cyclic(n) | Form::Negacyclic(n) => n == convolution.n() || a + b - 1 <= n,
    };
    Ok(in_its_ring && product.length()? <= convolution.n())
}

impl Ready<Product> for ReadyOnGpu {
    async fn run<'i: 'i>(
        &self,
        product: &Product,
        factors: &'i [[&'i [u32]; 2]],
        _: &Done,
    ) -> Result<Vec<Vec<u32>>> {
        let mut products = Vec::with_capacity(factors.len());
        for [a, b] in factors {
            products.push(self.multiply(product, a, b).await?);
        }
        Ok(products)
    }

    fn kernels(&self) -> Option<&Self> {
        Some(self)
    }
}
