//! The order in which kernels are compiled: those with the longest texts first, as many at a time as the host has cores.
//!
//! All threads that compile would share the cores equally, and the kernel that takes longest would end last: on an H200 and 16 cores the
//! longest of a proof took 0.82 s beside 34 others, and 0.55 s alone. The time grows with the length of the text.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, Thread};

use crate::lock::lock;

/// While something is measured on the host, one core of so many compiles: on a host with fewer, none does.
const MEASURED: usize = 4;

/// When a thread has its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Haste {
    /// When those with longer texts have theirs.
    Text(usize),
    /// Before those that compile: its text is made, which takes a few milliseconds.
    Composing,
    /// At once, whoever else compiles.
    AtOnce,
}

/// The threads that compile, and those that wait.
pub(super) struct CompileQueue(Mutex<State>);

struct State {
    cores: usize,
    running: usize,
    /// The measurements that go on.
    measuring: usize,
    waiting: Vec<Waiting>,
}

struct Waiting {
    haste: Haste,
    thread: Thread,
    is_admitted: Arc<AtomicBool>,
}

/// The turn of a thread, which ends when it is dropped.
pub(super) struct Turn<'q>(&'q CompileQueue);

/// A measurement, which ends when it is dropped.
pub(super) struct Measuring<'q>(&'q CompileQueue);

impl State {
    fn is_full(&self) -> bool {
        let cores = if self.measuring > 0 { self.cores / MEASURED } else { self.cores };
        self.running >= cores
    }

    /// Admits those who wait, as many as may be.
    fn admit(&mut self) {
        while !self.is_full() {
            let next = (0..self.waiting.len()).max_by_key(|&i| self.waiting[i].haste);
            let Some(next) = next.map(|i| self.waiting.swap_remove(i)) else { return };
            self.running += 1;
            next.is_admitted.store(true, Ordering::Release);
            next.thread.unpark();
        }
    }
}

impl CompileQueue {
    pub(super) fn new() -> Self {
        Self::of_cores(thread::available_parallelism().map_or(1, usize::from))
    }

    fn of_cores(cores: usize) -> Self {
        CompileQueue(Mutex::new(State { cores, running: 0, measuring: 0, waiting: Vec::new() }))
    }

    /// Waits for a turn.
    pub(super) fn enter(&self, haste: Haste) -> Turn<'_> {
        let mut state = lock(&self.0);
        if haste == Haste::AtOnce || !state.is_full() && state.waiting.is_empty() {
            state.running += 1;
            return Turn(self);
        }
        let is_admitted = Arc::new(AtomicBool::new(false));
        state.waiting.push(Waiting { haste, thread: thread::current(), is_admitted: is_admitted.clone() });
        drop(state);
        while !is_admitted.load(Ordering::Acquire) {
            thread::park();
        }
        Turn(self)
    }

    /// Leaves most cores to a measurement of what the host does.
    pub(super) fn measure(&self) -> Measuring<'_> {
        lock(&self.0).measuring += 1;
        Measuring(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.0);
        state.running -= 1;
        state.admit();
    }
}

impl Drop for Measuring<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.0);
        state.measuring -= 1;
        state.admit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order in which these have their turns behind what `held` holds.
    fn order<H>(queue: &CompileQueue, all: &[Haste], held: H) -> Vec<Haste> {
        let order = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for &haste in all {
                let order = &order;
                scope.spawn(move || {
                    let _turn = queue.enter(haste);
                    lock(order).push(haste);
                });
            }
            while lock(&queue.0).waiting.len() < all.len() {
                thread::yield_now();
            }
            drop(held);
        });
        let state = lock(&queue.0);
        assert!(state.running == 0 && state.measuring == 0 && state.waiting.is_empty());
        order.into_inner().unwrap()
    }

    #[test]
    fn the_longest_that_wait_come_first() {
        let queue = CompileQueue::of_cores(1);
        let [one, two, three] = [1, 2, 3].map(Haste::Text);
        let all = [two, three, Haste::Composing, one, three];
        let first = queue.enter(one);
        assert_eq!(order(&queue, &all, first), [Haste::Composing, three, three, two, one]);
    }

    #[test]
    fn a_measurement_has_the_cores_for_itself() {
        let queue = CompileQueue::of_cores(MEASURED - 1);
        let measuring = queue.measure();
        // What is measured itself does not wait.
        drop(queue.enter(Haste::AtOnce));
        assert_eq!(order(&queue, &[Haste::Composing], measuring), [Haste::Composing]);
        // With more cores, some compile.
        let queue = CompileQueue::of_cores(MEASURED);
        let _measuring = queue.measure();
        drop(queue.enter(Haste::Text(1)));
    }

    #[test]
    fn no_more_than_the_cores_compile_at_a_time() {
        let (queue, now) = (CompileQueue::of_cores(3), Mutex::new(0));
        thread::scope(|scope| {
            for length in 0..20 {
                let (queue, now) = (&queue, &now);
                scope.spawn(move || {
                    let _turn = queue.enter(Haste::Text(length % 4));
                    *lock(now) += 1;
                    assert!(*lock(now) <= 3);
                    thread::yield_now();
                    *lock(now) -= 1;
                });
            }
        });
        assert_eq!(lock(&queue.0).running, 0);
    }

    #[test]
    fn a_turn_ends_with_a_panic() {
        let queue = CompileQueue::of_cores(1);
        let panicked = thread::scope(|scope| {
            let compiling = || {
                let _turn = queue.enter(Haste::Text(1));
                panic!("a kernel");
            };
            scope.spawn(compiling).join().is_err()
        });
        assert!(panicked);
        drop(queue.enter(Haste::Text(0)));
    }
}
