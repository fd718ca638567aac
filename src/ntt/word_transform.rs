//! Transforms of words on the engines.

use super::transform::Engines;
use super::words::{Transform, WordSettings};
use super::{TransformOf, cost, cpu, gpu};
use crate::gpu::{DeviceVec, Gpu, PIECE, Recorder, block_on};
use crate::task::{Cost, GpuProfile, Planned, Prepared, Problem};
use crate::{Cpu, Device, Result};

impl Engines for TransformOf<u32, WordSettings> {
    type Element = u32;
    type Tables = cpu::Plan;
    type GpuPlan = gpu::TransformPlan;
    type Kernels = gpu::PreparedTransform;
    type Vector = DeviceVec<u32>;

    const BYTES: u64 = 4;

    fn elements(&self) -> String {
        format!("words modulo {}", self.prime())
    }

    fn check_batch(&self, batch: &[u32]) -> Result<()> {
        self.check_words(batch)
    }

    fn check_settings(&self) -> Result<()> {
        self.shift().map(drop)
    }

    fn cost_on_cpu(&self, threads: usize) -> Cost {
        cost::transform_on_cpu(self, threads)
    }

    fn tables(&self, cpu: &Cpu) -> Result<cpu::Plan> {
        Ok(cpu::Plan::new(self, cpu.threads)?.recorded(&cpu.timeline))
    }

    fn run_on_cpu(plan: &cpu::Plan, batch: &mut [u32]) -> Result<()> {
        plan.run(batch)
    }

    fn gpu_plan(&self, vectors: usize, gpu: &GpuProfile) -> Result<gpu::TransformPlan> {
        gpu::TransformPlan::new(&self.with_batch(vectors), 1, gpu)
    }

    fn cost_on_gpu(&self, _: usize, plan: &gpu::TransformPlan, gpu: &GpuProfile) -> Cost {
        cost::transform_on_gpu(self, plan, gpu)
    }

    fn passes(plan: &gpu::TransformPlan) -> (usize, usize) {
        (plan.passes(), plan.dispatches())
    }

    fn compile(gpu: &Gpu, plan: &gpu::TransformPlan) -> Result<()> {
        Self::kernels(gpu, plan).map(drop)
    }

    fn kernels(gpu: &Gpu, plan: &gpu::TransformPlan) -> Result<gpu::PreparedTransform> {
        gpu::PreparedTransform::new(gpu, plan)
    }

    fn vector(gpu: &Gpu, len: usize) -> Result<DeviceVec<u32>> {
        gpu.unset(len)
    }

    async fn write(vector: &mut DeviceVec<u32>, words: &[u32]) -> Result<()> {
        vector.write_async(0, words).await
    }

    async fn read(vector: &DeviceVec<u32>, words: &mut [u32]) -> Result<()> {
        match size_of_val(words) as u64 <= PIECE {
            // One piece arrives whole or not at all.
            true => vector.read_into_async(0, words).await,
            false => {
                words.copy_from_slice(&vector.read_async(0..words.len()).await?);
                Ok(())
            }
        }
    }

    fn run(kernels: &gpu::PreparedTransform, vector: &mut DeviceVec<u32>) -> Result<()> {
        kernels.run(vector)
    }

    fn record(
        kernels: &gpu::PreparedTransform,
        recorder: &mut Recorder,
        vector: &mut DeviceVec<u32>,
    ) -> Result<()> {
        kernels.record(recorder, vector)
    }
}

/// The plan of a [`Transform`] on one device.
pub type TransformPlan = Planned<Transform>;

/// A transform ready to run: tables made, kernels compiled.
///
/// ```
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::Transform;
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let there = Transform::new(BABY_BEAR, 4)?;
/// let back = there.inverted().plan(&device)?.prepare(&device)?;
/// let there = there.plan(&device)?.prepare(&device)?;
/// let mut data = [1, 2, 3, 4];
/// there.run(&mut data)?;
/// assert_eq!(data[0], 10);
/// back.run(&mut data)?;
/// assert_eq!(data, [1, 2, 3, 4]);
/// # Ok::<(), wgalois::Error>(())
/// ```
pub type PreparedTransform = Prepared<'static, Transform>;

/// Transforms every vector of the batch in `data`, in place: plans, prepares and runs once.
///
/// ```
/// use wgalois::field::Prime;
/// use wgalois::ntt::{self, Transform};
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let mut data = [1, 2, 3, 4];
/// ntt::transform(&device, &Transform::new(Prime::new(17)?, 4)?, &mut data)?;
/// assert_eq!((data[0], data[2]), (10, 15)); // the values at 1 and -1
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn transform(device: &Device, transform: &Transform, data: &mut [u32]) -> Result<()> {
    block_on(transform_async(device, transform, data))
}

/// The asynchronous form of [`transform`], for browsers.
pub async fn transform_async(device: &Device, transform: &Transform, data: &mut [u32]) -> Result<()> {
    transform.plan(device)?.compute_async(device, data).await.map(drop)
}
