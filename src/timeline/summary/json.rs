//! Summaries as JSON.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Basis, Summary};

impl Summary {
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
