//! An open device: its queue, limits, pipelines and errors.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use self::faults::Faults;
use super::adapter::AdapterDescription;
use super::bindings::Bindings;
use super::device_record::DeviceRecord;
use super::kernel::{Arithmetic, Family};
use super::memory::{Count, Memory};
use super::options::Options;
use super::pipelines::Pipelines;
use super::pool::Pool;
use super::profile::GpuProfile;
use super::staging::Staging;
use super::submission_queue::SubmissionQueue;
use super::timestamps::Profiled;
use super::translations::Translations;
use super::watchdog::Watchdog;
use crate::lock::lock;
use crate::timeline::Timeline;
use crate::{Error, Result};

mod faults;
mod idle;
#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg_attr(feature = "cpu-only", path = "device/closed.rs")]
mod open;
#[cfg(target_arch = "wasm32")]
mod web;

/// An open device. Clones share it; dropping the last clone closes it.
#[derive(Clone)]
pub struct Gpu {
    pub(super) opened: Arc<Opened>,
    pub(super) usage: Arc<Usage>,
    /// Nothing has this type without GPUs, so that the compiler leaves out what uses one.
    #[cfg(feature = "cpu-only")]
    pub(crate) never: std::convert::Infallible,
}

/// The state that exists once per open device, shared by all its options.
pub(super) struct Opened {
    /// The first field, since it is dropped first: it saves the pipelines while the device still exists.
    pub(super) pipelines: Pipelines,
    pub(super) translations: Option<Translations>,
    device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    adapter: AdapterDescription,
    /// The adapter's place among all; `None` if a program opened the device.
    index: Option<usize>,
    limits: wgpu::Limits,
    arithmetic: Arithmetic,
    /// The time to find the adapters and to open this one.
    opening: Duration,
    timestamps: bool,
    pub(super) staging: Arc<Staging>,
    pool: Mutex<Pool>,
    pub(super) gathered: Mutex<SubmissionQueue>,
    bindings: Mutex<Bindings>,
    watchdog: Mutex<Watchdog>,
    faults: Arc<Faults>,
    /// With OpenGL, held during each call to the driver; see [`Gpu::driver`].
    driver: Option<Mutex<()>>,
    /// The bytes of all vectors.
    vector_bytes: Count,
}

/// The options under which a device is used, with the records of its use.
pub(super) struct Usage {
    options: Options,
    timeline: Timeline,
    /// The device time so far, while [`Gpu::device_time`] runs.
    stopwatch: Mutex<Option<Duration>>,
    pub(super) memory: Memory,
    record: Arc<DeviceRecord>,
    /// The submissions whose timestamps are still to be read.
    profiled: Mutex<Profiled>,
    /// The number of submissions so far; counted only with [`Options::lose_after`].
    submissions: AtomicU64,
}

impl Gpu {
    /// Returns the same open device, sharing its compiled kernels, with other `options`: memory, chunks,
    /// checks, profile, timeline. Features, limits and the pipeline cache stay as they were opened.
    #[must_use]
    pub fn with_options(&self, options: Options) -> Self {
        let Options { int64, compact, few_registers, subgroups, full_limits, cache, .. } = *self.options();
        let options = Options { int64, compact, few_registers, subgroups, full_limits, cache, ..options };
        self.used(options, Arc::clone(&self.usage.record))
    }

    /// Returns the options of devices that take the other texts with 64-bit integers, for tests of all: long ones for compact
    /// ones, or compact ones for long ones; and those for few registers, or not those.
    #[doc(hidden)]
    pub fn options_of_other_texts(&self) -> [Options; 2] {
        let Arithmetic { compact, few_registers, .. } = self.arithmetic();
        let of = |compact, few_registers| Options {
            compact: Some(compact),
            few_registers: Some(few_registers),
            ..self.options().clone()
        };
        [of(!compact, false), of(true, !few_registers)]
    }

