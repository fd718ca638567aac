//! Measures transforms and products that stay on the GPU, or those of the CPU engine.

use super::Ntt;
use crate::bench::plot::HOST_COPY;
use crate::bench::prelude::*;
use crate::ntt::field_name;
use std::fmt;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::ntt::Order;
use wgalois_benches::ntt::{Workload, measure, measure_host};
use wgalois_benches::scalar;

const DEFAULT_SIZES: std::ops::RangeInclusive<u32> = 12..=20;
/// Bytes of host memory per word of a measurement: data, results, staging.
const HOST_BYTES: u64 = 16;
/// Words of a scalar.
const SCALAR_WORDS: u64 = 8;

/// The field of the transforms.
#[derive(Clone, Copy)]
enum Over {
    Prime(Prime),
    /// The scalar field of a curve.
    Field(CurveName),
}

impl Over {
    fn words(self) -> u64 {
        match self {
            Over::Prime(_) => 1,
            Over::Field(_) => SCALAR_WORDS,
        }
    }
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Over::Prime(prime) => write!(f, "modulo {prime}"),
            Over::Field(name) => write!(f, "over {}", field_name(*name)),
        }
    }
}

pub(super) fn run(options: &Ntt, context: &Context) -> Result<()> {
    let over = match (&options.field, &options.prime) {
        (Some(name), _) => Over::Field(*name),
        (None, prime) => Over::Prime(prime.as_ref().map_or(Ok(BABY_BEAR), |prime| prime.parse())?),
    };
    let sizes = options.sizes.as_ref().map_or(DEFAULT_SIZES.collect(), |sizes| sizes.0.clone());
    let longest = sizes.iter().max().map_or(0, |log_n| u64::from(options.batch) << log_n);
    context.need(HOST_BYTES * over.words() * longest, "this measurement")?;
    let gpu = options.gpu_if_any(context)?;
    let rows = measure_all(options, context, gpu.as_ref(), over, &sizes)?;
    if let Some(path) = &options.plot {
        let plot = plot(options, context, gpu.is_some(), &sizes, &rows, over)?;
        let title = format!("{} {over} on {}", name(options), context.device_name());
        plot.draw(context, path, &title)?;
    }
    options.csv.report(context, &rows)?;
    print_rows(context, &rows)
}

fn workload(options: &Ntt) -> Workload {
    match (options.product, options.order) {
        (true, _) => Workload::Product,
        (false, Order::Natural) => Workload::ToNatural,
        (false, Order::BitReversed) => Workload::ToBitReversed,
    }
}

fn name(options: &Ntt) -> &'static str {
    match workload(options) {
        Workload::ToBitReversed => "transform to bit-reversed order",
        Workload::ToNatural => "transform to natural order",
        Workload::Product => "cyclic product",
    }
}

/// Measures every size on the GPU, or on the CPU engine without one.
fn measure_all(
    options: &Ntt,
    context: &Context,
    gpu: Option<&Gpu>,
    over: Over,
    sizes: &[u32],
) -> Result<Vec<Row>> {
    let mut clock = gpu.map(Clock::new).transpose()?;
    let progress = context.bar("measure", sizes.iter().map(|&log_n| effort(log_n)).sum());
    let row = |&log_n: &u32| {
        let row = measure_row(options, gpu.zip(clock.as_mut()), over, log_n)?;
        progress.advance(effort(log_n));
        Ok(row)
    };
    sizes.iter().map(row).collect()
}

/// About the time of a row: that of a sample, which is the same for short transforms, and that of the transform.
fn effort(log_n: u32) -> u64 {
    const SAMPLE: u64 = 1 << 22;
    SAMPLE + (u64::from(log_n) << log_n)
}

fn measure_row(options: &Ntt, gpu: Option<(&Gpu, &mut Clock)>, over: Over, log_n: u32) -> Result<Row> {
    let (samples, workload, batch) = (options.samples as usize, workload(options), options.batch as usize);
    match (over, gpu) {
        (Over::Prime(prime), Some((gpu, clock))) => {
            measure(gpu, clock, samples, (workload, prime, log_n, batch))
        }
        (Over::Prime(prime), None) => measure_host(samples, (workload, prime, log_n, batch)),
        (Over::Field(name), Some((gpu, clock))) => {
            with_curve!(name, C => scalar::measure(&scalar::Field::of::<C>(), gpu, clock, samples, (workload, log_n, batch)))
        }
        (Over::Field(name), None) => {
            with_curve!(name, C => scalar::measure_host(&scalar::Field::of::<C>(), samples, (workload, log_n, batch)))
        }
    }
}

/// Plots the times of the GPU, if one was measured, of the CPU engine, and of a copy, a lower bound for any pass over
/// memory.
fn plot(
    options: &Ntt,
    context: &Context,
    has_gpu: bool,
    sizes: &[u32],
    rows: &[Row],
    over: Over,
) -> Result<Plot> {
    let axis = match over {
        Over::Prime(_) => "words of a vector",
        Over::Field(_) => "scalars of a vector",
    };
    let mut plot = Plot::new(Axis::PowersOfTwo(axis), "seconds");
    for (&log_n, row) in sizes.iter().zip(rows) {
        let copy = row.timing.as_ref().and_then(|timing| timing.copy);
        if has_gpu {
            plot.extend(GPU, log_n, row.seconds());
            let cpu = context.watch(CPU, || measure_row(options, None, over, log_n))?;
            plot.extend(CPU, log_n, cpu.seconds());
            plot.extend(COPY, log_n, copy);
        } else {
            plot.extend(CPU, log_n, row.seconds());
            plot.extend(HOST_COPY, log_n, copy);
        }
    }
    Ok(plot)
}
