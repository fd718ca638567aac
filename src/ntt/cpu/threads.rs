//! The number of threads, and the pool that they belong to.

use crate::timeline::{Task, Timeline};
use crate::{Result, parallel};

/// The threads of a plan, and the record of their tasks; clones share them.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    pool: Pool,
    timeline: Timeline,
}

#[derive(Clone, Debug)]
enum Pool {
    /// The calling thread alone.
    One,
    /// Those of the caller, or the plan's own.
    Many(parallel::Threads),
}

impl Threads {
    /// `count` threads, 0 for one per core.
    pub fn new(count: usize) -> Result<Self> {
        let pool = match count {
            1 => Pool::One,
            _ => Pool::Many(parallel::Threads::new(count)?),
        };
        Ok(Threads { pool, timeline: Timeline::default() })
    }

    /// The same threads, whose tasks go to `timeline`.
    pub fn recorded(self, timeline: &Timeline) -> Self {
        Threads { timeline: timeline.clone(), ..self }
    }

    /// Begins a task of this thread, which ends when the result is dropped.
    pub fn task(&self, name: &'static str) -> Option<Task<'_>> {
        self.timeline.task_here(name)
    }

    /// Returns an error if the work is stopped.
    pub fn check_stop(&self) -> Result<()> {
        self.timeline.check_stop()
    }

    /// The number of threads.
    pub fn count(&self) -> usize {
        match &self.pool {
            Pool::One => 1,
            Pool::Many(threads) => threads.count(),
        }
    }

    /// Runs parallel work on these threads.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Pool::One => work(),
            Pool::Many(threads) => threads.run(work),
        }
    }
}
