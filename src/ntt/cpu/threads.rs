//! The number of threads, and the pool that they belong to.

use crate::{Error, Result};
use std::sync::Arc;

/// The threads of a plan; clones share them.
#[derive(Clone, Debug)]
pub(super) enum Threads {
    /// The calling thread alone.
    One,
    /// The pool that the caller runs in, or the global one if it runs in none.
    All,
    /// A pool of the plan's own.
    Pool(Arc<rayon::ThreadPool>),
}

impl Threads {
    /// `count` threads, 0 for one per core.
    pub fn new(count: usize) -> Result<Self> {
        match count {
            0 => Ok(Threads::All),
            1 => Ok(Threads::One),
            _ => rayon::ThreadPoolBuilder::new()
                .num_threads(count)
                .build()
                .map(|pool| Threads::Pool(Arc::new(pool)))
                .map_err(|e| Error::OutOfMemory(format!("cannot start {count} threads: {e}").into())),
        }
    }

    /// The number of threads.
    pub fn count(&self) -> usize {
        match self {
            Threads::One => 1,
            Threads::All => rayon::current_num_threads(),
            Threads::Pool(pool) => pool.current_num_threads(),
        }
    }

    /// Runs parallel work on these threads.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self {
            Threads::One | Threads::All => work(),
            Threads::Pool(pool) => pool.install(work),
        }
    }
}
