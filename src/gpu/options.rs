//! How a device is opened.

use crate::timeline::Timeline;

/// How a device is opened, beyond which one.
#[derive(Clone, Debug)]
pub struct Options {
    /// Use 64-bit integers where the adapter has them.
    pub int64: bool,
    /// Use subgroup operations where the adapter has them.
    pub subgroups: bool,
    /// Take the adapter's own limits; otherwise WebGPU's defaults, which must always do.
    pub full_limits: bool,
    /// Keep naga's bounds and loop checks in the kernels: slower, for tests.
    pub checked: bool,
    /// Time every dispatch by the device's clock; each then has a pass of its own.
    pub profile: bool,
    /// Bytes of a chunk of a [`DeviceVec`](super::DeviceVec) at most, for tests: small vectors then
    /// take the ways of large ones.
    #[doc(hidden)]
    pub max_chunk_bytes: u64,
    /// The most bytes of device memory that vectors may take together.
    pub memory: u64,
    /// The most bytes of host memory that a run may take beside its inputs.
    pub host_memory: u64,
    /// Lose the device after so many submissions, for tests of the faults that follow.
    #[doc(hidden)]
    pub lose_after: Option<u64>,
    /// Keep compiled pipelines on disk.
    pub cache: bool,
    /// The record that the device writes to.
    pub timeline: Timeline,
}

/// All that the device offers, without a bound on memory.
impl Default for Options {
    fn default() -> Self {
        Options {
            int64: true,
            subgroups: true,
            full_limits: true,
            checked: false,
            profile: false,
            max_chunk_bytes: u64::MAX,
            memory: u64::MAX,
            host_memory: u64::MAX,
            lose_after: None,
            cache: true,
            timeline: Timeline::default(),
        }
    }
}

impl Options {
    /// What every WebGPU implementation offers: default limits, no optional feature.
    pub fn portable() -> Self {
        Options { int64: false, subgroups: false, full_limits: false, ..Options::default() }
    }

    /// The same, restricted as the environment says: `WGALOIS_PORTABLE` holds the device to WebGPU's
    /// default limits and features, `WGALOIS_CHECKED` keeps the checks, `WGALOIS_LOSE_AFTER=N` loses
    /// the device after N submissions. The program and the tests ask for it; the library never does.
    #[doc(hidden)]
    #[must_use]
    pub fn restricted_by_environment(self) -> Self {
        let portable = std::env::var_os("WGALOIS_PORTABLE").is_some();
        let lose_after = std::env::var("WGALOIS_LOSE_AFTER").ok().and_then(|count| count.parse().ok());
        Options {
            int64: self.int64 && !portable,
            subgroups: self.subgroups && !portable,
            full_limits: self.full_limits && !portable,
            checked: self.checked || std::env::var_os("WGALOIS_CHECKED").is_some(),
            lose_after: self.lose_after.or(lose_after),
            ..self
        }
    }

    /// The features to ask an adapter for; what it lacks is done without.
    pub(super) fn wanted_features(&self) -> wgpu::Features {
        let mut wanted = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::PIPELINE_CACHE;
        wanted.set(wgpu::Features::SHADER_INT64, self.int64);
        wanted.set(wgpu::Features::SUBGROUP, self.subgroups);
        wanted
    }
}
