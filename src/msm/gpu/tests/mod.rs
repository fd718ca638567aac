//! The kernels against the host, on whatever adapter is here, with and without 64-bit
//! integers.

mod field;
mod stages;
mod whole;

use std::sync::OnceLock;

use crate::gpu::{Gpu, Options, Select};

/// One device with and one without 64-bit integers. These tests need an adapter: lavapipe
/// (Debian's mesa-vulkan-drivers) is one.
fn devices() -> &'static [Gpu] {
    static DEVICES: OnceLock<Vec<Gpu>> = OnceLock::new();
    DEVICES.get_or_init(|| [Options::default(), Options::portable()].map(open).into())
}

fn open(options: Options) -> Gpu {
    Gpu::open(&Select::Gpu, options).expect("an adapter; install mesa-vulkan-drivers")
}
