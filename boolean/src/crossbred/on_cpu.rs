//! The crossbred method on the CPU engine: its threads take prefixes of the values that are walked through.

use web_time::Instant;

use super::{Crossbred, MOST_LINEAR, Prepared, ROWS, Search};
use crate::checks::random_below;
use crate::collect::{Found, Rounds};
use crate::way::Job;
use crate::{Solve, Speeds};
use wgalois::Result;
use wgalois::parallel::*;
use wgalois::task::Profile;

/// The number of variables of y that a window walks through.
const UP: usize = 12;
/// The maximum number of variables of y in which windows with one prefix differ: they share the work for the prefix.
const SHARED: usize = 8;

impl Crossbred {
    /// The way on the CPU engine.
    pub fn on_cpu(problem: &Solve, profile: &Profile, speeds: &Speeds) -> Result<Self> {
        Self::fastest(problem, profile, speeds, MOST_LINEAR.min(ROWS - 4), |cost, _| cost)
    }
}

impl Prepared {
    /// Walks through all values.
    pub(super) async fn search_on_cpu(&self, threads: usize, search: &Search, job: Job<'_>) -> Result<Found> {
        let Job { equations, query, watch, checks, .. } = job;
        let (begin, deadline) = (Instant::now(), watch.deadline());
        let walked = self.variables - self.linear;
        let up = walked.min(UP);
        // Half of the other variables, so that threads find prefixes to work on.
        let shared = ((walked - up) / 2).min(SHARED);
        let of = 1u64 << (walked - up - shared);
        let fingerprint = self.fingerprint(equations, query);
        let rounds = Rounds { fingerprint, of, first: threads as u64, most: u64::MAX };
        let work = async |first: u64, count: u64| {
            let prefixes = (first..first + count).into_par_iter();
            prefixes.for_each(|prefix| self.windows(search, prefix, (up, shared)));
            Ok(())
        };
        let found = search.collector.run(rounds, |solution| search.accepts(solution), work, watch).await?;
        let count = (threads as u64).min(of / 10).max(1);
        let one = |_| self.plant_on_cpu(search, (up, shared), deadline);
        let plant = async || (0..count).into_par_iter().map(one).sum::<Result<u32>>();
        checks.plant(&found, begin, deadline, plant).await?;
        Ok(found)
    }

    /// Plants a solution, and searches the windows of its prefix. Returns 0 if there are too many others.
    fn plant_on_cpu(
        &self,
        search: &Search,
        (up, shared): (usize, usize),
        deadline: Option<Instant>,
    ) -> Result<u32> {
        let solution = random_below(self.variables);
        let planted = self.with_constant(self.value(solution));
        let search = search.planted(solution, deadline);
        planted.windows(&search, solution >> self.linear >> (up + shared), (up, shared));
        search.collector.expect(solution)
    }
}
