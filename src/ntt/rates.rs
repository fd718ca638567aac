//! What every estimate of a GPU's time is made of.

use crate::gpu::Family;
use crate::task::GpuProfile;

/// What passes over elements of one kind take, in units of a device's record.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Bits of the field of the elements; `None` for words.
    pub bits: Option<usize>,
    /// Bytes of a copy that take as long as the memory of an element in a pass: it is read and written, with its share of a
    /// table.
    pub bytes: f64,
    /// Products of an element in a pass, its additions and its share of the exchange included.
    pub products: f64,
    /// Dispatches that take as long as the part of a pass that does not depend on its length.
    pub dispatches: f64,
    /// Reference kernels that take as long to compile as the kernels, the first time and later.
    pub compile: [f64; 2],
    /// Bytes of host memory of the driver's compilation.
    pub compiler_bytes: u64,
    /// What the host holds at once of a part and of the tables, in addition to what it stages.
    pub host_copies: u64,
}

impl Rates {
    /// Seconds of so many passes over `elements` elements in all.
    pub fn seconds(&self, gpu: &GpuProfile, passes: f64, elements: f64) -> f64 {
        // Memory and arithmetic are used at the same time.
        let memory = self.bytes / gpu.record.copied_bytes;
        let element = memory.max(self.products * gpu.product_seconds(self.family()));
        passes * self.dispatches * gpu.record.dispatch + elements * element
    }

    /// The kind of the elements.
    pub fn family(&self) -> Family {
        self.bits.map_or(Family::Words, Family::of_bits)
    }

    /// Seconds to compile the kernels.
    pub fn compile_seconds(&self, gpu: &GpuProfile) -> f64 {
        gpu.compile_seconds("ntt", self.bits.map(|bits| (bits, 1)), self.compile)
    }
}
