//! Eliminates a generated F4 matrix like those of Boolean Groebner bases on the GPU and on the CPU
//! engine, compares the results and prints the times.
//!
//! `cargo run --release --example groebner`

use std::time::Instant;
use wgalois::gf2::generate::Groebner;
use wgalois::gf2::{Elimination, F4Matrix, verify};
use wgalois::gpu::Gpu;
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Result};

fn main() -> Result<()> {
    let generator = Groebner {
        columns: 6000,
        reducers: 4500,
        rows: 3000,
        new_pivots: 800,
        reducer_ones: 100,
        row_ones: 250,
        seed: 1,
    };
    let (reducers, rows) = generator.generate()?;
    let f4 = F4Matrix::new(reducers, rows, None)?;
    println!(
        "{} rows to be reduced by {} eliminators, {} columns",
        f4.row_count(),
        f4.reducer_count(),
        f4.columns()
    );

    let cpu = Device::Cpu(Cpu::default());
    let by_cpu = eliminate("CPU engine", &cpu, &f4)?;
    let gpu = Gpu::new()?;
    let name = gpu.adapter().name.clone();
    let by_gpu = eliminate(&name, &Device::Gpu(gpu), &f4)?;

    assert_eq!(by_cpu.to_lists(), by_gpu.to_lists(), "the engines disagree");
    let guarantee = verify::file_order(&f4, &by_gpu, verify::Depth::Bounded, None)?;
    println!("both promoted the same {} rows, and they hold the same", by_gpu.new_pivots().len());
    println!("verified: {guarantee}");
    Ok(())
}

/// Eliminates twice, since the first run compiles kernels, and prints the time of the second run.
fn eliminate(name: &str, device: &Device, f4: &F4Matrix) -> Result<Elimination> {
    let prepared = f4.plan(device)?.prepare(device)?;
    prepared.run(f4)?;
    let begin = Instant::now();
    let result = prepared.run(f4)?;
    let method = prepared.plan().method();
    println!("{name}, {method}: {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
    Ok(result)
}
