//! Solutions that the threads of a search find, and the rounds of the search.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use web_time::Instant;

use super::checks::{missed, nonsense};
use super::solutions::too_many;
use super::watch::{Checkpoint, Watch};
use super::{Equations, MOST_SOLUTIONS, Monomial, Query};
use wgalois::{Error, Result};

/// The time of a round.
const ROUND: f64 = 0.2;

/// The outcome of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Solutions, ascending, in the form of the method: in most, variable v is bit v.
    pub solutions: Vec<u64>,
    /// Their number, which may be larger than that of those kept.
    pub count: u64,
    /// True if no other solutions exist.
    pub is_complete: bool,
}

/// The solutions found so far.
#[derive(Debug)]
pub struct Collector {
    query: Query,
    found: Mutex<Vec<u64>>,
    count: AtomicU64,
    is_over: AtomicBool,
    /// When the search must end.
    deadline: OnceLock<Instant>,
    /// True if a unit was left before its end.
    is_cut: AtomicBool,
}

/// The rounds of a search: units of equal work, some of them in each round.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// A number that differs between searches.
    pub fingerprint: u64,
    /// The number of units.
    pub of: u64,
    /// Units of the first round.
    pub first: u64,
    /// The maximum number of units of a round. Rounds grow until they take a fifth of a second.
    pub most: u64,
}

impl Collector {
    pub fn new(query: Query) -> Self {
        Collector {
            query,
            found: Mutex::default(),
            count: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            deadline: OnceLock::new(),
            is_cut: AtomicBool::new(false),
        }
    }

    /// The collector of work that ends at a time, outside of rounds.
    pub fn with_deadline(self, deadline: Option<Instant>) -> Self {
        if let Some(deadline) = deadline {
            self.deadline.get_or_init(|| deadline);
        }
        self
    }

    /// True if this solution was found once; `None` if there are more than are kept.
    pub fn has_once(&self, solution: u64) -> Option<bool> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        (!self.is_over()).then(|| found.iter().filter(|&&other| other == solution).count() == 1)
    }

    /// Returns 1 if a planted solution was found, once; 0 if the search was ended before that is known. If it was not
    /// found, returns [`Error::Check`].
    pub fn expect(&self, planted: u64) -> Result<u32> {
        match self.has_once(planted) {
            _ if self.must_end() => Ok(0),
            None => Ok(0),
            Some(true) => Ok(1),
            Some(false) => Err(missed()),
        }
    }

    /// True if no more solutions are wanted.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// True if no more solutions are wanted or the time is over. A unit that ends for it is not done, nor is its round;
    /// for units that take long.
    pub fn must_end(&self) -> bool {
        let is_late = self.deadline.get().is_some_and(|deadline| Instant::now() >= *deadline);
        if is_late {
            self.is_cut.store(true, Ordering::Relaxed);
        }
        is_late || self.is_over()
    }

    /// Counts a solution, and keeps it if solutions are wanted. Returns true if no more are.
    pub fn push(&self, solution: u64) -> bool {
        self.count.fetch_add(1, Ordering::Relaxed);
        if self.query != Query::Count {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.push(solution);
            if self.query == Query::One || found.len() > MOST_SOLUTIONS {
                self.is_over.store(true, Ordering::Relaxed);
            }
        }
        self.is_over()
    }

    /// Does all units of work: `work(first, count)` does those of a round. Begins at the watcher's state if it has
    /// one. Refuses a state of another search, or with an assignment for which `is_solution` is false, and more
    /// solutions than are kept.
    pub async fn run(
        &self,
        rounds: Rounds,
        is_solution: impl Fn(u64) -> bool,
        mut work: impl AsyncFnMut(u64, u64) -> Result<()>,
        watch: &mut dyn Watch,
    ) -> Result<Found> {
        let of = rounds.of;
        let mut done = self.resume(watch.resume(), rounds, is_solution)?;
        if let Some(deadline) = watch.deadline() {
            self.deadline.get_or_init(|| deadline);
        }
        let mut batch = rounds.first.max(1);
        let mut is_ended = false;
        while done < of && !self.is_over() && !is_ended {
            let begin = Instant::now();
            let count = batch.min(of - done);
            work(done, count).await?;
            if self.is_cut.load(Ordering::Relaxed) {
                break;
            }
            done += count;
            let seconds = begin.elapsed().as_secs_f64().max(1e-4);
            let next = (count as f64 * (ROUND / seconds).clamp(0.25, 4.0)) as u64;
            batch = next.clamp(rounds.first.max(1), rounds.most.max(rounds.first).max(1));
            is_ended =
                done < of && !self.is_over() && !watch.round(&self.state(rounds.fingerprint, done, of))?;
        }
        let state = self.state(rounds.fingerprint, done, of);
        if state.solutions.len() > MOST_SOLUTIONS {
            return Err(too_many(state.solutions.len() as u64));
        }
        if state.solutions.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(nonsense("a solution was found twice"));
        }
        let is_complete = done == of && !self.is_over();
        Ok(Found { solutions: state.solutions, count: state.count, is_complete })
    }

    fn state(&self, fingerprint: u64, done: u64, of: u64) -> Checkpoint {
        let mut solutions = self.found.lock().unwrap_or_else(PoisonError::into_inner).clone();
        solutions.sort_unstable();
        Checkpoint { fingerprint, done, of, solutions, count: self.count.load(Ordering::Relaxed) }
    }

    /// Takes a state to go on from. Returns the number of units that are done.
    fn resume(
        &self,
        state: Option<Checkpoint>,
        rounds: Rounds,
        is_solution: impl Fn(u64) -> bool,
    ) -> Result<u64> {
        let Some(state) = state else { return Ok(0) };
        if state.fingerprint != rounds.fingerprint || state.of != rounds.of || state.done > rounds.of {
            return Err(Error::Checkpoint { fault: "is that of another search" });
        }
        if !state.solutions.iter().all(|&solution| is_solution(solution)) {
            return Err(Error::Checkpoint { fault: "has an assignment that is no solution" });
        }
        let kept = state.solutions.len() as u64;
        let is_kept = if self.query == Query::Count { kept == 0 } else { kept == state.count };
        if !is_kept || !state.solutions.is_sorted_by(|a, b| a < b) {
            return Err(Error::Checkpoint { fault: "has other solutions than it counts" });
        }
        self.count.store(state.count, Ordering::Relaxed);
        self.is_over.store(self.query == Query::One && !state.solutions.is_empty(), Ordering::Relaxed);
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = state.solutions;
        Ok(state.done)
    }
}

/// A number that differs between searches: of equations, and of the words that a method's order of work depends on
/// (FNV-1a).
pub fn fingerprint(equations: &Equations, words: impl IntoIterator<Item = u64>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let own = equations.polynomials().iter().flat_map(|polynomial| {
        let variables = |term: &'_ Monomial| {
            let end = std::iter::once(1 << 32);
            term.variables().iter().map(|&variable| variable.into()).chain(end).collect::<Vec<u64>>()
        };
        polynomial.terms().iter().flat_map(variables).chain(std::iter::once(1 << 33))
    });
    for byte in own.chain(words).flat_map(u64::to_le_bytes) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}
