//! Times of transforms and products that stay on the device.

use serde::Serialize;

use super::{Fields, Row, Timing, random};
use wgalois::field::Prime;
use wgalois::gpu::{Clock, Gpu};
use wgalois::ntt::{Order, Product, Ring, Transform, cpu};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Result};

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Workload {
    /// A forward transform from natural to bit-reversed order.
    ToBitReversed,
    /// A forward transform from natural to natural order.
    ToNatural,
    /// A cyclic product of two vectors.
    Product,
}

impl Workload {
    /// The order of the values of its transforms.
    pub(super) fn output(self) -> Order {
        if self == Workload::ToBitReversed { Order::BitReversed } else { Order::Natural }
    }

    /// The case: `batch` vectors of 2^`log_n` elements.
    pub(super) fn fields(self, log_n: u32, batch: usize) -> Fields {
        Fields::default().with("work", self).with("log_n", log_n).with("batch", batch)
    }
}

/// Checks `workload` on `batch` vectors of 2^`log_n` points, then times it `samples` times.
pub fn measure(
    gpu: &Gpu,
    clock: &mut Clock,
    samples: usize,
    (workload, prime, log_n, batch): (Workload, Prime, u32, usize),
) -> Result<Row> {
    let n = 1usize.checked_shl(log_n).unwrap_or(0);
    // A transform that does not exist is refused here, before any memory is allocated for it.
    let spec = Transform::new(prime, n)?.with_batch(batch).with_output(workload.output());
    let device = Device::Gpu(gpu.clone());
    let mut data = random(prime, n * (batch + 1), log_n.into());
    let other = data.split_off(n * batch);
    let (times, passes) = match workload {
        Workload::Product => {
            let problem = Product::new(prime, n, n).with_ring(Ring::Cyclic(n));
            let plan = problem.plan(&device)?;
            let prepared = plan.prepare(&device)?;
            let (left, right) = (gpu.upload(&data)?, gpu.upload(&other)?);
            let mut product = prepared.run_on_device(&left, &right)?;
            problem.check(&device, &data, &other, &product.download()?)?;
            let times = super::time(gpu, clock, samples, |recorder| {
                prepared.record(recorder, &left, &right, &mut product)
            })?;
            (times, plan.dispatches().unwrap_or(0))
        }
        Workload::ToBitReversed | Workload::ToNatural => {
            let plan = spec.plan(&device)?;
            let prepared = plan.prepare(&device)?;
            let mut vector = gpu.upload(&data)?;
            prepared.run_on_device(&mut vector)?;
            spec.check(&device, &data, &vector.download()?)?;
            let times = super::time(gpu, clock, samples, |recorder| prepared.record(recorder, &mut vector))?;
            (times, plan.passes().unwrap_or(0))
        }
    };
    let copy = super::time_copy(gpu, clock, samples, n * batch)?;
    let fields = workload
        .fields(log_n, batch)
        .with("prime", prime.value())
        .with("int64", gpu.arithmetic().int64)
        .with("passes", passes);
    let timing = Timing { copy: Some(copy.median().as_secs_f64()), ..Timing::of_device(&times) };
    Row::new(fields, "GPU", Ok(timing))
}

/// Checks the CPU engine's result of the same workload as [`measure`], then times `samples` whole calls on all cores.
pub fn measure_host(
    samples: usize,
    (workload, prime, log_n, batch): (Workload, Prime, u32, usize),
) -> Result<Row> {
    let n = 1usize.checked_shl(log_n).unwrap_or(0);
    let spec = Transform::new(prime, n)?.with_batch(batch).with_output(workload.output());
    let device = Device::Cpu(Cpu::default());
    let mut data: Vec<u32> = (0..n * batch).map(|i| i as u32 % prime.value()).collect();
    let before = data.clone();
    let times = match workload {
        Workload::Product => {
            let engine = cpu::Convolution::new(prime, log_n, false, 0)?;
            let problem = Product::new(prime, n, n).with_ring(Ring::Cyclic(n));
            problem.check(&device, &before, &before, &engine.multiply(&before, &before)?)?;
            super::time_calls(samples, || engine.multiply(&data, &before).map(drop))?
        }
        Workload::ToBitReversed | Workload::ToNatural => {
            let plan = cpu::Plan::new(&spec, 0)?;
            plan.run(&mut data)?;
            spec.check(&device, &before, &data)?;
            super::time_calls(samples, || plan.run(&mut data))?
        }
    };
    let fields = workload
        .fields(log_n, batch)
        .with("prime", prime.value())
        .with("threads", wgalois::parallel::threads());
    let copy = Some(super::time_host_copy(samples, n * batch)?);
    Row::new(fields, super::CPU_ENGINE, Ok(Timing { copy, ..Timing::of_sorted_calls(&times) }))
}