    /// Returns the same open device with this record, by which later plans estimate times and later kernels choose their
    /// arithmetic. What was prepared before goes on as it is.
    #[must_use]
    pub fn with_record(&self, record: DeviceRecord) -> Self {
        self.used(self.options().clone(), Arc::new(record))
    }

    /// Called where many ways to GPUs pass. Without GPUs none is reached, and the compiler leaves out what leads there: it does
    /// not find out that nobody has a reference to one.
    #[inline(always)]
    pub(super) fn reached(&self) {
        #[cfg(feature = "cpu-only")]
        match self.never {}
    }

    /// The same open device with a use of its own.
    fn used(&self, options: Options, record: Arc<DeviceRecord>) -> Self {
        Gpu { usage: Arc::new(Usage::new(options, record, &self.opened)), ..self.clone() }
    }

    /// Returns the record of the device.
    pub fn device_record(&self) -> &DeviceRecord {
        &self.usage.record
    }

    /// Returns the properties that plans depend on.
    pub fn profile(&self) -> GpuProfile {
        GpuProfile { record: Arc::clone(&self.usage.record), ..self.adapter().profile(self.options()) }
    }

    /// Returns the time to find the adapters and to open this one.
    pub(super) fn opening(&self) -> Duration {
        self.opened.opening
    }

    /// True if both use the same open device, whatever their options: a vector of one can be used by the other. An adapter
    /// that is opened twice gives two devices.
    pub fn is_same_device(&self, other: &Gpu) -> bool {
        Arc::ptr_eq(&self.opened, &other.opened)
    }

    /// Returns an error unless all of `others`, which hold the data of some work, use this open device.
    pub fn expect_same_device<const N: usize>(&self, others: [&Gpu; N]) -> Result<()> {
        match others.iter().find(|other| !self.is_same_device(other)) {
            None => Ok(()),
            Some(other) => {
                let (first, second) = (self.adapter().name.clone(), other.adapter().name.clone());
                Err(Error::DifferentDevices { first, second })
            }
        }
    }

    /// Returns the description of the adapter.
    pub fn adapter(&self) -> &AdapterDescription {
        self.reached();
        &self.opened.adapter
    }

    /// Returns the adapter's index in the list of [`adapters`](super::adapters) when it was opened; `None` for a device that a
    /// program opened itself.
    pub fn index(&self) -> Option<usize> {
        self.opened.index
    }

    /// True once the device was lost: every later call returns [`Error::DeviceLost`].
    pub fn is_lost(&self) -> bool {
        self.opened.faults.is_lost()
    }

    /// Returns the options of this device.
    pub fn options(&self) -> &Options {
        self.reached();
        &self.usage.options
    }

    /// Returns the limits in force.
    pub fn limits(&self) -> &wgpu::Limits {
        &self.opened.limits
    }

    /// Returns the optional features that the arithmetic of kernels may use.
    pub fn arithmetic(&self) -> Arithmetic {
        self.opened.arithmetic
    }

    /// Returns the arithmetic of kernels that multiply numbers of this family.
    pub fn arithmetic_of(&self, family: Family) -> Arithmetic {
        self.usage.record.arithmetic_of(self.arithmetic(), family)
    }

    /// True if dispatches can be timed by the device's clock.
    pub fn has_timestamps(&self) -> bool {
        self.opened.timestamps
    }

    /// Returns the record of this device's work.
    pub fn timeline(&self) -> &Timeline {
        self.reached();
        &self.usage.timeline
    }

