//! Every answer is that of arkworks' own code, on both engines.

mod bases;
mod commitments;
mod domains;
mod proofs;

use std::sync::OnceLock;

use ark_std::rand::{SeedableRng, rngs::StdRng};
use wgalois::gpu::Gpu;
use wgalois::{Cpu, Device};

/// The first adapter, opened once: compiling every kernel again for each test takes long.
fn gpu() -> Device {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    Device::Gpu(GPU.get_or_init(|| Gpu::new().expect("an adapter; install mesa-vulkan-drivers")).clone())
}

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

/// The same random numbers for the same seed.
fn rng(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}
