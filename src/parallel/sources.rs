//! Slices and ranges as parallel sequences.

use std::marker::PhantomData;
use std::ops::Range;

use super::{IntoParallel, Parallel};

/// The items of a slice.
#[derive(Debug)]
pub struct Items<'a, T>(&'a [T]);

// SAFETY: shared references may be used by several threads, since T is Sync.
unsafe impl<'a, T: Sync> Parallel for Items<'a, T> {
    type Item = &'a T;

    fn len(&self) -> usize {
        self.0.len()
    }

    unsafe fn item(&self, i: usize) -> &'a T {
        // SAFETY: `i` is less than the length.
        unsafe { self.0.get_unchecked(i) }
    }
}

/// The items of a mutable slice.
#[derive(Debug)]
pub struct ItemsMut<'a, T> {
    first: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: a thread gets items of its own, which may be sent to it, since T is Send.
unsafe impl<T: Send> Sync for ItemsMut<'_, T> {}

// SAFETY: items at different places are different parts of the slice.
unsafe impl<'a, T: Send> Parallel for ItemsMut<'a, T> {
    type Item = &'a mut T;

    fn len(&self) -> usize {
        self.len
    }

    unsafe fn item(&self, i: usize) -> &'a mut T {
        // SAFETY: `i` is less than the length, and no other reference to this place exists, since it is taken once.
        unsafe { &mut *self.first.add(i) }
    }
}

/// The parts of a slice of `size` items each, the last perhaps shorter.
#[derive(Debug)]
pub struct Chunks<'a, T> {
    slice: &'a [T],
    size: usize,
}

// SAFETY: shared references may be used by several threads, since T is Sync.
unsafe impl<'a, T: Sync> Parallel for Chunks<'a, T> {
    type Item = &'a [T];

    fn len(&self) -> usize {
        self.slice.len().div_ceil(self.size)
    }

    unsafe fn item(&self, i: usize) -> &'a [T] {
        &self.slice[i * self.size..self.slice.len().min((i + 1) * self.size)]
    }
}

/// The parts of a mutable slice of `size` items each, the last perhaps shorter.
#[derive(Debug)]
pub struct ChunksMut<'a, T> {
    first: *mut T,
    len: usize,
    size: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: a thread gets parts of its own, which may be sent to it, since T is Send.
unsafe impl<T: Send> Sync for ChunksMut<'_, T> {}

// SAFETY: different parts do not overlap.
unsafe impl<'a, T: Send> Parallel for ChunksMut<'a, T> {
    type Item = &'a mut [T];

    fn len(&self) -> usize {
        self.len.div_ceil(self.size)
    }

    unsafe fn item(&self, i: usize) -> &'a mut [T] {
        let begin = i * self.size;
        // SAFETY: the part begins within the slice and ends there; no other reference to it exists, since it is taken once.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(begin), self.size.min(self.len - begin)) }
    }
}

/// The overlapping parts of a slice of `size` items each.
#[derive(Debug)]
pub struct Windows<'a, T> {
    slice: &'a [T],
    size: usize,
}

// SAFETY: shared references may be used by several threads, since T is Sync.
unsafe impl<'a, T: Sync> Parallel for Windows<'a, T> {
    type Item = &'a [T];

    fn len(&self) -> usize {
        (self.slice.len() + 1).saturating_sub(self.size)
    }

    unsafe fn item(&self, i: usize) -> &'a [T] {
        &self.slice[i..i + self.size]
    }
}

/// The numbers of a range.
#[derive(Debug)]
pub struct Numbers<T> {
    begin: T,
    len: usize,
}

// SAFETY: numbers are copies.
unsafe impl Parallel for Numbers<usize> {
    type Item = usize;

    fn len(&self) -> usize {
        self.len
    }

    unsafe fn item(&self, i: usize) -> usize {
        self.begin + i
    }
}

// SAFETY: numbers are copies.
unsafe impl Parallel for Numbers<u64> {
    type Item = u64;

    fn len(&self) -> usize {
        self.len
    }

