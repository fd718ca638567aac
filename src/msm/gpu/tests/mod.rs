//! The kernels against the host, on whatever adapter is here, with and without 64-bit
//! integers.

mod field;
mod stages;
mod whole;

use std::sync::OnceLock;

use crate::gpu::test_devices::open;
use crate::gpu::{Gpu, Options};

/// One device with and one without 64-bit integers; one where the adapter has none, since its kernels
/// are the same on both. These tests need an adapter: lavapipe (Debian's mesa-vulkan-drivers) is one.
fn devices() -> &'static [Gpu] {
    static DEVICES: OnceLock<Vec<Gpu>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let mut devices = vec![open(Options::default())];
        if devices[0].arithmetic().int64 {
            devices.push(open(Options::portable()));
        }
        devices
    })
}
