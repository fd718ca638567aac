//! What a plan needs to know of a device.

use std::time::Duration;

use crate::gpu::Arithmetic;

/// What a device offers to a plan. It can be had of a GPU that is not open yet.
#[derive(Clone, Debug)]
pub struct Profile {
    /// What computes.
    pub engine: Engine,
    /// Bytes of host memory that a run may take beside its inputs; `u64::MAX` for no bound.
    pub host_memory: u64,
    /// Bytes of device memory that it may take; `u64::MAX` for no bound.
    pub device_memory: u64,
}

/// The two kinds of engine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Engine {
    /// The CPU engine with so many threads, at least 1.
    Cpu {
        /// Worker threads.
        threads: usize,
    },
    /// A GPU.
    Gpu(GpuProfile),
}

/// What a plan needs to know of a GPU.
#[derive(Clone, Debug)]
pub struct GpuProfile {
    /// Whether its driver computes on the CPU.
    pub is_software: bool,
    /// What its kernels may use.
    pub arithmetic: Arithmetic,
    /// Bytes of one chunk of a device vector at most: a power of two need not fit it.
    pub binding_bytes: u64,
    /// Bytes of workgroup memory.
    pub workgroup_bytes: u32,
    /// Invocations of a workgroup.
    pub workgroup_invocations: u32,
    /// Time until it can be used; zero where it is open.
    pub startup: Duration,
}

impl Profile {
    /// The GPU's part; none for the CPU engine.
    pub fn gpu(&self) -> Option<&GpuProfile> {
        match &self.engine {
            Engine::Gpu(gpu) => Some(gpu),
            Engine::Cpu { .. } => None,
        }
    }

    /// The same with at most so much device memory.
    #[must_use]
    pub fn with_device_memory(self, bytes: u64) -> Self {
        Profile { device_memory: self.device_memory.min(bytes), ..self }
    }
}
