//! Listing the adapters, and choosing one by a selection.

use std::time::Duration;

use web_time::Instant;

use serde::Serialize;

#[cfg(not(target_arch = "wasm32"))]
use super::Adapters;
use super::kernel::Arithmetic;
use super::{Adapter, Options};
use crate::task::{Engine, GpuProfile, Profile};
use crate::{Error, Result};

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
}

impl AdapterDescription {
    pub(super) fn of(adapter: &wgpu::Adapter) -> Self {
        let (info, features, limits) = (adapter.get_info(), adapter.features(), adapter.limits());
        AdapterDescription {
            vendor: vendor_name(info.vendor),
            backend: info.backend.to_string(),
            driver: [info.driver, info.driver_info].join(" ").trim().to_owned(),
            kind: kind_name(info.device_type),
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
            name: info.name,
        }
    }

    /// Returns the properties that plans depend on, for the adapter opened with `options` in the time
    /// `startup`.
    pub fn profile(&self, options: &Options, startup: Duration) -> Profile {
        Profile {
            engine: Engine::Gpu(self.gpu_profile(options, startup)),
            host_memory: options.host_memory,
            device_memory: options.memory,
        }
    }

    /// Returns the properties of the GPU in [`profile`](Self::profile).
    pub(crate) fn gpu_profile(&self, options: &Options, startup: Duration) -> GpuProfile {
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
            arithmetic: Arithmetic {
                int64: self.int64 && options.int64,
                subgroups: self.subgroups && options.subgroups,
            },
            binding_bytes: binding.min(options.max_chunk_bytes),
            workgroup_bytes: workgroup.0 as u32,
            workgroup_invocations: workgroup.1 as u32,
            startup,
        }
    }

    /// True if the adapters are of one model, with one driver.
    pub(crate) fn is_like(&self, other: &AdapterDescription) -> bool {
        let model = |adapter: &Self| {
            let Self { name, vendor, backend, driver, kind, .. } = adapter.clone();
            (name, vendor, backend, driver, kind)
        };
        model(self) == model(other)
    }

    /// True if the driver computes on the CPU.
    pub fn is_software(&self) -> bool {
        self.kind == "software"
    }

    /// True if several threads may call the driver at the same time. OpenGL takes one call at a time.
    pub(super) fn takes_threads(&self) -> bool {
        self.backend != wgpu::Backend::Gl.to_str()
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let all = [&self.name, &self.vendor, &self.backend, &self.driver].map(|s| s.to_ascii_lowercase());
        all.iter().any(|s| s.contains(text))
    }
}

/// The environment variables that choose the adapter and the graphics APIs.
const ADAPTER_NAME: &str = "WGPU_ADAPTER_NAME";
const BACKEND: &str = "WGPU_BACKEND";

/// Returns the value of an environment variable, or `None` if it is unset or empty.
fn variable(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?.to_string_lossy().into_owned();
    (!value.is_empty()).then_some(value)
}

/// Returns the graphics APIs to search for adapters.
///
/// # Errors
/// [`Error::Usage`] if the environment names an API that does not exist.
fn backends() -> Result<wgpu::Backends> {
    let Some(list) = variable(BACKEND) else { return Ok(wgpu::Backends::PRIMARY) };
    if let Some(unknown) = list.split(',').find(|name| wgpu::Backends::from_comma_list(name).is_empty()) {
        return Err(Error::Usage(format!(
            "{BACKEND}={list}: \"{}\" is none of vulkan, metal, dx12 and gl",
            unknown.trim()
        )));
    }
    Ok(wgpu::Backends::from_comma_list(&list))
}

/// The adapters that wgpu finds, in the order discrete, integrated, virtual, other, software. Searching takes some
/// hundredths of a second, so that one search serves to choose and to open.
pub(crate) struct Found {
    adapters: Vec<wgpu::Adapter>,
    described: Vec<AdapterDescription>,
}

