//! The description of an adapter.

use std::sync::Arc;

use serde::Serialize;

use super::compiled_kernels::CompiledKernels;
use super::device_record::{self, DeviceRecord, Identity};
use super::kernel::Arithmetic;
use super::memory_budget::DeviceMemory;
use super::options::{Options, Records};
use super::profile::GpuProfile;

/// The description of an adapter: its identity, features and limits.
#[derive(Clone, Debug, Serialize)]
pub struct AdapterDescription {
    /// The name that the adapter reports.
    pub name: String,
    /// The vendor's name, or its identifier in hexadecimal if the name is not known.
    pub vendor: String,
    /// The graphics API: Vulkan, Metal, DX12 or GL.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// The kind: discrete, integrated, virtual, software or other.
    pub kind: &'static str,
    /// True if shaders may use 64-bit integers.
    pub int64: bool,
    /// True if shaders may use subgroup operations.
    pub subgroups: bool,
    /// The smallest and largest subgroup size.
    pub subgroup_sizes: [u32; 2],
    /// True if the device supports timestamps, which time kernels by its own clock.
    pub timestamps: bool,
    /// True if compiled pipelines can be stored on disk.
    pub pipeline_cache: bool,
    /// Maximum size of a storage binding in bytes.
    pub max_binding_bytes: u64,
    /// Maximum size of a buffer in bytes.
    pub max_buffer_bytes: u64,
    /// Maximum workgroup memory in bytes.
    pub max_workgroup_bytes: u32,
    /// Maximum number of invocations per workgroup.
    pub max_workgroup_invocations: u32,
    /// Maximum number of storage buffers per kernel.
    pub max_storage_bindings: u32,
    /// The memory as the driver reports it; `None` if it does not tell, as through OpenGL.
    pub memory: Option<DeviceMemory>,
    /// Nothing has this type without GPUs.
    #[cfg(feature = "cpu-only")]
    #[serde(skip)]
    pub never: std::convert::Infallible,
}

impl AdapterDescription {
    #[cfg(not(feature = "cpu-only"))]
    pub(super) fn of(adapter: &wgpu::Adapter) -> Self {
        let (info, features, limits) = (adapter.get_info(), adapter.features(), adapter.limits());
        AdapterDescription {
            vendor: vendor_name(info.vendor),
            backend: info.backend.to_string(),
            driver: [info.driver, info.driver_info].join(" ").trim().to_owned(),
            kind: kind(info.device_type).1,
            int64: features.contains(wgpu::Features::SHADER_INT64),
            subgroups: features.contains(wgpu::Features::SUBGROUP),
            subgroup_sizes: [info.subgroup_min_size, info.subgroup_max_size],
            timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
            pipeline_cache: features.contains(wgpu::Features::PIPELINE_CACHE),
            max_binding_bytes: limits.max_storage_buffer_binding_size,
            max_buffer_bytes: limits.max_buffer_size,
            max_workgroup_bytes: limits.max_compute_workgroup_storage_size,
            max_workgroup_invocations: limits.max_compute_invocations_per_workgroup,
            max_storage_bindings: limits.max_storage_buffers_per_shader_stage,
            memory: DeviceMemory::of(adapter),
            name: info.name,
        }
    }

    /// Returns the properties that plans depend on, for the adapter opened with `options`.
    pub fn profile(&self, options: &Options) -> GpuProfile {
        let (limits, full) = (wgpu::Limits::default(), options.full_limits);
        let limit = |own: u64, default: u64| if full { own } else { default };
        let binding = limit(self.max_binding_bytes, limits.max_storage_buffer_binding_size)
            .min(limit(self.max_buffer_bytes, limits.max_buffer_size));
        let workgroup = (
            limit(self.max_workgroup_bytes.into(), limits.max_compute_workgroup_storage_size.into()),
            limit(self.max_workgroup_invocations.into(), limits.max_compute_invocations_per_workgroup.into()),
        );
        GpuProfile {
            is_software: self.is_software(),
            is_discrete: self.is_discrete(),
            arithmetic: Arithmetic {
                int64: self.int64 && options.int64,
                compact: self.is_compact(options),
                few_registers: self.has_few_registers(options),
                subgroups: self.has_numbered_subgroups() && options.subgroups,
            },
            record: self.record(&options.records),
            compiled: Arc::new(self.compiled(options)),
            binding_bytes: binding.min(options.max_chunk_bytes),
            workgroup_bytes: workgroup.0 as u32,
            workgroup_invocations: workgroup.1 as u32,
            #[cfg(feature = "cpu-only")]
            never: self.never,
        }
    }

