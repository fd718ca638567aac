//! Threads beside the pool, for calls that wait: of a driver, or for a file.
//!
//! They are started for the purpose. The pool's threads may be busy with long loops, for which such calls would wait.

use std::io;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread::{self, Builder, ScopedJoinHandle};

use super::schedule::{Call, lock};

/// A call that may have begun on a thread of its own.
pub struct Ahead<'a, A> {
    result: &'a mut dyn FnMut() -> A,
}

impl<A> Ahead<'_, A> {
    /// Returns the call's result, after its end. If it has no thread of its own, it is called now, on this one.
    pub fn wait(self) -> A {
        (self.result)()
    }
}

/// Calls `first` on a thread of its own, if `starts` is true and the system gives one, while `rest` runs on this thread and waits
/// for its result when it needs it.
///
/// ```
/// use wgalois::parallel::ahead;
///
/// let sum = ahead(true, || 2 + 3, |five| 4 + five.wait());
/// assert_eq!(sum, 9);
/// ```
///
/// # Panics
/// If `first` panics.
pub fn ahead<A: Send, B>(
    starts: bool,
    first: impl FnOnce() -> A + Send,
    rest: impl FnOnce(Ahead<'_, A>) -> B,
) -> B {
    let first = Mutex::new(Call::new(first));
    let mut rest = Some(rest);
    let mut result = None;
    let run = || lock(&first).run();
    ahead_of(starts, &run, &mut |wait| {
        let mut first = || {
            wait();
            lock(&first).take()
        };
        result = rest.take().map(|rest| rest(Ahead { result: &mut first }));
    });
    result.unwrap_or_else(|| unreachable!("the rest is called"))
}

/// [`ahead`] behind pointers.
fn ahead_of(starts: bool, first: &(dyn Fn() + Sync), rest: &mut dyn FnMut(&mut dyn FnMut())) {
    thread::scope(|scope| {
        let mut thread = if starts { Builder::new().spawn_scoped(scope, first).ok() } else { None };
        rest(&mut || match thread.take() {
            Some(thread) => joined(thread),
            None => first(),
        });
    });
}

/// Calls `work` with every item at the same time, with the last on this thread, and returns the results in order; the system's
/// error for an item whose thread could not be started.
pub(crate) fn at_once<I: Send, T: Send>(
    items: &mut [I],
    work: impl Fn(&mut I) -> T + Sync,
) -> Vec<io::Result<T>> {
    let mut calls = Vec::with_capacity(items.len());
    for item in items {
        calls.push(Mutex::new((item, None)));
    }
    let mut refused = numbers_at_once(calls.len(), &|i| {
        let (item, result) = &mut *lock(&calls[i]);
        *result = Some(work(item));
    });
    let mut results = Vec::with_capacity(calls.len());
    for (i, call) in calls.iter().enumerate() {
        let result = lock(call).1.take();
        results.push(result.ok_or_else(|| refusal_of(&mut refused, i)));
    }
    results
}

/// The error for which the thread of this number was not started.
fn refusal_of(refused: &mut Vec<(usize, io::Error)>, i: usize) -> io::Error {
    let place = refused.iter().position(|(number, _)| *number == i);
    let place = place.unwrap_or_else(|| unreachable!("every thread has a result"));
    refused.swap_remove(place).1
}

/// [`at_once`] of the numbers below `count`; returns those whose threads could not be started.
fn numbers_at_once(count: usize, work: &(dyn Fn(usize) + Sync)) -> Vec<(usize, io::Error)> {
    let Some(last) = count.checked_sub(1) else { return Vec::new() };
    thread::scope(|scope| {
        let start = |i| Builder::new().spawn_scoped(scope, move || work(i));
        let started: Vec<_> = (0..last).map(start).collect();
        work(last);
        let refused = |(i, thread): (usize, io::Result<_>)| match thread {
            Ok(thread) => {
                joined(thread);
                None
            }
            Err(error) => Some((i, error)),
        };
        started.into_iter().enumerate().filter_map(refused).collect()
    })
}

/// Waits for a thread's end, and resumes its panic in this thread.
fn joined(thread: ScopedJoinHandle<'_, ()>) {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic));
}
