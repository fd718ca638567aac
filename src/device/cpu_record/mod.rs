//! The record of the CPU engine: rates of the machine at hand, by which plans of the engine estimate times.
//!
//! A [`Rate`] is the time of one unit of some work on one thread while all others do the same. It stands beside the code that
//! does the work, with the time on a named machine, and measures it by that code in a few milliseconds. Cost models are numbers
//! of units times rates.
//!
//! ```text
//! CpuRecord::Shipped      the times on the named machines: plans are the same everywhere, as tests want them
//! CpuRecord::Measured     those of this machine: from this process, else from the user's cache folder, else measured
//! ```

mod host;
mod measured;
#[cfg(not(target_arch = "wasm32"))]
mod store;

pub use host::{COPIED, CROWDED, FRESH, SHARED};
pub use measured::typical;

/// The rates by which plans of the CPU engine estimate times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CpuRecord {
    /// Those of the machines that each rate names.
    #[default]
    Shipped,
    /// Those of this machine, each measured when a plan first asks for it.
    Measured,
}

/// The time of one unit of the CPU engine's work.
#[derive(Debug)]
pub struct Rate {
    /// The name under which the time is kept.
    pub name: &'static str,
    /// Seconds on the machine that the rate's documentation names, in the release profile.
    pub shipped: f64,
    /// Measures the seconds on this machine.
    pub measure: fn() -> f64,
    /// True if all threads share the work of one measurement. Otherwise each does it, all at the same time.
    pub is_shared: bool,
}

impl Rate {
    /// A rate of one thread.
    pub const fn of_thread(name: &'static str, shipped: f64, measure: fn() -> f64) -> Self {
        Rate { name, shipped, measure, is_shared: false }
    }
}

impl CpuRecord {
    /// The seconds of one unit.
    pub fn seconds(self, rate: &Rate) -> f64 {
        match self {
            CpuRecord::Shipped => rate.shipped,
            CpuRecord::Measured => measured::seconds(rate),
        }
    }

    /// Keeps what was measured in the user's cache folder. What cannot be kept is measured again by the next process.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn keep(self) {
        if self == CpuRecord::Measured {
            measured::keep();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shipped_record_measures_nothing() {
        static NEVER: Rate = Rate::of_thread("never", 3e-9, || panic!("measured"));
        assert_eq!(CpuRecord::default().seconds(&NEVER), 3e-9);
    }

    #[test]
    fn a_rate_is_measured_once() {
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        fn measure() -> f64 {
            COUNT.fetch_add(1, Ordering::Relaxed);
            5e-9
        }
        // No file has this name, which no machine's record has.
        static ONCE: Rate =
            Rate { name: "a test that measures once", shipped: 4e-9, measure, is_shared: true };
        assert_eq!([(); 3].map(|()| CpuRecord::Measured.seconds(&ONCE)), [5e-9; 3]);
        assert_eq!(COUNT.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_time_that_cannot_be_is_not_taken() {
        for (name, measure) in [
            ("test: nan", (|| f64::NAN) as fn() -> f64),
            ("test: none", || 0.0),
            ("test: an hour", || 3600.0),
        ] {
            let rate = Rate::of_thread(name, 1e-9, measure);
            assert_eq!(CpuRecord::Measured.seconds(&rate), 1e-9, "{name}");
        }
    }

    #[test]
    fn rates_of_the_host_are_within_reach_of_a_machine() {
        for rate in [&FRESH, &COPIED, &SHARED] {
            let seconds = (rate.measure)();
            let (least, most) = (rate.shipped / 100.0, rate.shipped * 1000.0);
            assert!((least..most).contains(&seconds), "{}: {seconds}", rate.name);
        }
    }
}
