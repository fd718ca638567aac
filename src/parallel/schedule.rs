//! The one scheduler of all loops.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::alone::is_alone;
use super::fork;

/// Ranges a thread, if items are not bounded: a thread that ends early takes some of another's.
const RANGES: usize = 8;

/// How many items a thread takes at a time.
#[derive(Clone, Copy, Debug)]
pub struct Grain {
    /// At least.
    pub least: usize,
    /// At most.
    pub most: usize,
}

impl Default for Grain {
    fn default() -> Self {
        Grain { least: 1, most: usize::MAX }
    }
}

impl Grain {
    /// The grain of two sequences whose items are taken together.
    pub fn and(self, other: Grain) -> Grain {
        Grain { least: self.least.max(other.least), most: self.most.min(other.most) }
    }
}

/// Returns the number of threads that take part in a loop here.
pub fn threads() -> usize {
    if is_alone() {
        return 1;
    }
    // The first call starts rayon's threads.
    fork::note();
    rayon::current_num_threads()
}

/// Calls `work` with disjoint ranges that cover `0..count`, on all threads. Their lengths differ by one at most.
pub(super) fn in_ranges(count: usize, grain: Grain, work: &(dyn Fn(Range<usize>) + Sync)) {
    let (most, least) = (count / grain.least.max(1), count.div_ceil(grain.most.max(1)));
    match most.min(RANGES * threads()).max(least).max(1) {
        _ if count == 0 => (),
        1 => work(0..count),
        ranges => {
            let (length, longer) = (count / ranges, count % ranges);
            let begin = |range: usize| range * length + range.min(longer);
            let call = |range: usize| work(begin(range)..begin(range + 1));
            if !fork::on_threads(&mut || (0..ranges).into_par_iter().with_max_len(1).for_each(call)) {
                (0..ranges).for_each(call);
            }
        }
    }
}

/// Returns the places of the keys, in the order of the keys.
pub(super) fn ascending(keys: &[usize]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    places.sort_unstable_by_key(|&place| keys[place]);
    places
}

/// Calls `work` with every number below `count`, with 0 on this thread.
pub(super) fn in_place(count: usize, work: &(dyn Fn(usize) + Sync)) {
    let shared = fork::on_threads(&mut || {
        rayon::in_place_scope(|scope| {
            (1..count).for_each(|i| scope.spawn(move |_| work(i)));
            if count > 0 {
                work(0);
            }
        });
    });
    if !shared {
        (0..count).for_each(work);
    }
}

/// Calls both functions, at the same time if a thread is idle.
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut a, mut b) = (Call::new(a), Call::new(b));
    join_calls(&mut || a.run(), &mut || b.run());
    (a.take(), b.take())
}

/// [`join`] behind pointers.
fn join_calls(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    let mut both = || {
        rayon::join(&mut *a, &mut *b);
    };
    if !fork::on_threads(&mut both) {
        a();
        b();
    }
}

/// Calls `work` on one of the threads.
pub(super) fn on_one(work: &mut (dyn FnMut() + Send)) {
    if !fork::on_threads(&mut || rayon::scope(|_| work())) {
        work();
    }
}

/// A function that is called once, and then its result.
pub(super) struct Call<F, T> {
    function: Option<F>,
    result: Option<T>,
}

impl<T, F: FnOnce() -> T> Call<F, T> {
    pub fn new(function: F) -> Self {
        Call { function: Some(function), result: None }
    }

    pub fn run(&mut self) {
        if let Some(function) = self.function.take() {
            self.result = Some(function());
        }
    }

    /// Takes the result, once, after [`run`](Self::run). If that has panicked, nothing asks for a result.
    pub fn take(&mut self) -> T {
        self.result.take().unwrap_or_else(|| unreachable!("every function is called"))
    }
}

/// Locks a mutex, also after a panic of another thread, which the caller's loop passes on.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
