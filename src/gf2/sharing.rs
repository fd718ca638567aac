//! The choice of a group of GPUs between sharing an elimination and one GPU alone.

use crate::task::{OneOf, Planned, Problem, Profile, Way, Ways, approximate};
use crate::{Error, Result};

/// The reason why a group does not share an elimination for which no shares can be made.
pub(super) const TOO_LITTLE: &str =
    "there is work for one device only, or too little memory for all rows at a time";

/// The way of one GPU of a group.
pub(super) struct Alone<P: Problem> {
    way: Result<OneOf<P>>,
    /// True if the work is shared whatever the plans expect.
    gives_way: bool,
}

impl<P: for<'a> Problem<Resident<'a> = ()>> Alone<P> {
    /// Plans for one GPU. The group shares the work whatever the plans expect if `gives_way` of that plan.
    pub fn new(problem: &P, profile: &Profile, gives_way: impl FnOnce(&Planned<P>) -> bool) -> Self {
        let way = OneOf::new(problem, profile);
        let gives_way = way.as_ref().map_or(true, |one| gives_way(one.plan()));
        Alone { way, gives_way }
    }

    /// Adds both ways, of which one cannot be taken: `shared` is taken if it fits the memory, and pays.
    pub fn with_shared<W: Way<P>>(self, ways: Ways<P>, shared: Result<W>, profile: &Profile) -> Ways<P> {
        let shared = shared.and_then(|way| way.cost().check(profile, P::NAME).map(|()| way));
        let (alone, shared) = match (self.way, shared) {
            (Ok(alone), Ok(shared)) => {
                let [one, all] = [alone.cost(), shared.cost()].map(|cost| cost.time);
                // Both times are estimates, and sharing has waits that they leave out.
                match self.gives_way || one > all.mul_f64(1.1) {
                    true => (Err(Error::Usage(approximate(one))), Ok(shared)),
                    false => (Ok(alone), Err(Error::Usage(approximate(all)))),
                }
            }
            ways => ways,
        };
        ways.with("shared by the group", shared).with(OneOf::<P>::NAME, alone)
    }
}
