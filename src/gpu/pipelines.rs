//! The kernels compiled for a device so far.

#[cfg(any(test, debug_assertions))]
use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::adapter::AdapterDescription;
use super::cache::DiskCache;
use super::compile_queue::CompileQueue;
use super::compiled_kernels::{CompiledKernels, Making, kind};
#[cfg(not(target_arch = "wasm32"))]
use super::device_record;
use super::kernel::{Arithmetic, Kernel, Pipeline, Variant};
use crate::Result;
use crate::lock::lock;

/// The pipelines compiled so far, and the cache on disk from earlier runs.
pub(super) struct Pipelines {
    slots: Mutex<HashMap<Key, Slot>>,
    pub queue: CompileQueue,
    pub cache: Option<DiskCache>,
    making: Mutex<Making>,
    /// What was compiled, before this device too; the adapter for which it is kept, if it is, and the time of its opening.
    compiled: Mutex<CompiledKernels>,
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
        #[cfg(not(target_arch = "wasm32"))]
        let compiled = adapter.as_ref().map(|(adapter, _)| device_record::compiled(&adapter.identity()));
        #[cfg(target_arch = "wasm32")]
        let compiled = None;
        Pipelines {
            slots: Mutex::default(),
            queue: CompileQueue::new(),
            cache,
            making: Mutex::default(),
            compiled: Mutex::new(compiled.unwrap_or_default()),
            adapter,
            #[cfg(any(test, debug_assertions))]
            asked: Mutex::default(),
        }
    }

    /// Makes a kernel, which is new to this machine or not.
    pub(super) fn make(
        &self,
        (kernel, variant): (&Kernel, &Variant),
        is_new: bool,
        make: impl FnOnce() -> Result<Pipeline>,
    ) -> Result<Pipeline> {
        lock(&self.making).begin();
        let pipeline = make();
        let kind = pipeline.is_ok().then(|| kind(kernel, variant));
        if let Some(kind) = &kind {
            lock(&self.compiled).note(kind.clone());
        }
        lock(&self.making).end(kind, is_new);
        pipeline
    }

    /// Does what compiles the kernels of a plan, which said how long that takes, and notes how long it took if these are the first
    /// of the device and none was new.
    pub(super) fn compare<T>(&self, planned: Duration, prepare: impl FnOnce() -> Result<T>) -> Result<T> {
        let is_first = lock(&self.making).take_first();
        let prepared = prepare()?;
        if is_first {
            lock(&self.making).compare(&mut lock(&self.compiled), planned);
        }
        Ok(prepared)
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
            && let Err(error) =
                device_record::add_compiled(&adapter.identity(), &lock(&self.compiled), *opening)
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
