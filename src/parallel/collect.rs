//! Items that become a vector.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::schedule::{Grain, in_ranges, lock};
use super::{Parallel, Taken};

/// Where the items go: a thread writes those of its range.
struct Places<T>(*mut T);

// SAFETY: threads write to different places, items that may be sent to the thread that takes the vector.
unsafe impl<T: Send> Sync for Places<T> {}

impl<T> Places<T> {
    /// Makes room for `count` items after those that the vector has, and returns it.
    fn after(items: &mut Vec<T>, count: usize) -> Self {
        let capacity = items.capacity();
        items.reserve(count);
        if items.capacity() > capacity {
            // Threads would wait for each other in the faults of many small pages.
            crate::page_advice::prefer_huge(items.as_ptr(), items.capacity());
        }
        // SAFETY: the vector has a capacity of its length at least.
        Places(unsafe { items.as_mut_ptr().add(items.len()) })
    }
}

/// Appends the items to `items`, in order. If a loop panics, the items so far are lost, and not dropped.
pub(super) fn append<P: Parallel<Item: Send>>(from: &P, items: &mut Vec<P::Item>) {
    append_ranges(from.len(), from.grain(), items, |range| {
        // SAFETY: the ranges are disjoint, within the length.
        unsafe { Taken::new(from, range) }
    });
}

/// Appends `count` items to `items`: `make` gets a range of their places, and returns one item for each in order.
pub(super) fn append_ranges<T: Send, I: Iterator<Item = T>>(
    count: usize,
    grain: Grain,
    items: &mut Vec<T>,
    make: impl Fn(Range<usize>) -> I + Sync,
) {
    let places = &Places::after(items, count);
    in_ranges(count, grain, &|range: Range<usize>| {
        let mut end = range.start;
        for (place, item) in range.clone().zip(make(range.clone())) {
            // SAFETY: the place is within the room, and of this range only.
            unsafe { places.0.add(place).write(item) };
            end = place + 1;
        }
        assert_eq!(end, range.end, "a place without an item");
    });
    // SAFETY: every place has its item: each range asserts it.
    unsafe { items.set_len(items.len() + count) };
}

/// Appends the values of the items to `items`, in order. If an item has a fault, nothing is appended, and the first fault is returned.
pub(super) fn try_append<T: Send, E: Send, P: Parallel<Item = Result<T, E>>>(
    from: &P,
    items: &mut Vec<T>,
) -> Result<(), E> {
    let places = &Places::after(items, from.len());
    let (fault, written) = (First::default(), Mutex::new(Vec::new()));
    in_ranges(from.len(), from.grain(), &|range| {
        let end = range.clone().find(|&i| {
            // SAFETY: the ranges are disjoint, within the length.
            fault.is_before(i)
                || match unsafe { from.item(i) } {
                    // SAFETY: the place is within the room, and of this range only.
                    Ok(item) => unsafe {
                        places.0.add(i).write(item);
                        false
                    },
                    Err(error) => {
                        fault.put(i, error);
                        true
                    }
                }
        });
        lock(&written).push(range.start..end.unwrap_or(range.end));
    });
    match fault.take() {
        None => {
            // SAFETY: without a fault, every range wrote all of its items.
            unsafe { items.set_len(items.len() + from.len()) };
            Ok(())
        }
        Some(error) => {
            for range in lock(&written).drain(..) {
                let first =
                    std::ptr::slice_from_raw_parts_mut(places.0.wrapping_add(range.start), range.len());
                // SAFETY: these places have items, which nothing else refers to.
                unsafe { first.drop_in_place() };
            }
            Err(error)
        }
    }
}

/// The fault of the first place that has one. Places before it are still looked at, others need not be.
pub(super) struct First<E> {
    place: AtomicUsize,
    fault: Mutex<Option<(usize, E)>>,
}

impl<E> Default for First<E> {
    fn default() -> Self {
        First { place: AtomicUsize::new(usize::MAX), fault: Mutex::new(None) }
    }
}

impl<E> First<E> {
    /// True if there is a fault before place `i`.
    pub fn is_before(&self, i: usize) -> bool {
        self.place.load(Ordering::Relaxed) < i
    }

    /// Notes the fault of place `i`.
    pub fn put(&self, i: usize, error: E) {
        let mut fault = lock(&self.fault);
        if fault.as_ref().is_none_or(|&(first, _)| i < first) {
            *fault = Some((i, error));
            self.place.store(i, Ordering::Relaxed);
        }
    }

    /// The fault, after the loop.
    pub fn take(&self) -> Option<E> {
        Some(lock(&self.fault).take()?.1)
    }
}
