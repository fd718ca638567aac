//! Transforms on the CPU engine, and on one GPU: the whole batch at once, or as many vectors as its memory holds, one part
//! after the other.

use std::fmt;
use std::time::Duration;

use super::{Elements, TransformOf};
use crate::gpu::{Gpu, Recorder, staging_bytes};
use crate::ntt::ways::{OnEngines, ReadyOnGpu};
use crate::task::{Cost, CpuProfile, Done, GpuProfile, Profile, Traffic};
use crate::timeline::{Phase, Timeline};
use crate::{Cpu, Error, Result};

/// The plan of a GPU for parts of a batch.
#[derive(Debug)]
pub struct InParts<K: Elements> {
    /// Vectors of a part.
    vectors: usize,
    /// The parts of the batch.
    pub parts: usize,
    plan: K::GpuPlan,
}

impl<K: Elements> InParts<K> {
    /// The passes over the data.
    pub fn passes(&self) -> usize {
        K::counts(&self.plan).passes
    }
}

/// The kernels and tables; none for an empty batch.
#[derive(Debug)]
pub struct Batch<K: Elements> {
    /// Elements of a part.
    part: usize,
    parts: usize,
    /// The kernels of one part.
    pub kernels: Option<K::Kernels>,
}

impl<K: Elements> TransformOf<K> {
    /// The cost on a GPU, of which the plan transforms `vectors` at once.
    fn cost_on_gpu(&self, vectors: usize, plan: &K::GpuPlan, gpu: &GpuProfile, host: CpuProfile) -> Cost {
        let (rates, counts) = (K::RATES, K::counts(plan));
        let part = K::BYTES.saturating_mul((vectors as u64) << self.log_n);
        let (elements, parts) = (self.len() as f64, self.batch.div_ceil(vectors.max(1)) as f64);
        let (passes, bytes) = ((counts.passes - counts.across) as f64, elements * K::BYTES as f64);
        let seconds = rates.seconds(gpu, passes * parts, passes * elements)
            + K::seconds_across(plan, elements, gpu)
            + gpu.upload_seconds(bytes)
            + gpu.download_seconds(bytes)
            + gpu.record.call * parts;
        let compiling = rates.compile_seconds(gpu);
        let tables = gpu.upload_seconds(counts.table_bytes as f64) + K::table_seconds(&counts, host);
        let [time, compiling, preparing] =
            [seconds + tables + compiling, compiling, tables + compiling].map(Duration::from_secs_f64);
        Cost {
            time,
            compiling,
            preparing,
            host_bytes: rates.host_copies * (part + counts.table_bytes)
                + staging_bytes(part)
                + rates.compiler_bytes,
            device_bytes: part * (1 + u64::from(counts.has_scratch)) + counts.table_bytes,
        }
    }
}

impl<K: Elements> OnEngines for TransformOf<K> {
    type Tables = K::Tables;
    type GpuPlan = InParts<K>;
    type GpuKernels = Batch<K>;

    fn cost_on_cpu(&self, cpu: CpuProfile) -> Result<Cost> {
        let time = Duration::from_secs_f64(K::cpu_seconds(self, cpu));
        Ok(Cost { time, host_bytes: K::cpu_bytes(self, cpu.threads), device_bytes: 0, ..Cost::default() })
    }

    fn tables(&self, cpu: &Cpu) -> Result<K::Tables> {
        K::tables(self, cpu)
    }

    async fn run_on_cpu<'i: 'i>(
        &self,
        tables: &K::Tables,
        timeline: &Timeline,
        batch: &'i mut [K::Element],
        done: &Done,
    ) -> Result<()> {
        timeline.time(Phase::Host, "transform", || K::run_on_cpu(tables, &mut batch[done.get()..]))
    }

    /// Plans the whole batch at once, or half of it, and so on until it fits the profile's memory.
    fn plan_on_gpu(&self, profile: &Profile, gpu: &GpuProfile) -> Result<(InParts<K>, Cost, Traffic)> {
        let mut vectors = self.batch;
        loop {
            let plan = K::gpu_plan(&self.with_batch(vectors), gpu)?;
            let cost = self.cost_on_gpu(vectors, &plan, gpu, profile.host());
            if cost.check(profile, "").is_ok() || vectors <= 1 {
                let parts = self.batch.div_ceil(vectors.max(1)).max(1);
                let bytes = K::BYTES * self.len() as u64;
                let dispatches = Some((parts * K::counts(&plan).dispatches) as u64);
                let traffic = Traffic { upload: bytes, download: bytes, dispatches };
                return Ok((InParts { vectors, parts, plan }, cost, traffic));
            }
            vectors = vectors.div_ceil(2);
        }
    }

    fn write_gpu_plan(plan: &InParts<K>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "passes         {}", plan.passes())?;
        K::write_plan(&plan.plan, f)?;
        writeln!(f, "parts          {}", plan.parts)
    }

    fn compile(gpu: &Gpu, plan: &InParts<K>) -> Result<()> {
        K::compile(gpu, &plan.plan)
    }

    fn kernels(&self, gpu: &Gpu, &InParts { vectors, parts, ref plan }: &InParts<K>) -> Result<Batch<K>> {
        let kernels = (vectors > 0).then(|| K::kernels(gpu, plan)).transpose()?;
        Ok(Batch { part: vectors * self.n(), parts, kernels })
    }

    async fn run_on_gpu<'i: 'i>(
        &self,
        gpu: &Gpu,
        &Batch { part, ref kernels, .. }: &Batch<K>,
        batch: &'i mut [K::Element],
        done: &Done,
    ) -> Result<()> {
        let Some(kernels) = kernels else { return Ok(()) };
        let mut vector = K::vector(gpu, part)?;
        for part in batch[done.get()..].chunks_mut(part) {
            // After a shorter last part the vector still holds elements of the part before.
            K::write(&mut vector, part).await?;
            K::run(kernels, &mut vector)?;
            K::read(&vector, part).await?;
            done.add(part.len());
        }
        Ok(())
    }
}

impl<K: Elements> ReadyOnGpu<TransformOf<K>> {
    /// Transforms a vector on the device.
    pub fn on_device(&self, vector: &mut K::Vector) -> Result<()> {
        K::run(self.at_once()?, vector)
    }

    /// Records [`on_device`](Self::on_device).
    pub fn record(&self, recorder: &mut Recorder, vector: &mut K::Vector) -> Result<()> {
        K::record(self.at_once()?, recorder, vector)
    }

    /// The kernels, if the batch is one part.
    fn at_once(&self) -> Result<&K::Kernels> {
        match (&self.kernels.kernels, self.kernels.parts) {
            (Some(kernels), 1) => Ok(kernels),
            (_, parts) => {
                let what = format!("hold the batch: the plan takes it from the host in {parts} parts").into();
                Err(Error::Unsupported { device: "this device", what })
            }
        }
    }
}
