//! The choice among ways, whatever their problem is.

use std::fmt;

use super::shared::{Refusal, is_shared};
use super::{Cost, Profile, approximate, needed_memory};
use crate::{Error, Result};

/// A way that was not taken.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The name of the way.
    pub name: &'static str,
    /// Its cost, which is higher, or the reason why it cannot be taken.
    pub outcome: std::result::Result<Cost, String>,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Ok(cost) => write!(f, "{}: {}", self.name, approximate(cost.time)),
            Err(reason) => write!(f, "{}: {reason}", self.name),
        }
    }
}

/// What the choice knows of a way.
pub(super) struct Offer {
    pub name: &'static str,
    /// `None` if there is no such way.
    pub cost: Option<Cost>,
    /// An error if there is no such way, or if it does not fit the memory.
    pub fits: Result<()>,
}

/// The way that was taken.
pub(super) struct Taken {
    /// Its number among the offers.
    pub number: usize,
    pub name: &'static str,
    /// Those that fit, then those that do not.
    pub others: Vec<Rejected>,
}

/// Takes the way that fits and costs least, the first of equal ones.
pub(super) fn cheapest_offer(offers: Vec<Offer>, profile: &Profile) -> Result<Taken, Refusal> {
    let (mut fitting, mut others, mut faults, mut left) = (Vec::new(), Vec::new(), Vec::new(), None);
    for (number, Offer { name, cost, fits }) in offers.into_iter().enumerate() {
        match fits {
            Ok(()) => fitting.push((number, name, cost.unwrap_or_default())),
            Err(error) => {
                if let Some(cost) = cost
                    && is_shared(&error)
                {
                    left = left.max(Some(profile.shared_memory().saturating_sub(cost.host_bytes)));
                }
                others.push(Rejected { name, outcome: Err(error.to_string()) });
                faults.push(error);
            }
        }
    }
    let Some(best) = (0..fitting.len()).min_by_key(|&i| fitting[i].2.time) else {
        // The one that is nearest to a remedy: the least memory that would suffice.
        let none = || Error::Unsupported { device: "this device", what: "do this".into() };
        let needed = |fault: &Error| needed_memory(fault).unwrap_or(u64::MAX);
        return Err(Refusal { error: faults.into_iter().min_by_key(needed).unwrap_or_else(none), left });
    };
    let (number, name, _) = fitting.remove(best);
    let slower = fitting.into_iter().map(|(_, name, cost)| Rejected { name, outcome: Ok(cost) });
    Ok(Taken { number, name, others: slower.chain(others).collect() })
}
