//! Transforms of scalars on the engines.

use std::fmt;

use super::problem::{Scalars, Transform};
use super::vector::Vector;
use super::{cpu, gpu};
use crate::device::{COPIED, SHARED};
use crate::gpu::{Gpu, Recorder};
use crate::ntt::Order;
use crate::ntt::rates::Rates;
use crate::ntt::transform::{Counts, Elements};
use crate::parallel::Threads;
use crate::scalars::{DeviceScalars, SCALAR_BYTES, Scalar};
use crate::task::{CpuProfile, GpuProfile, Planned, Prepared, Rate, typical};
use crate::{Cpu, Error, Result};

/// The time of a butterfly on 16 cores of a Xeon with AVX-512, times their number.
const BUTTERFLY_SECONDS: f64 = 25e-9;
/// Loops that the threads share for a level: one call for 2^10 scalars took 0.67 ms on 16 threads of a Xeon, of which the
/// butterflies take 0.02. Their number is the algorithm's.
const LOOPS_A_LEVEL: f64 = 4.0;
/// Bytes that all threads copy for a scalar in a level whose blocks exceed a core's cache, and in the reordering.
const LEVEL_BYTES: f64 = 96.0;
const REORDERING_BYTES: f64 = 128.0;

/// The rate of butterflies: all scalar fields have numbers of four words.
fn butterfly_rate<F: Scalar>() -> Rate {
    Rate::of_thread("scalar butterfly", BUTTERFLY_SECONDS, butterfly::<F>)
}

/// The time of a butterfly.
fn butterfly<F: Scalar>() -> f64 {
    const LOG_N: u32 = 10;
    let transform =
        Transform::<F>::new(1 << LOG_N).map(|transform| transform.with_output(Order::BitReversed));
    let ready = transform.and_then(|transform| cpu::CpuTransform::new(&transform, Threads::new(1)?));
    let Ok(ready) = ready else { return f64::NAN };
    let mut scalars = vec![F::ONE; 1 << LOG_N];
    typical(f64::from(LOG_N << (LOG_N - 1)), || drop(ready.run(&mut scalars)))
}

impl<F: Scalar> Elements for Scalars<F> {
    type Element = F;
    type Tables = cpu::CpuTransform<F>;
    type GpuPlan = gpu::TransformPlan<F>;
    type Kernels = gpu::PreparedTransform<F>;
    type Vector = DeviceScalars<F>;

    const BYTES: u64 = SCALAR_BYTES;
    /// An H200 took 0.85 ms for three passes over 2^22 scalars with 64-bit integers, 2.16 without, and 13 us for two passes of
    /// stages over 2^12. The host holds a part as words, and the scalars that they become; the table and its words.
    const RATES: Rates = Rates {
        bits: Some(F::MODULUS_BIT_SIZE as usize),
        bytes: 77.0,
        products: 3.3,
        dispatches: 4.0,
        compile: [5.0, 1.4],
        compiler_bytes: 64 << 20,
        host_copies: 2,
    };

    fn name(&self) -> String {
        format!("scalars of {} bits", F::MODULUS_BIT_SIZE)
    }

    fn check(transform: &Transform<F>) -> Result<()> {
        transform.shift().map(drop)
    }

    fn check_batch(transform: &Transform<F>, batch: &[F]) -> Result<()> {
        transform.check_len(batch.len(), "scalars")
    }

    fn cpu_seconds(transform: &Transform<F>, cpu: CpuProfile) -> f64 {
        let butterflies = transform.len() as f64 * (1.0 + f64::from(transform.log_n) / 2.0);
        let shared_levels = f64::from(transform.log_n.saturating_sub(cpu::LOG_SERIAL));
        let copied = transform.len() as f64 * (LEVEL_BYTES * shared_levels + REORDERING_BYTES);
        let loops = if cpu.threads > 1 { LOOPS_A_LEVEL * f64::from(transform.log_n) } else { 0.0 };
        butterflies * cpu.record.seconds(&butterfly_rate::<F>()) / cpu.parallel()
            + copied * cpu.record.seconds(&COPIED)
            + loops * cpu.record.seconds(&SHARED)
    }

    fn cpu_bytes(transform: &Transform<F>, threads: usize) -> u64 {
        let at_once = threads.min(transform.batch) as u64;
        cpu::table_bytes::<F>(transform.log_n) + at_once * cpu::scratch_bytes(transform)
    }

    fn tables(transform: &Transform<F>, cpu: &Cpu) -> Result<cpu::CpuTransform<F>> {
        cpu::CpuTransform::new(transform, Threads::new(cpu.threads)?)
    }

