//! Counting the device memory in use against the caller's limit. wgpu does not report how much memory
//! a device has.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, Result, Shortage, Side};

/// The bytes that all vectors use together, and their limit.
#[derive(Debug)]
pub(super) struct Memory {
    used: Arc<AtomicU64>,
    limit: u64,
}

impl Memory {
    pub(super) fn new(limit: u64) -> Self {
        Memory { used: Arc::default(), limit }
    }

    /// Returns the bytes that all vectors use together.
    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::SeqCst)
    }

    /// Returns the bytes that the limit leaves.
    pub(super) fn room(&self) -> u64 {
        self.limit.saturating_sub(self.used())
    }

    /// Counts `bytes` as used until the returned guard is dropped; an error if they exceed the limit.
    pub(super) fn reserve(&self, bytes: u64) -> Result<Reservation> {
        let used = Arc::clone(&self.used);
        let before = used.fetch_add(bytes, Ordering::SeqCst);
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
        let total = self.used.load(Ordering::SeqCst).saturating_add(bytes);
        match total <= self.limit {
            true => Ok(()),
            false => Err(Error::OutOfMemory(Shortage::new(what, Side::Device, total, self.limit))),
        }
    }
}

/// Device memory counted against the caller's limit.
#[derive(Debug)]
pub(super) struct Reservation {
    used: Arc<AtomicU64>,
    bytes: u64,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.used.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}
