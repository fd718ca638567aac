//! The kernels compiled for a device so far.

#[cfg(any(test, debug_assertions))]
use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::cache::DiskCache;
#[cfg(any(test, debug_assertions))]
use super::kernel::Kernel;
use super::kernel::Pipeline;
use crate::lock::lock;

/// The pipelines compiled so far, and the cache on disk from earlier runs.
pub(super) struct Pipelines {
    slots: Mutex<HashMap<Key, Slot>>,
    pub cache: Option<DiskCache>,
    #[cfg(any(test, debug_assertions))]
    pub asked: Mutex<BTreeMap<(&'static str, String), Asked>>,
}

/// A kernel that a device was asked for, with its text.
#[cfg(any(test, debug_assertions))]
#[derive(Clone, Debug)]
pub struct Asked {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// [`Variant::identity`](super::kernel::Variant::identity).
    pub variant: String,
    /// The text that wgpu was given.
    pub wgsl: Arc<str>,
}

/// A kernel's name, its variant's identity, and true if it has runtime checks.
pub(super) type Key = (&'static str, String, bool);
/// A compiled kernel; empty until it is compiled.
pub(super) type Slot = Arc<Mutex<Option<Arc<Pipeline>>>>;

impl Pipelines {
    pub(super) fn new(cache: Option<DiskCache>) -> Self {
        Pipelines {
            slots: Mutex::default(),
            cache,
            #[cfg(any(test, debug_assertions))]
            asked: Mutex::default(),
        }
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
