//! The devices that tests of the GPU share. They need an adapter: lavapipe (Debian's
//! mesa-vulkan-drivers) is one.
// Every test file is a crate of its own and uses a part of this.
#![allow(dead_code, unused_imports)]

mod devices;
mod drivers;

use std::sync::OnceLock;

pub use devices::{open, open_another, other_texts};
pub use drivers::both_drivers;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::field::Prime;
use wgalois::gpu::{Adapter, Gpu, Options};

/// The device with all that it offers, with the checks of naga left in.
pub fn full() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| open(Options { checked: true, ..Options::default() }))
}

/// The device held to WebGPU's default limits and features.
pub fn portable() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| open(Options::portable()))
}

/// Dispatches that a device has run so far.
pub fn dispatches(gpu: &Gpu) -> u64 {
    gpu.timeline().dispatches().values().sum()
}

/// `len` random residues.
pub fn random(prime: Prime, len: usize, seed: u64) -> Vec<u32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..len).map(|_| rng.random_range(0..prime.value())).collect()
}
