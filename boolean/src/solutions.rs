//! The answer to a system.

use super::collect::Found;
use super::{Count, Equations, Query, Simplified};
use wgalois::verify::Guarantee;
use wgalois::{Error, Result, Wrong};

/// The maximum number of solutions that are listed.
pub const MOST_SOLUTIONS: usize = 1 << 24;

/// The error of more solutions.
pub(super) fn too_many(count: u64) -> Error {
    let what = "solutions to list, and not only to count".into();
    Error::TooMany { what, count, most: MOST_SOLUTIONS as u64 }
}

/// Solutions of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Solutions {
    /// Solutions: the values of all variables, by their numbers. All of them for [`Query::All`], in ascending order of
    /// the list of values; at most one for [`Query::One`]; none for [`Query::Count`].
    pub list: Vec<Vec<bool>>,
    /// The number of solutions found.
    pub count: Count,
    /// True if there are no others: the search was complete.
    pub is_complete: bool,
}

impl Solutions {
    /// Returns the answer that there is none.
    pub fn none() -> Self {
        Solutions { is_complete: true, ..Solutions::default() }
    }

    /// Turns the solutions of the core into those of the system. At most [`MOST_SOLUTIONS`] solutions are listed.
    pub fn lifted(core: Solutions, simplified: &Simplified, query: Query) -> Result<Self> {
        let free = simplified.free().len();
        let count = core.count.doubled(free);
        let is_too_many = |count: &Count| count.to_u64().is_none_or(|count| count > MOST_SOLUTIONS as u64);
        let mut list = Vec::new();
        let is_complete = core.is_complete && (query != Query::One || free == 0 || core.list.is_empty());
        match query {
            Query::Count => (),
            Query::One => list.extend(core.list.first().map(|core| simplified.lift(core, |_| false))),
            Query::All if is_too_many(&count) => {
                return Err(too_many(count.to_u64().unwrap_or(u64::MAX)));
            }
            Query::All => {
                for core in &core.list {
                    list.extend(
                        (0..1u64 << free)
                            .map(|values| simplified.lift(core, |place| values >> place & 1 == 1)),
                    );
                }
                list.sort_unstable();
            }
        }
        Ok(Solutions { list, count, is_complete })
    }

    /// Evaluates every solution in all equations.
    pub fn check(&self, equations: &Equations) -> Result<Guarantee> {
        for (number, values) in self.list.iter().enumerate() {
            if let Some(violated) = equations.violated(values) {
                let fault = format!("violates equation {}", violated + 1);
                return Err(Error::Check(Wrong::at("assignment", number + 1, fault)));
            }
        }
        Ok(Guarantee::certain("every assignment solves all equations"))
    }

    /// Turns the values of up to 64 variables into solutions.
    pub(super) fn from_found(found: Found, variables: usize) -> Self {
        let values = |solution: u64| (0..variables).map(|variable| solution >> variable & 1 == 1).collect();
        let mut list: Vec<Vec<bool>> = found.solutions.into_iter().map(values).collect();
        list.sort_unstable();
        Solutions { list, count: found.count.into(), is_complete: found.is_complete }
    }
}
