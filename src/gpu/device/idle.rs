//! A device that validates and counts dispatches but computes nothing. Tests use it to check the
//! dispatch counts of plans on machines without a GPU.

use std::sync::Arc;
use std::time::Duration;

use super::Gpu;
use crate::gpu::adapter::DISCRETE;
use crate::gpu::watchdog::Watchdog;
use crate::gpu::{DeviceMemory, DeviceRecord, Options, Records};
use crate::{Error, Result};

/// The memory of the device, which fills none: that of a large GPU.
const MEMORY: DeviceMemory = DeviceMemory { bytes: 32 << 30, budget: 32 << 30, is_shared: false };

impl Gpu {
    /// Opens wgpu's no-op device, with the limits of a large GPU or, with [`Options::portable`], those of
    /// WebGPU. Reads from it return the host's data, or zeros.
    #[doc(hidden)]
    pub fn idle(options: Options) -> Result<Self> {
        let limits = wgpu::Limits {
            max_storage_buffer_binding_size: 2 << 30,
            max_buffer_size: 4 << 30,
            max_compute_workgroup_storage_size: 48 << 10,
            max_compute_invocations_per_workgroup: 1024,
            max_compute_workgroup_size_x: 1024,
            ..wgpu::Limits::default()
        };
        let noop = wgpu::NoopBackendOptions { enable: true, limits: Some(limits), ..Default::default() };
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::NOOP;
        descriptor.backend_options.noop = noop;
        let adapters = wgpu::Instance::new(descriptor).enumerate_adapters(wgpu::Backends::NOOP);
        let adapter = pollster::block_on(adapters).pop();
        let adapter =
            adapter.ok_or_else(|| Error::NoDevice("wgpu is built without its idle device".into()))?;
        let records = Records::Fixed(Arc::new(DeviceRecord::of_h200()));
        // No pipeline is compiled, so there is nothing to cache.
        let reported_memory = options.reported_memory.or(Some(MEMORY));
        let options = Options { cache: false, records, reported_memory, ..options };
        let gpu = pollster::block_on(Self::of(&adapter, (None, Duration::ZERO), options))?;
        *gpu.watchdog() = Watchdog::unlimited();
        Ok(gpu)
    }

    /// [`idle`](Self::idle), which plans take for a GPU with memory of its own, and not for a software driver.
    #[doc(hidden)]
    pub fn idle_discrete(options: Options) -> Result<Self> {
        let mut gpu = Self::idle(options)?;
        // Nobody else has the device yet.
        let opened = Arc::get_mut(&mut gpu.opened);
        opened.ok_or_else(|| Error::Device("the idle device is in use".into()))?.adapter.kind = DISCRETE;
        Ok(gpu)
    }
}
