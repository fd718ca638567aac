//! Counts and times for Prometheus, in its text format.

use super::histogram::Histogram;
use super::shared::Shared;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a request for a proof ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A proof was made and checked.
    Proved,
    /// The witness does not satisfy the circuit.
    Unsatisfied,
    /// The request or the witness has another form than it must have.
    Malformed,
    /// There was no place, or the server ends.
    Refused,
    /// The time was over.
    Late,
    /// The device or the system failed.
    Failed,
    /// The connection was cut.
    Cut,
}

/// The outcomes with their names.
const OUTCOMES: [(Outcome, &str); 7] = [
    (Outcome::Proved, "proved"),
    (Outcome::Unsatisfied, "unsatisfied"),
    (Outcome::Malformed, "malformed"),
    (Outcome::Refused, "refused"),
    (Outcome::Late, "late"),
    (Outcome::Failed, "failed"),
    (Outcome::Cut, "cut"),
];

/// The counts of one key.
type Counts = [AtomicU64; OUTCOMES.len()];

/// What is counted and timed.
pub struct Metrics {
    /// By key, in the order of the command line.
    requests: Vec<Counts>,
    /// From the head of a request to its answer, for requests that got a proof.
    pub answering: Histogram,
    /// In the queue.
    pub waiting: Histogram,
    /// On the device, per proof.
    pub proving: Histogram,
    /// How often the device was opened again.
    pub reopened: AtomicU64,
}

impl Metrics {
    pub fn of_keys(keys: usize) -> Self {
        Metrics {
            requests: (0..keys).map(|_| Counts::default()).collect(),
            answering: Histogram::default(),
            waiting: Histogram::default(),
            proving: Histogram::default(),
            reopened: AtomicU64::new(0),
        }
    }

    /// Counts a request for a proof by a key.
    pub fn count(&self, key: usize, outcome: Outcome) {
        self.requests[key][outcome as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// The text.
    pub fn text(&self, shared: &Shared) -> String {
        let mut out = String::new();
        let version = env!("CARGO_PKG_VERSION");
        head(&mut out, "wgalois_info", "gauge", "The version of the program.");
        let _ = writeln!(out, "wgalois_info{{version=\"{version}\"}} 1");
        head(&mut out, "wgalois_requests_total", "counter", "Requests for proofs, by key and outcome.");
        for (circuit, counts) in shared.circuits.iter().zip(&self.requests) {
            let key = escaped(circuit.name());
            for ((_, outcome), count) in OUTCOMES.iter().zip(counts) {
                let count = count.load(Ordering::Relaxed);
                let _ =
                    writeln!(out, "wgalois_requests_total{{key=\"{key}\",outcome=\"{outcome}\"}} {count}");
            }
        }
        for (name, help, value) in [
            ("wgalois_open_requests", "Requests for proofs that are open.", shared.admission.taken()),
            ("wgalois_open_requests_limit", "The most that are open at a time.", shared.limits.queue),
            ("wgalois_queue_length", "Witnesses that wait for the device.", shared.queue.len()),
            ("wgalois_device_ready", "1 if the device works.", usize::from(shared.is_ready())),
        ] {
            head(&mut out, name, "gauge", help);
            let _ = writeln!(out, "{name} {value}");
        }
        head(&mut out, "wgalois_device_reopened_total", "counter", "How often the device was opened again.");
        let _ = writeln!(out, "wgalois_device_reopened_total {}", self.reopened.load(Ordering::Relaxed));
        let answering = "Seconds from the head of a request to its proof.";
        self.answering.write(&mut out, "wgalois_request_seconds", answering);
        self.waiting.write(
            &mut out,
            "wgalois_waiting_seconds",
            "Seconds that a witness waits for the device.",
        );
        self.proving.write(&mut out, "wgalois_proving_seconds", "Seconds of the device for a proof.");
        out
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// The value of a label, in which these three characters have a meaning.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
