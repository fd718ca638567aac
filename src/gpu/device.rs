//! An open device: its queue, limits, pipelines and faults.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::adapter::{self, AdapterDescription};
use super::block_on::block_on;
use super::cache::DiskCache;
use super::memory::Memory;
use super::options::Options;
use super::pace::Pace;
use super::pipelines::Pipelines;
use super::record::Recorder;
use super::shader::Arithmetic;
use super::staging::Staging;
use super::{Adapter, DeviceVec};
use crate::task::Profile;
use crate::timeline::Timeline;
use crate::{Error, Result};

#[cfg(test)]
mod idle;
#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(target_arch = "wasm32")]
mod web;

/// Bytes of the memory blocks that hold small buffers on the device; half of it on the host.
const BLOCK: u64 = 8 << 20;

/// An open device. Clones share it; it is closed with the last of them.
#[derive(Clone)]
pub struct Gpu {
    opened: Arc<Opened>,
    usage: Arc<Usage>,
}

/// What there is once, whatever it is used for.
struct Opened {
    /// Closed first: what is compiled goes to disk while there is a device.
    pipelines: Pipelines,
    device: wgpu::Device,
    queue: wgpu::Queue,
    adapter: AdapterDescription,
    limits: wgpu::Limits,
    arithmetic: Arithmetic,
    timestamps: bool,
    staging: Staging,
    pace: Mutex<Pace>,
    faults: Arc<Faults>,
}

/// How a device is used, and what it did.
struct Usage {
    options: Options,
    timeline: Timeline,
    /// The device's time so far, while somebody times it.
    stopwatch: Mutex<Option<Duration>>,
    memory: Memory,
    /// Submissions so far, where the device is to be lost after some of them.
    submissions: AtomicU64,
}

/// What the driver reported outside any call of ours.
#[derive(Default)]
struct Faults {
    lost: AtomicBool,
    first: Mutex<Option<Error>>,
}

impl Gpu {
    /// Opens the first adapter, with all that it offers. Where there is no GPU that may be a
    /// software driver; [`Device::auto`](crate::Device::auto) takes the CPU engine then.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where there is no adapter, [`Error::Device`] where it cannot be opened.
    pub fn new() -> Result<Self> {
        Self::open(&Adapter::First, Options::default())
    }

    /// [`Gpu::new`] for the browser, where nothing may wait.
    pub async fn new_async() -> Result<Self> {
        Self::open_async(&Adapter::First, Options::default()).await
    }

    /// Opens an adapter with `options`.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where there is no such adapter, [`Error::Device`] where it cannot be
    /// opened.
    pub fn open(adapter: &Adapter, options: Options) -> Result<Self> {
        block_on(Self::open_async(adapter, options))
    }

    /// [`Gpu::open`] for the browser.
    pub async fn open_async(adapter: &Adapter, options: Options) -> Result<Self> {
        Self::of(&adapter::choose(adapter::enumerate().await?, adapter)?, options).await
    }

    /// Opens the device of an adapter.
    async fn of(adapter: &wgpu::Adapter, options: Options) -> Result<Self> {
        let wanted = options.wanted_features() & adapter.features();
        let limits = if options.full_limits { adapter.limits() } else { wgpu::Limits::default() };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("wgalois"),
            required_features: wanted,
            required_limits: limits.clone(),
            // Small blocks: while the staging buffers fill the first blocks, every small
            // buffer takes and gives back a block of its own, and pinning 64 MiB of host
            // memory for each took longer than most kernels. Larger buffers stand alone.
            memory_hints: wgpu::MemoryHints::Manual { suballocated_device_memory_block_size: BLOCK..BLOCK },
            ..wgpu::DeviceDescriptor::default()
        };
        let opened = adapter.request_device(&descriptor).await;
        let (device, queue) = opened.map_err(|e| Error::Device(format!("cannot open the device: {e}")))?;

        let faults = Arc::new(Faults::default());
        let reported = Arc::clone(&faults);
        device.on_uncaptured_error(Arc::new(move |e| reported.report(from_wgpu(e))));
        let reported = Arc::clone(&faults);
        device.set_device_lost_callback(move |_, message| {
            reported.lost.store(true, Ordering::SeqCst);
            reported.report(Error::DeviceLost(message));
        });

