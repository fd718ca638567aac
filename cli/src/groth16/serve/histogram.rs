//! Histograms of times, as Prometheus reads them.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds of the buckets, in seconds; the last bucket has none.
const BOUNDS: [f64; 14] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];

/// The number of times in each bucket, and their sum.
#[derive(Default)]
pub struct Histogram {
    buckets: [AtomicU64; BOUNDS.len() + 1],
    microseconds: AtomicU64,
}

impl Histogram {
    pub fn add(&self, time: Duration) {
        let seconds = time.as_secs_f64();
        let bucket = BOUNDS.iter().position(|&bound| seconds <= bound).unwrap_or(BOUNDS.len());
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.microseconds.fetch_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn seconds(&self) -> f64 {
        self.microseconds.load(Ordering::Relaxed) as f64 / 1e6
    }

    /// The mean of the times in seconds; `None` without any.
    pub fn mean(&self) -> Option<f64> {
        let count: u64 = self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).sum();
        (count > 0).then(|| self.seconds() / count as f64)
    }

    /// Writes the lines of the metric `name`. A bucket counts all times up to its bound.
    pub fn write(&self, out: &mut String, name: &str, help: &str) {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} histogram");
        let mut count = 0;
        for (i, bucket) in self.buckets.iter().enumerate() {
            count += bucket.load(Ordering::Relaxed);
            let _ = match BOUNDS.get(i) {
                Some(bound) => writeln!(out, "{name}_bucket{{le=\"{bound}\"}} {count}"),
                None => writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {count}"),
            };
        }
        let _ = writeln!(out, "{name}_sum {}\n{name}_count {count}", self.seconds());
    }
}
