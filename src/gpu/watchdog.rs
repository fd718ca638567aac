//! Bounding the amount of work in a submission.
//!
//! The watchdog of a desktop system ends a submission that occupies the device for about two
//! seconds, so submissions aim at a tenth of a second. The time of a workgroup of each kernel is
//! learned from the submissions themselves; until then a pessimistic guess keeps them short.

use std::collections::HashMap;

use web_time::Instant;

/// Device time that one submission aims at, in nanoseconds.
const BUDGET: f64 = 100e6;
/// The first guess for a workgroup, in nanoseconds: the time of the heaviest kernel on a slow integrated GPU.
const GUESS_GPU: f64 = 20e3;
/// The first guess for a workgroup on a driver that computes on the CPU, in nanoseconds.
const GUESS_SOFTWARE: f64 = 2e6;

/// The measured speed of the device, and the work submitted since it was last idle.
#[derive(Debug)]
pub(super) struct Watchdog {
    guess: f64,
    /// Nanoseconds per workgroup, by kernel.
    rates: HashMap<&'static str, f64>,
    /// Workgroups submitted since the device was last idle, by kernel, and the time of the first.
    outstanding: HashMap<&'static str, u64>,
    since: Option<Instant>,
}

impl Watchdog {
    pub(super) fn new(software: bool) -> Self {
        Watchdog {
            guess: if software { GUESS_SOFTWARE } else { GUESS_GPU },
            rates: HashMap::new(),
            outstanding: HashMap::new(),
            since: None,
        }
    }

    /// Creates one without bounds, for a device that computes nothing.
    pub(super) fn unlimited() -> Self {
        Watchdog { guess: 0.0, ..Watchdog::new(false) }
    }

    /// Returns the expected device time of `groups` workgroups, in nanoseconds.
    pub(super) fn cost(&self, kernel: &'static str, groups: u32) -> f64 {
        f64::from(groups) * self.rates.get(kernel).unwrap_or(&self.guess)
    }

    /// Returns the number of workgroups of `kernel` that fit a submission which already takes `spent`
    /// nanoseconds.
    pub(super) fn room(&self, kernel: &'static str, spent: f64) -> u32 {
        ((BUDGET - spent).max(0.0) / self.cost(kernel, 1)) as u32
    }

    /// True if the kernel's time was measured on this device.
    pub(super) fn knows(&self, kernel: &'static str) -> bool {
        self.rates.contains_key(kernel)
    }

    /// Records that `groups` workgroups were submitted.
    pub(super) fn submitted(&mut self, kernel: &'static str, groups: u32) {
        self.since.get_or_insert_with(Instant::now);
        *self.outstanding.entry(kernel).or_default() += u64::from(groups);
    }

    /// Records that the device is idle, and updates the times per workgroup from the elapsed time.
    pub(super) fn finished(&mut self) {
        let Some(since) = self.since.take() else { return };
        let actual = since.elapsed().as_nanos() as f64;
        let outstanding = std::mem::take(&mut self.outstanding);
        let rate = |kernel: &&'static str| *self.rates.get(kernel).unwrap_or(&self.guess);
        let expected: f64 = outstanding.iter().map(|(kernel, groups)| *groups as f64 * rate(kernel)).sum();
        // Short work is mostly overhead, so its kernels are overestimated: this is safe.
        let learned: Vec<_> = outstanding
            .keys()
            .map(|kernel| (*kernel, (rate(kernel) * actual / expected).min(10.0 * self.guess)))
            .collect();
        self.rates.extend(learned);
    }
}
