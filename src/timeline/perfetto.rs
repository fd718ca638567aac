//! The Trace Event Format, which Perfetto and chrome://tracing open.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Event, Launch, Phase};

const HOST: usize = 1;
const DEVICE: usize = 2;

/// Returns the trace of the events. Events have arguments: the bytes of copies; of dispatches the kernel, the
/// workgroups, and the bytes of the bound buffers. A dispatch that was submitted in parts has an event for each, with
/// the first workgroup and the number of all.
/// The host and the device have a track each, then every device of a group and
/// the host's calls to it. Then come the worker threads in the order of their numbers, then as many tracks of preparation as are in use at once.
pub(super) fn trace(mut spans: Vec<Event>) -> Value {
    let named = |id: usize, name: &str| json!({"name": "thread_name", "ph": "M", "pid": 1, "tid": id, "args": {"name": name}});
    let mut events = vec![named(HOST, "host"), named(DEVICE, "device")];
    spans.sort_by_key(|span| span.start);
    let mut workers: Vec<usize> = spans.iter().filter_map(|span| span.thread).collect();
    workers.sort_unstable();
    workers.dedup();
    let members = spans.iter().filter_map(|span| span.device).max().map_or(0, |last| last + 1);
    let member_track = |member: usize, on_device: bool| DEVICE + 1 + 2 * member + usize::from(!on_device);
    for member in 0..members {
        events.push(named(member_track(member, true), &format!("device {member}")));
        events.push(named(member_track(member, false), &format!("host, for device {member}")));
    }
    let first_worker = DEVICE + 1 + 2 * members;
    for (i, worker) in workers.iter().enumerate() {
        events.push(named(first_worker + i, &format!("worker {worker}")));
    }
    let first_lane = first_worker + workers.len();
    // The time at which each track of preparation is free again.
    let mut free: Vec<Duration> = Vec::new();
    for span in spans {
        let track = match (span.thread, span.phase) {
            (Some(thread), _) => first_worker + workers.partition_point(|&worker| worker < thread),
            (None, Phase::Device) => span.device.map_or(DEVICE, |member| member_track(member, true)),
            (None, Phase::Preparing) => {
                let lane = free.iter().position(|&free| free <= span.start).unwrap_or_else(|| {
                    free.push(Duration::ZERO);
                    let number = free.len();
                    events.push(named(first_lane + number - 1, &format!("preparing {number}")));
                    free.len() - 1
                });
                free[lane] = span.end();
                first_lane + lane
            }
            (None, _) => span.device.map_or(HOST, |member| member_track(member, false)),
        };
        let mut event = json!({
            "name": span.name,
            "cat": span.phase,
            "pid": 1,
            "tid": track,
            "ts": span.start.as_secs_f64() * 1e6,
        });
        match span.length {
            Some(length) => {
                event["ph"] = "X".into();
                event["dur"] = (length.as_secs_f64() * 1e6).into();
            }
            // An instant: the dispatch was submitted then, and nobody knows when it ran.
            None => event["ph"] = "i".into(),
        }
        let mut arguments = serde_json::Map::new();
        if span.bytes > 0 {
            arguments.insert("bytes".to_owned(), span.bytes.into());
        }
        if let Some(kernel) = span.kernel {
            arguments.insert("kernel".to_owned(), kernel.into());
        }
        if let Some(Launch { first, count, total, bound_bytes }) = span.launch {
            arguments.insert("workgroups".to_owned(), count.into());
            if count < total {
                // One of several events of a dispatch.
                arguments.insert("first workgroup".to_owned(), first.into());
                arguments.insert("workgroups of the dispatch".to_owned(), total.into());
            }
            arguments.insert("bound bytes".to_owned(), bound_bytes.into());
        }
        if !arguments.is_empty() {
            event["args"] = arguments.into();
        }
        events.push(event);
    }
    json!({ "traceEvents": events, "displayTimeUnit": "ns" })
}
