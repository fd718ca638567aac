//! The way of one GPU: the products modulo the primes one after the other. Factors are uploaded once and the product is downloaded
//! once: the device converts the residues.

use std::fmt;
use std::time::Duration;

use super::lift;
use crate::gpu::{Gpu, staging_bytes};
use crate::ntt::conversion::{Centring, Combination};
use crate::ntt::cost::gpu_seconds;
use crate::ntt::lift::Lift;
use crate::ntt::product::{COMPILER, NEXT_COMPILER, compile_seconds};
use crate::ntt::three_primes::fields;
use crate::ntt::{Product, gpu};
use crate::task::{Cost, Done, GpuProfile, Ready, Traffic, Way};
use crate::timeline::Phase;
use crate::{Error, Result};

#[derive(Debug)]
pub(crate) struct OnGpu {
    lift: Lift,
    plans: Vec<gpu::ProductPlan>,
    dispatches: usize,
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
        // Each prime has two dispatches that centre, and all have one that combines. These pass over the factors, and over the products.
        let dispatches = plans.iter().map(gpu::ProductPlan::dispatches).sum::<usize>() + 2 * plans.len() + 1;
        let words = plans.iter().map(gpu::ProductPlan::words_passed).sum::<usize>()
            + plans.len() * (2 * product.folded().iter().sum::<usize>() + lift.n());
        let seconds = gpu_seconds(gpu, dispatches, words, [upload, download]);
        let compiling = Duration::from_secs_f64(compile_seconds(gpu, n));
        let tables: u64 = plans.iter().map(gpu::ProductPlan::table_bytes).sum();
        let scratch = plans.iter().map(gpu::ProductPlan::scratch_len).max().unwrap_or(0) as u64;
        let preparing = compiling + Duration::from_secs_f64(gpu.upload_seconds(tables as f64));
        let cost = Cost {
            time: Duration::from_secs_f64(batch as f64 * seconds) + preparing,
            compiling,
            preparing,
            // Folded factors and the product.
            host_bytes: product.answer_bytes(lift.n())?
                + upload
                + 4 * n
                + staging_bytes(4 * n)
                + tables
                + COMPILER
                + (primes - 1) * NEXT_COMPILER,
            // The factors, those modulo a prime, and the products modulo all.
            device_bytes: 2 * upload + 4 * (primes * n + scratch) + tables,
        };
        let one = Traffic { upload, download, dispatches: Some(dispatches as u64) };
        Ok(OnGpu { lift, plans, dispatches, cost, traffic: one.times(batch) })
    }

    /// Dispatches of one product.
    pub fn dispatches(&self) -> usize {
        self.dispatches
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
        // The kernels are compiled at the same time.
        let (kernels, conversions) =
            gpu.beside(|| gpu.each(&self.plans, prepare), || gpu::Conversions::new(gpu))?;
        let lift = &self.lift;
        Ok(ReadyOnGpu {
            gpu: gpu.clone(),
            kernels,
            conversions,
            centrings: lift.primes.iter().map(|&prime| Centring::new(lift.modulus, prime)).collect(),
            combination: Combination::new(lift.modulus, fields()?, lift.primes.len()),
            n: lift.n(),
        })
    }
}

/// Kernels, tables and constants.
#[derive(Debug)]
pub(crate) struct ReadyOnGpu {
    gpu: Gpu,
    kernels: Vec<gpu::PreparedProduct>,
    conversions: gpu::Conversions,
    centrings: Vec<Centring>,
    combination: Combination,
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
        for &[a, b] in factors {
            let fold = |words| product.ring().fold(product.modulus(), words);
            let (a, b) = (self.gpu.upload(&fold(a))?, self.gpu.upload(&fold(b))?);
            let mut centred = (self.gpu.unset(a.len())?, self.gpu.unset(b.len())?);
            let mut residues = Vec::with_capacity(self.kernels.len());
            for (kernels, centring) in self.kernels.iter().zip(&self.centrings) {
                let mut recorder = self.gpu.record();
                self.conversions.centre(&mut recorder, centring, &a, &mut centred.0)?;
                self.conversions.centre(&mut recorder, centring, &b, &mut centred.1)?;
                recorder.submit_later()?;
                residues.push(kernels.run(&centred.0, &centred.1)?);
            }
            let mut others = residues.split_off(1.min(residues.len()));
            let Some(mut first) = residues.pop() else { return Err(Error::needs("a product", "transforms")) };
            let mut recorder = self.gpu.record();
            self.conversions.combine(&mut recorder, &self.combination, &mut first, &others)?;
            recorder.submit_later()?;
            others.clear();
            let words = first.download_async().await?;
            let finish = || product.finish_rows(words, self.n);
            let product = self.gpu.timeline().time(Phase::Host, "remainders", finish)?.pop();
            products.push(product.ok_or_else(|| Error::needs("a product", "transforms"))?);
        }
        Ok(products)
    }
}