        let description = AdapterDescription::of(adapter);
        let cache = (options.cache && wanted.contains(wgpu::Features::PIPELINE_CACHE))
            .then(|| DiskCache::open(&device, &adapter.get_info()))
            .flatten();
        Ok(Gpu {
            opened: Arc::new(Opened {
                pipelines: Pipelines::new(cache),
                arithmetic: Arithmetic {
                    int64: wanted.contains(wgpu::Features::SHADER_INT64),
                    subgroups: wanted.contains(wgpu::Features::SUBGROUP),
                },
                timestamps: wanted.contains(wgpu::Features::TIMESTAMP_QUERY),
                staging: Staging::default(),
                pace: Mutex::new(Pace::new(description.is_software())),
                adapter: description,
                device,
                queue,
                limits,
                faults,
            }),
            usage: Arc::new(Usage::new(options)),
        })
    }

    /// The same device, opened once and with one set of compiled kernels, with other `options`:
    /// memory, chunks, checks, profile, timeline. Features and limits stay those it was opened with.
    #[must_use]
    pub fn with_options(&self, options: Options) -> Self {
        let Options { int64, subgroups, full_limits, cache, .. } = *self.options();
        let options = Options { int64, subgroups, full_limits, cache, ..options };
        Gpu { opened: Arc::clone(&self.opened), usage: Arc::new(Usage::new(options)) }
    }

    /// What plans need to know of the device, which takes `startup` until it can be used.
    pub(crate) fn profile(&self, startup: Duration) -> Profile {
        self.adapter().profile(self.options(), startup)
    }

    /// What the adapter is and can do.
    pub fn adapter(&self) -> &AdapterDescription {
        &self.opened.adapter
    }

    /// The options that it was opened with.
    pub fn options(&self) -> &Options {
        &self.usage.options
    }

    /// The limits in force.
    pub fn limits(&self) -> &wgpu::Limits {
        &self.opened.limits
    }

    /// What kernels may use here.
    pub fn arithmetic(&self) -> Arithmetic {
        self.opened.arithmetic
    }

    /// Whether dispatches can be timed by the device's clock.
    pub fn has_timestamps(&self) -> bool {
        self.opened.timestamps
    }

    /// The record of what this device did when.
    pub fn timeline(&self) -> &Timeline {
        &self.usage.timeline
    }

    /// Elements of a chunk of a [`DeviceVec`]: the largest power of two that a binding holds.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] for an element larger than a binding.
    pub fn chunk_len<T>(&self) -> Result<usize> {
        self.binding_len::<T>().map(|elements| 1 << elements.ilog2())
    }

    /// Elements that a binding holds, which need not be a power of two.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] for an element larger than a binding.
    pub fn binding_len<T>(&self) -> Result<usize> {
        self.elements_within::<T>(self.options().max_chunk_bytes)
    }

    /// A device vector of `len` zeros in one buffer, for kernels that bind it as a whole.
    ///
    /// # Errors
    /// As [`Gpu::zeros`]; a vector longer than [`Gpu::binding_len`] fails where it is bound.
    pub fn zeros_whole<T: bytemuck::Pod>(&self, len: usize) -> Result<DeviceVec<T>> {
        DeviceVec::new(self, len, self.binding_len::<T>()?)
    }

    /// A device vector of `len` zeros.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] past the device's memory or [`Options::memory`].
    pub fn zeros<T: bytemuck::Pod>(&self, len: usize) -> Result<DeviceVec<T>> {
        DeviceVec::new(self, len, self.chunk_len::<T>()?)
    }

    /// Copies `data` to the device.
    ///
    /// # Errors
    /// As [`Gpu::zeros`], and [`Error::DeviceLost`].
    pub fn upload<T: bytemuck::Pod>(&self, data: &[T]) -> Result<DeviceVec<T>> {
        let mut vector = self.zeros(data.len())?;
        vector.write(0, data)?;
        Ok(vector)
    }

    /// Copies a table, which kernels bind as a whole, to the device.
    ///
    /// # Errors
    /// As [`Gpu::upload`]; a table longer than a binding fails where it is bound.
    pub fn upload_table<T: bytemuck::Pod>(&self, data: &[T]) -> Result<DeviceVec<T>> {
        let mut vector = DeviceVec::new(self, data.len(), self.elements_within::<T>(u64::MAX)?)?;
        vector.write(0, data)?;
        Ok(vector)
    }

    /// Elements that both a binding and so many bytes hold.
    fn elements_within<T>(&self, most_bytes: u64) -> Result<usize> {
        let limits = self.limits();
        let bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size).min(most_bytes);
        match bytes / (size_of::<T>() as u64).max(1) {
            0 => Err(Error::OutOfMemory("an element is larger than a binding".into())),
            elements => Ok(elements as usize),
        }
    }

    /// Begins to record work.
    pub fn record(&self) -> Recorder<'_> {
        Recorder::new(self, true)
    }

    /// Begins to record work that must be one submission, to be timed.
    pub(super) fn record_whole(&self) -> Recorder<'_> {
        Recorder::new(self, false)
    }

    /// Runs `work`, and tells the device's own time for all that it submitted. Each submission is
    /// waited for, so that what the host does between them does not count.
    ///
    /// # Errors
    /// Those of `work`; [`Error::Device`] where the device has no timestamps.
    pub fn device_time<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
        *lock(&self.usage.stopwatch) = Some(Duration::ZERO);
        let result = work();
        let spent = lock(&self.usage.stopwatch).take();
        Ok((result?, spent.unwrap_or_default()))
    }

    /// Whether somebody times the device.
    pub(super) fn is_timed(&self) -> bool {
        lock(&self.usage.stopwatch).is_some()
    }

    /// Adds to the time of who times the device.
    pub(super) fn spend(&self, time: Duration) {
        if let Some(spent) = lock(&self.usage.stopwatch).as_mut() {
            *spent += time;
        }
    }

    /// Has the driver call back for whatever is done by now.
    pub(super) fn poll(&self) -> Result<()> {
        let polled = self.opened.device.poll(wgpu::PollType::Poll);
        polled.map(drop).map_err(|e| Error::DeviceLost(e.to_string()))
    }

    /// The first fault that the driver reported since the last call.
    pub fn check(&self) -> Result<()> {
        if let Some(fault) = lock(&self.opened.faults.first).take() {
            return Err(fault);
        }
        if self.opened.faults.lost.load(Ordering::SeqCst) {
            return Err(Error::DeviceLost("the device was lost earlier".into()));
        }
        Ok(())
    }

    /// Gives the device up: every later call answers [`Error::DeviceLost`].
    pub fn destroy(&self) {
        self.opened.device.destroy();
        self.opened.faults.lost.store(true, Ordering::SeqCst);
    }

    /// Destroys the device before the submission that [`Options::lose_after`] names. Nothing else is
    /// told: how the loss comes to light is what is tested.
    pub(super) fn lose_if_asked(&self) {
        if let Some(count) = self.options().lose_after
            && self.usage.submissions.fetch_add(1, Ordering::SeqCst) == count
        {
            self.opened.device.destroy();
        }
    }

    pub(super) fn queue(&self) -> &wgpu::Queue {
        &self.opened.queue
    }

    pub(super) fn compiled(&self) -> &Pipelines {
        &self.opened.pipelines
    }

    pub(super) fn staging(&self) -> &Staging {
        &self.opened.staging
    }

    pub(super) fn pace(&self) -> MutexGuard<'_, Pace> {
        lock(&self.opened.pace)
    }

    /// The device memory in use, against the caller's limit.
    pub(super) fn memory(&self) -> &Memory {
        &self.usage.memory
    }

    /// Refuses work that takes `bytes` of device memory beside what is in use, before it begins.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] with what it would take, where that passes [`Options::memory`].
    pub fn need(&self, bytes: u64, what: &str) -> Result<()> {
        self.usage.memory.need(bytes, what)
    }
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gpu({}, {})", self.adapter().name, self.adapter().backend)
    }
}

impl Usage {
    fn new(options: Options) -> Self {
        Usage {
            timeline: options.timeline.clone(),
            stopwatch: Mutex::default(),
            memory: Memory::new(options.memory),
            submissions: AtomicU64::new(0),
            options,
        }
    }
}

impl Faults {
    fn report(&self, fault: Error) {
        lock(&self.first).get_or_insert(fault);
    }
}

/// Locks also after another thread panicked while it held the lock: the maps and lists
/// behind these locks are whole at any moment.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn from_wgpu(e: wgpu::Error) -> Error {
    match e {
        wgpu::Error::OutOfMemory { source } => Error::OutOfMemory(format!("on the device: {source}").into()),
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            Error::Device(description)
        }
    }
}
