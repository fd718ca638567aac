//! Parallel loops over slices and ranges, on rayon's threads.
//!
//! The names are those of rayon's parallel iterators, so that a loop reads the same. The difference is the machine code: rayon
//! compiles its scheduling anew for every loop, and a loop of code that is generic over curves exists seven times. Here a loop
//! hands its body to one scheduler behind a pointer. Half of the instructions of this library, and a third of the time of its
//! build, were rayon's scheduling (measured on 2026-11-29, by lines of LLVM's code: 1.86 of 3.99 million).
//!
//! ```
//! use wgalois::parallel::*;
//!
//! let (a, b) = (vec![1, 2, 3], vec![4, 5, 6]);
//! let product: u32 = a.par_iter().zip(b.par_iter()).map(|(a, b)| a * b).sum();
//! assert_eq!(product, 32);
//! let mut squares = vec![0; 1000];
//! squares.par_chunks_mut(64).enumerate().for_each(|(chunk, values)| {
//!     for (i, value) in values.iter_mut().enumerate() {
//!         *value = (64 * chunk + i).pow(2);
//!     }
//! });
//! assert_eq!(squares[999], 998001);
//! ```

mod adapters;
mod ahead;
mod alone;
mod collect;
mod fork;
mod pool;
mod schedule;
mod sources;

pub use adapters::{Grained, Map, Taken, Zip};
pub(crate) use ahead::at_once;
pub use ahead::{Ahead, ahead};
pub use alone::alone;
pub use fork::is_forked;
pub use pool::Threads;
pub use schedule::{join, threads};
pub use sources::{
    Chunks, ChunksMut, Items, ItemsMut, Numbers, ParallelRange, ParallelSlice, ParallelSliceMut, Windows,
};

use std::iter::Sum;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use collect::First;
use schedule::{Grain, in_place, in_ranges, lock};

