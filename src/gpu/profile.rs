//! The properties of a GPU that plans depend on.

use super::Arithmetic;

/// Bytes per second from the host's memory to an H200 and back, measured with 1 GiB. Other links were not measured.
pub const UPLOAD_RATE: f64 = 24e9;
pub const DOWNLOAD_RATE: f64 = 12e9;

/// The properties of a GPU that a plan depends on.
#[derive(Clone, Debug)]
pub struct GpuProfile {
    /// True if the driver computes on the CPU.
    pub is_software: bool,
    /// True if the driver says that the GPU has memory of its own.
    pub is_discrete: bool,
    /// The optional features that the arithmetic of kernels may use.
    pub arithmetic: Arithmetic,
    /// Maximum size of a chunk of a device vector in bytes; not necessarily a power of two.
    pub binding_bytes: u64,
    /// Maximum workgroup memory in bytes.
    pub workgroup_bytes: u32,
    /// Maximum number of invocations per workgroup.
    pub workgroup_invocations: u32,
}
