//! The contents of messages: some lists of plain values, each with its length.

use bytemuck::{AnyBitPattern, NoUninit};

use super::Message;
use crate::{Error, Result};

/// The bytes of a length. Lists begin at multiples of it.
const WORD: usize = 8;

/// A message that is being written.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// Appends a list.
    pub fn put<T: NoUninit>(&mut self, values: &[T]) {
        self.put_parts(values.len(), |write| write(values));
    }

    /// Appends a list of the values that an iterator returns.
    pub fn put_each<T: NoUninit>(&mut self, values: impl ExactSizeIterator<Item = T>) {
        self.0.reserve(WORD + values.len() * size_of::<T>());
        self.0.extend_from_slice(&(values.len() as u64).to_le_bytes());
        values.for_each(|value| self.0.extend_from_slice(bytemuck::bytes_of(&value)));
        self.0.resize(self.0.len().next_multiple_of(WORD), 0);
    }

    /// Appends a list of `count` values, which `write` passes on in parts.
    pub fn put_parts<T: NoUninit>(&mut self, count: usize, write: impl FnOnce(&mut dyn FnMut(&[T]))) {
        self.0.reserve(2 * WORD + count * size_of::<T>());
        self.0.extend_from_slice(&(count as u64).to_le_bytes());
        let end = self.0.len() + count * size_of::<T>();
        write(&mut |values: &[T]| self.0.extend_from_slice(bytemuck::cast_slice(values)));
        debug_assert_eq!(self.0.len(), end);
        self.0.resize(end.next_multiple_of(WORD), 0);
    }

    pub fn finish(self) -> Message {
        Message::new(self.0)
    }
}

/// The part of a received message that has not been read.
pub(crate) struct Reader<'m>(&'m [u8]);

impl<'m> Reader<'m> {
    pub fn new(message: &'m Message) -> Self {
        Reader(message)
    }

    /// Reads the next list. Refuses a message that is too short.
    pub fn take<T: AnyBitPattern + NoUninit>(&mut self) -> Result<Vec<T>> {
        let bytes = self.bytes_of(size_of::<T>())?;
        let mut values = Vec::new();
        let count = bytes.len() / size_of::<T>();
        if values.try_reserve_exact(count).is_err() {
            return Err(Error::OutOfMemory(format!("{} bytes for a message", bytes.len()).into()));
        }
        values.resize(count, T::zeroed());
        bytemuck::cast_slice_mut(&mut values).copy_from_slice(bytes);
        Ok(values)
    }

    /// Reads the next list, which has N values. Refuses another number of values.
    pub fn take_array<T: AnyBitPattern + NoUninit, const N: usize>(&mut self) -> Result<[T; N]> {
        self.take()?.try_into().map_err(|_| malformed())
    }

    /// Reads the next list, of as many values as `into` holds. Refuses another number of values.
    pub fn take_into<T: AnyBitPattern + NoUninit>(&mut self, into: &mut [T]) -> Result<()> {
        let bytes = self.bytes_of(size_of::<T>())?;
        let into = bytemuck::cast_slice_mut(into);
        if bytes.len() != into.len() {
            return Err(malformed());
        }
        into.copy_from_slice(bytes);
        Ok(())
    }

    /// Reads the values of the next list one after the other.
    pub fn take_each<T: AnyBitPattern>(&mut self) -> Result<impl ExactSizeIterator<Item = T> + use<'m, T>> {
        Ok(self.bytes_of(size_of::<T>())?.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned))
    }

    /// Returns the bytes of the next list, whose values have `size` bytes.
    fn bytes_of(&mut self, size: usize) -> Result<&'m [u8]> {
        let (length, rest) = self.0.split_first_chunk::<WORD>().ok_or_else(malformed)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok();
        let bytes = length.and_then(|length| length.checked_mul(size)).ok_or_else(malformed)?;
        let padded = bytes.checked_next_multiple_of(WORD).ok_or_else(malformed)?;
        let (list, rest) = rest.split_at_checked(padded).ok_or_else(malformed)?;
        self.0 = rest;
        Ok(&list[..bytes])
    }
}

/// The error for a message that this program did not write.
pub(crate) fn malformed() -> Error {
    Error::Device("a message between processes is malformed: do they run the same program?".into())
}
