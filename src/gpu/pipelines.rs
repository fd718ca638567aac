//! The kernels compiled for a device: each is compiled once, and those of a task in parallel.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use web_time::Instant;

use super::cache::DiskCache;
use super::compile::compile;
use super::device::{Gpu, lock};
use super::kernel::{Kernel, Pipeline, Variant};
use crate::timeline::Phase;
use crate::{Error, Result};

/// The pipelines compiled so far, and the cache on disk from earlier runs.
pub(super) struct Pipelines {
    slots: Mutex<HashMap<Key, Slot>>,
    cache: Option<DiskCache>,
}

/// A kernel's name, its variant's identity, and true if it has runtime checks.
type Key = (&'static str, String, bool);
/// A compiled kernel; empty until it is compiled.
type Slot = Arc<Mutex<Option<Arc<Pipeline>>>>;

impl Pipelines {
    pub(super) fn new(cache: Option<DiskCache>) -> Self {
        Pipelines { slots: Mutex::default(), cache }
    }
}

impl Drop for Pipelines {
    fn drop(&mut self) {
        if let Some(cache) = &self.cache {
            cache.save();
        }
    }
}

impl Gpu {
    /// Returns the kernel compiled for this device. The first call compiles it, with the help of the cache on
    /// disk; later calls return the same pipeline.
    ///
    /// # Errors
    /// [`Error::Shader`] with the file and line of the error.
    pub fn pipeline(&self, kernel: &'static Kernel, variant: &Variant) -> Result<Arc<Pipeline>> {
        let slot = self.slot(kernel, variant);
        // A thread that needs the same kernel waits here, since compiling it twice takes longer. There is no
        // deadlock: the thread that holds the lock compiles and waits for no other slot.
        let mut slot = lock(&slot);
        if let Some(pipeline) = &*slot {
            return Ok(Arc::clone(pipeline));
        }
        let start = Instant::now();
        let cache = self.compiled().cache.as_ref();
        let handle = cache.and_then(DiskCache::handle);
        let compiled = compile(self, kernel, variant, handle);
        let pipeline = match (compiled, cache) {
            // The cache may be the cause of the error, and must not make a run fail: try without it.
            (Err(Error::Shader(_) | Error::Device(_)), Some(cache)) if handle.is_some() => {
                let pipeline = compile(self, kernel, variant, None)?;
                cache.distrust();
                pipeline
            }
            (compiled, _) => compiled?,
        };
        let pipeline = Arc::new(pipeline);
        self.timeline().push(Phase::Preparing, kernel.name, start, start.elapsed());
        if let Some(cache) = cache {
            cache.changed();
        }
        *slot = Some(Arc::clone(&pipeline));
        Ok(pipeline)
    }

    /// Returns several compiled kernels. Missing ones are compiled in parallel if threads are available.
    ///
    /// # Errors
    /// Those of [`Gpu::pipeline`], for the first kernel that does not compile.
    pub fn pipelines<const N: usize>(
        &self,
        wanted: [(&'static Kernel, &Variant); N],
    ) -> Result<[Arc<Pipeline>; N]> {
        let pipelines = self.pipelines_of(&wanted)?;
        pipelines.try_into().map_err(|_| Error::Device("not as many pipelines as kernels".into()))
    }

    /// [`Gpu::pipelines`] for any number of kernels.
    pub(crate) fn pipelines_of<V: Borrow<Variant> + Sync>(
        &self,
        wanted: &[(&'static Kernel, V)],
    ) -> Result<Vec<Arc<Pipeline>>> {
        let missing: Vec<_> = wanted.iter().filter(|wanted| self.is_missing(wanted)).collect();
        let pipeline = |(kernel, variant): &(&'static Kernel, V)| self.pipeline(kernel, variant.borrow());
        self.each(&missing, |wanted| pipeline(wanted))?;
        wanted.iter().map(pipeline).collect()
    }

    /// True if a kernel is neither compiled nor being compiled. Only then is it worth a thread.
    fn is_missing<V: Borrow<Variant>>(&self, (kernel, variant): &(&'static Kernel, V)) -> bool {
        self.slot(kernel, variant.borrow()).try_lock().is_ok_and(|slot| slot.is_none())
    }

    fn slot(&self, kernel: &'static Kernel, variant: &Variant) -> Slot {
        let key = (kernel.name, variant.identity(), self.options().checked);
        Arc::clone(lock(&self.compiled().slots).entry(key).or_default())
    }
}
