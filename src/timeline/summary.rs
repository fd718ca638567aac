//! The summary of a run: each kind of call, the share of the time in which the device was busy, the
//! longest stretches in which it was not, and the busy time of threads. A pure function of the events.
//!
//! ```text
//! device      |####|   |######|            |###|       busy: the union of its events
//! idle   |----|    |---|      |------------|   |---|   the gaps within the wall time, longest first
//! host   [read ][prepare ]  [ download [wait  ] ]      in a gap the innermost event counts
//! ```

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Event, Phase, Recording, ThreadTime};

/// The number of idle stretches that a summary keeps.
const STRETCHES: usize = 5;

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

    /// Returns the summary as JSON; all times are seconds, and null stands for what is unknown.
    pub fn to_json(&self) -> Value {
        let seconds = |time: Duration| time.as_secs_f64();
        let calls = self.calls.iter().map(|calls| {
            let timed = |time: Duration| (calls.timed > 0).then_some(seconds(time));
            json!({
                "kind": calls.kind(),
                "name": calls.name,
                "count": calls.count,
                "timed": calls.timed,
                "bytes": calls.bytes,
                "total": timed(calls.total),
                "mean": timed(calls.mean()),
                "least": timed(calls.least),
                "largest": timed(calls.largest),
            })
        });
        let idle = self.idle.iter().map(|idle| {
            let host = idle.host.iter().map(
                |(phase, name, time)| json!({ "phase": phase, "name": name, "seconds": seconds(*time) }),
            );
            json!({
                "start": seconds(idle.start),
                "seconds": seconds(idle.length),
                "host": host.collect::<Vec<_>>(),
                "unrecorded": seconds(idle.unrecorded()),
            })
        });
        let threads =
            self.threads.iter().map(|thread| json!({ "id": thread.id, "busy": seconds(thread.busy) }));
        json!({
            "wall": seconds(self.wall),
            "calls": calls.collect::<Vec<_>>(),
            "busy": {
                "basis": match self.busy.basis {
                    Basis::Clock => "device clock",
                    Basis::Waits => "host waits",
                    Basis::Steps => "host steps",
                    Basis::Unknown => "unknown",
                },
                "seconds": self.busy.time.map(seconds),
                "share": self.busy.share,
            },
            "idle": idle.collect::<Vec<_>>(),
            "threads": threads.collect::<Vec<_>>(),
        })
    }
}

type Span = (Duration, Duration);

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

/// Returns the times in which the worker was busy, in any order, and their origin.
fn busy_spans(events: &[&Event], worker: Worker) -> (Basis, Vec<Span>) {
    let spans = |phases: &[Phase]| -> Vec<Span> {
        let timed = events.iter().filter(|event| event.length.is_some() && phases.contains(&event.phase));
        timed.map(|event| (event.start, event.end())).collect()
    };
    if worker == Worker::Threads {
        return (Basis::Steps, spans(&[Phase::Host]));
    }
    if events.iter().all(|event| event.length.is_some()) {
        return (Basis::Clock, spans(&[Phase::Device]));
    }
    let known = spans(&[Phase::Device, Phase::Waiting]);
    (if known.is_empty() { Basis::Unknown } else { Basis::Waits }, known)
}

/// Returns the union of spans within `[0, wall]`, as disjoint spans in ascending order.
fn union(mut spans: Vec<Span>, wall: Duration) -> Vec<Span> {
    spans.sort_unstable();
    let mut union: Vec<Span> = Vec::new();
    for (start, end) in spans {
        let (start, end) = (start.min(wall), end.min(wall));
        match union.last_mut() {
            Some((_, last)) if start <= *last => *last = end.max(*last),
            _ if start < end => union.push((start, end)),
            _ => (),
        }
    }
    union
}

