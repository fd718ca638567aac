//! Work for a device that does not wait for other work: on threads of its own, where there are
//! threads. Not on rayon's: they may be busy with long loops, behind which this would have to wait.
//!
//! wgpu keeps the scopes in which errors are caught by thread, so that none catches another's.

use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};

use super::device::Gpu;
use crate::Result;

impl Gpu {
    /// Whether several threads may call the driver at the same time. A browser has one; calls to GL
    /// wait for each other, of which wgpu makes a panic where that takes long.
    pub(crate) fn takes_threads(&self) -> bool {
        !cfg!(target_arch = "wasm32") && self.adapter().backend != wgpu::Backend::Gl.to_str()
    }

    /// The outcomes of both, of which `first` has a thread of its own.
    ///
    /// # Errors
    /// That of `first`, or else that of `second`.
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
            // Where no thread is to be had, it is done here.
            let first = thread.map_or_else(|_| first(), joined);
            Ok((first?, second?))
        })
    }

    /// What `work` makes of each item, every one on a thread of its own, the last on this.
    ///
    /// # Errors
    /// That of the first item that has one.
    pub(super) fn each<I: Sync, T: Send>(
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
            // All are waited for before the first error is told.
            let others: Vec<_> = others.collect();
            others.into_iter().chain([last]).collect()
        })
    }
}

/// The outcome of a thread; its panic goes on in this one.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
