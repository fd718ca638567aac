//! The summary of a run: each kind of call, the share of the time in which the device was busy, the
//! longest stretches in which it was not, and the busy time of threads. A pure function of the events.
//!
//! ```text
//! device      |####|   |######|            |###|       busy: the union of its events
//! idle   |----|    |---|      |------------|   |---|   the gaps within the wall time, longest first
//! host   [read ][prepare ]  [ download [wait  ] ]      in a gap the innermost event counts
//! ```

mod intervals;
mod json;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use super::{Event, Phase, Recording, ThreadTime};
use intervals::{busy_spans, idle, tasks, union};

/// The place where a run's main work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worker {
    /// A GPU: it is busy during events of [`Phase::Device`].
    Device,
    /// The CPU engine: it is busy during events of [`Phase::Host`].
    Threads,
}

/// A summary of a run.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The time from the begin of the run to its end.
    pub wall: Duration,
    /// The calls of each kind, in the order of [`Phase`]; within a kind the largest total first.
    pub calls: Vec<Calls>,
    /// The busy time of the device or the CPU engine.
    pub busy: Busy,
    /// The longest stretches in which it was not busy, longest first; empty if that is unknown.
    pub idle: Vec<Idle>,
    /// The busy time of each thread while the CPU engine worked: processor time where the system tells
    /// it, else the time of its recorded tasks.
    pub threads: Vec<ThreadTime>,
}

/// The calls of one kind. Calls of different kinds may lie within each other: a wait within a mapping
/// within a download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    /// The kind.
    pub phase: Phase,
    /// The kernel of dispatches, or the name of a step of the CPU engine; otherwise empty.
    pub name: String,
    /// The number of calls.
    pub count: u64,
    /// The number of calls whose time is known.
    pub timed: u64,
    /// The bytes copied by all calls.
    pub bytes: u64,
    /// The time of all timed calls.
    pub total: Duration,
    /// The least time of a timed call; zero if there is none.
    pub least: Duration,
    /// The largest time of a timed call.
    pub largest: Duration,
}

impl Calls {
    /// Returns the name of the kind for users.
    pub fn kind(&self) -> &'static str {
        match self.phase {
            Phase::Device => "dispatch",
            Phase::Waiting => "wait",
            Phase::Mapping => "map",
            Phase::Reading => "read",
            Phase::Preparing => "prepare",
            Phase::Host => "compute",
            Phase::Checking => "check",
            Phase::Writing => "write",
            Phase::Upload | Phase::Download => self.phase.name(),
        }
    }

    /// Returns the mean time of a timed call; zero if there is none.
    pub fn mean(&self) -> Duration {
        if self.timed == 0 { Duration::ZERO } else { self.total.div_f64(self.timed as f64) }
    }

    fn add(&mut self, event: &Event) {
        self.count += 1;
        self.bytes += event.bytes;
        if let Some(length) = event.length {
            self.least = if self.timed == 0 { length } else { self.least.min(length) };
            self.largest = self.largest.max(length);
            self.total += length;
            self.timed += 1;
        }
    }
}

/// The origin of a busy time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// All dispatches were timed by the device's clock.
    Clock,
    /// Some dispatches were not timed: the times in which the host waited for the device stand in for
    /// them. A device that works while the host does something else counts as idle.
    Waits,
    /// The steps of the CPU engine, each from its begin to its end.
    Steps,
    /// Dispatches were not timed, and the host never waited: nothing is known.
    Unknown,
}

/// A busy time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Busy {
    /// The origin of the figures.
    pub basis: Basis,
    /// The time in which at least one dispatch or step ran, and nothing if that is unknown.
    pub time: Option<Duration>,
    /// That time by the wall time, from 0 to 1.
    pub share: Option<f64>,
}

/// A stretch in which the device was not busy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// The begin of the stretch, counted from the begin of the run.
    pub start: Duration,
    /// Its duration.
    pub length: Duration,
    /// The host's work in the stretch: kind, name and time, the longest first. Where events lie within
    /// each other, the innermost counts. The times add up to at most `length`.
    pub host: Vec<(Phase, String, Duration)>,
}

impl Idle {
    /// Returns the time of the stretch in which no event was recorded.
    pub fn unrecorded(&self) -> Duration {
        self.length.saturating_sub(self.host.iter().map(|(_, _, time)| *time).sum())
    }
}

impl Summary {
    /// Returns the summary of the events of a run that took `wall` in total.
    pub fn of(recording: &Recording, wall: Duration, worker: Worker) -> Self {
        let events: Vec<&Event> = recording.events.iter().filter(|event| event.thread.is_none()).collect();
        let (basis, spans) = busy_spans(&events, worker);
        let spans = union(spans, wall);
        let time: Duration = spans.iter().map(|(start, end)| *end - *start).sum();
        let share = if wall.is_zero() { 0.0 } else { time.as_secs_f64() / wall.as_secs_f64() };
        let is_known = basis != Basis::Unknown;
        let threads = match recording.threads.is_empty() {
            true => tasks(&recording.events),
            false => recording.threads.clone(),
        };
        Summary {
            wall,
            calls: calls(&events),
            busy: Busy {
                basis,
                time: is_known.then_some(time),
                share: is_known.then_some(share.clamp(0.0, 1.0)),
            },
            idle: if is_known { idle(&events, &spans, wall) } else { Vec::new() },
            threads,
        }
    }
}

fn calls(events: &[&Event]) -> Vec<Calls> {
    let mut of_kind: BTreeMap<(Phase, &str), Calls> = BTreeMap::new();
    for event in events {
        let name = match event.phase {
            Phase::Device => event.kernel.unwrap_or(&event.name),
            Phase::Host => &event.name,
            _ => "",
        };
        let new = || Calls {
            phase: event.phase,
            name: name.to_owned(),
            count: 0,
            timed: 0,
            bytes: 0,
            total: Duration::ZERO,
            least: Duration::ZERO,
            largest: Duration::ZERO,
        };
        of_kind.entry((event.phase, name)).or_insert_with(new).add(event);
    }
    let mut calls: Vec<_> = of_kind.into_values().collect();
    calls.sort_by_key(|calls| (calls.phase, Reverse((calls.total, calls.count))));
    calls
}
