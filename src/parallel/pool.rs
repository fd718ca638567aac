//! The number of threads that loops use.

use std::sync::Arc;

use super::schedule::{Call, on_one};
use crate::{Error, Result};

/// The threads of loops: those of the caller, or some of their own. Clones share them.
///
/// ```
/// use wgalois::parallel::{Threads, threads};
///
/// let three = Threads::new(3)?;
/// assert_eq!(three.run(threads), 3);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Threads(Option<Arc<rayon::ThreadPool>>);

impl Threads {
    /// `count` threads; 0 for those of the caller: the pool that it runs in, or rayon's global one.
    pub fn new(count: usize) -> Result<Self> {
        if count == 0 {
            return Ok(Threads(None));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
        let refused = |error| Error::OutOfMemory(format!("cannot start {count} threads: {error}").into());
        Ok(Threads(Some(Arc::new(pool.map_err(refused)?))))
    }

    /// [`new`](Self::new) for work of this call alone: those of the caller, if it is one of that many.
    pub(crate) fn for_now(count: usize) -> Result<Self> {
        let is_one = rayon::current_thread_index().is_some() && rayon::current_num_threads() == count;
        Self::new(if is_one { 0 } else { count })
    }

    /// The number of threads.
    pub fn count(&self) -> usize {
        self.0.as_ref().map_or_else(super::threads, |pool| pool.current_num_threads())
    }

    /// Calls `work`, whose loops use these threads.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            None => work(),
            Some(pool) => called(work, |work| pool.install(work)),
        }
    }

    /// The same for work of many short loops: it runs on one of the threads, where [`run`](Self::run) may leave it on the
    /// caller's, from which each loop would wait for a thread to wake.
    pub fn enter<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            None => called(work, on_one),
            Some(_) => self.run(work),
        }
    }
}

/// Hands `work` to `run` behind a pointer, so that rayon's code exists once, and returns its result.
fn called<T: Send>(work: impl FnOnce() -> T + Send, run: impl FnOnce(&mut (dyn FnMut() + Send))) -> T {
    let mut call = Call::new(work);
    run(&mut || call.run());
    call.take()
}
