//! The memory that one reader may take.

use super::Source;
use super::text::name;
use crate::{Error, Result};

/// Counts what a reader holds at one time against the bytes that it may use.
pub(super) struct Budget<'s> {
    source: &'s Source,
    allowed: u64,
    held: u64,
}

impl<'s> Budget<'s> {
    /// A reader of `source` may use `allowed` bytes.
    pub fn new(source: &'s Source, allowed: u64) -> Self {
        Budget { source, allowed, held: 0 }
    }

    /// Counts `count` values of a type.
    ///
    /// # Errors
    /// [`Error::Input`] with the bytes that would suffice so far, where they are more than allowed.
    pub fn take<T>(&mut self, count: u64) -> Result<()> {
        self.take_bytes(count.saturating_mul(size_of::<T>() as u64))
    }

    /// Counts so many bytes.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn take_bytes(&mut self, bytes: u64) -> Result<()> {
        let held = self.held.saturating_add(bytes);
        if held > self.allowed {
            let path = name(self.source.path());
            let message = format!("{path}: reading it takes {held} bytes, and {} may be used", self.allowed);
            return Err(Error::Input(message));
        }
        self.held = held;
        Ok(())
    }

    /// A vector of `count` default values.
    ///
    /// # Errors
    /// As [`take`](Self::take), and where the host does not have the memory.
    pub fn vector<T: Clone + Default>(&mut self, count: usize) -> Result<Vec<T>> {
        self.take::<T>(count as u64)?;
        let mut values = self.room(count)?;
        values.resize(count, T::default());
        Ok(values)
    }

    /// An empty vector with room for `count` values, which have been counted.
    ///
    /// # Errors
    /// [`Error::Input`] where the host does not have the memory.
    pub fn room<T>(&self, count: usize) -> Result<Vec<T>> {
        let mut values = Vec::new();
        let reserved = values.try_reserve_exact(count);
        reserved.map_err(|e| Error::Input(format!("{}: {e}", name(self.source.path()))))?;
        Ok(values)
    }
}
