//! Products one after the other: on the CPU engine, each by all threads, or on one GPU.

use std::fmt;
use std::time::Duration;

use super::Product;
use crate::gpu::{DeviceVec, Gpu, Recorder, staging_bytes};
use crate::ntt::cost::gpu_seconds;
use crate::ntt::cpu_cost::product_seconds;
use crate::ntt::ring::{Convolution, Ring};
use crate::ntt::ways::{OnEngines, ReadyOnGpu};
use crate::ntt::{cpu, gpu};
use crate::task::{Cost, CpuProfile, Done, GpuProfile, Profile, Traffic};
use crate::timeline::{Phase, Timeline};
use crate::{Cpu, Error, Result};

/// Reference kernels that take as long to compile as the kernels of a product, the first time and later, on the host of an H200; and
/// as those of a product of so many coefficients at most, whose rows have fewer steps.
const COMPILE: [f64; 2] = [3.6, 4.6];
const COMPILE_SHORT: [f64; 2] = [3.6, 2.2];
const SHORT: u64 = 1 << 10;
/// Bytes of host memory of the driver's compilation, and of that for each further prime of an exact product. lavapipe (Mesa
/// 22.3, LLVM 15) took them with no cache on disk. Other drivers were not measured.
const COMPILER: u64 = 44 << 20;
pub const NEXT_COMPILER: u64 = 20 << 20;

impl Product {
    /// The bytes on the host beside those of an engine: the factors that are folded, an answer that is longer than the
    /// transforms, and the answers of a batch that are kept while the last product is computed.
    fn host_bytes(&self) -> Result<u64> {
        let answer = 4 * self.length()? as u64;
        // A linear product stays where the transforms leave it.
        let folded =
            self.ring.folded_bytes(self.lengths) + if self.ring == Ring::Linear { 0 } else { answer };
        Ok(folded + answer.saturating_mul(self.batch.saturating_sub(1) as u64))
    }

    /// The cost if a factor has no coefficients.
    fn cost_of_zero(&self) -> Result<Cost> {
        Ok(Cost { host_bytes: 4 * self.length()? as u64, ..Cost::default() })
    }

    /// Bytes of the tables of the CPU engine: one set for each direction.
    pub(in crate::ntt) fn table_bytes(&self) -> Result<u64> {
        let of = |Convolution { log_n, negacyclic, .. }| 2 * cpu::Plan::tables_of(log_n, negacyclic);
        Ok(self.convolution()?.map_or(0, of))
    }

    /// The product on the CPU engine of `a` and `b`, which were checked.
    pub(in crate::ntt) fn multiply_on_cpu(
        &self,
        tables: &Option<cpu::Convolution>,
        timeline: &Timeline,
        a: &[u32],
        b: &[u32],
    ) -> Result<Vec<u32>> {
        let Some(convolution) = tables else { return self.zero() };
        let (a, b) = self.fold(a, b);
        let words = timeline.time(Phase::Host, "product", || convolution.multiply(&a, &b))?;
        self.finish(words, a.len() + b.len() - 1)
    }

    /// The product on the GPU of `a` and `b`, which were checked.
    pub(in crate::ntt) async fn multiply_on_gpu(
        &self,
        gpu: &Gpu,
        kernels: &Option<gpu::PreparedProduct>,
        a: &[u32],
        b: &[u32],
    ) -> Result<Vec<u32>> {
        let Some(kernels) = kernels else { return self.zero() };
        let (a, b) = self.fold(a, b);
        let words = kernels.run(&gpu.upload(&a)?, &gpu.upload(&b)?)?.download_async().await?;
        self.finish(words, a.len() + b.len() - 1)
    }

    /// True if the transforms give the product in its own ring.
    fn is_unfolded(&self, n: usize) -> Result<bool> {
        let [a, b] = self.folded();
        let in_its_ring = match self.ring {
            Ring::Linear => true,
            Ring::Cyclic(modulus) | Ring::Negacyclic(modulus) => modulus == n || a + b - 1 <= modulus,
        };
        Ok(in_its_ring && self.length()? <= n)
    }
}

/// There are no tables, and no kernels, if a factor has no coefficients.
impl OnEngines for Product {
    type Tables = Option<cpu::Convolution>;
    type GpuPlan = Option<gpu::ProductPlan>;
    type GpuKernels = Option<gpu::PreparedProduct>;

