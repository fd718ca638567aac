//! How much work a submission may hold.
//!
//! A desktop's watchdog ends a submission that keeps the device for about two seconds, so
//! submissions aim at a tenth of one. What a workgroup of a kernel costs on the device at
//! hand is learned from the submissions themselves; until then a pessimistic guess keeps
//! the first ones short.

use std::collections::HashMap;

use web_time::Instant;

/// Device time that one submission aims at, in nanoseconds.
const BUDGET: f64 = 100e6;
/// The first guess for a workgroup: what a slow integrated GPU needs for the heaviest kernel.
const GUESS_GPU: f64 = 20e3;
/// The same for a driver that computes on the CPU.
const GUESS_SOFTWARE: f64 = 2e6;

/// What is known of the device's speed, and what is under way.
#[derive(Debug)]
pub(super) struct Pace {
    guess: f64,
    /// Nanoseconds a workgroup, by kernel.
    rates: HashMap<&'static str, f64>,
    /// Workgroups submitted since the device was last idle, by kernel, and since when.
    outstanding: HashMap<&'static str, u64>,
    since: Option<Instant>,
}

impl Pace {
    pub(super) fn new(software: bool) -> Self {
        Pace {
            guess: if software { GUESS_SOFTWARE } else { GUESS_GPU },
            rates: HashMap::new(),
            outstanding: HashMap::new(),
            since: None,
        }
    }

    /// No bounds, for a device that does nothing.
    #[cfg(test)]
    pub(super) fn unlimited() -> Self {
        Pace { guess: 0.0, ..Pace::new(false) }
    }

    /// Expected device time of `groups` workgroups, in nanoseconds.
    pub(super) fn cost(&self, kernel: &'static str, groups: u32) -> f64 {
        f64::from(groups) * self.rates.get(kernel).unwrap_or(&self.guess)
    }

    /// How many workgroups of `kernel` still fit a submission that already costs `spent`.
    pub(super) fn room(&self, kernel: &'static str, spent: f64) -> u32 {
        ((BUDGET - spent).max(0.0) / self.cost(kernel, 1)) as u32
    }

    /// Whether the kernel's cost was measured on this device.
    pub(super) fn knows(&self, kernel: &'static str) -> bool {
        self.rates.contains_key(kernel)
    }

    /// Notes that `groups` workgroups went to the device.
    pub(super) fn submitted(&mut self, kernel: &'static str, groups: u32) {
        self.since.get_or_insert_with(Instant::now);
        *self.outstanding.entry(kernel).or_default() += u64::from(groups);
    }

    /// Notes that the device is idle, and learns from the time that it took.
    pub(super) fn finished(&mut self) {
        let Some(since) = self.since.take() else { return };
        let actual = since.elapsed().as_nanos() as f64;
        let outstanding = std::mem::take(&mut self.outstanding);
        let rate = |kernel: &&'static str| *self.rates.get(kernel).unwrap_or(&self.guess);
        let expected: f64 = outstanding.iter().map(|(kernel, groups)| *groups as f64 * rate(kernel)).sum();
        // Short work is mostly overhead, which makes its kernels look slow: on the safe side.
        let learned: Vec<_> = outstanding
            .keys()
            .map(|kernel| (*kernel, (rate(kernel) * actual / expected).min(10.0 * self.guess)))
            .collect();
        self.rates.extend(learned);
    }
}