/// Returns the longest gaps between the busy spans, with the host's work in each.
fn idle(events: &[&Event], busy: &[Span], wall: Duration) -> Vec<Idle> {
    let starts = std::iter::once(Duration::ZERO).chain(busy.iter().map(|(_, end)| *end));
    let ends = busy.iter().map(|(start, _)| *start).chain(std::iter::once(wall));
    let mut gaps: Vec<Span> = starts.zip(ends).filter(|(start, end)| start < end).collect();
    gaps.sort_by_key(|(start, end)| (Reverse(*end - *start), *start));
    gaps.truncate(STRETCHES);
    let idle =
        |(start, end): Span| Idle { start, length: end - start, host: innermost(events, (start, end)) };
    gaps.into_iter().map(idle).collect()
}

/// Returns the host's work between two times, longest first; of events within each other, only the
/// innermost counts.
fn innermost(events: &[&Event], (from, to): Span) -> Vec<(Phase, String, Duration)> {
    let host: Vec<&Event> = events
        .iter()
        .copied()
        .filter(|event| event.phase != Phase::Device && event.start < to && event.end() > from)
        .collect();
    let mut borders: Vec<(Duration, bool, usize)> = Vec::with_capacity(2 * host.len());
    for (i, event) in host.iter().enumerate() {
        borders.push((event.start.max(from), true, i));
        borders.push((event.end().min(to), false, i));
    }
    borders.sort_unstable();
    // The events at the current time; the last one began last, and of those ends first.
    let mut active: BTreeSet<(Duration, Reverse<Duration>, usize)> = BTreeSet::new();
    let mut times: BTreeMap<(Phase, &str), Duration> = BTreeMap::new();
    let mut now = from;
    for (time, begins, i) in borders {
        if let Some(&(_, _, innermost)) = active.last() {
            let event = host[innermost];
            *times.entry((event.phase, &event.name)).or_default() += time - now;
        }
        now = time;
        let key = (host[i].start, Reverse(host[i].end()), i);
        if begins {
            active.insert(key);
        } else {
            active.remove(&key);
        }
    }
    let mut times: Vec<_> = times
        .into_iter()
        .filter(|(_, time)| !time.is_zero())
        .map(|((phase, name), time)| (phase, name.to_owned(), time))
        .collect();
    times.sort_by_key(|(_, _, time)| Reverse(*time));
    times
}

