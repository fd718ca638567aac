//! Counting the device memory in use against the caller's limit and the driver's budget.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, Result, Shortage, Side};

/// A number of bytes.
pub(super) type Count = Arc<AtomicU64>;

/// The bytes that all vectors of a device with the same options use together, and what bounds them.
#[derive(Debug)]
pub(super) struct Memory {
    used: Arc<Used>,
    limit: u64,
    /// What the driver leaves to all vectors of the open device. It is an estimate: plans keep to it, allocations only to the limit.
    budget: u64,
}

/// The bytes in use.
#[derive(Debug)]
struct Used {
    own: AtomicU64,
    /// Those of all vectors of the open device, whatever its options: one budget is that of all of them.
    on_device: Count,
}

impl Memory {
    /// Nothing is used yet, but `on_device` by vectors with other options.
    pub(super) fn new(limit: u64, budget: u64, on_device: Count) -> Self {
        Memory { used: Arc::new(Used { own: AtomicU64::new(0), on_device }), limit, budget }
    }

    /// Returns the bytes that all vectors use together.
    pub(super) fn used(&self) -> u64 {
        self.used.own.load(Ordering::SeqCst)
    }

    /// Returns the bytes that all vectors of the open device use.
    pub(super) fn on_device(&self) -> u64 {
        self.used.on_device.load(Ordering::SeqCst)
    }

    /// Returns the bytes that the limit leaves to these vectors, or the budget to all, if those are less.
    pub(super) fn room(&self) -> u64 {
        self.limit.saturating_sub(self.used()).min(self.budget.saturating_sub(self.on_device()))
    }

    /// Counts `bytes` as used until the returned guard is dropped; an error if they exceed the limit.
    pub(super) fn reserve(&self, bytes: u64) -> Result<Reservation> {
        let used = Arc::clone(&self.used);
        let before = used.own.fetch_add(bytes, Ordering::SeqCst);
        used.on_device.fetch_add(bytes, Ordering::SeqCst);
        let reservation = Reservation { used, bytes };
        if before.saturating_add(bytes) > self.limit {
            return Err(Error::OutOfMemory(
                format!(
                    "{bytes} bytes more than the {before} in use would pass the limit of {} bytes",
                    self.limit
                )
                .into(),
            ));
        }
        Ok(reservation)
    }

    /// Returns an error if `bytes`, in addition to those in use, exceed the limit.
    pub(super) fn need(&self, bytes: u64, what: &str) -> Result<()> {
        let total = self.used().saturating_add(bytes);
        match total <= self.limit {
            true => Ok(()),
            false => Err(Error::OutOfMemory(Shortage::new(what, Side::Device, total, self.limit))),
        }
    }
}

/// Device memory that is counted as used.
#[derive(Debug)]
pub(super) struct Reservation {
    used: Arc<Used>,
    bytes: u64,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.used.own.fetch_sub(self.bytes, Ordering::SeqCst);
        self.used.on_device.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}