    unsafe fn item(&self, i: usize) -> u64 {
        self.begin + i as u64
    }
}

/// Loops over a range.
pub trait ParallelRange {
    /// Its numbers.
    type Numbers: Parallel;

    /// The numbers of the range.
    ///
    /// # Panics
    /// If there are more than a `usize` counts.
    fn into_par_iter(self) -> Self::Numbers;
}

impl ParallelRange for Range<usize> {
    type Numbers = Numbers<usize>;

    fn into_par_iter(self) -> Self::Numbers {
        Numbers { begin: self.start, len: self.len() }
    }
}

impl ParallelRange for Range<u64> {
    type Numbers = Numbers<u64>;

    fn into_par_iter(self) -> Self::Numbers {
        let len = usize::try_from(self.end.saturating_sub(self.start));
        Numbers { begin: self.start, len: len.unwrap_or_else(|_| panic!("too many numbers for a loop")) }
    }
}

/// Loops over a slice. A size of 0 counts as 1.
pub trait ParallelSlice<T: Sync> {
    /// The items.
    fn par_iter(&self) -> Items<'_, T>;
    /// The parts of `size` items, the last perhaps shorter.
    fn par_chunks(&self, size: usize) -> Chunks<'_, T>;
    /// The parts of `size` items, without what is left at the end.
    fn par_chunks_exact(&self, size: usize) -> Chunks<'_, T>;
    /// The overlapping parts of `size` items.
    fn par_windows(&self, size: usize) -> Windows<'_, T>;
}

impl<T: Sync> ParallelSlice<T> for [T] {
    fn par_iter(&self) -> Items<'_, T> {
        Items(self)
    }

    fn par_chunks(&self, size: usize) -> Chunks<'_, T> {
        Chunks { slice: self, size: size.max(1) }
    }

    fn par_chunks_exact(&self, size: usize) -> Chunks<'_, T> {
        let size = size.max(1);
        Chunks { slice: &self[..self.len() / size * size], size }
    }

    fn par_windows(&self, size: usize) -> Windows<'_, T> {
        Windows { slice: self, size: size.max(1) }
    }
}

/// Loops over a mutable slice. A size of 0 counts as 1.
pub trait ParallelSliceMut<T: Send> {
    /// The items.
    fn par_iter_mut(&mut self) -> ItemsMut<'_, T>;
    /// The parts of `size` items, the last perhaps shorter.
    fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T>;
    /// The parts of `size` items, without what is left at the end.
    fn par_chunks_exact_mut(&mut self, size: usize) -> ChunksMut<'_, T>;
}

impl<T: Send> ParallelSliceMut<T> for [T] {
    fn par_iter_mut(&mut self) -> ItemsMut<'_, T> {
        ItemsMut { first: self.as_mut_ptr(), len: self.len(), slice: PhantomData }
    }

    fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
        ChunksMut { first: self.as_mut_ptr(), len: self.len(), size: size.max(1), slice: PhantomData }
    }

    fn par_chunks_exact_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
        let size = size.max(1);
        let len = self.len() / size * size;
        ChunksMut { first: self.as_mut_ptr(), len, size, slice: PhantomData }
    }
}

impl<'a, T: Sync> IntoParallel for &'a [T] {
    type Items = Items<'a, T>;

    fn into_parallel(self) -> Items<'a, T> {
        Items(self)
    }
}

impl<'a, T: Sync> IntoParallel for &'a Vec<T> {
    type Items = Items<'a, T>;

    fn into_parallel(self) -> Items<'a, T> {
        Items(self)
    }
}

impl<'a, T: Send> IntoParallel for &'a mut [T] {
    type Items = ItemsMut<'a, T>;

    fn into_parallel(self) -> ItemsMut<'a, T> {
        self.par_iter_mut()
    }
}

impl<'a, T: Send> IntoParallel for &'a mut Vec<T> {
    type Items = ItemsMut<'a, T>;

    fn into_parallel(self) -> ItemsMut<'a, T> {
        self.par_iter_mut()
    }
}
