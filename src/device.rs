//! The two engines behind one API.

use crate::gpu::Gpu;
use crate::timeline::Timeline;

/// What computes: a GPU, or the CPU engine.
#[derive(Clone, Debug)]
pub enum Device {
    /// The CPU engine.
    Cpu(Cpu),
    /// A GPU through wgpu.
    Gpu(Gpu),
}

/// The CPU engine: all cores, the widest vector instructions found at run time.
#[derive(Clone, Debug, Default)]
pub struct Cpu {
    /// Worker threads; 0 for one a core.
    pub threads: usize,
    /// The record of what this engine did when.
    pub timeline: Timeline,
}

impl Device {
    /// The record of what this device did when.
    pub fn timeline(&self) -> &Timeline {
        match self {
            Device::Cpu(cpu) => &cpu.timeline,
            Device::Gpu(gpu) => gpu.timeline(),
        }
    }
}
