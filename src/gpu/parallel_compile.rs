//! Calls to the driver from several threads at once.
//!
//! wgpu keeps error scopes per thread, so no thread catches another's errors.

use super::device::Gpu;
use crate::Result;
use crate::parallel::{ahead, at_once};

impl Gpu {
    /// True if several threads may call the driver at the same time. A browser has one thread, and OpenGL
    /// takes one call at a time.
    pub(crate) fn takes_threads(&self) -> bool {
        !cfg!(target_arch = "wasm32") && self.adapter().takes_threads()
    }

    /// Runs both closures, which may call this GPU, and returns both results: at the same time, `first` on a new thread, unless the
    /// driver takes one thread at a time. The error is that of `first`, otherwise that of `second`.
    pub fn beside<A: Send, B>(
        &self,
        first: impl FnOnce() -> Result<A> + Send,
        second: impl FnOnce() -> Result<B>,
    ) -> Result<(A, B)> {
        if !self.takes_threads() {
            return Ok((first()?, second()?));
        }
        ahead(true, first, |first| {
            let second = second();
            Ok((first.wait()?, second?))
        })
    }

    /// Runs `work`, such as compiling kernels, on every item at the same time and returns the results in order. The last item is
    /// processed on this thread, each other item on a new one; if the driver takes one thread at a time, all are on this one. The
    /// error is that of the first item whose work failed.
    pub fn each<I: Sync, T: Send>(
        &self,
        items: &[I],
        work: impl Fn(&I) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        if !self.takes_threads() {
            return items.iter().map(work).collect();
        }
        let results = at_once(&mut items.iter().collect::<Vec<_>>(), |item| work(item));
        let on_this = |(result, item): (std::io::Result<_>, _)| result.unwrap_or_else(|_| work(item));
        results.into_iter().zip(items).map(on_this).collect()
    }
}