impl Found {
    /// Searches.
    ///
    /// # Errors
    /// [`Error::Usage`] if `WGPU_BACKEND` names a graphics API that does not exist.
    pub async fn search_async() -> Result<Self> {
        let (begin, backends) = (Instant::now(), backends()?);
        // wgpu reads its other environment variables here. Only the wanted APIs are loaded: OpenGL takes some
        // hundredths of a second.
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends,
            ..wgpu::InstanceDescriptor::new_without_display_handle_from_env()
        });
        let mut adapters = instance.enumerate_adapters(backends).await;
        adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
            wgpu::DeviceType::DiscreteGpu => 0,
            wgpu::DeviceType::IntegratedGpu => 1,
            wgpu::DeviceType::VirtualGpu => 2,
            wgpu::DeviceType::Other => 3,
            wgpu::DeviceType::Cpu => 4,
        });
        let described = adapters.iter().map(AdapterDescription::of).collect();
        log::debug!("{} adapters found in {:?}", adapters.len(), begin.elapsed());
        Ok(Found { adapters, described })
    }

    /// The blocking form of [`search_async`](Self::search_async).
    ///
    /// # Errors
    /// Those of [`search_async`](Self::search_async).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn search() -> Result<Self> {
        super::block_on::block_on(Self::search_async())
    }

    /// The descriptions, in the order of the indices.
    pub fn described(&self) -> &[AdapterDescription] {
        &self.described
    }

    pub(super) fn adapter(&self, index: usize) -> &wgpu::Adapter {
        &self.adapters[index]
    }

    /// Returns the indices of the adapters that a selection names.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if it names none, or an index that does not exist.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn choose_all(&self, select: &Adapters) -> Result<Vec<usize>> {
        let adapters = &self.described;
        let Some(first) = adapters.first() else {
            return Err(Error::NoDevice("no adapter was found".into()));
        };
        let indices: Vec<usize> = match select {
            Adapters::All => {
                // A machine with a GPU often has a software driver too, and some list a GPU once for each API.
                let is_of_all = |adapter: &AdapterDescription| {
                    adapter.backend == first.backend && adapter.is_software() == first.is_software()
                };
                (0..adapters.len()).filter(|&index| is_of_all(&adapters[index])).collect()
            }
            Adapters::Name(text) => {
                let text = text.to_ascii_lowercase();
                (0..adapters.len()).filter(|&index| adapters[index].matches(&text)).collect()
            }
            Adapters::Indices(indices) => indices.clone(),
        };
        match indices.iter().find(|&&index| index >= adapters.len()) {
            None if !indices.is_empty() => Ok(indices),
            None => Err(Error::NoDevice(format!("no adapter is named by {select}"))),
            Some(index) => {
                let last = adapters.len() - 1;
                Err(Error::NoDevice(format!("{index} is not among the adapters, which are 0 to {last}")))
            }
        }
    }

    /// Returns the index of the adapter that a selection names.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if it names none.
    pub fn choose(&self, select: &Adapter) -> Result<usize> {
        let described = &self.described;
        let named = |name: &str| described.iter().position(|d| d.matches(&name.to_ascii_lowercase()));
        let (index, wanted) = match (select, variable(ADAPTER_NAME)) {
            (Adapter::First, Some(name)) => (named(&name), format!("{ADAPTER_NAME}={name}")),
            (Adapter::First, None) => ((!described.is_empty()).then_some(0), select.to_string()),
            (Adapter::Index(index), _) => ((*index < described.len()).then_some(*index), select.to_string()),
            (Adapter::Name(text), _) => (named(text), select.to_string()),
        };
        match index {
            Some(index) => Ok(index),
            None if described.is_empty() => {
                let among =
                    variable(BACKEND).map_or_else(String::new, |list| format!(" with {BACKEND}={list}"));
                Err(Error::NoDevice(format!("no adapter was found{among}")))
            }
            None => {
                let names: Vec<_> =
                    described.iter().enumerate().map(|(i, d)| format!("{i}: {}", d.name)).collect();
                Err(Error::NoDevice(format!("{wanted} is not among the adapters ({})", names.join(", "))))
            }
        }
    }
}

/// Returns the descriptions of all adapters, in the order of their indices.
///
/// # Errors
/// [`Error::Usage`] if `WGPU_BACKEND` names a graphics API that does not exist.
pub async fn adapters_async() -> Result<Vec<AdapterDescription>> {
    Ok(Found::search_async().await?.described)
}

/// The blocking form of [`adapters_async`].
///
/// # Errors
/// Those of [`adapters_async`].
#[cfg(not(target_arch = "wasm32"))]
pub fn adapters() -> Result<Vec<AdapterDescription>> {
    pollster::block_on(adapters_async())
}

/// True if the environment names an adapter (`WGPU_ADAPTER_NAME`).
pub(crate) fn adapter_is_named() -> bool {
    named_by_environment().is_some()
}

/// Returns the adapter's name in the environment (`WGPU_ADAPTER_NAME`).
pub(super) fn named_by_environment() -> Option<String> {
    variable(ADAPTER_NAME)
}

fn kind_name(kind: wgpu::DeviceType) -> &'static str {
    match kind {
        wgpu::DeviceType::DiscreteGpu => "discrete",
        wgpu::DeviceType::IntegratedGpu => "integrated",
        wgpu::DeviceType::VirtualGpu => "virtual",
        wgpu::DeviceType::Cpu => "software",
        wgpu::DeviceType::Other => "other",
    }
}

/// Returns the name for a PCI vendor identifier, or for one by Khronos if the driver has no PCI vendor.
fn vendor_name(id: u32) -> String {
    match id {
        0x1002 => "AMD".into(),
        0x106b => "Apple".into(),
        0x10de => "NVIDIA".into(),
        0x13b5 => "Arm".into(),
        0x1414 => "Microsoft".into(),
        0x1ae0 => "Google".into(),
        0x5143 => "Qualcomm".into(),
        0x8086 => "Intel".into(),
        0x10005 => "Mesa".into(),
        other => format!("{other:#06x}"),
    }
}
