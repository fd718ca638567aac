//! Times of transforms and products that stay on the device.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::{Fields, Row, Timing};
use wgalois::field::Prime;
use wgalois::gpu::{Clock, Gpu};
use wgalois::ntt::{Order, Product, Ring, Transform, cpu};
use wgalois::task::Problem;
use wgalois::{Device, Error, Result};

/// The kind of work that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// A forward transform from natural to bit-reversed order.
    ToBitReversed,
    /// A forward transform from natural to natural order.
    ToNatural,
    /// A cyclic product of two vectors.
    Product,
}

/// Checks `work` on `batch` vectors of 2^`log_n` points, then times it `samples` times.
///
/// # Errors
/// [`Error::Check`] if the result is wrong.
pub fn measure(
    gpu: &Gpu,
    clock: &mut Clock,
    samples: usize,
    (work, prime, log_n, batch): (Work, Prime, u32, usize),
) -> Result<Row> {
    let n = 1usize.checked_shl(log_n).unwrap_or(0);
    // A transform that does not exist is refused here, before any memory is allocated for it.
    let spec = Transform::new(prime, n)?.with_batch(batch);
    let device = Device::Gpu(gpu.clone());
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(log_n));
    let mut random =
        |len: usize| -> Vec<u32> { (0..len).map(|_| rng.random_range(0..prime.value())).collect() };
    let data = random(n * batch);
    let (times, passes) = match work {
        Work::Product => {
            let plan = Product::new(prime, n, n).with_ring(Ring::Cyclic(n)).plan(&device)?;
            let prepared = plan.prepare(&device)?;
            let other = random(n);
            let (left, right) = (gpu.upload(&data)?, gpu.upload(&other)?);
            let mut product = prepared.run_on_device(&left, &right)?;
            check_product(prime, &data, &other, &product.download()?)?;
            let times = super::time(gpu, clock, samples, |recorder| {
                prepared.record(recorder, &left, &right, &mut product)
            })?;
            (times, plan.dispatches().unwrap_or(0))
        }
        Work::ToBitReversed | Work::ToNatural => {
            let output = if work == Work::ToNatural { Order::Natural } else { Order::BitReversed };
            let spec = spec.with_output(output);
            let plan = spec.plan(&device)?;
            let prepared = plan.prepare(&device)?;
            let mut vector = gpu.upload(&data)?;
            prepared.run_on_device(&mut vector)?;
            check_transform(&spec, &data, &vector.download()?)?;
            let times = super::time(gpu, clock, samples, |recorder| prepared.record(recorder, &mut vector))?;
            (times, plan.passes().unwrap_or(0))
        }
    };
    let copy = super::time_copy(gpu, clock, samples, n * batch)?;
    let fields = Fields::default()
        .with("work", work)
        .with("log_n", log_n)
        .with("batch", batch)
        .with("prime", prime.value())
        .with("int64", gpu.arithmetic().int64)
        .with("passes", passes);
    let timing = Timing { copy: Some(copy.median().as_secs_f64()), ..Timing::of_device(&times) };
    Row::new(fields, "GPU", Ok(timing))
}

/// Checks the CPU engine's result of the same work as [`measure`], then times `samples` whole calls on all cores.
///
/// # Errors
/// [`Error::Check`] if the result is wrong; those of [`cpu::Plan::new`] and [`cpu::Convolution::new`].
pub fn measure_host(samples: usize, (work, prime, log_n, batch): (Work, Prime, u32, usize)) -> Result<Row> {
    let n = 1usize.checked_shl(log_n).unwrap_or(0);
    let spec = Transform::new(prime, n)?.with_batch(batch);
    let mut data: Vec<u32> = (0..n * batch).map(|i| i as u32 % prime.value()).collect();
    let times = match work {
        Work::Product => {
            let engine = cpu::Convolution::new(prime, log_n, false, 0)?;
            let other = data.clone();
            check_product(prime, &data, &other, &engine.multiply(&data, &other)?)?;
            super::time_calls(samples, || engine.multiply(&data, &other).map(drop))?
        }
        Work::ToBitReversed | Work::ToNatural => {
            let output = if work == Work::ToNatural { Order::Natural } else { Order::BitReversed };
            let spec = spec.with_output(output);
            let plan = cpu::Plan::new(&spec, 0)?;
            let before = data.clone();
            plan.run(&mut data)?;
            check_transform(&spec, &before, &data)?;
            super::time_calls(samples, || plan.run(&mut data))?
        }
    };
    let fields = Fields::default()
        .with("work", work)
        .with("log_n", log_n)
        .with("batch", batch)
        .with("prime", prime.value())
        .with("threads", wgalois::parallel::threads());
    let copy = Some(super::time_host_copy(samples, n * batch));
    Row::new(fields, super::CPU_ENGINE, Ok(Timing { copy, ..Timing::of_sorted_calls(&times) }))
}

/// Checks values at a few points, by Horner's rule, in the first and last vector.
fn check_transform(spec: &Transform, before: &[u32], after: &[u32]) -> Result<()> {
    let (prime, n, root) = (spec.prime(), spec.n(), spec.root()?);
    for v in [0, spec.batch() - 1] {
        let (x, y) = (&before[v * n..][..n], &after[v * n..][..n]);
        for j in [0, 1, n / 2, n - 1, n / 3, n / 7] {
            let value = evaluate(prime, x, prime.pow(root, j as u64));
            let place = match spec.output() {
                Order::Natural => j,
                Order::BitReversed => wgalois::field::bit_reverse(j, spec.log_n()),
            };
            if y[place] != value {
                return Err(Error::Check(format!("the transform of 2^{} is wrong at {j}", spec.log_n())));
            }
        }
    }
    Ok(())
}

/// Checks that a cyclic product agrees with its factors at the points of the transform.
fn check_product(prime: Prime, a: &[u32], b: &[u32], product: &[u32]) -> Result<()> {
    let root = prime.root_of_unity(a.len().ilog2())?;
    for j in [0, 1, a.len() / 2, a.len() - 1, a.len() / 3, a.len() / 7] {
        let at = prime.pow(root, j as u64);
        if prime.mul(evaluate(prime, a, at), evaluate(prime, b, at)) != evaluate(prime, product, at) {
            return Err(Error::Check(format!("the product of length {} is wrong", a.len())));
        }
    }
    Ok(())
}

fn evaluate(prime: Prime, polynomial: &[u32], at: u32) -> u32 {
    polynomial.iter().rev().fold(0, |sum, &c| prime.add(prime.mul(sum, at), c))
}
