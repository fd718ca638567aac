//! The properties of a device that plans depend on.

use std::time::Duration;

use crate::gpu::Arithmetic;

/// The properties of a device that a plan depends on. An adapter has a profile before it is opened.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The engine.
    pub engine: Engine,
    /// Bytes of host memory that a run may use in addition to its inputs; `u64::MAX` for no limit.
    pub host_memory: u64,
    /// Bytes of device memory that a run may use; `u64::MAX` for no limit.
    pub device_memory: u64,
}

/// The kind of an engine, with its properties.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Engine {
    /// The CPU engine.
    Cpu {
        /// Number of worker threads, at least 1.
        threads: usize,
    },
    /// A GPU.
    Gpu(GpuProfile),
}

/// The properties of a GPU that a plan depends on.
#[derive(Clone, Debug)]
pub struct GpuProfile {
    /// True if the driver computes on the CPU.
    pub is_software: bool,
    /// The optional features that the arithmetic of kernels may use.
    pub arithmetic: Arithmetic,
    /// Maximum size of a chunk of a device vector in bytes; not necessarily a power of two.
    pub binding_bytes: u64,
    /// Maximum workgroup memory in bytes.
    pub workgroup_bytes: u32,
    /// Maximum number of invocations per workgroup.
    pub workgroup_invocations: u32,
    /// Time to open the device; zero if it is open.
    pub startup: Duration,
}

impl Profile {
    /// Returns the properties of the GPU, or `None` for the CPU engine.
    pub fn gpu(&self) -> Option<&GpuProfile> {
        match &self.engine {
            Engine::Gpu(gpu) => Some(gpu),
            Engine::Cpu { .. } => None,
        }
    }

    /// Returns the profile with at most `bytes` of device memory.
    #[must_use]
    pub fn with_device_memory(self, bytes: u64) -> Self {
        Profile { device_memory: self.device_memory.min(bytes), ..self }
    }
}
