//! The product of two polynomials on the GPU and on the CPU engine: times and equality.
//!
//!     cargo run --release --example polymul [TERMS [PRIME]]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::Instant;
use wgalois::field::Prime;
use wgalois::gpu::Gpu;
use wgalois::ntt::{self, Coset, Product, ProductPlan, Reduction};
use wgalois::{Cpu, Device, Error, Result};

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

    // One call that does everything, on either engine.
    let (on_gpu, gpu_time) =
        timed(|| ntt::multiply(&Device::Gpu(gpu.clone()), prime, Product::Linear, &a, &b))?;
    let (on_cpu, cpu_time) = timed(|| ntt::multiply(&cpu, prime, Product::Linear, &a, &b))?;
    println!("first call, kernels compiled:  GPU {gpu_time:9.3} ms   CPU {cpu_time:9.3} ms");

    let (_, gpu_time) = timed(|| ntt::multiply(&Device::Gpu(gpu.clone()), prime, Product::Linear, &a, &b))?;
    let (_, cpu_time) = timed(|| ntt::multiply(&cpu, prime, Product::Linear, &a, &b))?;
    println!("second call, with transfers:   GPU {gpu_time:9.3} ms   CPU {cpu_time:9.3} ms");

    // A plan, and factors that stay on the device.
    let n = on_cpu.len().next_power_of_two().max(2);
    let plan = ProductPlan::new(&gpu, prime, n, Coset::Subgroup, Reduction::Auto)?;
    let (left, right) = (gpu.upload(&a)?, gpu.upload(&b)?);
    plan.run(&left, &right)?;
    gpu.wait()?;
    let (product, gpu_time) = timed(|| {
        let product = plan.run(&left, &right)?;
        gpu.wait()?;
        Ok(product)
    })?;
    println!("plan, factors on the device:   GPU {gpu_time:9.3} ms");

    let equal = on_gpu == on_cpu && product.read(0..on_cpu.len())? == on_cpu;
    println!("products are {}", if equal { "equal" } else { "DIFFERENT" });
    if equal { Ok(()) } else { Err(Error::Check("the engines disagree".into())) }
}

/// The result of `work` and its time in milliseconds.
fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed().as_secs_f64() * 1e3))
}
