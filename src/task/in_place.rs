//! Data that a run changes where they are.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Entries that a run changes where they are, with the number of those that are done: a run that is tried again, because
/// memory ran out or a device was lost, goes on behind them.
#[derive(Debug)]
pub struct InPlace<'a, E> {
    entries: &'a mut [E],
    done: Arc<AtomicUsize>,
}

impl<'a, E> InPlace<'a, E> {
    /// All entries, of which none is done.
    pub fn new(entries: &'a mut [E]) -> Self {
        InPlace { entries, done: Arc::default() }
    }

    /// All entries.
    pub fn entries(&self) -> &[E] {
        self.entries
    }

    /// The same for a shorter time.
    pub fn reborrow(&mut self) -> InPlace<'_, E> {
        InPlace { entries: self.entries, done: Arc::clone(&self.done) }
    }

    /// The next entries, at most `most`, that are not done; none at the end.
    pub fn next(&mut self, most: usize) -> Option<&mut [E]> {
        let rest = &mut self.entries[self.done.load(Ordering::Relaxed)..];
        let count = rest.len().min(most);
        (count > 0).then(|| &mut rest[..count])
    }

    /// Notes that the next `count` entries are done.
    pub fn add(&self, count: usize) {
        self.done.fetch_add(count, Ordering::Relaxed);
    }

    /// The entries of each range; the ranges follow each other from the beginning. None of the entries is done.
    pub fn split(self, ranges: impl Iterator<Item = Range<usize>>) -> Vec<InPlace<'a, E>> {
        let mut rest = self.entries;
        let next = |range: Range<usize>| {
            let (entries, after) = std::mem::take(&mut rest).split_at_mut(range.len());
            rest = after;
            InPlace::new(entries)
        };
        ranges.map(next).collect()
    }
}

impl<'a, E> From<&'a mut [E]> for InPlace<'a, E> {
    fn from(entries: &'a mut [E]) -> Self {
        InPlace::new(entries)
    }
}

impl<'a, E> From<&'a mut Vec<E>> for InPlace<'a, E> {
    fn from(entries: &'a mut Vec<E>) -> Self {
        InPlace::new(entries)
    }
}

impl<'a, E, const N: usize> From<&'a mut [E; N]> for InPlace<'a, E> {
    fn from(entries: &'a mut [E; N]) -> Self {
        InPlace::new(entries)
    }
}
