//! Transforms on one GPU: the whole batch at once, or as many vectors as its memory holds, one part after the other.

use std::fmt;

use super::{Engines, Entry, TransformOf};
use crate::gpu::{Gpu, Recorder};
use crate::task::{Cost, Done, GpuProfile, Profile, Ready, Traffic, Way};
use crate::{Error, Result};

/// The way.
#[derive(Debug)]
pub(super) struct OnGpu<T: Engines> {
    /// Vectors of a part.
    vectors: usize,
    parts: usize,
    plan: T::GpuPlan,
    cost: Cost,
    traffic: Traffic,
}

impl<E: Entry, S: Clone> OnGpu<TransformOf<E, S>>
where
    TransformOf<E, S>: Engines<Element = E>,
{
    pub const NAME: &'static str = "on one GPU";

    /// Plans the whole batch at once, or half of it, and so on until it fits the profile's memory.
    pub fn new(transform: &TransformOf<E, S>, profile: &Profile, gpu: &GpuProfile) -> Result<Self> {
        let mut vectors = transform.batch;
        loop {
            let plan = transform.gpu_plan(vectors, gpu)?;
            let cost = transform.cost_on_gpu(vectors, &plan, gpu);
            if cost.check(profile, "").is_ok() || vectors <= 1 {
                let parts = transform.batch.div_ceil(vectors.max(1)).max(1);
                let (_, dispatches) = TransformOf::<E, S>::passes(&plan);
                let bytes = TransformOf::<E, S>::BYTES * transform.len() as u64;
                let dispatches = Some((parts * dispatches) as u64);
                let traffic = Traffic { upload: bytes, download: bytes, dispatches };
                return Ok(OnGpu { vectors, parts, plan, cost, traffic });
            }
            vectors = vectors.div_ceil(2);
        }
    }
}

impl<T: Engines> OnGpu<T> {
    /// The passes over the data.
    pub fn passes(&self) -> usize {
        T::passes(&self.plan).0
    }

    /// The parts of the batch.
    pub fn parts(&self) -> usize {
        self.parts
    }
}

impl<E: Entry, S: Clone> Way<TransformOf<E, S>> for OnGpu<TransformOf<E, S>>
where
    TransformOf<E, S>: Engines<Element = E>,
{
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu<TransformOf<E, S>>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn write(&self, _: &TransformOf<E, S>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "engine         GPU")?;
        writeln!(f, "passes         {}", self.passes())?;
        writeln!(f, "parts          {}", self.parts)
    }

    fn compile(&self, _: &TransformOf<E, S>, gpu: &Gpu) -> Result<()> {
        TransformOf::<E, S>::compile(gpu, &self.plan)
    }

    fn prepare<'p>(&self, transform: &TransformOf<E, S>, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        let kernels = match self.vectors {
            0 => None,
            _ => Some(TransformOf::<E, S>::kernels(gpu, &self.plan)?),
        };
        let part = self.vectors * transform.n();
        Ok(ReadyOnGpu::<TransformOf<E, S>> { gpu: gpu.clone(), part, parts: self.parts, kernels })
    }
}

/// The kernels and tables; none for an empty batch.
#[derive(Debug)]
pub struct ReadyOnGpu<T: Engines> {
    gpu: Gpu,
    /// Elements of a part.
    part: usize,
    parts: usize,
    kernels: Option<T::Kernels>,
}

impl<T: Engines> ReadyOnGpu<T> {
    /// Transforms a vector on the device.
    pub fn on_device(&self, vector: &mut T::Vector) -> Result<()> {
        T::run(self.at_once()?, vector)
    }

    /// Records [`on_device`](Self::on_device).
    pub fn record(&self, recorder: &mut Recorder, vector: &mut T::Vector) -> Result<()> {
        T::record(self.at_once()?, recorder, vector)
    }

    /// The kernels, if there are any.
    pub fn kernels(&self) -> Option<&T::Kernels> {
        self.kernels.as_ref()
    }

    /// The kernels, if the batch is one part.
    fn at_once(&self) -> Result<&T::Kernels> {
        match (&self.kernels, self.parts) {
            (Some(kernels), 1) => Ok(kernels),
            (_, parts) => {
                let what = format!("hold the batch: the plan takes it from the host in {parts} parts").into();
                Err(Error::Unsupported { device: "this device", what })
            }
        }
    }
}

impl<E: Entry, S: Clone> Ready<TransformOf<E, S>> for ReadyOnGpu<TransformOf<E, S>>
where
    TransformOf<E, S>: Engines<Element = E>,
{
    async fn run<'i: 'i>(&self, _: &TransformOf<E, S>, batch: &'i mut [E], done: &Done) -> Result<()> {
        let Some(kernels) = &self.kernels else { return Ok(()) };
        let mut vector = TransformOf::<E, S>::vector(&self.gpu, self.part)?;
        for part in batch[done.get()..].chunks_mut(self.part) {
            // After a shorter last part the vector still holds elements of the part before.
            TransformOf::<E, S>::write(&mut vector, part).await?;
            TransformOf::<E, S>::run(kernels, &mut vector)?;
            TransformOf::<E, S>::read(&vector, part).await?;
            done.add(part.len());
        }
        Ok(())
    }

    fn kernels(&self) -> Option<&Self> {
        Some(self)
    }
}