/// Returns the time in which each worker thread had a recorded task.
fn tasks(events: &[Event]) -> Vec<ThreadTime> {
    let mut spans: BTreeMap<usize, Vec<Span>> = BTreeMap::new();
    for event in events {
        if let Some(thread) = event.thread {
            spans.entry(thread).or_default().push((event.start, event.end()));
        }
    }
    let busy = |spans| union(spans, Duration::MAX).iter().map(|(start, end)| *end - *start).sum();
    spans.into_iter().map(|(id, spans)| ThreadTime { id: id as u64, busy: busy(spans) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    fn event(phase: Phase, name: &str, start: u64, length: u64) -> Event {
        let (name, length) = (name.to_owned(), Some(ms(length)));
        Event { phase, name, kernel: None, start: ms(start), length, bytes: 0, thread: None, device: None }
    }

    fn dispatch(kernel: &'static str, start: u64, length: Option<u64>) -> Event {
        let length = length.map(ms);
        Event { kernel: Some(kernel), length, ..event(Phase::Device, "stage", start, 0) }
    }

    fn summary(events: Vec<Event>, wall: u64, worker: Worker) -> Summary {
        let summary = Summary::of(&Recording { events, threads: Vec::new() }, ms(wall), worker);
        check(&summary);
        summary
    }

    /// The laws that every summary keeps.
    fn check(summary: &Summary) {
        if let (Some(share), Some(time)) = (summary.busy.share, summary.busy.time) {
            assert!((0.0..=1.0).contains(&share) && time <= summary.wall);
        }
        for calls in &summary.calls {
            assert!(calls.timed <= calls.count && calls.least <= calls.largest);
            assert!(calls.least <= calls.mean() && calls.mean() <= calls.largest);
            assert!(calls.total >= calls.largest);
        }
        for idle in &summary.idle {
            assert!(!idle.length.is_zero() && idle.start + idle.length <= summary.wall);
            let host: Duration = idle.host.iter().map(|(_, _, time)| *time).sum();
            assert_eq!(host + idle.unrecorded(), idle.length);
        }
        assert!(summary.idle.is_sorted_by_key(|idle| Reverse(idle.length)));
        if summary.busy.share.is_some() && summary.idle.len() < STRETCHES {
            let idle: Duration = summary.idle.iter().map(|idle| idle.length).sum();
            assert_eq!(idle + summary.busy.time.unwrap(), summary.wall);
        }
    }

    fn host(idle: &Idle) -> Vec<(&str, Duration)> {
        idle.host.iter().map(|(_, name, time)| (name.as_str(), *time)).collect()
    }

    #[test]
    fn nothing_happened() {
        for worker in [Worker::Device, Worker::Threads] {
            let empty = summary(vec![], 0, worker);
            assert!(empty.calls.is_empty() && empty.idle.is_empty());
            assert_eq!((empty.busy.time, empty.busy.share), (Some(ms(0)), Some(0.0)));
            let idle = summary(vec![], 7, worker);
            assert_eq!(idle.busy.share, Some(0.0));
            assert_eq!((idle.idle[0].start, idle.idle[0].unrecorded()), (ms(0), ms(7)));
        }
    }

    #[test]
    fn one_dispatch() {
        let one = summary(vec![dispatch("k", 2, Some(3))], 10, Worker::Device);
        assert_eq!(one.busy, Busy { basis: Basis::Clock, time: Some(ms(3)), share: Some(0.3) });
        let [calls] = &one.calls[..] else { panic!("{:?}", one.calls) };
        assert_eq!((calls.kind(), &*calls.name, calls.count, calls.timed), ("dispatch", "k", 1, 1));
        assert_eq!([calls.total, calls.mean(), calls.least, calls.largest], [ms(3); 4]);
        assert_eq!(
            one.idle.iter().map(|idle| (idle.start, idle.length)).collect::<Vec<_>>(),
            [(ms(5), ms(5)), (ms(0), ms(2))]
        );
    }

    #[test]
    fn calls_of_each_kind_add_up() {
        let copy = |phase, length, bytes| Event { bytes, ..event(phase, "copy", 0, length) };
        let all = summary(
            vec![
                copy(Phase::Download, 9, 70),
                dispatch("b", 0, Some(1)),
                copy(Phase::Upload, 3, 100),
                copy(Phase::Upload, 5, 11),
                dispatch("a", 1, Some(4)),
                dispatch("b", 2, Some(2)),
            ],
            20,
            Worker::Device,
        );
        let rows: Vec<_> =
            all.calls.iter().map(|c| (c.kind(), &*c.name, c.count, c.bytes, c.total)).collect();
        assert_eq!(
            rows,
            [
                ("upload", "", 2, 111, ms(8)),
                ("dispatch", "a", 1, 0, ms(4)),
                ("dispatch", "b", 2, 0, ms(3)),
                ("download", "", 1, 70, ms(9)),
            ]
        );
        let [upload, _, b, _] = &all.calls[..] else { unreachable!() };
        assert_eq!([upload.mean(), upload.least, upload.largest], [ms(4), ms(3), ms(5)]);
        assert_eq!([b.least, b.largest], [ms(1), ms(2)]);
        let json = all.to_json();
        assert_eq!(json["calls"][0]["bytes"], 111);
        assert_eq!(json["calls"][0]["mean"], 0.004);
        assert_eq!(json["busy"]["basis"], "device clock");
    }

    #[test]
    fn overlapping_and_nested_dispatches_count_once() {
        // 1..6 and 4..8 overlap, 2..3 lies within the first, 8..9 touches, 12..40 passes the end.
        let spans = [(4, 4), (1, 5), (2, 1), (8, 1), (12, 28)];
        let events = spans.map(|(start, length)| dispatch("k", start, Some(length))).to_vec();
        let all = summary(events, 20, Worker::Device);
        assert_eq!(all.busy.time, Some(ms(16)));
        assert_eq!(
            all.idle.iter().map(|idle| (idle.start, idle.length)).collect::<Vec<_>>(),
            [(ms(9), ms(3)), (ms(0), ms(1))]
        );
        // A dispatch that begins after the end adds nothing.
        let late = summary(vec![dispatch("k", 30, Some(5))], 20, Worker::Device);
        assert_eq!(late.busy.share, Some(0.0));
    }

    #[test]
    fn the_innermost_event_explains_an_idle_stretch() {
        let all = summary(
            vec![
                event(Phase::Reading, "read a", 0, 4),
                event(Phase::Download, "download", 10, 10),
                event(Phase::Mapping, "map", 12, 6),
                event(Phase::Waiting, "wait", 13, 3),
                dispatch("k", 5, Some(6)),
            ],
            21,
            Worker::Device,
        );
        // The stretch from 11 to 21: the download alone until 12 and from 18 on, the mapping around its wait.
        let longest = [("download", ms(3)), ("map", ms(3)), ("wait", ms(3))];
        assert_eq!(host(&all.idle[0]).into_iter().collect::<BTreeSet<_>>(), BTreeSet::from(longest));
        assert_eq!(host(&all.idle[1]), [("read a", ms(4))]);
        assert_eq!((all.idle[0].unrecorded(), all.idle[1].unrecorded()), (ms(1), ms(1)));
        // Of two events that begin together, the shorter one is inside.
        let twins = [event(Phase::Preparing, "long", 0, 9), event(Phase::Preparing, "short", 0, 2)];
        assert_eq!(
            host(&summary(twins.to_vec(), 9, Worker::Device).idle[0]),
            [("long", ms(7)), ("short", ms(2))]
        );
    }

    #[test]
    fn without_timestamps_waits_stand_in() {
        let untimed = vec![dispatch("k", 1, None), dispatch("k", 2, None)];
        let unknown = summary(untimed.clone(), 10, Worker::Device);
        assert_eq!(unknown.busy, Busy { basis: Basis::Unknown, time: None, share: None });
        assert!(unknown.idle.is_empty());
        assert_eq!((unknown.calls[0].count, unknown.calls[0].timed), (2, 0));
        assert_eq!(unknown.to_json()["calls"][0]["total"], Value::Null);
        let waited = [untimed, vec![event(Phase::Waiting, "wait", 3, 5), dispatch("l", 7, Some(2))]].concat();
        let waited = summary(waited, 10, Worker::Device);
        assert_eq!(waited.busy, Busy { basis: Basis::Waits, time: Some(ms(6)), share: Some(0.6) });
        assert_eq!((waited.idle[0].start, waited.idle[0].length), (ms(0), ms(3)));
    }

    #[test]
    fn the_cpu_engine_is_busy_in_its_steps() {
        let task = |thread, start, length| Event {
            thread: Some(thread),
            ..event(Phase::Host, "task", start, length)
        };
        let events = vec![
            event(Phase::Host, "echelon", 2, 6),
            task(1, 2, 3),
            task(0, 2, 2),
            task(1, 4, 2),
            event(Phase::Writing, "write", 8, 1),
        ];
        let all = summary(events.clone(), 10, Worker::Threads);
        assert_eq!(all.busy, Busy { basis: Basis::Steps, time: Some(ms(6)), share: Some(0.6) });
        // Tasks are no calls of their own.
        assert_eq!(
            all.calls.iter().map(|calls| (calls.kind(), calls.count)).collect::<Vec<_>>(),
            [("compute", 1), ("write", 1)]
        );
        let busy = |id, time| ThreadTime { id, busy: ms(time) };
        assert_eq!(all.threads, [busy(0, 2), busy(1, 4)]);
        // Processor times are preferred.
        let recording = Recording { events, threads: vec![busy(77, 5)] };
        assert_eq!(Summary::of(&recording, ms(10), Worker::Threads).threads, [busy(77, 5)]);
    }
}
