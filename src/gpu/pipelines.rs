//! The kernels compiled for a device so far.

#[cfg(any(test, debug_assertions))]
use std::collections::BTreeMap;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::adapter::AdapterDescription;
use super::cache::DiskCache;
use super::compile_queue::CompileQueue;
use super::compiled_kernels::kind;
#[cfg(not(target_arch = "wasm32"))]
use super::device_record;
use super::kernel::{Arithmetic, Kernel, Pipeline, Variant};
use crate::lock::lock;

/// The pipelines compiled so far, and the cache on disk from earlier runs.
pub(super) struct Pipelines {
    slots: Mutex<HashMap<Key, Slot>>,
    pub queue: CompileQueue,
    pub cache: Option<DiskCache>,
    /// The kinds of kernels that were compiled; the adapter for which they are kept, if they are, and the time of its opening.
    kinds: Mutex<BTreeSet<String>>,
    adapter: Option<(AdapterDescription, Duration)>,
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

/// A kernel's name, its variant's identity, its arithmetic, and true if it has runtime checks.
pub(super) type Key = (&'static str, String, Arithmetic, bool);
/// A compiled kernel; empty until it is compiled.
pub(super) type Slot = Arc<Mutex<Option<Arc<Pipeline>>>>;

impl Pipelines {
    /// With an adapter and the time of its opening, these and the kinds of kernels that were compiled are kept.
    pub(super) fn new(cache: Option<DiskCache>, adapter: Option<(AdapterDescription, Duration)>) -> Self {
        Pipelines {
            slots: Mutex::default(),
            queue: CompileQueue::new(),
            cache,
            kinds: Mutex::default(),
            adapter,
            #[cfg(any(test, debug_assertions))]
            asked: Mutex::default(),
        }
    }

    /// Notes that a kernel was compiled.
    pub(super) fn note(&self, kernel: &Kernel, variant: &Variant) {
        if self.adapter.is_some() {
            lock(&self.kinds).insert(kind(kernel, variant));
        }
    }

    /// Returns the place of a kernel, which is empty until it is compiled.
    pub(super) fn slot(&self, key: Key) -> Slot {
        Arc::clone(lock(&self.slots).entry(key).or_default())
    }
}

impl Pipelines {
    /// Writes what later runs can use: the cache, and the list of the kinds of kernels.
    pub(super) fn keep(&self) {
        if let Some(cache) = &self.cache {
            cache.save();
        }
        #[cfg(not(target_arch = "wasm32"))]
        if let Some((adapter, opening)) = &self.adapter
            && let Err(error) = device_record::add_compiled(&adapter.identity(), &lock(&self.kinds), *opening)
        {
            log::info!("the list of compiled kernels was not written: {error}");
        }
    }
}

impl Drop for Pipelines {
    fn drop(&mut self) {
        self.keep();
    }
}
