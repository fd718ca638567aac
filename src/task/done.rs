//! How much of a run is done.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How much of its work a run has finished, in units of its own: a run that is tried again, because memory ran out or a device
/// was lost, goes on behind it. Runs that change their input where it is need it; others may begin anew.
#[derive(Debug, Default)]
pub struct Done(AtomicUsize);

impl Done {
    /// What is finished.
    pub fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds to what is finished.
    pub fn add(&self, units: usize) {
        self.0.fetch_add(units, Ordering::Relaxed);
    }
}
