//! What the threads of requests and the thread with the device share.

use super::Serve;
use super::admission::Admission;
use super::key::Circuit;
use super::metrics::Metrics;
use super::queue::Queue;
use super::rapidsnark::Latest;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The limits of requests.
pub struct Limits {
    /// The most that are open at a time.
    pub queue: usize,
    /// The most time from the head of a request to its answer.
    pub timeout: Duration,
    /// The longest body, if it is shorter than the longest witness of a key.
    pub max_body: Option<u64>,
    /// The most witnesses that are proved together.
    pub batch: usize,
    /// True if proofs are checked.
    pub checks: bool,
}

/// What the threads share.
pub struct Shared {
    /// The circuits of the keys, in the order of the command line.
    pub circuits: Vec<Arc<dyn Circuit>>,
    pub limits: Limits,
    pub admission: Admission,
    pub queue: Queue,
    pub metrics: Metrics,
    /// The witness of `/input`.
    pub latest: Arc<Latest>,
    is_ready: AtomicBool,
}

impl Shared {
    pub fn new(args: &Serve, circuits: Vec<Arc<dyn Circuit>>) -> Self {
        let timeout = Duration::from_secs(args.timeout);
        let &Serve { queue, max_body, batch, no_check, .. } = args;
        Shared {
            limits: Limits { queue, timeout, max_body, batch, checks: !no_check },
            admission: Admission::new(queue),
            queue: Queue::default(),
            metrics: Metrics::of_keys(circuits.len()),
            latest: Arc::default(),
            is_ready: AtomicBool::new(true),
            circuits,
        }
    }

    /// The number of the key of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.circuits.iter().position(|circuit| circuit.name() == name)
    }

    /// The longest body that is read for a key.
    pub fn longest_body(&self, key: usize) -> u64 {
        let longest = self.circuits[key].longest();
        self.limits.max_body.map_or(longest, |limit| limit.min(longest))
    }

    /// True if all keys are on a device that works.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Relaxed)
    }

    pub fn set_ready(&self, is_ready: bool) {
        self.is_ready.store(is_ready, Ordering::Relaxed);
    }

    /// The seconds after which a place is expected to be free.
    pub fn retry_after(&self) -> u64 {
        let each = self.metrics.proving.mean().unwrap_or(1.0);
        let all = each * self.queue.len() as f64;
        (all.ceil() as u64).clamp(1, self.limits.timeout.as_secs().max(1))
    }
}
