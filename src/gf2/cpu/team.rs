//! A team of threads that divide the words of every addition of two rows among them.
//!
//! ```text
//! leader                                   each follower
//!     publish the addition, epoch += 1         wait until the epoch changes
//!     add its own share                        add its share
//!     wait until all have finished             finished += 1
//! ```
//!
//! The threads start once. They wait in a loop instead of a queue of the system, since an addition takes less
//! time than waking a thread.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use super::kernels::add_words;
use super::run_context::RunContext;
use crate::{Error, Result, Simd};

/// The least words of a share: a line of the cache, so that no two threads write to the same line.
const LEAST: usize = 8;

/// Turns of a waiting loop before the thread lets others run.
const SPINS: u32 = 1000;

/// A value in a line of the cache of its own.
#[derive(Default)]
#[repr(align(128))]
struct Alone<T>(T);

/// The state that the threads share.
struct Team {
    threads: usize,
    simd: Simd,
    spins: u32,
    addition: Alone<Addition>,
    /// Followers that have finished the addition.
    finished: Alone<AtomicUsize>,
}

/// An addition of `len` words. A change of the epoch publishes it.
#[derive(Default)]
struct Addition {
    epoch: AtomicUsize,
    stop: AtomicBool,
    words: AtomicPtr<u64>,
    pivot: AtomicPtr<u64>,
    len: AtomicUsize,
}

/// The first thread of a team, which hands out the additions. Dropping it ends the others.
pub struct Leader<'t> {
    team: &'t Team,
}

/// Runs `lead` with a team of `threads`, of which it is the first.
pub fn with_team<T>(
    threads: usize,
    context: RunContext<'_>,
    lead: impl FnOnce(&mut Leader<'_>) -> Result<T>,
) -> Result<T> {
    // With fewer cores than threads, some threads run only when a waiting one lets them.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let spins = if threads <= cores { SPINS } else { 0 };
    let (addition, finished) = (Alone::default(), Alone::default());
    let team = &Team { threads, simd: context.simd, spins, addition, finished };
    std::thread::scope(|scope| {
        let mut leader = Leader { team };
        for thread in 1..threads {
            let follow = move || {
                let _task = context.task_on(thread, "shares of additions");
                team.follow(thread);
            };
            let started = std::thread::Builder::new().spawn_scoped(scope, follow);
            started.map_err(|error| Error::OutOfMemory(format!("worker threads: {error}").into()))?;
        }
        lead(&mut leader)
    })
}

impl Leader<'_> {
    /// Adds the words of `pivot` to `words`, which is equally long.
    pub fn add(&mut self, words: &mut [u64], pivot: &[u64]) {
        assert_eq!(words.len(), pivot.len());
        let Team { threads, simd, addition: Alone(addition), finished: Alone(finished), .. } = self.team;
        if words.len() <= LEAST || *threads == 1 {
            return add_words(*simd, words, pivot);
        }
        addition.words.store(words.as_mut_ptr(), Ordering::Relaxed);
        addition.pivot.store(pivot.as_ptr().cast_mut(), Ordering::Relaxed);
        addition.len.store(words.len(), Ordering::Relaxed);
        finished.store(0, Ordering::Relaxed);
        addition.epoch.fetch_add(1, Ordering::Release);
        // SAFETY: the addition is of these slices. They are borrowed until this returns, which it does once
        // all followers have finished.
        unsafe { self.team.add_share(0) };
        self.team.wait(|| finished.load(Ordering::Acquire) == threads - 1);
    }
}

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        let Addition { stop, epoch, .. } = &self.team.addition.0;
        stop.store(true, Ordering::Relaxed);
        epoch.fetch_add(1, Ordering::Release);
    }
}

impl Team {
    /// Adds the shares of follower `thread` until the leader ends.
    fn follow(&self, thread: usize) {
        let Addition { stop, epoch, .. } = &self.addition.0;
        let mut seen = 0;
        loop {
            self.wait(|| epoch.load(Ordering::Acquire) != seen);
            // The leader publishes no other addition before this one is finished.
            seen = epoch.load(Ordering::Acquire);
            if stop.load(Ordering::Relaxed) {
                return;
            }
            // SAFETY: the leader's slices stay borrowed until this thread has finished.
            unsafe { self.add_share(thread) };
            self.finished.0.fetch_add(1, Ordering::Release);
        }
    }

    /// Adds the share of a thread.
    ///
    /// # Safety
    /// The slices of the addition must be borrowed for it, and each of its threads must call this once.
    unsafe fn add_share(&self, thread: usize) {
        let Addition { words, pivot, len, .. } = &self.addition.0;
        let len = len.load(Ordering::Relaxed);
        let share = len.div_ceil(self.threads).next_multiple_of(LEAST);
        let first = (thread * share).min(len);
        let count = share.min(len - first);
        // SAFETY: the words from `first` are within the slices, and those of different threads are disjoint;
        // the epoch that published the addition orders its pointers before these reads.
        let (words, pivot) = unsafe {
            let (words, pivot) = (words.load(Ordering::Relaxed), pivot.load(Ordering::Relaxed));
            let words = std::slice::from_raw_parts_mut(words.add(first), count);
            (words, std::slice::from_raw_parts(pivot.add(first), count))
        };
        add_words(self.simd, words, pivot);
    }

    fn wait(&self, until: impl Fn() -> bool) {
        let mut turns = 0;
        while !until() {
            if turns < self.spins {
                turns += 1;
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cpu;

    #[test]
    fn teams_add_every_word_once() {
        let cpu = Cpu::default();
        for threads in [1, 2, 3, 7] {
            let done = with_team(threads, RunContext::on(&cpu), |leader| {
                for len in [0, 1, 8, 9, 55, 56, 57, 64, 1000] {
                    for turn in 0..20u64 {
                        let pivot: Vec<u64> =
                            (0..len).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ turn).collect();
                        let mut words: Vec<u64> = (0..len).map(|i| i << 32 | turn).collect();
                        let sum: Vec<u64> = words.iter().zip(&pivot).map(|(a, b)| a ^ b).collect();
                        leader.add(&mut words, &pivot);
                        assert_eq!(words, sum, "{threads} threads, {len} words");
                    }
                }
                Ok(threads)
            });
            assert_eq!(done.unwrap(), threads);
        }
    }

    #[test]
    fn a_team_ends_with_its_leader() {
        let cpu = Cpu::default();
        let refused: Result<()> = with_team(3, RunContext::on(&cpu), |_| Err(Error::ZeroShift));
        assert!(matches!(refused, Err(Error::ZeroShift)));
        let panicked = std::panic::catch_unwind(|| {
            with_team(3, RunContext::on(&cpu), |_| -> Result<()> { panic!("the leader fails") })
        });
        assert!(panicked.is_err());
    }
}
