//! Tests of the kernels against the host, on the available adapter, with and without 64-bit
//! integers.

mod bench;
mod by_element;
mod extension;
mod field;
mod pending;
mod stages;
mod together;
mod whole;

use std::sync::OnceLock;

// Curves over extensions have tests of their own (extension.rs) with fewer forms, since software takes seconds to compile each
// of their kernels.
use super::formulas::prime_curves;
use crate::gpu::test_devices::open;
use crate::gpu::{Gpu, Options};

/// A device with 64-bit integers, some that take the other texts with them, and one without; only the first if the adapter has
/// no 64-bit integers, since all would have the same kernels. These tests need an adapter: lavapipe (Debian's mesa-vulkan-drivers) is one.
fn devices() -> &'static [Gpu] {
    static DEVICES: OnceLock<Vec<Gpu>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let first = open(Options::default());
        let others = if first.arithmetic().int64 {
            [&first.options_of_other_texts()[..], &[Options::portable()]].concat()
        } else {
            vec![]
        };
        std::iter::once(first).chain(others.into_iter().map(open)).collect()
    })
}

/// A device without 64-bit integers that takes the texts for few registers, which few tests need beside the others.
fn portable_with_few_registers() -> &'static Gpu {
    static DEVICE: OnceLock<Gpu> = OnceLock::new();
    DEVICE.get_or_init(|| open(Options { few_registers: Some(true), ..Options::portable() }))
}
