//! Transforms of words on the engines.

use super::rates::Rates;
use super::transform::{Counts, Elements, Order};
use super::words::{Coset, Transform, WordSettings};
use super::{cost, cpu, cpu_cost, gpu};
use crate::gpu::{DeviceVec, Gpu, PIECE, Recorder};
use crate::parallel::copy;
use crate::task::{CpuProfile, GpuProfile, Planned, Prepared};
use crate::{Cpu, Result};

impl Elements for WordSettings {
    type Element = u32;
    type Tables = cpu::Plan;
    type GpuPlan = gpu::TransformPlan;
    type Kernels = gpu::PreparedTransform;
    type Vector = DeviceVec<u32>;

    const BYTES: u64 = 4;
    const RATES: Rates = cost::WORDS;

    fn name(&self) -> String {
        format!("words modulo {}", self.prime)
    }

    fn check(transform: &Transform) -> Result<()> {
        transform.shift().map(drop)
    }

    fn check_batch(transform: &Transform, batch: &[u32]) -> Result<()> {
        transform.check_words(batch)
    }

    fn cpu_seconds(transform: &Transform, cpu: CpuProfile) -> f64 {
        let orders = (transform.input, transform.output);
        let reorders = match (transform.coset, orders) {
            (
                Coset::Subgroup,
                (Order::Natural, Order::BitReversed) | (Order::BitReversed, Order::Natural),
            ) => 0.0,
            _ => cpu_cost::reorder_seconds(cpu.record),
        };
        let word = f64::from(transform.log_n) * cpu_cost::level_seconds(cpu.record) + reorders;
        cpu_cost::shared_seconds(transform.len(), word, cpu) + cpu_cost::touch_seconds(transform.len(), cpu)
    }

    fn cpu_bytes(transform: &Transform, threads: usize) -> u64 {
        cpu::Plan::table_bytes(transform) + threads as u64 * cpu::Plan::scratch_bytes(transform.log_n)
    }

    fn tables(transform: &Transform, cpu: &Cpu) -> Result<cpu::Plan> {
        Ok(cpu::Plan::new(transform, cpu.threads)?.recorded(&cpu.timeline))
    }

    fn run_on_cpu(plan: &cpu::Plan, batch: &mut [u32]) -> Result<()> {
        plan.run(batch)
    }

    fn gpu_plan(transform: &Transform, gpu: &GpuProfile) -> Result<gpu::TransformPlan> {
        gpu::TransformPlan::new(transform, 1, gpu)
    }

    fn counts(plan: &gpu::TransformPlan) -> Counts {
        Counts {
            passes: plan.passes(),
            across: 0,
            dispatches: plan.dispatches(),
            table_bytes: plan.table_bytes(),
            has_scratch: plan.scratch_len() > 0,
        }
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
                copy(words, &vector.read_async(0..words.len()).await?);
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
