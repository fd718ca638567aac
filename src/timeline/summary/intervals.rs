//! The intervals of a run: those in which the device or the CPU engine was busy, and those between them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{Basis, Idle, Worker};
use crate::timeline::{Event, Phase, ThreadTime};

/// The number of idle stretches that a summary keeps.
pub(super) const STRETCHES: usize = 5;

/// The begin and the end of an interval.
type Span = (Duration, Duration);

/// Returns the times in which the worker was busy, in any order, and their origin.
pub(super) fn busy_spans(events: &[&Event], worker: Worker) -> (Basis, Vec<Span>) {
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
pub(super) fn union(mut spans: Vec<Span>, wall: Duration) -> Vec<Span> {
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
pub(super) fn idle(events: &[&Event], busy: &[Span], wall: Duration) -> Vec<Idle> {
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
pub(super) fn tasks(events: &[Event]) -> Vec<ThreadTime> {
    let mut spans: BTreeMap<usize, Vec<Span>> = BTreeMap::new();
    for event in events {
        if let Some(thread) = event.thread {
            spans.entry(thread).or_default().push((event.start, event.end()));
        }
    }
    let busy = |spans| union(spans, Duration::MAX).iter().map(|(start, end)| *end - *start).sum();
    spans.into_iter().map(|(id, spans)| ThreadTime { id: id as u64, busy: busy(spans) }).collect()
}
