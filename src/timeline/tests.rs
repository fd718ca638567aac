//! The records of timelines, and their sums.

use super::*;

#[test]
fn what_overlaps_counts_once_except_on_the_device() {
    let timeline = Timeline::detailed();
    let ms = Duration::from_millis;
    let spans = [(0, 10), (5, 3), (8, 4), (20, 1)];
    for (start, length) in spans {
        for phase in [Phase::Preparing, Phase::Device] {
            timeline.push(phase, "x", timeline.zero + ms(start), ms(length));
        }
        timeline.push_task(7, "x", timeline.zero + ms(start), ms(length));
    }
    let launch = Launch { first: 4, count: 2, total: 9, bound_bytes: 64 };
    timeline.push_dispatch("k", "x", launch, ms(3), None);
    timeline.push_copy(Phase::Upload, "copy", timeline.zero, ms(1), 5);
    let totals = timeline.totals();
    assert_eq!((totals[&Phase::Preparing], totals[&Phase::Device]), (ms(13), ms(18)));
    assert_eq!(totals.len(), 3);
    let trace = timeline.to_perfetto();
    let events = trace["traceEvents"].as_array().unwrap();
    let tracks = |category: &str| -> Vec<u64> {
        let events = events.iter().filter(|e| e["cat"] == category);
        events.map(|e| e["tid"].as_u64().unwrap()).collect()
    };
    assert_eq!(tracks("preparing"), [4, 5, 5, 4]);
    assert_eq!(tracks("device"), [2; 5]);
    assert_eq!(tracks("host"), [3; 4]);
    assert!(events.iter().any(|e| e["tid"] == 3 && e["args"]["name"] == "worker 7"));
    assert_eq!(events.iter().filter(|e| e["ph"] == "i").count(), 1);
    let dispatch = events.iter().find(|e| e["ph"] == "i").unwrap();
    let expected = serde_json::json!({
        "kernel": "k", "workgroups": 2, "first workgroup": 4, "workgroups of the dispatch": 9, "bound bytes": 64
    });
    assert_eq!(dispatch["args"], expected);
    let copy = events.iter().find(|e| e["cat"] == "upload").unwrap();
    assert_eq!(copy["args"], serde_json::json!({ "bytes": 5 }));
    // No two tracks have the same name.
    let names: Vec<_> = events.iter().filter(|e| e["ph"] == "M").map(|e| &e["args"]["name"]).collect();
    let names: Vec<_> = names.into_iter().filter_map(|name| name.as_str()).collect();
    let lanes: Vec<_> = names.iter().copied().filter(|name| name.starts_with("preparing")).collect();
    assert_eq!(lanes, ["preparing 1", "preparing 2"]);
    assert_eq!(names.iter().collect::<std::collections::BTreeSet<_>>().len(), names.len());
}

#[test]
fn only_a_detailed_timeline_records_tasks_and_threads() {
    let ms = Duration::from_millis;
    for timeline in [Timeline::with_events(), Timeline::detailed()] {
        timeline.push_task(0, "x", timeline.zero, ms(1));
        timeline.time(Phase::Host, "spin", || {
            let start = Instant::now();
            while start.elapsed() < ms(20) {}
        });
        let recording = timeline.recording();
        assert_eq!(recording.events.len(), 1 + usize::from(timeline.is_detailed()));
        let busy: Duration = recording.threads.iter().map(|thread| thread.busy).sum();
        let expected = timeline.is_detailed() && cfg!(target_os = "linux");
        // The test runner's other threads may be busy too; this one was, unless it was held up.
        assert_eq!(busy > ms(2), expected, "{busy:?}");
    }
}

#[test]
fn a_timeline_that_nobody_asked_for_does_not_grow() {
    let timeline = Timeline::default();
    let ms = Duration::from_millis(1);
    for _ in 0..10 {
        timeline.time(Phase::Host, "x", || ());
        timeline.push_copy(Phase::Upload, "upload", timeline.zero, ms, 8);
        timeline.push_dispatch("kernel", "stage", Launch::default(), ms, Some(ms));
        timeline.count("stage", 1);
    }
    assert!(timeline.recording().events.is_empty());
    assert_eq!(timeline.dispatches()["stage"], 10);
    // A profile of the same record does.
    timeline.keeping_events().push(Phase::Host, "x", timeline.zero, ms);
    assert_eq!(timeline.recording().events.len(), 1);
}

#[test]
fn totals_that_are_taken_are_forgotten() {
    let timeline = Timeline::default();
    let (timed, ms) = (timeline.keeping_events(), Duration::from_millis);
    for (start, length) in [(0, 10), (5, 7)] {
        timed.push(Phase::Upload, "x", timed.zero + ms(start), ms(length));
    }
    timed.count("stage", 1);
    let expected = BTreeMap::from([(Phase::Upload, ms(12))]);
    assert_eq!((timed.totals(), timeline.take_totals()), (expected.clone(), expected));
    assert!(timed.take_totals().is_empty() && timed.recording().events.is_empty());
    assert_eq!(timed.dispatches()["stage"], 1);
    timed.push(Phase::Host, "x", timed.zero, ms(3));
    assert_eq!(timed.take_totals(), BTreeMap::from([(Phase::Host, ms(3))]));
}
