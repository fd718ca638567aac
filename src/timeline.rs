//! What happened when: the one record behind the times of `--json` and the timeline of
//! `--trace`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use web_time::Instant;

/// What a span of time was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Reading and parsing files.
    Reading,
    /// Building pipelines and tables.
    Preparing,
    /// Host memory to device memory.
    Upload,
    /// Kernels on the device, by its own clock where it has one.
    Device,
    /// The CPU engine at work.
    Host,
    /// The host waiting for the device.
    Waiting,
    /// Device memory to host memory.
    Download,
    /// Verifying a result.
    Checking,
    /// Formatting and writing files.
    Writing,
}

#[derive(Clone, Debug)]
struct Span {
    phase: Phase,
    name: String,
    start: Duration,
    length: Duration,
}

#[derive(Debug, Default)]
struct Record {
    spans: Vec<Span>,
    dispatches: BTreeMap<String, u64>,
}

/// A record of spans and of dispatches a stage; clones share it.
#[derive(Clone, Debug)]
pub struct Timeline {
    zero: Instant,
    record: Arc<Mutex<Record>>,
}

impl Default for Timeline {
    fn default() -> Self {
        Timeline { zero: Instant::now(), record: Arc::default() }
    }
}

impl Timeline {
    /// Runs `work` and records how long it took.
    pub fn time<T>(&self, phase: Phase, name: &str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.push(phase, name, start, start.elapsed());
        result
    }

    /// Records a span that began at `start`.
    pub fn push(&self, phase: Phase, name: &str, start: Instant, length: Duration) {
        let start = start.saturating_duration_since(self.zero);
        self.lock().spans.push(Span { phase, name: name.to_owned(), start, length });
    }

    /// Counts `count` dispatches of the stage `name`.
    pub fn count(&self, name: &str, count: u64) {
        *self.lock().dispatches.entry(name.to_owned()).or_default() += count;
    }

    /// The dispatches of every stage so far.
    pub fn dispatches(&self) -> BTreeMap<String, u64> {
        self.lock().dispatches.clone()
    }

    /// The time spent in each phase so far.
    pub fn totals(&self) -> BTreeMap<Phase, Duration> {
        let mut totals = BTreeMap::new();
        for span in &self.lock().spans {
            *totals.entry(span.phase).or_default() += span.length;
        }
        totals
    }

    /// The time spent in spans of one phase, by their names.
    pub fn by_name(&self, phase: Phase) -> BTreeMap<String, Duration> {
        let mut totals = BTreeMap::new();
        for span in self.lock().spans.iter().filter(|span| span.phase == phase) {
            *totals.entry(span.name.clone()).or_default() += span.length;
        }
        totals
    }

    /// The timeline in the Trace Event Format that Perfetto and chrome://tracing open.
    /// The device's kernels have a track of their own beside the host's.
    pub fn to_perfetto(&self) -> serde_json::Value {
        let track = |phase: Phase| if phase == Phase::Device { 2 } else { 1 };
        let named = |id: u32, name: &str| serde_json::json!({"name": "thread_name", "ph": "M", "pid": 1, "tid": id, "args": {"name": name}});
        let mut events = vec![named(1, "host"), named(2, "device")];
        events.extend(self.lock().spans.iter().map(|span| {
            serde_json::json!({
                "name": span.name,
                "cat": span.phase,
                "ph": "X",
                "pid": 1,
                "tid": track(span.phase),
                "ts": span.start.as_secs_f64() * 1e6,
                "dur": span.length.as_secs_f64() * 1e6,
            })
        }));
        serde_json::json!({ "traceEvents": events, "displayTimeUnit": "ns" })
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        // A poisoned record is still a record: its writers only push.
        self.record.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
