//! Checks of a search on its way: that it loses no solution.
//!
//! ```text
//! eliminations    each is checked by random columns that it carries
//! searches        after a complete search, the same search of parts that are drawn at random, whose equations have other
//!                 constants, so that a random assignment is a solution: it must be found
//! ```

use std::sync::atomic::{AtomicU32, Ordering};

use web_time::{Duration, Instant};

use super::collect::Found;
use wgalois::gf2::{self, BitMatrix, Dense};
use wgalois::verify::{Guarantee, MISS_BITS};
use wgalois::{Device, Error, Result};

/// The most solutions that are planted.
const MOST_PLANTS: u32 = 128;
/// Plants may take this long, if a tenth of the search's time is less.
const LEAST: Duration = Duration::from_millis(250);
/// The most candidates of a planted search of which each is checked on the host.
pub const MOST_SEEN: usize = 256;

/// The checks of a run. By default there are none.
#[derive(Debug, Default)]
pub struct Checks {
    are_wanted: bool,
    eliminations: AtomicU32,
    plants: AtomicU32,
}

impl Checks {
    /// Checks that are done.
    pub fn wanted() -> Self {
        Checks { are_wanted: true, ..Checks::default() }
    }

    /// Returns what the checks have shown; `None` if nothing was checked.
    pub fn guarantee(&self) -> Option<Guarantee> {
        const CLAIM: &str = "no solution is missing";
        let [eliminations, plants] =
            [&self.eliminations, &self.plants].map(|count| count.load(Ordering::Relaxed));
        match (eliminations, plants) {
            (0, 0) => None,
            (_, 1..) => Some(Guarantee::planted(CLAIM, plants)),
            // Each elimination may be the one whose fault is missed.
            _ => Some(Guarantee::probable(CLAIM, MISS_BITS - eliminations.next_power_of_two().ilog2())),
        }
    }

    /// Eliminates a matrix. Returns the columns of the ones of the rows, in an echelon form, that have none before the
    /// column `from`. Refuses a wrong form, if checks are wanted.
    pub async fn rows_from(
        &self,
        device: &Device,
        matrix: &BitMatrix,
        from: usize,
    ) -> Result<Vec<Vec<usize>>> {
        let whole = Dense::echelon(matrix.rows(), matrix.columns())?;
        if !self.are_wanted {
            let problem = whole.with_form_from(from);
            let form = gf2::compute_async(device, &problem, matrix, None).await?.into_form()?;
            return Ok((0..form.rank()).map(|row| form.matrix.ones(row).collect()).collect());
        }
        let (answer, evidence) = gf2::compute_async(device, &whole.carrying()?, matrix, None).await?;
        whole.check_carried(device, matrix, None, answer.as_answer(), &evidence)?;
        let form = answer.into_form()?;
        self.eliminations.fetch_add(1, Ordering::Relaxed);
        let is_late = |row: &usize| form.pivots[*row] as usize >= from;
        Ok((0..form.rank()).filter(is_late).map(|row| form.matrix.ones(row).collect()).collect())
    }

    /// After a complete search, which began at `begin`, calls `plant` until enough solutions were planted and found, or a tenth of
    /// that time is over. `plant` plants some and returns their number. A solution that was not found is an error.
    pub async fn plant(
        &self,
        found: &Found,
        begin: Instant,
        deadline: Option<Instant>,
        mut plant: impl AsyncFnMut() -> Result<u32>,
    ) -> Result<()> {
        if !found.is_complete {
            return Ok(());
        }
        let (took, begin) = (begin.elapsed(), Instant::now());
        let end = begin + (took / 10).max(LEAST);
        let mut tried = 0;
        while self.are_wanted && tried < MOST_PLANTS && (tried == 0 || Instant::now() < end) {
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
            let found = plant().await?;
            self.plants.fetch_add(found, Ordering::Relaxed);
            tried += found.max(1);
        }
        log::info!("{tried} solutions were planted in {:.3?}", begin.elapsed());
        Ok(())
    }
}

/// The error of a planted solution that a search did not find.
pub fn missed() -> Error {
    Error::Check("the search missed a planted solution: it may miss others".into())
}

/// The error of values that no right kernel returns.
pub fn nonsense(what: &str) -> Error {
    Error::Nonsense(what.into())
}

/// A random number below 2^`bits`.
pub fn random_below(bits: usize) -> u64 {
    if bits >= 64 { rand::random() } else { rand::random::<u64>() & ((1 << bits) - 1) }
}

#[cfg(test)]
mod tests;
