//! Exact products as three products modulo primes, one after the other.

use std::fmt;
use std::time::Duration;

use super::ExactProduct;
use super::garner::{Garner, fields, residues};
use crate::Cpu;
use crate::field::Prime;
use crate::gpu::Gpu;
use crate::ntt::cost::NEXT_PRODUCT_COMPILER;
use crate::ntt::{Product, gpu, product};
use crate::task::{Cost, Done, GpuProfile, Ready, Way};
use crate::timeline::{Phase, Timeline};
use crate::{Error, Result};

/// What three products cost, one after the other.
struct Three<'a> {
    product: &'a ExactProduct,
    costs: [Cost; 3],
    /// Length of the transforms.
    n: usize,
}

impl Three<'_> {
    /// The cost, with bytes on the host of the first product's tables, and of what the other products keep there.
    fn cost(&self, first_tables: u64, beside: u64) -> Result<Cost> {
        let length = self.product.length()?;
        let most = |bytes: fn(&Cost) -> u64| self.costs.iter().map(bytes).max().unwrap_or(0);
        let residues = 4 * self.product.lengths().iter().sum::<usize>() as u64;
        // A result keeps the capacity of the transform that it came from.
        let result = 4 * length.max(self.n) as u64;
        let last_product = residues + 2 * result + most(|cost| cost.host_bytes);
        let remainders = 3 * result + 16 * length as u64;
        Ok(Cost {
            time: self.costs.iter().map(|cost| cost.time).sum::<Duration>(),
            host_bytes: last_product.max(remainders + first_tables) + beside,
            device_bytes: most(|cost| cost.device_bytes),
        })
    }
}

fn transform_len(product: &Product) -> Result<usize> {
    Ok(product.convolution()?.map_or(0, |convolution| convolution.n()))
}

/// The way on the CPU engine.
#[derive(Debug)]
pub(super) struct OnCpu {
    products: [(Product, product::OnCpu); 3],
    cost: Cost,
}

impl OnCpu {
    pub const NAME: &'static str = product::OnCpu::NAME;

    pub fn new(product: &ExactProduct, products: &[Product; 3], threads: usize) -> Result<Self> {
        let way = |i: usize| Ok((products[i], product::OnCpu::new(&products[i], threads)?));
        let products = [way(0)?, way(1)?, way(2)?];
        let costs = products.each_ref().map(|(_, way)| way.cost());
        let [first, others @ ..] = products.each_ref().map(|(_, way)| way.table_bytes());
        let n = transform_len(&products[0].0)?;
        let cost = Three { product, costs, n }.cost(first, others.iter().sum())?;
        Ok(OnCpu { products, cost })
    }
}

impl Way<ExactProduct> for OnCpu {
    type Device = Cpu;
    type Ready<'p> = ReadyOnCpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &ExactProduct, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }

    fn prepare<'p>(&self, _: &ExactProduct, cpu: &Cpu, (): ()) -> Result<Self::Ready<'p>> {
        let ready = |i: usize| Ok((self.products[i].0, self.products[i].1.ready(cpu)?));
        Ok(ReadyOnCpu { products: [ready(0)?, ready(1)?, ready(2)?], timeline: cpu.timeline.clone() })
    }
}

#[derive(Debug)]
pub struct ReadyOnCpu {
    products: [(Product, product::ReadyOnCpu); 3],
    timeline: Timeline,
}

impl Ready<ExactProduct> for ReadyOnCpu {
    async fn run<'i: 'i>(
        &self,
        _: &ExactProduct,
        factors: (&'i [i64], &'i [i64]),
        _: &Done,
    ) -> Result<Vec<i128>> {
        let multiply = async |i: usize, a: &[u32], b: &[u32]| {
            let (product, ready) = &self.products[i];
            ready.multiply(product, a, b)
        };
        combined(&self.timeline, factors, multiply).await
    }
}

/// The way on one GPU. The products share a scratch vector; their kernels are compiled at the same time.
#[derive(Debug)]
pub(super) struct OnGpu {
    products: [(Product, product::OnGpu); 3],
    cost: Cost,
}

impl OnGpu {
    pub const NAME: &'static str = product::OnGpu::NAME;

    pub fn new(product: &ExactProduct, products: &[Product; 3], gpu: &GpuProfile) -> Result<Self> {
        let way = |i: usize| Ok((products[i], product::OnGpu::new(&products[i], gpu)?));
        let products = [way(0)?, way(1)?, way(2)?];
        let costs = products.each_ref().map(|(_, way)| way.cost());
        let tables: u64 = products[1..].iter().map(|(_, way)| way.table_bytes()).sum();
        let n = transform_len(&products[0].0)?;
        let mut cost = Three { product, costs, n }.cost(0, 2 * NEXT_PRODUCT_COMPILER)?;
        cost.device_bytes += tables;
        Ok(OnGpu { products, cost })
    }
}

impl Way<ExactProduct> for OnGpu {
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &ExactProduct, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }

    fn prepare<'p>(&self, _: &ExactProduct, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        let scratch = gpu::Scratch::default();
        let ready = |(product, way): &(Product, product::OnGpu)| Ok((*product, way.ready(gpu, &scratch)?));
        let products = gpu.each(&self.products, ready)?;
        let products: [_; 3] =
            products.try_into().map_err(|_| Error::Device("not as many products as primes".into()))?;
        Ok(ReadyOnGpu { products, timeline: gpu.timeline().clone() })
    }
}

#[derive(Debug)]
pub struct ReadyOnGpu {
    products: [(Product, product::ReadyOnGpu); 3],
    timeline: Timeline,
}

impl Ready<ExactProduct> for ReadyOnGpu {
    async fn run<'i: 'i>(
        &self,
        _: &ExactProduct,
        factors: (&'i [i64], &'i [i64]),
        _: &Done,
    ) -> Result<Vec<i128>> {
        let multiply = async |i: usize, a: &[u32], b: &[u32]| {
            let (product, ready) = &self.products[i];
            ready.multiply(product, a, b).await
        };
        combined(&self.timeline, factors, multiply).await
    }
}

/// The product over the integers from the products modulo the primes, of which `multiply` computes the i-th.
async fn combined(
    timeline: &Timeline,
    (a, b): (&[i64], &[i64]),
    multiply: impl AsyncFn(usize, &[u32], &[u32]) -> Result<Vec<u32>>,
) -> Result<Vec<i128>> {
    let fields: [Prime; 3] = fields()?;
    let mut words = [vec![], vec![], vec![]];
    for (i, words) in words.iter_mut().enumerate() {
        let both = || (residues(fields[i], a), residues(fields[i], b));
        let (a, b) = timeline.time(Phase::Host, "residues", both);
        *words = multiply(i, &a, &b).await?;
    }
    Ok(timeline.time(Phase::Host, "remainders", || Garner::new(fields).integers(&words)))
}
