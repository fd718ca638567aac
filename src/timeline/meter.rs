//! The share of the work that is done, where the amount of work is known in advance.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use web_time::Instant;

use crate::{Error, Result};

/// The progress of the work that runs on a timeline's devices; see [`Timeline::progress`](super::Timeline::progress).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The share of the work that is done, from 0 to 1.
    pub share: f64,
    /// The time since the work began.
    pub elapsed: Duration,
}

impl Progress {
    /// The time that the rest takes if it goes on at the same speed; `None` while nothing is done.
    pub fn left(&self) -> Option<Duration> {
        let left = self.elapsed.as_secs_f64() * (1.0 - self.share) / self.share;
        (self.share > 0.0).then(|| Duration::try_from_secs_f64(left).ok()).flatten()
    }
}

/// The error of work that ends at its time limit.
pub fn late() -> Error {
    Error::Stopped("the time limit ended the work before it was complete".to_owned())
}

/// The work under way, by number: one entry for each device of a group.
#[derive(Debug, Default)]
pub(super) struct Meters {
    next: u64,
    states: BTreeMap<u64, MeterState>,
    /// When all work is to end.
    end: Option<Instant>,
    /// The number of [`Stop`]s that are held.
    stops: usize,
    /// All shares that [`Meters::progress`] would have returned after each step.
    #[cfg(test)]
    pub history: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct MeterState {
    done: u64,
    total: u64,
    begin: Instant,
    /// The device of a group whose work this is.
    device: Option<usize>,
    /// Of work in stages: the amount of the stage that runs, 0 once its first part is done. Meters that begin during the
    /// stage are parts of it.
    stage: Option<u64>,
    /// The work in stages that this is a part of.
    part_of: Option<u64>,
}

impl Meters {
    /// Returns the progress of all work under way, or `None` if there is none.
    pub fn progress(&self) -> Option<Progress> {
        let begin = self.states.values().map(|state| state.begin).min()?;
        let whole = self.states.iter().filter(|(_, state)| state.part_of.is_none());
        let (mut done, mut total) = (0.0, 0.0);
        for (number, state) in whole {
            let part = self.states.values().find(|part| part.part_of == Some(*number));
            done += state.done.min(state.total) as f64
                + state.stage.unwrap_or(0) as f64 * part.map_or(0.0, MeterState::share);
            total += state.total as f64;
        }
        let share = if total > 0.0 { done / total } else { 0.0 };
        Some(Progress { share, elapsed: begin.elapsed() })
    }

    pub fn is_limited(&self) -> bool {
        self.end.is_some()
    }

    /// Returns an error if work is to end.
    pub fn check(&self) -> Result<()> {
        self.check_stop()?;
        match self.end.is_some_and(|end| Instant::now() >= end) {
            true => Err(late()),
            false => Ok(()),
        }
    }

    /// Returns an error if work is stopped, whatever its limit.
    pub fn check_stop(&self) -> Result<()> {
        match self.stops {
            0 => Ok(()),
            _ => Err(Error::Stopped("the work was stopped before it was complete".to_owned())),
        }
    }

    /// The work in stages that a work which begins on this device is a part of.
    fn stages_of(&self, device: Option<usize>) -> Option<u64> {
        let is_it = |state: &MeterState| state.stage.is_some() && state.device == device;
        self.states.iter().find(|(_, state)| is_it(state)).map(|(number, _)| *number)
    }
}

impl MeterState {
    fn share(&self) -> f64 {
        self.done.min(self.total) as f64 / self.total.max(1) as f64
    }
}

/// A limit to the time of the work on a timeline's devices, which holds until this is dropped; see
/// [`Timeline::limited`](super::Timeline::limited).
#[derive(Debug)]
pub struct Limit {
    meters: Arc<Mutex<Meters>>,
    before: Option<Instant>,
}

impl Limit {
    pub(super) fn begin(meters: &Arc<Mutex<Meters>>, end: Option<Instant>) -> Self {
        let mut locked = lock(meters);
        let before = locked.end;
        // A limit within another does not extend it.
        locked.end = before.into_iter().chain(end).min();
        drop(locked);
        Limit { meters: Arc::clone(meters), before }
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        lock(&self.meters).end = self.before;
    }
}

/// The end of all work on a timeline's devices, until this is dropped; see
/// [`Timeline::stop`](super::Timeline::stop).
#[derive(Debug)]
pub struct Stop(Arc<Mutex<Meters>>);

impl Stop {
    pub(super) fn begin(meters: &Arc<Mutex<Meters>>) -> Self {
        lock(meters).stops += 1;
        Stop(Arc::clone(meters))
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        lock(&self.0).stops -= 1;
    }
}

/// Work of a known amount. It ends when this is dropped.
#[derive(Debug)]
pub struct Meter(Mark);

/// A handle that notes how much of the work is done, for a device that tells so later.
#[derive(Clone, Debug)]
pub struct Mark {
    meters: Arc<Mutex<Meters>>,
    number: u64,
}

impl Meter {
    pub(super) fn begin(meters: &Arc<Mutex<Meters>>, device: Option<usize>, total: u64) -> Self {
        let mut locked = lock(meters);
        let number = locked.next;
        locked.next += 1;
        let part_of = locked.stages_of(device);
        let state = MeterState { done: 0, total, begin: Instant::now(), device, stage: None, part_of };
        locked.states.insert(number, state);
        drop(locked);
        Meter(Mark { meters: Arc::clone(meters), number })
    }

    /// Notes that `done` of the work is done.
    pub fn reach(&self, done: u64) {
        self.0.reach(done);
    }

    /// Notes that `amount` more of the work is done.
    pub fn add(&self, amount: u64) {
        self.0.update(|state| state.done = state.done.saturating_add(amount));
    }

