//! Exact products as three products modulo primes, one after the other.

use super::ExactProduct;
use super::garner::{Garner, residues};
use crate::field::Prime;
use crate::gpu::{Gpu, exactly};
use crate::ntt::product::NEXT_COMPILER;
use crate::ntt::three_primes::fields;
use crate::ntt::ways::OnEngines;
use crate::ntt::{Product, gpu};
use crate::task::{Cost, CpuProfile, Done, GpuProfile, Profile, Traffic};
use crate::timeline::{Phase, Timeline};
use crate::{Cpu, Result};

impl ExactProduct {
    /// The cost of three products, one after the other, with bytes on the host of the first product's tables, and of what the
    /// other products keep there.
    fn cost_of(&self, costs: [Cost; 3], first_tables: u64, beside: u64) -> Result<Cost> {
        let length = self.length()?;
        let n = self.modulo(fields()?[0]).convolution()?.map_or(0, |convolution| convolution.n());
        // Their kernels are compiled at the same time.
        let all = Cost::in_turn(&costs.map(|cost| (cost, 1)));
        let residues = 4 * self.lengths.iter().sum::<usize>() as u64;
        // A result keeps the capacity of the transform that it came from.
        let result = 4 * length.max(n) as u64;
        let last_product = residues + 2 * result + all.host_bytes;
        let remainders = 3 * result + 16 * length as u64;
        Ok(Cost {
            time: all.time,
            compiling: all.compiling,
            host_bytes: last_product.max(remainders + first_tables) + beside,
            device_bytes: all.device_bytes,
            ..Cost::default()
        })
    }
}

/// What `of` makes of each of three.
fn each<A, B>([a, b, c]: &[A; 3], of: impl Fn(&A) -> Result<B>) -> Result<[B; 3]> {
    Ok([of(a)?, of(b)?, of(c)?])
}

/// On a GPU the products share a scratch vector; their kernels are compiled at the same time.
impl OnEngines for ExactProduct {
    type Tables = [<Product as OnEngines>::Tables; 3];
    type GpuPlan = [<Product as OnEngines>::GpuPlan; 3];
    type GpuKernels = [<Product as OnEngines>::GpuKernels; 3];

    const NAMES_ENGINE: bool = false;

    fn cost_on_cpu(&self, cpu: CpuProfile) -> Result<Cost> {
        let products = self.products()?;
        let costs = each(&products, |product| product.cost_on_cpu(cpu))?;
        let [first, others @ ..] = each(&products, Product::table_bytes)?;
        self.cost_of(costs, first, others.iter().sum())
    }

    fn tables(&self, cpu: &Cpu) -> Result<Self::Tables> {
        each(&self.products()?, |product| product.tables(cpu))
    }

    async fn run_on_cpu<'i: 'i>(
        &self,
        tables: &Self::Tables,
        timeline: &Timeline,
        factors: (&'i [i64], &'i [i64]),
        _: &Done,
    ) -> Result<Vec<i128>> {
        let products = self.products()?;
        let multiply =
            async |i: usize, a: &[u32], b: &[u32]| products[i].multiply_on_cpu(&tables[i], timeline, a, b);
        combined(timeline, factors, multiply).await
    }

    fn plan_on_gpu(&self, profile: &Profile, gpu: &GpuProfile) -> Result<(Self::GpuPlan, Cost, Traffic)> {
        let [first, second, third] = each(&self.products()?, |product| product.plan_on_gpu(profile, gpu))?;
        let mut cost = self.cost_of([first.1, second.1, third.1], 0, 2 * NEXT_COMPILER)?;
        let plans = [first.0, second.0, third.0];
        let tables = plans[1..].iter().flatten().map(gpu::ProductPlan::table_bytes);
        cost.device_bytes += tables.sum::<u64>();
        Ok((plans, cost, Traffic::default()))
    }

    fn kernels(&self, gpu: &Gpu, plans: &Self::GpuPlan) -> Result<Self::GpuKernels> {
        let scratch = gpu::Scratch::default();
        let prepare = |plan: &gpu::ProductPlan| gpu::PreparedProduct::new(gpu, plan, scratch.clone());
        let kernels = gpu.each(plans, |plan| plan.as_ref().map(prepare).transpose())?;
        exactly(kernels)
    }

    async fn run_on_gpu<'i: 'i>(
        &self,
        gpu: &Gpu,
        kernels: &Self::GpuKernels,
        factors: (&'i [i64], &'i [i64]),
        _: &Done,
    ) -> Result<Vec<i128>> {
        let products = self.products()?;
        let multiply =
            async |i: usize, a: &[u32], b: &[u32]| products[i].multiply_on_gpu(gpu, &kernels[i], a, b).await;
        combined(gpu.timeline(), factors, multiply).await
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
