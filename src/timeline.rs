//! The record of time spans from which the times in `--json` and the timeline of `--trace` are made.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use web_time::Instant;

/// The kind of work in a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Reading and parsing files.
    Reading,
    /// Building pipelines and tables.
    Preparing,
    /// Copying from host memory to device memory.
    Upload,
    /// Kernels on the device, timed by its own clock if it has one.
    Device,
    /// Computing on the CPU engine.
    Host,
    /// Waiting for the device.
    Waiting,
    /// Copying from device memory to host memory.
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

/// A record of time spans and of the dispatches of each stage. Clones share it.
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
    /// Runs `work` and records its time as a span.
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

    /// Adds `count` dispatches to the stage `name`.
    pub fn count(&self, name: &str, count: u64) {
        *self.lock().dispatches.entry(name.to_owned()).or_default() += count;
    }

    /// Returns the number of dispatches of every stage so far.
    pub fn dispatches(&self) -> BTreeMap<String, u64> {
        self.lock().dispatches.clone()
    }

    /// Returns the time spent in each phase so far. Overlapping spans of a phase count once, except in
    /// [`Phase::Device`], where every span counts in full.
    pub fn totals(&self) -> BTreeMap<Phase, Duration> {
        let mut spans: Vec<_> =
            self.lock().spans.iter().map(|span| (span.start, span.length, span.phase)).collect();
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

    /// Returns the total time of the spans of one phase, by name.
    pub fn by_name(&self, phase: Phase) -> BTreeMap<String, Duration> {
        let mut totals = BTreeMap::new();
        for span in self.lock().spans.iter().filter(|span| span.phase == phase) {
            *totals.entry(span.name.clone()).or_default() += span.length;
        }
        totals
    }

    /// Returns the timeline in the Trace Event Format, which Perfetto and chrome://tracing open.
    /// The host and the device's kernels have a track each. Preparation has as many tracks as there are
    /// threads preparing at the same time.
    pub fn to_perfetto(&self) -> serde_json::Value {
        let named = |id: usize, name: &str| serde_json::json!({"name": "thread_name", "ph": "M", "pid": 1, "tid": id, "args": {"name": name}});
        let mut events = vec![named(1, "host"), named(2, "device")];
        let mut spans = self.lock().spans.clone();
        spans.sort_by_key(|span| span.start);
        // The time at which each track of preparation is free again.
        let mut free: Vec<Duration> = Vec::new();
        for span in spans {
            let track = match span.phase {
                Phase::Device => 2,
                Phase::Preparing => {
                    let lane = free.iter().position(|&free| free <= span.start).unwrap_or_else(|| {
                        free.push(Duration::ZERO);
                        events.push(named(2 + free.len(), "preparing"));
                        free.len() - 1
                    });
                    free[lane] = span.start + span.length;
                    3 + lane
                }
                _ => 1,
            };
            events.push(serde_json::json!({
                "name": span.name,
                "cat": span.phase,
                "ph": "X",
                "pid": 1,
                "tid": track,
                "ts": span.start.as_secs_f64() * 1e6,
                "dur": span.length.as_secs_f64() * 1e6,
            }));
        }
        serde_json::json!({ "traceEvents": events, "displayTimeUnit": "ns" })
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        // A record stays valid if a writer panics: writers only append.
        self.record.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_counts_once_except_on_the_device() {
        let timeline = Timeline::default();
        let ms = Duration::from_millis;
        let spans = [(0, 10), (5, 3), (8, 4), (20, 1)];
        for (start, length) in spans {
            for phase in [Phase::Preparing, Phase::Device] {
                timeline.push(phase, "x", timeline.zero + ms(start), ms(length));
            }
        }
        let totals = timeline.totals();
        assert_eq!((totals[&Phase::Preparing], totals[&Phase::Device]), (ms(13), ms(18)));
        let trace = timeline.to_perfetto();
        let events = trace["traceEvents"].as_array().unwrap();
        let tracks = events.iter().filter(|e| e["cat"] == "preparing").map(|e| e["tid"].as_u64().unwrap());
        assert_eq!(tracks.collect::<Vec<_>>(), [3, 4, 4, 3]);
    }
}
