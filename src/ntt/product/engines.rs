//! Products one after the other: on the CPU engine, each by all threads, or on one GPU.

use std::fmt;
use std::time::Duration;

use super::Product;
use crate::gpu::{DeviceVec, Gpu, Recorder, staging_bytes};
use crate::ntt::cost::gpu_seconds;
use crate::ntt::cpu_cost::rows_seconds;
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
pub(super) const COMPILER: u64 = 44 << 20;
pub const NEXT_COMPILER: u64 = 20 << 20;

/// The time to compile the kernels of a product by transforms of `n` words.
pub(super) fn compile_seconds(gpu: &GpuProfile, n: u64) -> f64 {
    gpu.compile_seconds("ntt", None, if n <= SHORT { COMPILE_SHORT } else { COMPILE })
}

impl Product {
    /// The bytes on the host of the answers as transforms of `n` words leave them, and of folded factors.
    pub(super) fn answer_bytes(&self, n: usize) -> Result<u64> {
        let answer = 4 * self.length()?.max(n) as u64;
        Ok(self.ring.folded_bytes(self.lengths) + answer.saturating_mul(self.batch as u64))
    }

    /// The products from what the transforms give of several: vectors of n words.
    pub(super) fn finish_rows(&self, words: Vec<u32>, n: usize) -> Result<Vec<Vec<u32>>> {
        let count = self.folded().iter().sum::<usize>() - 1;
        match words.len() == n {
            true => Ok(vec![self.finish(words, count)?]),
            false => words.chunks_exact(n).map(|words| self.finish(words.to_vec(), count)).collect(),
        }
    }

    /// The products on the CPU engine of several factors, which were checked: by threads that take some each.
    fn multiply_rows(
        &self,
        rows: &cpu::Rows,
        timeline: &Timeline,
        factors: &[[&[u32]; 2]],
    ) -> Result<Vec<Vec<u32>>> {
        let load = |cpu::Wanted { row, factor, .. }: cpu::Wanted, words: &mut [u32]| {
            let folded = self.ring.fold(self.modulus, factors[row][factor]);
            let (words, zeros) = words.split_at_mut(folded.len());
            words.copy_from_slice(&folded);
            zeros.fill(0);
        };
        rows.each_group(factors.len(), timeline, |group| {
            let are_squares = factors[group.clone()].iter().all(|[a, b]| a == b);
            let products = rows.products(group, are_squares, &load)?;
            self.finish_rows(products.into_iter().next().unwrap_or_default(), rows.n())
        })
    }

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
        tables: &Option<cpu::Rows>,
        timeline: &Timeline,
        a: &[u32],
        b: &[u32],
    ) -> Result<Vec<u32>> {
        let Some([convolution, ..]) = tables.as_ref().map(cpu::Rows::primes) else { return self.zero() };
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
    type Tables = Option<cpu::Rows>;
    type GpuPlan = Option<gpu::ProductPlan>;
    type GpuKernels = Option<gpu::PreparedProduct>;

    fn cost_on_cpu(&self, profile: CpuProfile) -> Result<Cost> {
        let Some(convolution) = self.convolution()? else { return self.cost_of_zero() };
        let log_n = convolution.log_n;
        let seconds = rows_seconds(log_n, self.batch, 0.0, profile);
        let vectors = match self.batch {
            // The two padded factors, one of which becomes the product.
            0 | 1 => self.host_bytes()? + 8 * convolution.n() as u64,
            batch => {
                cpu::Rows::vector_bytes(1, log_n, batch, profile.threads)
                    + self.answer_bytes(convolution.n())?
            }
        };
        Ok(Cost {
            time: Duration::from_secs_f64(seconds),
            host_bytes: vectors
                + self.table_bytes()?
                + profile.threads as u64 * cpu::Plan::scratch_bytes(convolution.log_n),
            device_bytes: 0,
            ..Cost::default()
        })
    }

    fn tables(&self, cpu: &Cpu) -> Result<Option<cpu::Rows>> {
        let Some(Convolution { prime, log_n, negacyclic, .. }) = self.convolution()? else { return Ok(None) };
        cpu::Rows::new(&[prime], log_n, negacyclic, cpu).map(Some)
    }

    async fn run_on_cpu<'i: 'i>(
        &self,
        tables: &Option<cpu::Rows>,
        timeline: &Timeline,
        factors: &'i [[&'i [u32]; 2]],
        _: &Done,
    ) -> Result<Vec<Vec<u32>>> {
        if let (Some(rows), true) = (tables, factors.len() > 1) {
            return timeline.time(Phase::Host, "products", || self.multiply_rows(rows, timeline, factors));
        }
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
        let compiling = Duration::from_secs_f64(compile_seconds(gpu, n));
        let preparing = compiling + Duration::from_secs_f64(gpu.upload_seconds(plan.table_bytes() as f64));
        let cost = Cost {
            time: Duration::from_secs_f64(self.batch as f64 * seconds) + preparing,
            compiling,
            preparing,
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
