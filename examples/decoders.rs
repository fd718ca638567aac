//! Reduces many check matrices of random codes beside each other, as a decoder by ordered statistics does for every
//! received word, on the GPU and on the CPU.
//!
//!     cargo run --release --example decoders [MATRICES]

use std::time::Instant;

use wgalois::gf2::{Dense, Many, generate};
use wgalois::gpu::Gpu;
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Result};

fn main() -> Result<()> {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1000);
    let devices = [("GPU", Device::Gpu(Gpu::new()?)), ("CPU", Device::Cpu(Cpu::default()))];
    for (rows, columns) in [(64, 128), (128, 256), (256, 512), (512, 1024)] {
        let matrices = (0..count).map(|seed| generate::matrix(rows, columns, 0.5, seed));
        let matrices = matrices.collect::<Result<Vec<_>>>()?;
        let problem = Many::new(matrices.len(), Dense::rref(rows, columns)?)?;
        let mut answers = Vec::new();
        for (name, device) in &devices {
            let prepared = problem.plan(device)?.prepare(device)?;
            // The first run warms up.
            answers.push(prepared.run((&matrices, None))?);
            let begin = Instant::now();
            prepared.run((&matrices, None))?;
            let time = begin.elapsed();
            println!("{name}: {count} matrices of {rows} x {columns} in {:.1} ms", 1e3 * time.as_secs_f64());
        }
        assert!(answers[0] == answers[1], "the engines differ");
    }
    Ok(())
}
