//! Watching a long search: progress, an early end, and the state from which it goes on.

use serde::{Deserialize, Serialize};
use web_time::{Duration, Instant};

use wgalois::Result;

/// The state of a search between two rounds. A search of the same equations by the same method goes on from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// A number that differs between equations and methods.
    pub fingerprint: u64,
    /// Candidates that are done, and of how many, in units of the method.
    pub done: u64,
    /// The number of units.
    pub of: u64,
    /// The solutions found so far that are kept, as values of the core's variables: variable v is bit v.
    pub solutions: Vec<u64>,
    /// The number of solutions found so far.
    pub count: u64,
}

/// The watcher of a search, called between its rounds.
pub trait Watch {
    /// Receives the state after a round. Returns false to end the search. Any error ends the search.
    fn round(&mut self, state: &Checkpoint) -> Result<bool>;

    /// Returns the state to go on from, once.
    fn resume(&mut self) -> Option<Checkpoint> {
        None
    }

    /// The time at which the search must end, in the middle of a round or of an elimination, too.
    fn deadline(&self) -> Option<Instant> {
        None
    }
}

/// Lets every search go on to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn round(&mut self, _: &Checkpoint) -> Result<bool> {
        Ok(true)
    }
}

/// Ends a search after some time.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit(Instant);

impl TimeLimit {
    /// Begins the time now.
    pub fn new(limit: Duration) -> Self {
        // A limit past the end of time is none that is ever reached.
        let far = Duration::from_secs(1 << 30);
        TimeLimit(Instant::now() + limit.min(far))
    }
}

impl Watch for TimeLimit {
    fn round(&mut self, _: &Checkpoint) -> Result<bool> {
        Ok(Instant::now() < self.0)
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.0)
    }
}