    /// Returns an error if the work is to end.
    pub fn check(&self) -> Result<()> {
        lock(&self.0.meters).check()
    }

    /// How much of the work is noted as done.
    pub fn done(&self) -> u64 {
        lock(&self.0.meters).states.get(&self.0.number).map_or(0, |state| state.done)
    }

    #[doc(hidden)]
    pub fn mark(&self) -> Mark {
        self.0.clone()
    }
}

/// Work in stages, one after the other, whose amounts are known up to a factor. The meters that begin on the device
/// during a stage are parts of it.
#[derive(Debug)]
pub struct Stages {
    meter: Meter,
    amounts: Vec<u64>,
    next: usize,
}

impl Stages {
    pub(super) fn begin(meters: &Arc<Mutex<Meters>>, device: Option<usize>, amounts: &[u64]) -> Self {
        let total = amounts.iter().sum();
        Stages { meter: Meter::begin(meters, device, total), amounts: amounts.to_vec(), next: 0 }
    }

    /// Begins the first or the next stage.
    pub fn next(&mut self) {
        let done = self.amounts.iter().take(self.next).sum();
        let stage = Some(self.amounts.get(self.next).copied().unwrap_or(0));
        self.next += 1;
        self.meter.0.update(|state| (state.done, state.stage) = (done, stage));
    }
}

impl Mark {
    /// Notes that `done` of the work is done; nothing if the work has ended.
    pub fn reach(&self, done: u64) {
        self.update(|state| state.done = done);
    }

    fn update(&self, update: impl FnOnce(&mut MeterState)) {
        let mut meters = lock(&self.meters);
        let Some(state) = meters.states.get_mut(&self.number) else { return };
        update(state);
        #[cfg(test)]
        {
            let share = meters.progress().map_or(0.0, |progress| progress.share);
            meters.history.push(share);
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        let states = &mut lock(&self.0.meters).states;
        let whole = states.remove(&self.0.number).and_then(|state| state.part_of);
        if let Some(whole) = whole.and_then(|number| states.get_mut(&number)) {
            whole.done += whole.stage.replace(0).unwrap_or(0);
        }
    }
}

/// A record stays valid if a writer panics: its numbers are replaced one by one.
pub(super) fn lock(meters: &Mutex<Meters>) -> MutexGuard<'_, Meters> {
    meters.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use crate::timeline::Timeline;
    use std::time::Duration;

    #[test]
    fn the_share_is_that_of_all_works_under_way() {
        let timeline = Timeline::default();
        assert_eq!(timeline.progress(), None);
        let first = timeline.meter(30);
        let share = || timeline.progress().unwrap().share;
        assert_eq!((share(), timeline.progress().unwrap().left()), (0.0, None));
        first.reach(15);
        assert_eq!(share(), 0.5);
        // Two devices of a group.
        let second = timeline.of_device(1).meter(10);
        second.mark().reach(5);
        assert_eq!(share(), 0.5);
        let late = second.mark();
        drop(second);
        late.reach(10);
        first.add(10);
        assert_eq!((first.done(), share()), (25, 25.0 / 30.0));
        first.reach(30);
        assert_eq!(share(), 1.0);
        assert_eq!(timeline.progress().unwrap().left(), Some(Duration::ZERO));
        drop(first);
        assert_eq!(timeline.progress(), None);
        assert_eq!(timeline.shares(), [0.5, 0.5, 25.0 / 30.0, 1.0]);
    }

    #[test]
    fn work_ends_at_its_limit() {
        let timeline = Timeline::default();
        let meter = timeline.meter(1);
        let now = web_time::Instant::now();
        let limit = timeline.limited(None);
        assert!(meter.check().is_ok() && !timeline.is_limited());
        let far = timeline.limited(Some(now + Duration::from_secs(1000)));
        assert!(meter.check().is_ok() && timeline.is_limited());
        {
            let _near = timeline.of_device(1).limited(Some(now));
            // A later limit does not extend it.
            let _later = timeline.limited(Some(now + Duration::from_secs(2000)));
            assert!(matches!(meter.check(), Err(crate::Error::Stopped(_))));
            assert!(matches!(timeline.check(), Err(crate::Error::Stopped(_))));
        }
        assert!(timeline.check().is_ok());
        drop((far, limit));
        assert!(!timeline.is_limited());
    }

    #[test]
    fn stages_have_the_shares_of_their_amounts() {
        let timeline = Timeline::default();
        let mut stages = timeline.stages(&[10, 60, 30]);
        let share = || timeline.progress().unwrap().share;
        stages.next();
        let first = timeline.meter(4);
        first.reach(2);
        assert_eq!(share(), 0.05);
        // Another device's work is not a part of this.
        let other = timeline.of_device(1).meter(100);
        assert_eq!(share(), 0.025);
        drop((first, other));
        // The stage is done with its first part.
        assert_eq!(share(), 0.1);
        drop(timeline.meter(3));
        assert_eq!(share(), 0.1);
        stages.next();
        assert_eq!(share(), 0.1);
        let second = timeline.meter(0);
        assert_eq!(share(), 0.1);
        drop(second);
        assert_eq!(share(), 0.7);
        stages.next();
        let third = timeline.meter(2);
        third.add(1);
        assert_eq!(share(), 0.85);
        third.add(1);
        assert_eq!(share(), 1.0);
        drop((third, stages));
        assert_eq!(timeline.progress(), None);
    }

    #[test]
    fn the_rest_takes_as_long_as_the_speed_says() {
        let progress = super::Progress { share: 0.25, elapsed: Duration::from_secs(10) };
        assert_eq!(progress.left(), Some(Duration::from_secs(30)));
    }
}
