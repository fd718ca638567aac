//! The way of one GPU: the products modulo the primes one after the other. The host converts the residues.

use std::fmt;
use std::time::Duration;

use super::{Conversions, lift};
use crate::gpu::{Gpu, staging_bytes};
use crate::ntt::cost::gpu_seconds;
use crate::ntt::lift::Lift;
use crate::ntt::product::{COMPILER, NEXT_COMPILER, compile_seconds};
use crate::ntt::{Product, gpu};
use crate::task::{Cost, Done, GpuProfile, Ready, Traffic, Way};
use crate::timeline::Phase;
use crate::{Error, Result};

/// Seconds in which the host converts a word of one prime: it passes over some bytes of the vectors.
const CONVERSION: f64 = 1e-9;

#[derive(Debug)]
pub(crate) struct OnGpu {
    lift: Lift,
    plans: Vec<gpu::ProductPlan>,
    cost: Cost,
    traffic: Traffic,
}

impl OnGpu {
    pub fn new(product: &Product, gpu: &GpuProfile) -> Result<Self> {
        let lift = lift(product)?;
        let plans: Vec<_> = lift
            .convolutions()
            .map(|convolution| gpu::ProductPlan::new(&convolution, gpu))
            .collect::<Result<_>>()?;
        let (primes, n, batch) = (plans.len() as u64, lift.n() as u64, product.batch as u64);
        let (upload, download) = (4 * product.folded().iter().sum::<usize>() as u64, 4 * n);
        let seconds = |plan: &gpu::ProductPlan| {
            gpu_seconds(gpu, plan.dispatches(), plan.words_passed(), [upload, download])
                + 3.0 * n as f64 * CONVERSION
        };
        let compiling = Duration::from_secs_f64(compile_seconds(gpu, n));
        let tables: u64 = plans.iter().map(gpu::ProductPlan::table_bytes).sum();
        let scratch = plans.iter().map(gpu::ProductPlan::scratch_len).max().unwrap_or(0) as u64;
        let cost = Cost {
            time: Duration::from_secs_f64(batch as f64 * plans.iter().map(seconds).sum::<f64>()) + compiling,
            compiling,
            // Two factors modulo one prime, and the products modulo all.
            host_bytes: product.answer_bytes(lift.n())?
                + upload
                + 4 * n * primes
                + staging_bytes(4 * n)
                + tables
                + COMPILER
                + (primes - 1) * NEXT_COMPILER,
            device_bytes: upload + 4 * (n + scratch) + tables,
        };
        let dispatches = plans.iter().map(|plan| plan.dispatches() as u64).sum();
        let one =
            Traffic { upload: primes * upload, download: primes * download, dispatches: Some(dispatches) };
        Ok(OnGpu { lift, plans, cost, traffic: one.times(batch) })
    }

    /// Dispatches of one product.
    pub fn dispatches(&self) -> usize {
        self.plans.iter().map(gpu::ProductPlan::dispatches).sum()
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
        let scratch = gpu::Scratch::default();
        let prepare = |plan: &gpu::ProductPlan| gpu::PreparedProduct::new(gpu, plan, scratch.clone());
        // Their kernels are compiled at the same time.
        let kernels = gpu.each(&self.plans, prepare)?;
        Ok(ReadyOnGpu {
            gpu: gpu.clone(),
            kernels,
            conversions: Conversions::new(&self.lift)?,
            n: self.lift.n(),
        })
    }
}

/// Kernels, tables and constants.
#[derive(Debug)]
pub(crate) struct ReadyOnGpu {
    gpu: Gpu,
    kernels: Vec<gpu::PreparedProduct>,
    conversions: Conversions,
    n: usize,
}

impl Ready<Product> for ReadyOnGpu {
    async fn run<'i: 'i>(
        &self,
        product: &Product,
        factors: &'i [[&'i [u32]; 2]],
        _: &Done,
    ) -> Result<Vec<Vec<u32>>> {
        let mut products = Vec::with_capacity(factors.len());
        for factors in factors {
            let mut residues = Vec::with_capacity(self.kernels.len());
            for (prime, kernels) in self.kernels.iter().enumerate() {
                let centred = |words: &[u32]| {
                    let folded = product.ring().fold(product.modulus(), words);
                    let mut centred = vec![0; folded.len()];
                    self.conversions.centre(prime, &mut centred, &folded);
                    centred
                };
                let both = || factors.map(centred);
                let [a, b] = self.gpu.timeline().time(Phase::Host, "residues", both);
                let result = kernels.run(&self.gpu.upload(&a)?, &self.gpu.upload(&b)?)?;
                residues.push(result.download_async().await?);
            }
            let combine = || product.finish_rows(self.conversions.combine(&mut residues), self.n);
            let product = self.gpu.timeline().time(Phase::Host, "remainders", combine)?.pop();
            products.push(product.ok_or_else(|| Error::needs("a product", "transforms"))?);
        }
        Ok(products)
    }
}
