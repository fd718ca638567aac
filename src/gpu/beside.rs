//! Calls to the driver from several threads at once.
//!
//! The threads are spawned for the purpose. rayon's threads are not used: they may be busy with long
//! loops, and the driver calls would wait for these.
//!
//! wgpu keeps error scopes per thread, so no thread catches another's errors.

use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};

use super::device::Gpu;
use crate::Result;

impl Gpu {
    /// True if several threads may call the driver at the same time. A browser has one thread, and OpenGL
    /// takes one call at a time.
    pub(crate) fn takes_threads(&self) -> bool {
        !cfg!(target_arch = "wasm32") && self.adapter().takes_threads()
    }

    /// Runs both closures at the same time, `first` on a new thread, and returns both results.
    ///
    /// # Errors
    /// The error of `first`, otherwise the error of `second`.
    pub(crate) fn beside<A: Send, B>(
        &self,
        first: impl Fn() -> Result<A> + Sync,
        second: impl FnOnce() -> Result<B>,
    ) -> Result<(A, B)> {
        if !self.takes_threads() {
            return Ok((first()?, second()?));
        }
        thread::scope(|scope| {
            let thread = thread::Builder::new().spawn_scoped(scope, &first);
            let second = second();
            // If the thread cannot be spawned, `first` runs on this one.
            let first = thread.map_or_else(|_| first(), joined);
            Ok((first?, second?))
        })
    }

    /// Runs `work` on every item at the same time and returns the results in order. The last item is
    /// processed on this thread, each other item on a new one.
    ///
    /// # Errors
    /// The error of the first item whose work failed.
    pub(crate) fn each<I: Sync, T: Send>(
        &self,
        items: &[I],
        work: impl Fn(&I) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let Some((last, others)) = items.split_last() else { return Ok(Vec::new()) };
        if !self.takes_threads() {
            return items.iter().map(work).collect();
        }
        thread::scope(|scope| {
            let work = &work;
            let begin = |item| thread::Builder::new().spawn_scoped(scope, move || work(item));
            let threads: Vec<_> = others.iter().map(begin).collect();
            let last = work(last);
            let others = threads.into_iter().zip(others);
            let others = others.map(|(thread, item)| thread.map_or_else(|_| work(item), joined));
            // Wait for all threads before returning the first error.
            let others: Vec<_> = others.collect();
            others.into_iter().chain([last]).collect()
        })
    }
}

/// Returns a thread's result, or resumes its panic in this thread.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