/// Copies a slice to another of its length, by all threads if it is long.
pub fn copy<T: Copy + Send + Sync>(to: &mut [T], from: &[T]) {
    /// Bytes that a thread copies at a time.
    const SHARE: usize = 1 << 20;
    let share = (SHARE / size_of::<T>().max(1)).max(1);
    to.par_chunks_mut(share).zip(from.par_chunks(share)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// A sequence whose items can be taken in any order, by several threads at once.
///
/// # Safety
/// Items of different places may be used by different threads at the same time: those of a mutable slice do not overlap.
pub unsafe trait Parallel: Sized + Sync {
    /// What it consists of.
    type Item;

    /// The number of items.
    fn len(&self) -> usize;

    /// Returns the item at place `i`.
    ///
    /// # Safety
    /// `i` is less than [`len`](Self::len), and each place is taken once at most.
    unsafe fn item(&self, i: usize) -> Self::Item;

    /// How many items a thread takes at a time.
    #[doc(hidden)]
    fn grain(&self) -> Grain {
        Grain::default()
    }

    /// True if there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A thread takes at least `count` items at a time: less work than that is not worth a handover.
    fn with_min_len(self, count: usize) -> Grained<Self> {
        let grain = Grain { least: count, ..self.grain() };
        Grained { items: self, grain }
    }

    /// A thread takes at most `count` items at a time.
    fn with_max_len(self, count: usize) -> Grained<Self> {
        let grain = Grain { most: count, ..self.grain() };
        Grained { items: self, grain }
    }

    /// Pairs the items of both, up to the end of the shorter.
    fn zip<Z: IntoParallel>(self, other: Z) -> Zip<Self, Z::Items> {
        Zip { a: self, b: other.into_parallel() }
    }

    /// Pairs each item with its place: `(place, item)`.
    fn enumerate(self) -> Zip<Numbers<usize>, Self> {
        Zip { a: (0..self.len()).into_par_iter(), b: self }
    }

    /// Applies `f` to each item.
    fn map<T, F: Fn(Self::Item) -> T + Sync>(self, f: F) -> Map<Self, F> {
        Map { items: self, f }
    }

    /// Copies the items of a slice.
    fn copied<'a, T: Copy + 'a>(self) -> impl Parallel<Item = T>
    where
        Self: Parallel<Item = &'a T>,
    {
        self.map(|item| *item)
    }

    /// Calls `f` with every item.
    fn for_each(self, f: impl Fn(Self::Item) + Sync) {
        // SAFETY: the ranges are disjoint, within the length.
        in_ranges(self.len(), self.grain(), &|range| range.for_each(|i| f(unsafe { self.item(i) })));
    }

    /// Calls `f` with every item, with the first on this thread, also if it is none of the pool: other threads take as long
    /// to wake as this one takes for an item. It is for few items; all are handed over one by one.
    fn for_each_in_place(self, f: impl Fn(Self::Item) + Sync) {
        // SAFETY: each place is given once, within the length.
        in_place(self.len(), &|i| f(unsafe { self.item(i) }));
    }

    /// Calls `f` with every item and with a state that a thread has for the items that it takes at a time.
    fn for_each_init<S>(self, init: impl Fn() -> S + Sync, f: impl Fn(&mut S, Self::Item) + Sync) {
        in_ranges(self.len(), self.grain(), &|range| {
            let mut state = init();
            // SAFETY: the ranges are disjoint, within the length.
            range.for_each(|i| f(&mut state, unsafe { self.item(i) }));
        });
    }

    /// Calls `f` with the items until one call fails. All items before the one that fails are taken, others need not
    /// be. The error is that of the first item, in order, whose call fails.
    fn try_for_each<E: Send>(self, f: impl Fn(Self::Item) -> Result<(), E> + Sync) -> Result<(), E> {
        let fault = First::default();
        in_ranges(self.len(), self.grain(), &|range| {
            for i in range {
                if fault.is_before(i) {
                    return;
                }
                // SAFETY: the ranges are disjoint, within the length.
                if let Err(error) = f(unsafe { self.item(i) }) {
                    return fault.put(i, error);
                }
            }
        });
        fault.take().map_or(Ok(()), Err)
    }

    /// Returns the items in order.
    fn collect(self) -> Vec<Self::Item>
    where
        Self::Item: Send,
    {
        let mut items = Vec::new();
        self.append_to(&mut items);
        items
    }

    /// Appends the items to `items`, in order.
    fn append_to(self, items: &mut Vec<Self::Item>)
    where
        Self::Item: Send,
    {
        collect::append(&self, items);
    }

    /// Returns `f` of the items in order; `f` also gets a state that a thread has for the items that it takes at a time.
    fn collect_init<S, T: Send>(
        self,
        init: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, Self::Item) -> T + Sync,
    ) -> Vec<T> {
        let mut values = Vec::new();
        collect::append_ranges(self.len(), self.grain(), &mut values, |range| {
            let (mut state, f, items) = (init(), &f, &self);
            // SAFETY: the ranges are disjoint, within the length.
            range.map(move |i| f(&mut state, unsafe { items.item(i) }))
        });
        values
    }

    /// Returns the values of the items in order. All items before one that has a fault are taken, others need not be.
    /// The error is that of the first item, in order, that has one.
    fn try_collect<T: Send, E: Send>(self) -> Result<Vec<T>, E>
    where
        Self: Parallel<Item = Result<T, E>>,
    {
        let mut values = Vec::new();
        self.try_append_to(&mut values).map(|()| values)
    }

    /// [`try_collect`](Self::try_collect) behind the values that a vector has; after a fault it has these alone.
    fn try_append_to<T: Send, E: Send>(self, values: &mut Vec<T>) -> Result<(), E>
    where
        Self: Parallel<Item = Result<T, E>>,
    {
        collect::try_append(&self, values)
    }

    /// Returns the results of `f` for ranges of places that cover all, in order; `f` gets the items of its range.
    #[doc(hidden)]
    fn of_ranges<T: Send>(&self, f: impl Fn(Taken<'_, Self>) -> T + Sync) -> Vec<T> {
        let done = Mutex::new((Vec::new(), Vec::new()));
        in_ranges(self.len(), self.grain(), &|range: Range<usize>| {
            let begin = range.start;
            // SAFETY: the ranges are disjoint, within the length.
            let result = f(unsafe { Taken::new(self, range) });
            let mut done = lock(&done);
            done.0.push(begin);
            done.1.push(Some(result));
        });
        let (begins, mut results) = std::mem::take(&mut *lock(&done));
        schedule::ascending(&begins).into_iter().filter_map(|i| results[i].take()).collect()
    }

    /// Returns the sum of the items.
    fn sum<S: Sum<Self::Item> + Sum<S> + Send>(self) -> S {
        self.of_ranges(|items| items.sum::<S>()).into_iter().sum()
    }

    /// Combines all items by `f`, which is associative and has the neutral element `identity()`.
    fn reduce(
        self,
        identity: impl Fn() -> Self::Item + Sync,
        f: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync,
    ) -> Self::Item
    where
        Self::Item: Send,
    {
        self.of_ranges(|items| items.fold(identity(), &f)).into_iter().fold(identity(), &f)
    }

    /// Combines all items by `f`, which is associative; None without items.
    fn reduce_with(self, f: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync) -> Option<Self::Item>
    where
        Self::Item: Send,
    {
        self.of_ranges(|items| items.reduce(&f)).into_iter().flatten().reduce(&f)
    }

    /// Returns the first place whose item fulfils `f`.
    fn position_first(self, f: impl Fn(Self::Item) -> bool + Sync) -> Option<usize> {
        let absent = |(i, item)| if f(item) { Err(i) } else { Ok(()) };
        self.enumerate().try_for_each(absent).err()
    }

    /// True if an item fulfils `f`.
    fn any(self, f: impl Fn(Self::Item) -> bool + Sync) -> bool {
        let found = AtomicBool::new(false);
        in_ranges(self.len(), self.grain(), &|mut range| {
            // SAFETY: the ranges are disjoint, within the length.
            if range.any(|i| found.load(Ordering::Relaxed) || f(unsafe { self.item(i) })) {
                found.store(true, Ordering::Relaxed);
            }
        });
        found.into_inner()
    }

    /// True if every item fulfils `f`.
    fn all(self, f: impl Fn(Self::Item) -> bool + Sync) -> bool {
        !self.any(|item| !f(item))
    }

    /// Returns the largest item; None without items.
    fn max(self) -> Option<Self::Item>
    where
        Self::Item: Ord + Send,
    {
        self.of_ranges(|items| items.max()).into_iter().flatten().max()
    }
}

/// What [`zip`](Parallel::zip) takes: a sequence, or a slice.
pub trait IntoParallel {
    /// The sequence.
    type Items: Parallel;

    /// Returns the sequence.
    fn into_parallel(self) -> Self::Items;
}

impl<P: Parallel> IntoParallel for P {
    type Items = P;

    fn into_parallel(self) -> P {
        self
    }
}

#[cfg(test)]
mod tests;
