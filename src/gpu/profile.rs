//! The properties of a GPU that plans depend on.

use std::sync::Arc;

use super::compiled_kernels::CompiledKernels;
use super::device_record::DeviceRecord;
use super::kernel::{Arithmetic, Family};

/// Short calls that take as long as what a plan asks of a driver beside its kernels: buffers, layouts, the first submission. 1.5 ms on an
/// H200, whose calls take 49 us.
const BEGIN_CALLS: f64 = 30.0;

/// Seconds of what a plan counts with the compiling of its kernels, and is none.
pub(super) fn begin_seconds(record: &DeviceRecord) -> f64 {
    BEGIN_CALLS * record.call
}

/// The properties of a GPU that a plan depends on.
#[derive(Clone, Debug)]
pub struct GpuProfile {
    /// True if the driver computes on the CPU.
    pub is_software: bool,
    /// True if the driver says that the GPU has memory of its own.
    pub is_discrete: bool,
    /// The optional features that kernels may use; see [`arithmetic_of`](Self::arithmetic_of).
    pub arithmetic: Arithmetic,
    /// The rates, by which times are estimated.
    pub record: Arc<DeviceRecord>,
    /// What was compiled before.
    pub compiled: Arc<CompiledKernels>,
    /// Maximum size of a chunk of a device vector in bytes; not necessarily a power of two.
    pub binding_bytes: u64,
    /// Maximum workgroup memory in bytes.
    pub workgroup_bytes: u32,
    /// Maximum number of invocations per workgroup.
    pub workgroup_invocations: u32,
    /// Nothing has this type without GPUs, so that the compiler leaves out what plans for one.
    #[cfg(feature = "cpu-only")]
    pub never: std::convert::Infallible,
}

impl GpuProfile {
    /// Returns the arithmetic of kernels that multiply numbers of this family: 64-bit integers where the GPU has them and they
    /// are the faster choice.
    pub fn arithmetic_of(&self, family: Family) -> Arithmetic {
        self.record.arithmetic_of(self.arithmetic, family)
    }

    /// Seconds of a product of this family on the whole device.
    pub(crate) fn product_seconds(&self, family: Family) -> f64 {
        self.record.products(family).seconds(self.arithmetic_of(family).int64)
    }

    /// Seconds to compile the kernels of a task and to make what they need, over a field of these bits and this degree if they
    /// have one. They take as long as so many reference kernels, or as so many that were compiled before, if kernels of this kind
    /// were, times what the driver took longer for these.
    pub fn compile_seconds(&self, task: &str, field: Option<(usize, usize)>, [new, known]: [f64; 2]) -> f64 {
        let kernels = match self.compiled.factor(task, field) {
            Some(factor) => known * factor * self.record.compile_again,
            None => new * self.record.compile,
        };
        kernels + begin_seconds(&self.record)
    }

    /// Seconds to upload so many bytes, the first of this device.
    pub(crate) fn upload_seconds(&self, bytes: f64) -> f64 {
        bytes / self.record.upload + self.staging_seconds(bytes)
    }

    /// Seconds to download so many bytes, the first of this device.
    pub(crate) fn download_seconds(&self, bytes: f64) -> f64 {
        bytes / self.record.download + self.staging_seconds(bytes)
    }

    /// Seconds to make the staging buffers of the first transfer of so many bytes in one direction.
    fn staging_seconds(&self, bytes: f64) -> f64 {
        self.record.staging * bytes.min(super::staging::MOST as f64)
    }
}