    fn run_on_cpu(transform: &cpu::CpuTransform<F>, batch: &mut [F]) -> Result<()> {
        transform.run(batch)
    }

    fn gpu_plan(transform: &Transform<F>, gpu: &GpuProfile) -> Result<gpu::TransformPlan<F>> {
        gpu::TransformPlan::new(transform, gpu)
    }

    fn counts(plan: &gpu::TransformPlan<F>) -> Counts {
        Counts {
            passes: plan.passes(),
            across: plan.passes() - plan.passes_of_buffers(),
            dispatches: plan.dispatches(),
            table_bytes: plan.table_bytes(),
            has_scratch: plan.has_scratch(),
        }
    }

    fn seconds_across(plan: &gpu::TransformPlan<F>, elements: f64, gpu: &GpuProfile) -> f64 {
        plan.seconds_across(elements, gpu)
    }

    fn write_plan(plan: &gpu::TransformPlan<F>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match plan.log_pieces() {
            Some([log_count, log_piece]) => {
                writeln!(f, "pieces         {} of 2^{log_piece} scalars for a vector", 1u64 << log_count)
            }
            None => Ok(()),
        }
    }

    /// A power, and three multiples of each factor.
    fn table_seconds(counts: &Counts, host: CpuProfile) -> f64 {
        let factors = counts.table_bytes as f64 / gpu::FACTOR_BYTES as f64;
        4.0 * factors * host.record.seconds(&butterfly_rate::<F>()) / host.parallel()
    }

    fn compile(gpu: &Gpu, plan: &gpu::TransformPlan<F>) -> Result<()> {
        gpu::compile(gpu, plan)
    }

    fn kernels(gpu: &Gpu, plan: &gpu::TransformPlan<F>) -> Result<gpu::PreparedTransform<F>> {
        gpu::PreparedTransform::new(gpu, plan)
    }

    fn vector(gpu: &Gpu, len: usize) -> Result<DeviceScalars<F>> {
        DeviceScalars::zeros(gpu, len)
    }

    async fn write(vector: &mut DeviceScalars<F>, scalars: &[F]) -> Result<()> {
        vector.write_async(0, scalars).await
    }

    async fn read(vector: &DeviceScalars<F>, scalars: &mut [F]) -> Result<()> {
        vector.read_into_async(scalars).await
    }

    fn run(kernels: &gpu::PreparedTransform<F>, vector: &mut DeviceScalars<F>) -> Result<()> {
        kernels.run(vector)
    }

    fn record(
        kernels: &gpu::PreparedTransform<F>,
        recorder: &mut Recorder,
        vector: &mut DeviceScalars<F>,
    ) -> Result<()> {
        kernels.record(recorder, vector)
    }
}

/// The plan of a [`Transform`] on one device.
pub type TransformPlan<F> = Planned<Transform<F>>;

/// A transform ready to run: tables made, kernels compiled.
///
/// ```
/// use ark_bn254::Fr;
/// use wgalois::ntt::scalar::Transform;
/// use wgalois::task::Problem;
/// use wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let there = Transform::<Fr>::new(4)?;
/// let back = there.inverted().plan(&device)?.prepare(&device)?;
/// let there = there.plan(&device)?.prepare(&device)?;
/// let mut scalars = [1u64, 2, 3, 4].map(Fr::from);
/// there.run(&mut scalars)?;
/// assert_eq!(scalars[0], Fr::from(10));
/// back.run(&mut scalars)?;
/// assert_eq!(scalars, [1u64, 2, 3, 4].map(Fr::from));
/// # Ok::<(), wgalois::Error>(())
/// ```
pub type PreparedTransform<F> = Prepared<'static, Transform<F>>;

impl<F: Scalar> PreparedTransform<F> {
    /// Transforms every vector of the batch in `data`, on the engine that holds it.
    pub fn run_vector(&self, data: &mut Vector<F>) -> Result<()> {
        match (data, self.on_gpu()) {
            (Vector::Host(scalars), Err(_)) => self.run(scalars),
            (Vector::Device(scalars), Ok(ready)) => ready.on_device(scalars),
            _ => Err(Error::OtherDevice { what: "the vector is" }),
        }
    }

    /// Overwrites the vector that runs share on the device, which holds values of the last run.
    pub fn clear(&self) -> Result<()> {
        match self.kernels().and_then(|ready| ready.kernels.kernels.as_ref()) {
            Some(kernels) => kernels.clear(),
            None => Ok(()),
        }
    }
}
