//! What vectors take of the memory that the caller allows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Device memory counted against the caller's limit.
#[derive(Debug)]
pub(in crate::gpu) struct Reservation {
    pub(super) allocated: Arc<AtomicU64>,
    pub(super) bytes: u64,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.allocated.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}
