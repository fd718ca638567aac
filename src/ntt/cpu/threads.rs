//! How many threads, and whose.

use crate::{Error, Result};
use std::sync::Arc;

/// The threads of a plan; clones share them.
#[derive(Clone, Debug)]
pub(super) enum Threads {
    /// The caller's alone.
    One,
    /// The pool that the caller is in, or else the global one.
    All,
    /// A pool of our own.
    Pool(Arc<rayon::ThreadPool>),
}

impl Threads {
    /// `count` threads, 0 for one a core.
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

    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Threads::One => 1,
            Threads::All => rayon::current_num_threads(),
            Threads::Pool(pool) => pool.current_num_threads(),
        }
    }

    /// Does parallel work on these threads.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self {
            Threads::One | Threads::All => work(),
            Threads::Pool(pool) => pool.install(work),
        }
    }
}