    fn cost_on_cpu(&self, profile: CpuProfile) -> Result<Cost> {
        let Some(convolution) = self.convolution()? else { return self.cost_of_zero() };
        let seconds = self.batch as f64 * product_seconds(convolution.log_n, profile);
        Ok(Cost {
            time: Duration::from_secs_f64(seconds),
            // The two padded factors, one of which becomes the product.
            host_bytes: self.host_bytes()?
                + 8 * convolution.n() as u64
                + self.table_bytes()?
                + profile.threads as u64 * cpu::Plan::scratch_bytes(convolution.log_n),
            device_bytes: 0,
            ..Cost::default()
        })
    }

    fn tables(&self, cpu: &Cpu) -> Result<Option<cpu::Convolution>> {
        let Some(Convolution { prime, log_n, negacyclic, .. }) = self.convolution()? else { return Ok(None) };
        let convolution = cpu::Convolution::new(prime, log_n, negacyclic, cpu.threads)?;
        Ok(Some(convolution.recorded(&cpu.timeline)))
    }

    async fn run_on_cpu<'i: 'i>(
        &self,
        tables: &Option<cpu::Convolution>,
        timeline: &Timeline,
        factors: &'i [[&'i [u32]; 2]],
        _: &Done,
    ) -> Result<Vec<Vec<u32>>> {
        factors.iter().map(|[a, b]| self.multiply_on_cpu(tables, timeline, a, b)).collect()
    }

    fn plan_on_gpu(
        &self,
        _: &Profile,
        gpu: &GpuProfile,
    ) -> Result<(Option<gpu::ProductPlan>, Cost, Traffic)> {
        let Some(convolution) = self.convolution()? else {
            let none = Traffic { dispatches: Some(0), ..Traffic::default() };
            return Ok((None, self.cost_of_zero()?, none));
        };
        let plan = gpu::ProductPlan::new(&convolution, gpu)?;
        let n = convolution.n() as u64;
        let (upload, download) = (4 * self.folded().iter().sum::<usize>() as u64, 4 * n);
        let seconds = gpu_seconds(gpu, plan.dispatches(), plan.words_passed(), [upload, download]);
        let kernels = if n <= SHORT { COMPILE_SHORT } else { COMPILE };
        let compiling = Duration::from_secs_f64(gpu.compile_seconds("ntt", None, kernels));
        let cost = Cost {
            time: Duration::from_secs_f64(self.batch as f64 * seconds) + compiling,
            compiling,
            host_bytes: self.host_bytes()? + 4 * n + staging_bytes(4 * n) + plan.table_bytes() + COMPILER,
            device_bytes: upload + 4 * (n + plan.scratch_len() as u64) + plan.table_bytes(),
        };
        let one = Traffic { upload, download, dispatches: Some(plan.dispatches() as u64) };
        Ok((Some(plan), cost, one.times(self.batch as u64)))
    }

    fn write_gpu_plan(plan: &Option<gpu::ProductPlan>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "dispatches     {}", plan.as_ref().map_or(0, gpu::ProductPlan::dispatches))
    }

    fn kernels(&self, gpu: &Gpu, plan: &Option<gpu::ProductPlan>) -> Result<Option<gpu::PreparedProduct>> {
        let prepare = |plan| gpu::PreparedProduct::new(gpu, plan, gpu::Scratch::default());
        plan.as_ref().map(prepare).transpose()
    }

    async fn run_on_gpu<'i: 'i>(
        &self,
        gpu: &Gpu,
        kernels: &Option<gpu::PreparedProduct>,
        factors: &'i [[&'i [u32]; 2]],
        _: &Done,
    ) -> Result<Vec<Vec<u32>>> {
        let mut products = Vec::with_capacity(factors.len());
        for [a, b] in factors {
            products.push(self.multiply_on_gpu(gpu, kernels, a, b).await?);
        }
        Ok(products)
    }
}

impl ReadyOnGpu<Product> {
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
            (Some(kernels), Some(convolution)) if product.is_unfolded(convolution.n())? => Ok(kernels),
            (None, _) => Err(Error::needs("a product", "coefficients in both factors")),
            _ => {
                let what = "fold this product: its factors come from the host".into();
                Err(Error::Unsupported { device: "a GPU", what })
            }
        }
    }
}
