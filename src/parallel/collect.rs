//! Items that become a vector.

use std::ops::Range;

use super::Parallel;
use super::schedule::{Grain, in_ranges};

/// Where the items go: a thread writes those of its range.
struct Places<T>(*mut T);

// SAFETY: threads write to different places, items that may be sent to the thread that takes the vector.
unsafe impl<T: Send> Sync for Places<T> {}

/// Appends the items to `items`, in order. If a loop panics, the items so far are lost, and not dropped.
pub(super) fn append<P: Parallel<Item: Send>>(from: &P, items: &mut Vec<P::Item>) {
    append_ranges(from.len(), from.grain(), items, |range, push| {
        // SAFETY: the ranges are disjoint, within the length.
        range.for_each(|i| push(unsafe { from.item(i) }));
    });
}

/// Appends `count` items to `items`: `make` gets a range of their places, and pushes one item for each in order.
pub(super) fn append_ranges<T: Send>(
    count: usize,
    grain: Grain,
    items: &mut Vec<T>,
    make: impl Fn(Range<usize>, &mut dyn FnMut(T)) + Sync,
) {
    items.reserve_exact(count);
    let begin = items.len();
    // SAFETY: there is room for `count` items after those that the vector has.
    let places = &Places(unsafe { items.as_mut_ptr().add(begin) });
    in_ranges(count, grain, &|range: Range<usize>| {
        let mut places_left = range.clone();
        make(range, &mut |item| {
            let place = places_left.next().unwrap_or_else(|| unreachable!("an item without a place"));
            // SAFETY: the place is within the room, and of this range only.
            unsafe { places.0.add(place).write(item) };
        });
        assert!(places_left.is_empty(), "a place without an item");
    });
    // SAFETY: every place has its item: each range asserts it.
    unsafe { items.set_len(begin + count) };
}
