//! Measures transforms and products that stay on the GPU.

use super::{Ntt, OrderName};
use crate::cli::Context;
use crate::cli::bench::plot::{COPY, CPU, Plot};
use crate::cli::bench::table::print_rows;
use crate::cli::context::gpu_name;
use wgalois::Result;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::gpu::Gpu;
use wgalois::internal::Clock;
use wgalois::internal::bench::Row;
use wgalois::internal::bench::ntt::{Work, measure, measure_cpu};

const DEFAULT_SIZES: std::ops::RangeInclusive<u32> = 12..=20;
/// Bytes of host memory per word of a measurement: data, results, staging.
const HOST_BYTES: u64 = 16;

pub(super) fn run(options: &Ntt, context: &Context) -> Result<()> {
    let prime = options.prime.as_ref().map_or(Ok(BABY_BEAR), |prime| prime.parse())?;
    let sizes = options.sizes.as_ref().map_or(DEFAULT_SIZES.collect(), |sizes| sizes.0.clone());
    let longest = sizes.iter().max().map_or(0, |log_n| u64::from(options.batch) << log_n);
    context.need(HOST_BYTES * longest, "this measurement")?;
    let gpu = options.gpu_with_clock(context)?;
    let rows = measure_all(options, context, &gpu, prime, &sizes)?;
    if let Some(path) = &options.plot {
        let plot = plot(options, context, &sizes, &rows, prime)?;
        plot.draw(context, path, &format!("{} modulo {prime} on {}", name(options), gpu_name(&gpu)))?;
    }
    context.report("rows", serde_json::json!(rows));
    print_rows(context, &rows)
}

fn work(options: &Ntt) -> Work {
    match (options.product, options.order) {
        (true, _) => Work::Product,
        (false, OrderName::Natural) => Work::ToNatural,
        (false, OrderName::BitReversed) => Work::ToBitReversed,
    }
}

fn name(options: &Ntt) -> &'static str {
    match work(options) {
        Work::ToBitReversed => "transform to bit-reversed order",
        Work::ToNatural => "transform to natural order",
        Work::Product => "cyclic product",
    }
}

fn measure_all(options: &Ntt, context: &Context, gpu: &Gpu, prime: Prime, sizes: &[u32]) -> Result<Vec<Row>> {
    let mut clock = Clock::new(gpu)?;
    let progress = context.bar("measure", sizes.len() as u64);
    let row = |&log_n: &u32| {
        let task = (work(options), prime, log_n, options.batch as usize);
        let row = measure(gpu, &mut clock, options.samples as usize, task)?;
        progress.advance(1);
        Ok(row)
    };
    sizes.iter().map(row).collect()
}

/// Plots the times of the GPU, of the CPU engine, and of a copy, a lower bound for any pass over
/// memory.
fn plot(options: &Ntt, context: &Context, sizes: &[u32], rows: &[Row], prime: Prime) -> Result<Plot> {
    let mut plot = Plot::new(["log2 of the length", "seconds"]);
    for (&log_n, row) in sizes.iter().zip(rows) {
        let task = (work(options), prime, log_n, options.batch as usize);
        let cpu = context.watch(CPU, || measure_cpu(options.samples as usize, task))?;
        plot.add("GPU", log_n, row.seconds().unwrap_or_default());
        plot.add(CPU, log_n, cpu);
        let copy = row.timing.as_ref().and_then(|timing| timing.copy);
        plot.add(COPY, log_n, copy.unwrap_or_default());
    }
    Ok(plot)
}
