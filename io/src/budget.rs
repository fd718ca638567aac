//! The memory limit of one reader.

use super::Source;
use wgalois::parallel::*;
use wgalois::quoting::name;
use wgalois::{Error, Result, Shortage};

/// Compares the memory that a reader holds at one time with the limit.
pub struct Budget<'s> {
    source: &'s Source,
    allowed: u64,
    held: u64,
}

impl<'s> Budget<'s> {
    /// Creates a budget of `allowed` bytes for a reader of `source`, of which the caller holds some.
    pub fn new(source: &'s Source, allowed: u64) -> Self {
        Budget { source, allowed, held: source.held() }
    }

    /// Counts `count` values of type `T`. The error states the bytes needed so far, all of them after
    /// [`expect`](Self::expect).
    pub fn take<T>(&mut self, count: u64) -> Result<()> {
        self.take_bytes(count.saturating_mul(size_of::<T>() as u64))
    }

    /// Counts `bytes` bytes.
    pub fn take_bytes(&mut self, bytes: u64) -> Result<()> {
        self.expect(bytes)?;
        self.held = self.held.saturating_add(bytes);
        Ok(())
    }

    /// Refuses a reader that will take `bytes` in all, before it takes any: the error states what suffices.
    pub fn expect(&self, bytes: u64) -> Result<()> {
        let needed = self.held.saturating_add(bytes);
        match needed <= self.allowed {
            true => Ok(()),
            false => Err(too_large(self.source, needed, self.allowed)),
        }
    }

    /// Returns a vector of `count` default values.
    pub fn vector<T: Default + Send>(&mut self, count: usize) -> Result<Vec<T>> {
        self.take::<T>(count as u64)?;
        let mut values = self.room(count)?;
        // Pages that nobody has touched take longest: all threads do it.
        (0..count).into_par_iter().map(|_| T::default()).append_to(&mut values);
        Ok(values)
    }

    /// Makes a value of each item, in parallel. Of the first item that has a fault, `refuse` makes the error.
    pub fn values<I: Parallel, T: Send, E: Send>(
        &mut self,
        items: I,
        value: impl Fn(I::Item) -> Result<T, E> + Sync,
        refuse: impl FnOnce(usize, E) -> Error,
    ) -> Result<Vec<T>> {
        self.take::<T>(items.len() as u64)?;
        let mut values = self.room(items.len())?;
        let made = items.enumerate().map(|(i, item)| value(item).map_err(|fault| (i, fault)));
        made.try_append_to(&mut values).map(|()| values).map_err(|(i, fault)| refuse(i, fault))
    }

    /// Returns an empty vector with room for `count` values that were already counted.
    pub fn room<T>(&self, count: usize) -> Result<Vec<T>> {
        let mut values = Vec::new();
        let reserved = values.try_reserve_exact(count);
        reserved.map_err(|e| Error::TooLarge(format!("{}: {e}", name(self.source.path())).into()))?;
        wgalois::huge_pages::prefer_huge(values.as_ptr(), count);
        Ok(values)
    }
}

/// The error of a source that takes `needed` bytes to read, what the caller holds included.
pub fn too_large(source: &Source, needed: u64, allowed: u64) -> Error {
    let path = name(source.path());
    let message = format!("{path}: reading it takes {needed} bytes, and {allowed} may be used");
    Error::TooLarge(Shortage::of_host(message, needed, allowed))
}
