//! The record of timed work from which the times in `--json`, the timeline of `--trace` and the
//! summary of `--profile` are made.

mod event;
mod meter;
mod perfetto;
mod summary;
#[cfg(test)]
mod tests;
mod threads;

pub use event::{Event, Launch, Phase, Recording};
pub use meter::{Limit, Progress, Stop};
pub use meter::{Mark, Meter, Stages, late};
pub use summary::{Basis, Busy, Calls, Idle, Summary, Worker};
pub use threads::ThreadTime;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use web_time::Instant;

use threads::Watch;

use crate::Result;

#[derive(Debug, Default)]
struct Record {
    events: Vec<Event>,
    /// By device of a group, then by stage.
    dispatches: BTreeMap<Option<usize>, BTreeMap<String, u64>>,
    watch: Watch,
}

/// What a timeline keeps, besides the number of dispatches of each stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    /// No events: the record does not grow with the work.
    Counts,
    /// The events of the phases.
    Events,
    /// Also what only a profile needs.
    Profile,
}

/// A record of events and of the dispatches of each stage. Clones share it.
///
/// The timeline of a device that nobody asks for a record ([`Timeline::default`]) keeps no events, so that it does not grow
/// however long the device is used. [`Timeline::with_events`] keeps those of the phases, [`Timeline::detailed`] all.
///
/// ```
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::{self, Transform};
/// use wgalois::timeline::{Phase, Timeline};
/// use wgalois::{Cpu, Device};
///
/// let timeline = Timeline::with_events();
/// let device = Device::Cpu(Cpu { timeline: timeline.clone(), ..Cpu::default() });
/// ntt::transform(&device, &Transform::new(BABY_BEAR, 4)?, &mut [1, 2, 3, 4])?;
/// assert!(timeline.totals().contains_key(&Phase::Host));
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Timeline {
    zero: Instant,
    detail: Detail,
    /// The device of a group whose events this handle records.
    device: Option<usize>,
    record: Arc<Mutex<Record>>,
    meters: Arc<Mutex<meter::Meters>>,
}

impl Default for Timeline {
    fn default() -> Self {
        Timeline {
            zero: Instant::now(),
            detail: Detail::Counts,
            device: None,
            record: Arc::default(),
            meters: Arc::default(),
        }
    }
}

/// A task of a worker thread, recorded when it is dropped.
pub struct Task<'a> {
    timeline: &'a Timeline,
    thread: usize,
    name: &'static str,
    start: Instant,
}

impl Drop for Task<'_> {
    fn drop(&mut self) {
        self.timeline.push_task(self.thread, self.name, self.start, self.start.elapsed());
    }
}

impl Timeline {
    /// Creates a timeline that keeps the events of the phases: transfers, waits, compilations, work of the host, and
    /// dispatches that the device's clock times. It grows with every call.
    pub fn with_events() -> Self {
        Timeline { detail: Detail::Events, ..Timeline::default() }
    }

    /// Creates a timeline that also records what only a profile needs: mappings, dispatches that the
    /// device's clock does not time, tasks of worker threads, and processor times of threads.
    pub fn detailed() -> Self {
        Timeline { detail: Detail::Profile, ..Timeline::default() }
    }

    /// Returns a handle to the same record that keeps events at least.
    #[must_use]
    pub fn keeping_events(&self) -> Self {
        Timeline { detail: self.detail.max(Detail::Events), ..self.clone() }
    }

    /// Returns a handle to the same record whose events and dispatches belong to device `number` of a group.
    #[must_use]
    pub fn of_device(&self, number: usize) -> Self {
        Timeline { device: Some(number), ..self.clone() }
    }

    /// True if the timeline records what only a profile needs; see [`Timeline::detailed`].
    pub fn is_detailed(&self) -> bool {
        self.detail == Detail::Profile
    }

    /// Keeps an event, if events are kept.
    fn keep(&self, event: impl FnOnce() -> Event) {
        if self.detail >= Detail::Events {
            self.lock().events.push(event());
        }
    }

    /// The progress of the work under way, if its amount was known in advance: eliminations, products over GF(2) on the
    /// CPU engine. `None` if no such work runs.
    pub fn progress(&self) -> Option<Progress> {
        meter::lock(&self.meters).progress()
    }

