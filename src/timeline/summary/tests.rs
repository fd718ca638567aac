use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::intervals::STRETCHES;
use super::{Basis, Busy, Idle, Summary, Worker};
use crate::timeline::{Event, Phase, Recording, ThreadTime};

fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

fn event(phase: Phase, name: &str, start: u64, length: u64) -> Event {
    let (name, length) = (name.to_owned(), Some(ms(length)));
    Event {
        phase,
        name,
        kernel: None,
        start: ms(start),
        length,
        bytes: 0,
        launch: None,
        thread: None,
        device: None,
    }
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
    let rows: Vec<_> = all.calls.iter().map(|c| (c.kind(), &*c.name, c.count, c.bytes, c.total)).collect();
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
    let task =
        |thread, start, length| Event { thread: Some(thread), ..event(Phase::Host, "task", start, length) };
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
