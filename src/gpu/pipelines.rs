//! The kernels compiled for a device so far.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::cache::DiskCache;
use super::kernel::{Arithmetic, Pipeline};
use crate::lock::lock;

/// The pipelines compiled so far, and the cache on disk from earlier runs.
pub(super) struct Pipelines {
    slots: Mutex<HashMap<Key, Slot>>,
    pub cache: Option<DiskCache>,
}

/// A kernel's name, its variant's identity, its arithmetic, and true if it has runtime checks.
pub(super) type Key = (&'static str, String, Arithmetic, bool);
/// A compiled kernel; empty until it is compiled.
pub(super) type Slot = Arc<Mutex<Option<Arc<Pipeline>>>>;

impl Pipelines {
    pub(super) fn new(cache: Option<DiskCache>) -> Self {
        Pipelines { slots: Mutex::default(), cache }
    }

    /// Returns the place of a kernel, which is empty until it is compiled.
    pub(super) fn slot(&self, key: Key) -> Slot {
        Arc::clone(lock(&self.slots).entry(key).or_default())
    }
}

impl Drop for Pipelines {
    fn drop(&mut self) {
        if let Some(cache) = &self.cache {
            cache.save();
        }
    }
}
