//! Options of a device.

use std::sync::Arc;

use super::device_record::DeviceRecord;
use super::memory_budget::DeviceMemory;
use crate::timeline::Timeline;

/// Options of an open device: features, limits, memory, checks and records.
#[derive(Clone, Debug)]
pub struct Options {
    /// Use 64-bit integers if the adapter has them.
    pub int64: bool,
    /// With 64-bit integers use compact texts, or long ones; by default the adapter decides.
    #[doc(hidden)]
    pub compact: Option<bool>,
    /// Use texts for few registers, or not; by default the adapter decides.
    #[doc(hidden)]
    pub few_registers: Option<bool>,
    /// Use subgroup operations if the adapter has them.
    pub subgroups: bool,
    /// Use the adapter's own limits; otherwise WebGPU's default limits, which always suffice.
    pub full_limits: bool,
    /// Keep naga's bounds and loop checks in the kernels. They are slower; for tests.
    pub checked: bool,
    /// Time every dispatch by the device's clock; each dispatch then has a compute pass of its own. The timeline then keeps
    /// events.
    pub profile: bool,
    /// Maximum size of a chunk of a [`DeviceVec`](super::DeviceVec) in bytes. Tests lower it, so that small
    /// vectors run the code for large ones.
    #[doc(hidden)]
    pub max_chunk_bytes: u64,
    /// Maximum bytes of device memory that all vectors may use together. Plans also keep to what the driver reports
    /// ([`DeviceMemory`]): the smaller of both counts. If it reports nothing, they keep to this limit, or to 1 GiB if this is
    /// `u64::MAX`, which is none.
    pub memory: u64,
    /// Maximum bytes of host memory that a run may use in addition to its inputs.
    pub host_memory: u64,
    /// What the driver is taken to report, for tests of memory that this machine does not have.
    #[doc(hidden)]
    pub reported_memory: Option<DeviceMemory>,
    /// Lose the device after this number of submissions, for tests of the errors that follow.
    #[doc(hidden)]
    pub lose_after: Option<u64>,
    /// Lose only this device of a group, for the same tests.
    #[doc(hidden)]
    pub lose_device: Option<usize>,
    /// The rates by which plans estimate times and kernels choose their arithmetic.
    pub records: Records,
    /// Store compiled pipelines on disk.
    pub cache: bool,
    /// A kernel, a text in it and what takes its place, for tests of faulty devices.
    #[doc(hidden)]
    pub altered: Option<[&'static str; 3]>,
    /// The record that the device writes to. By default it counts dispatches and keeps no events.
    pub timeline: Timeline,
}

/// Where a device's record comes from.
#[derive(Clone, Debug, Default)]
pub enum Records {
    /// The user's cache folder; without a measurement there, the shipped record of the nearest device.
    #[default]
    Kept,
    /// The shipped record of the nearest device.
    Shipped,
    /// This one.
    Fixed(Arc<DeviceRecord>),
}

/// All features and limits of the adapter, without a limit on memory.
impl Default for Options {
    fn default() -> Self {
        Options {
            int64: true,
            compact: None,
            few_registers: None,
            subgroups: true,
            full_limits: true,
            checked: false,
            profile: false,
            max_chunk_bytes: u64::MAX,
            memory: u64::MAX,
            host_memory: u64::MAX,
            reported_memory: None,
            lose_after: None,
            lose_device: None,
            records: Records::Kept,
            cache: true,
            altered: None,
            timeline: Timeline::default(),
        }
    }
}

impl Options {
    /// Returns options that every WebGPU implementation supports: default limits, no optional features.
    pub fn portable() -> Self {
        Options { int64: false, subgroups: false, full_limits: false, ..Options::default() }
    }

    /// Returns the options with restrictions from the environment: `WGALOIS_PORTABLE` limits the device to
    /// WebGPU's default limits and features, `WGALOIS_SHIPPED_RECORD` takes the shipped record, so that plans are those of
    /// every other run, `WGALOIS_TEXTS=compact`, `long` or `few-registers` takes such texts, `WGALOIS_CHECKED` keeps the checks,
    /// `WGALOIS_LOSE_AFTER=N` loses the device after N submissions, and `WGALOIS_LOSE_DEVICE=I` only device I of a group. The
    /// program and the tests call it; the library does not.
    #[doc(hidden)]
    #[must_use]
    pub fn restricted_by_environment(self) -> Self {
        let portable = std::env::var_os("WGALOIS_PORTABLE").is_some();
        let (compact, few_registers) = match std::env::var("WGALOIS_TEXTS").as_deref() {
            Ok("compact") => (Some(true), Some(false)),
            Ok("long") => (Some(false), Some(false)),
            Ok("few-registers") => (Some(true), Some(true)),
            _ => (None, None),
        };
        let number = |name| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
        Options {
            int64: self.int64 && !portable,
            compact: self.compact.or(compact),
            few_registers: self.few_registers.or(few_registers),
            subgroups: self.subgroups && !portable,
            full_limits: self.full_limits && !portable,
            records: match std::env::var_os("WGALOIS_SHIPPED_RECORD") {
                Some(_) if matches!(self.records, Records::Kept) => Records::Shipped,
                _ => self.records.clone(),
            },
            checked: self.checked || std::env::var_os("WGALOIS_CHECKED").is_some(),
            memory: self.memory.min(number("WGALOIS_DEVICE_MEMORY").unwrap_or(u64::MAX)),
            lose_after: self.lose_after.or(number("WGALOIS_LOSE_AFTER")),
            lose_device: self.lose_device.or(number("WGALOIS_LOSE_DEVICE").map(|device| device as usize)),
            ..self
        }
    }

    /// Returns the options of member `number` of a group, of which only [`lose_device`](Self::lose_device) may
    /// be lost.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn of_member(&self, number: usize) -> Self {
        let loses = self.lose_device.is_none_or(|only| only == number);
        Options { lose_after: self.lose_after.filter(|_| loses), ..self.clone() }
    }

    /// Returns the features to request from an adapter; those that it lacks are not used.
    pub(super) fn wanted_features(&self) -> wgpu::Features {
        let mut wanted = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::PIPELINE_CACHE;
        wanted.set(wgpu::Features::SHADER_INT64, self.int64);
        wanted.set(wgpu::Features::SUBGROUP, self.subgroups);
        wanted.set(wgpu::Features::PASSTHROUGH_SHADERS, self.cache);
        wanted
    }
}
