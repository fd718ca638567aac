//! Multiplies two polynomials on the GPU and on the CPU engine, and compares results and times.
//!
//!     cargo run --release --example polymul [TERMS [PRIME]]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::Instant;
use wgalois::field::Prime;
use wgalois::gpu::Gpu;
use wgalois::ntt::{self, Product};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error, Result, Wrong};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let terms = arguments.next().map_or(Ok(1 << 17), |text| {
        text.parse().map_err(|e| Error::Usage(format!("{text:?} is no number of terms: {e}")))
    })?;
    let prime: Prime = arguments.next().as_deref().unwrap_or("469762049").parse()?;
    let gpu = Gpu::new()?;
    let cpu = Device::Cpu(Cpu::default());

    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut random = || -> Vec<u32> { (0..terms).map(|_| rng.random_range(0..prime.value())).collect() };
    let (a, b) = (random(), random());
    println!("{terms} by {terms} terms modulo {prime}, {} against the CPU engine", gpu.adapter().name);

    let product = Product::new(prime, terms, terms);
    let device = Device::Gpu(gpu.clone());

    // A single call that does everything, on either engine.
    let (on_gpu, gpu_time) = timed(|| ntt::multiply(&device, &product, &a, &b))?;
    let (on_cpu, cpu_time) = timed(|| ntt::multiply(&cpu, &product, &a, &b))?;
    println!("first call, kernels compiled:  GPU {gpu_time:9.3} ms   CPU {cpu_time:9.3} ms");

    let (_, gpu_time) = timed(|| ntt::multiply(&device, &product, &a, &b))?;
    let (_, cpu_time) = timed(|| ntt::multiply(&cpu, &product, &a, &b))?;
    println!("second call, with transfers:   GPU {gpu_time:9.3} ms   CPU {cpu_time:9.3} ms");

    // The plan is prepared once, and the factors stay on the device.
    let prepared = product.plan(&device)?.prepare(&device)?;
    let (left, right) = (gpu.upload(&a)?, gpu.upload(&b)?);
    prepared.run_on_device(&left, &right)?;
    gpu.wait()?;
    let (product, gpu_time) = timed(|| {
        let product = prepared.run_on_device(&left, &right)?;
        gpu.wait()?;
        Ok(product)
    })?;
    println!("prepared, factors there:       GPU {gpu_time:9.3} ms");

    let equal = on_gpu == on_cpu && product.read(0..on_cpu.len())? == on_cpu;
    println!("products are {}", if equal { "equal" } else { "DIFFERENT" });
    Wrong::unless(equal, "the engines disagree")
}

/// Returns the result of `work` and its time in milliseconds.
fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed().as_secs_f64() * 1e3))
}