    /// Runs `work` and returns its result with the device time of all its submissions. The host waits for
    /// each submission, so that its own work between them does not count.
    pub fn device_time<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
        *lock(&self.usage.stopwatch) = Some(Duration::ZERO);
        let result = work();
        let spent = lock(&self.usage.stopwatch).take();
        Ok((result?, spent.unwrap_or_default()))
    }

    /// True while [`Gpu::device_time`] runs.
    pub(super) fn is_timed(&self) -> bool {
        lock(&self.usage.stopwatch).is_some()
    }

    /// Adds `time` to the result of [`Gpu::device_time`], if that runs.
    pub(super) fn spend(&self, time: Duration) {
        if let Some(spent) = lock(&self.usage.stopwatch).as_mut() {
            *spent += time;
        }
    }

    /// Holds the driver for one call if it takes one thread at a time. OpenGL's contexts belong to one thread,
    /// and wgpu panics if a thread waits for another's context longer than 1 s (WGL) or 6 s (EGL), so the
    /// threads wait here. Calls do not nest.
    pub(super) fn driver(&self) -> Option<MutexGuard<'_, ()>> {
        self.opened.driver.as_ref().map(lock)
    }

    /// Unmaps `buffer`.
    pub(super) fn unmap(&self, buffer: &wgpu::Buffer) {
        let _driver = self.driver();
        buffer.unmap();
    }

    /// Makes the driver run the callbacks of all work that is done.
    pub(super) fn poll(&self) -> Result<()> {
        let _driver = self.driver();
        let polled = self.opened.device.poll(wgpu::PollType::Poll);
        polled.map(drop).map_err(|e| self.lost(e.to_string()))
    }

    /// Notes that a call has found the device lost, so that every later call fails, and returns the error.
    pub(super) fn lost(&self, message: String) -> Error {
        self.opened.faults.destroyed();
        Error::DeviceLost(message)
    }

    /// Returns the first error that the driver reported since the last call.
    pub fn check(&self) -> Result<()> {
        self.opened.faults.check()
    }

    /// Destroys the device: every later call returns [`Error::DeviceLost`].
    pub fn destroy(&self) {
        self.opened.device.destroy();
        self.opened.faults.destroyed();
    }

    /// Destroys the device after the number of submissions in [`Options::lose_after`]. It does not record
    /// the loss: tests check that the crate detects it.
    pub(super) fn lose_if_asked(&self) {
        if let Some(count) = self.options().lose_after
            && self.usage.submissions.fetch_add(1, Ordering::SeqCst) == count
        {
            self.opened.device.destroy();
        }
    }

    pub(super) fn pool(&self) -> MutexGuard<'_, Pool> {
        lock(&self.opened.pool)
    }

    pub(super) fn bindings(&self) -> MutexGuard<'_, Bindings> {
        lock(&self.opened.bindings)
    }

    pub(super) fn profiled(&self) -> MutexGuard<'_, Profiled> {
        lock(&self.usage.profiled)
    }

    pub(super) fn watchdog(&self) -> MutexGuard<'_, Watchdog> {
        lock(&self.opened.watchdog)
    }

    /// Returns the bytes of device memory that vectors use.
    pub fn memory_in_use(&self) -> u64 {
        self.usage.memory.used()
    }

    /// Returns the bytes of device memory that vectors use, whatever the options with which the open device is used.
    pub(crate) fn memory_on_device(&self) -> u64 {
        self.usage.memory.on_device()
    }

    /// Returns the bytes of device memory that are left for new vectors, within [`Options::memory`] and what the driver
    /// reported ([`AdapterDescription::memory`]) when the device was opened.
    pub fn memory_left(&self) -> u64 {
        self.usage.memory.room()
    }

    /// Checks that `bytes` of device memory, in addition to those in use, are within [`Options::memory`].
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
    fn new(options: Options, record: Arc<DeviceRecord>, opened: &Opened) -> Self {
        let budget = match (opened.adapter.reported_memory(&options), options.memory) {
            (Some(memory), _) => memory.budget,
            (None, u64::MAX) => opened.adapter.memory_bound(&options),
            (None, _) => u64::MAX,
        };
        Usage {
            record,
            timeline: match options.profile {
                true => options.timeline.keeping_events(),
                false => options.timeline.clone(),
            },
            stopwatch: Mutex::default(),
            memory: Memory::new(options.memory, budget, Arc::clone(&opened.vector_bytes)),
            profiled: Mutex::default(),
            submissions: AtomicU64::new(0),
            options,
        }
    }
}