    /// Returns what records are kept by.
    pub(super) fn identity(&self) -> Identity<'_> {
        let AdapterDescription { name, vendor, backend, driver, kind, int64, .. } = self;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let cores = self.is_software().then(cores);
        Identity { name, vendor, backend, driver, kind, cores, int64: *int64 }
    }

    /// Returns the record that `records` name.
    pub fn record(&self, records: &Records) -> Arc<DeviceRecord> {
        match records {
            Records::Fixed(record) => Arc::clone(record),
            #[cfg(not(target_arch = "wasm32"))]
            Records::Kept if let Some(record) = device_record::kept(&self.identity()) => Arc::new(record),
            Records::Kept | Records::Shipped => Arc::new(device_record::nearest(&self.identity())),
        }
    }

    /// Returns the kinds of kernels that were compiled before, if the options ask for what was kept.
    fn compiled(&self, options: &Options) -> CompiledKernels {
        match options.records {
            #[cfg(not(target_arch = "wasm32"))]
            Records::Kept if options.cache => device_record::compiled(&self.identity()),
            _ => CompiledKernels::default(),
        }
    }

    /// Returns the memory that counts for the adapter opened with `options`.
    pub(crate) fn reported_memory(&self, options: &Options) -> Option<DeviceMemory> {
        options.reported_memory.or(self.memory)
    }

    /// Returns the most bytes of device memory that plans take for the adapter opened with `options`: what the driver reports as
    /// its [`budget`](DeviceMemory::budget), or the limit in `options` if that is less.
    pub fn memory_bound(&self, options: &Options) -> u64 {
        DeviceMemory::bound(self.reported_memory(options), options.memory)
    }

    /// True if kernels with 64-bit integers take the compact texts. An H200 accumulates points 2 to 4% slower with them
    /// (benches/notebook/msm.md, msm-g2.md), so NVIDIA's own driver takes the long ones: all of its GPUs have 255 registers a thread.
    /// With AMD's and Intel's compilers and with NVK compact texts spare spilled registers, instructions and time to compile
    /// (benches/notebook/vendors.md); no times were measured there and elsewhere.
    pub(super) fn is_compact(&self, options: &Options) -> bool {
        options.compact.unwrap_or(self.vendor != NVIDIA || self.is_nvk())
    }

    /// True if kernels take the texts for few registers: Intel's GPUs have 128 registers of 32 bytes for a thread of 8 or 16 lanes,
    /// and their compilers spill hundreds of them in kernels that add points, unless workgroup memory holds the points
    /// (benches/notebook/vendors.md). NVK's compiler puts up to 2 KiB of a thread's points into local memory, and takes two to five
    /// times as long for it. The compilers of AMD, and NVIDIA's own, keep points in registers.
    pub(super) fn has_few_registers(&self, options: &Options) -> bool {
        options.few_registers.unwrap_or(self.vendor == INTEL || self.is_nvk())
    }

    /// True if the driver is NVK, Mesa's for NVIDIA's GPUs.
    fn is_nvk(&self) -> bool {
        self.driver.starts_with("NVK")
    }

    /// True if kernels may use subgroups: not through Direct3D, where wgpu derives a thread's subgroup from the thread's number in the
    /// workgroup, which no specification promises.
    pub(super) fn has_numbered_subgroups(&self) -> bool {
        self.subgroups && self.backend != wgpu::Backend::Dx12.to_str()
    }

    /// True if the adapters are of one model, with one driver.
    pub(crate) fn is_like(&self, other: &AdapterDescription) -> bool {
        self.kind == other.kind && self.texts() == other.texts()
    }

    fn texts(&self) -> [&str; 4] {
        [&self.name, &self.vendor, &self.backend, &self.driver]
    }

    /// True if the driver computes on the CPU.
    pub fn is_software(&self) -> bool {
        self.kind == "software"
    }

    /// True if the driver says that the GPU has memory of its own.
    pub(super) fn is_discrete(&self) -> bool {
        self.kind == DISCRETE
    }

    /// True if several threads may call the driver at the same time. OpenGL takes one call at a time.
    pub(super) fn takes_threads(&self) -> bool {
        self.backend != wgpu::Backend::Gl.to_str()
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.texts().iter().any(|own| own.to_ascii_lowercase().contains(text))
    }
}

/// The kind of a GPU with memory of its own.
pub(super) const DISCRETE: &str = "discrete";

/// The place of a kind of adapter in the list of adapters, and its name.
pub(super) fn kind(kind: wgpu::DeviceType) -> (u8, &'static str) {
    match kind {
        wgpu::DeviceType::DiscreteGpu => (0, DISCRETE),
        wgpu::DeviceType::IntegratedGpu => (1, "integrated"),
        wgpu::DeviceType::VirtualGpu => (2, "virtual"),
        wgpu::DeviceType::Other => (3, "other"),
        wgpu::DeviceType::Cpu => (4, "software"),
    }
}

const INTEL: &str = "Intel";
const NVIDIA: &str = "NVIDIA";

/// Returns the name for a PCI vendor identifier, or for one by Khronos if the driver has no PCI vendor.
fn vendor_name(id: u32) -> String {
    match id {
        0x1002 => "AMD".into(),
        0x106b => "Apple".into(),
        0x10de => NVIDIA.into(),
        0x13b5 => "Arm".into(),
        0x1414 => "Microsoft".into(),
        0x1ae0 => "Google".into(),
        0x5143 => "Qualcomm".into(),
        0x8086 => INTEL.into(),
        0x10005 => "Mesa".into(),
        other => format!("{other:#06x}"),
    }
}