    /// Ends the work on this timeline's devices at `end` with [`Error::Stopped`](crate::Error::Stopped), until the
    /// result is dropped. Eliminations of dense matrices look at it after some blocks of columns, searches and
    /// simplifications of Boolean equations as they go; other work does not.
    ///
    /// ```
    /// use std::time::Instant;
    /// use wgalois::gf2::{self, BitMatrix};
    /// use wgalois::{Cpu, Device, Error};
    ///
    /// let device = Device::Cpu(Cpu::default());
    /// let limit = device.timeline().limited(Some(Instant::now()));
    /// let matrix = BitMatrix::identity(70)?;
    /// assert!(matches!(gf2::rank(&device, &matrix), Err(Error::Stopped(_))));
    /// drop(limit);
    /// assert_eq!(gf2::rank(&device, &matrix)?, 70);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn limited(&self, end: Option<Instant>) -> Limit {
        Limit::begin(&self.meters, end)
    }

    /// Ends the work on this timeline's devices as soon as it can with [`Error::Stopped`](crate::Error::Stopped), until
    /// the result is dropped. Another thread may call it at any time.
    ///
    /// All work on a GPU looks at it before each submission, and work that was submitted goes on to its end. On the CPU
    /// engine eliminations and products over GF(2) look at it after some columns or rows, transforms of a batch modulo a
    /// prime after some vectors, and multi-scalar multiplications after each vector of scalars or 2^24 points; other work
    /// does not.
    ///
    /// ```
    /// use wgalois::gf2::{self, BitMatrix};
    /// use wgalois::{Cpu, Device, Error};
    ///
    /// let device = Device::Cpu(Cpu::default());
    /// let matrix = BitMatrix::identity(70)?;
    /// let stop = device.timeline().stop();
    /// assert!(matches!(gf2::rank(&device, &matrix), Err(Error::Stopped(_))));
    /// drop(stop);
    /// assert_eq!(gf2::rank(&device, &matrix)?, 70);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn stop(&self) -> Stop {
        Stop::begin(&self.meters)
    }

    /// Returns an error if work is stopped, whatever its limit: the state of a search that a limit ends is kept.
    pub fn check_stop(&self) -> Result<()> {
        meter::lock(&self.meters).check_stop()
    }

    /// Returns an error if work is to end.
    pub fn check(&self) -> Result<()> {
        meter::lock(&self.meters).check()
    }

    /// True if work is to end at some time.
    pub fn is_limited(&self) -> bool {
        meter::lock(&self.meters).is_limited()
    }

    /// Begins work of this amount, in any unit.
    pub fn meter(&self, total: u64) -> Meter {
        Meter::begin(&self.meters, self.device, total)
    }

    /// Begins work in stages of these amounts, in any unit.
    pub fn stages(&self, amounts: &[u64]) -> Stages {
        Stages::begin(&self.meters, self.device, amounts)
    }

    /// All shares of the work that were noted so far.
    #[cfg(test)]
    pub fn shares(&self) -> Vec<f64> {
        meter::lock(&self.meters).history.clone()
    }

    /// Runs `work` and records its time as an event.
    pub fn time<T>(&self, phase: Phase, name: &str, work: impl FnOnce() -> T) -> T {
        let start = self.begin(phase);
        let result = work();
        self.end(phase, name, start);
        result
    }

    /// Begins an event of this thread.
    fn begin(&self, phase: Phase) -> Instant {
        if self.watches(phase) {
            self.lock().watch.begin();
        }
        Instant::now()
    }

    /// Ends the event that began at `start`, and records it.
    fn end(&self, phase: Phase, name: &str, start: Instant) {
        let length = start.elapsed();
        if self.watches(phase) {
            self.lock().watch.end();
        }
        self.push(phase, name, start, length);
    }

    /// True if the processor times of threads are recorded during events of this phase.
    fn watches(&self, phase: Phase) -> bool {
        self.is_detailed() && phase == Phase::Host
    }

    /// An event of this handle's device.
    fn event(&self, phase: Phase, name: &str, start: Duration, length: Option<Duration>) -> Event {
        let (name, device) = (name.to_owned(), self.device);
        Event { phase, name, kernel: None, start, length, bytes: 0, launch: None, thread: None, device }
    }

    /// Records an event that began at `start`.
    pub fn push(&self, phase: Phase, name: &str, start: Instant, length: Duration) {
        self.push_copy(phase, name, start, length, 0);
    }

    /// Records an event that copied `bytes`.
    pub fn push_copy(&self, phase: Phase, name: &str, start: Instant, length: Duration, bytes: u64) {
        self.keep(|| Event { bytes, ..self.event(phase, name, self.since_zero(start), Some(length)) });
    }

    /// Records a task of a worker thread, which has a track of its own in [`Timeline::to_perfetto`].
    /// Does nothing unless the timeline [is detailed](Timeline::is_detailed).
    pub fn push_task(&self, thread: usize, name: &str, start: Instant, length: Duration) {
        if self.is_detailed() {
            let event = || self.event(Phase::Host, name, self.since_zero(start), Some(length));
            self.keep(|| Event { thread: Some(thread), ..event() });
        }
    }

    /// Begins a task of a worker thread, which ends and is recorded when the result is dropped. `None`, at no
    /// cost, unless the timeline [is detailed](Timeline::is_detailed).
    pub fn task(&self, thread: usize, name: &'static str) -> Option<Task<'_>> {
        self.is_detailed().then(|| Task { timeline: self, thread, name, start: Instant::now() })
    }

    /// Begins a task of the thread that calls, by its number in its pool.
    pub fn task_here(&self, name: &'static str) -> Option<Task<'_>> {
        self.task(rayon::current_thread_index().unwrap_or(0), name)
    }

    /// Records a dispatch that began at `start`, counted from the creation of the timeline; `length` is
    /// `None` if the device's clock did not time it.
    pub fn push_dispatch(
        &self,
        kernel: &'static str,
        stage: &str,
        launch: Launch,
        start: Duration,
        length: Option<Duration>,
    ) {
        let event = || self.event(Phase::Device, stage, start, length);
        self.keep(|| Event { kernel: Some(kernel), launch: Some(launch), ..event() });
    }

    /// Returns the time from the creation of the timeline to `instant`.
    pub fn since_zero(&self, instant: Instant) -> Duration {
        instant.saturating_duration_since(self.zero)
    }

    /// Adds `count` dispatches to the stage `name`.
    pub fn count(&self, name: &str, count: u64) {
        let mut record = self.lock();
        let stages = record.dispatches.entry(self.device).or_default();
        *stages.entry(name.to_owned()).or_default() += count;
    }

    /// Returns the number of dispatches of every stage so far, on all devices.
    pub fn dispatches(&self) -> BTreeMap<String, u64> {
        let mut all = BTreeMap::new();
        for (stage, count) in self.lock().dispatches.values().flatten() {
            *all.entry(stage.clone()).or_default() += count;
        }
        all
    }

    /// Returns the number of dispatches of every stage so far on device `number` of a group.
    pub fn dispatches_of(&self, number: usize) -> BTreeMap<String, u64> {
        self.lock().dispatches.get(&Some(number)).cloned().unwrap_or_default()
    }

    /// Returns a copy of all events so far; none unless the timeline keeps [events](Self::with_events).
    pub fn recording(&self) -> Recording {
        let record = self.lock();
        Recording { events: record.events.clone(), threads: record.watch.times() }
    }

    /// Returns the summary of the run so far, from the creation of the timeline to now.
    pub fn summary(&self, worker: Worker) -> Summary {
        Summary::of(&self.recording(), self.zero.elapsed(), worker)
    }

    /// Returns the time spent in each phase so far, if the timeline keeps [events](Self::with_events). Overlapping events of a phase count once, except in
    /// [`Phase::Device`], where every event counts in full.
    pub fn totals(&self) -> BTreeMap<Phase, Duration> {
        self.totals_where(|_| true)
    }

    /// Returns the time that device `number` of a group has spent in each phase so far, as
    /// [`totals`](Self::totals) counts it.
    pub fn totals_of(&self, number: usize) -> BTreeMap<Phase, Duration> {
        self.totals_where(|event| event.device == Some(number))
    }

    /// Returns the [`totals`](Self::totals) and forgets the events, so that the record of a device that stays open does not
    /// grow. The numbers of dispatches stay.
    pub fn take_totals(&self) -> BTreeMap<Phase, Duration> {
        let events = std::mem::take(&mut self.lock().events);
        totals_of(&events, |_| true)
    }

    fn totals_where(&self, counts: impl Fn(&Event) -> bool) -> BTreeMap<Phase, Duration> {
        totals_of(&self.lock().events, counts)
    }

    /// Returns the total time of the events of one phase, by name.
    pub fn by_name(&self, phase: Phase) -> BTreeMap<String, Duration> {
        let mut totals = BTreeMap::new();
        let record = self.lock();
        for event in record.events.iter().filter(|event| event.phase == phase && event.thread.is_none()) {
            if let Some(length) = event.length {
                *totals.entry(event.name.clone()).or_default() += length;
            }
        }
        totals
    }

    /// Returns the timeline in the Trace Event Format, which Perfetto and chrome://tracing open.
    /// The host, the device's kernels and every worker thread have a track each. Preparation has as many
    /// tracks as there are threads preparing at the same time.
    pub fn to_perfetto(&self) -> serde_json::Value {
        perfetto::trace(self.recording().events)
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        // A record stays valid if a writer panics: writers only append.
        self.record.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The time spent in each phase by the events that count.
fn totals_of(events: &[Event], counts: impl Fn(&Event) -> bool) -> BTreeMap<Phase, Duration> {
    let timed = events.iter().filter(|event| event.thread.is_none() && counts(event));
    let mut spans: Vec<_> =
        timed.filter_map(|event| Some((event.start, event.length?, event.phase))).collect();
    spans.sort_unstable();
    let (mut totals, mut ends) = (BTreeMap::new(), BTreeMap::new());
    for (start, length, phase) in spans {
        let end: &mut Duration = ends.entry(phase).or_default();
        let counted = if phase == Phase::Device { Duration::ZERO } else { end.saturating_sub(start) };
        *totals.entry(phase).or_default() += length.saturating_sub(counted);
        *end = (*end).max(start + length);
    }
    totals
}

/// The name of an event that is part of something with the name `part`.
pub fn named(part: &str, event: &str) -> String {
    if part.is_empty() { event.to_owned() } else { format!("{part}: {event}") }
}
