//! Eliminates a generated system like those of Boolean Groebner bases on the GPU and on the CPU
//! engine, compares the results and prints the times.
//!
//! `cargo run --release --example groebner`

use std::time::Instant;
use wgalois::gf2::generate::Groebner;
use wgalois::gf2::{Elimination, System, verify};
use wgalois::gpu::Gpu;
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Result};

fn main() -> Result<()> {
    let generator = Groebner {
        columns: 6000,
        eliminators: 4500,
        rows: 3000,
        promoted: 800,
        eliminator_ones: 100,
        row_ones: 250,
        seed: 1,
    };
    let (eliminators, rows) = generator.generate()?;
    let system = System::new(eliminators, rows, None)?;
    println!(
        "{} rows to be reduced by {} eliminators, {} columns",
        system.row_count(),
        system.eliminator_count(),
        system.columns()
    );

    let cpu = Device::Cpu(Cpu::default());
    let by_cpu = eliminate("CPU engine", &cpu, &system)?;
    let gpu = Gpu::new()?;
    let name = gpu.adapter().name.clone();
    let by_gpu = eliminate(&name, &Device::Gpu(gpu), &system)?;

    assert_eq!(by_cpu.to_lists(), by_gpu.to_lists(), "the engines disagree");
    let guarantee = verify::file_order(&system, &by_gpu, verify::Depth::Bounded, None)?;
    println!("both promoted the same {} rows, and they hold the same", by_gpu.promoted().len());
    println!("verified: {guarantee}");
    Ok(())
}

/// Eliminates twice, since the first run compiles kernels, and prints the time of the second run.
fn eliminate(name: &str, device: &Device, system: &System) -> Result<Elimination> {
    let prepared = system.plan(device)?.prepare(device)?;
    prepared.run(system)?;
    let begin = Instant::now();
    let result = prepared.run(system)?;
    let method = prepared.plan().method();
    println!("{name}, {method}: {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
    Ok(result)
}
