//! What is made of a parallel sequence.

use std::ops::Range;

use super::Parallel;
use super::schedule::Grain;

/// See [`Parallel::with_min_len`].
#[derive(Debug)]
pub struct Grained<P> {
    pub(super) items: P,
    pub(super) grain: Grain,
}

// SAFETY: the items are those of `items`, each taken as often.
unsafe impl<P: Parallel> Parallel for Grained<P> {
    type Item = P::Item;

    fn len(&self) -> usize {
        self.items.len()
    }

    unsafe fn item(&self, i: usize) -> P::Item {
        // SAFETY: the caller's promise.
        unsafe { self.items.item(i) }
    }

    fn grain(&self) -> Grain {
        self.grain
    }
}

/// See [`Parallel::zip`].
#[derive(Debug)]
pub struct Zip<A, B> {
    pub(super) a: A,
    pub(super) b: B,
}

// SAFETY: the items are those of `a` and `b`, each taken once at most.
unsafe impl<A: Parallel, B: Parallel> Parallel for Zip<A, B> {
    type Item = (A::Item, B::Item);

    fn len(&self) -> usize {
        self.a.len().min(self.b.len())
    }

    unsafe fn item(&self, i: usize) -> Self::Item {
        // SAFETY: `i` is less than both lengths, and taken once at most.
        unsafe { (self.a.item(i), self.b.item(i)) }
    }

    fn grain(&self) -> Grain {
        self.a.grain().and(self.b.grain())
    }
}

/// See [`Parallel::map`].
#[derive(Debug)]
pub struct Map<P, F> {
    pub(super) items: P,
    pub(super) f: F,
}

// SAFETY: each item is made from one of `items`, which is taken as often.
unsafe impl<P: Parallel, T, F: Fn(P::Item) -> T + Sync> Parallel for Map<P, F> {
    type Item = T;

    fn len(&self) -> usize {
        self.items.len()
    }

    unsafe fn item(&self, i: usize) -> T {
        // SAFETY: the caller's promise.
        (self.f)(unsafe { self.items.item(i) })
    }

    fn grain(&self) -> Grain {
        self.items.grain()
    }
}

/// Items that a thread takes.
#[derive(Debug)]
pub struct Taken<'a, P> {
    items: &'a P,
    places: Range<usize>,
}

impl<'a, P: Parallel> Taken<'a, P> {
    /// The items at `places`.
    ///
    /// # Safety
    /// The places are less than the length, and taken by nothing else.
    pub(super) unsafe fn new(items: &'a P, places: Range<usize>) -> Self {
        Taken { items, places }
    }
}

impl<P: Parallel> Iterator for Taken<'_, P> {
    type Item = P::Item;

    fn next(&mut self) -> Option<P::Item> {
        // SAFETY: the promise to `new`; the range gives a place once.
        self.places.next().map(|i| unsafe { self.items.item(i) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}
