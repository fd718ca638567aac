//! Vectors in device memory.

use std::marker::PhantomData;

use bytemuck::Pod;

use super::device::Gpu;
use super::memory::Reservation;
use super::params::Written;
use super::pool::Contents;
use crate::{Error, Result};

/// A vector of `T` in device memory. It is one buffer or, if it is longer than a binding, several
/// chunks of the same power-of-two length. It keeps its contents between calls. Once it is dropped, its memory is kept for
/// new vectors of the device, up to 2 GiB of it, within [`Options::memory`](super::Options::memory).
#[derive(Debug)]
pub struct DeviceVec<T> {
    gpu: Gpu,
    chunks: Vec<wgpu::Buffer>,
    chunk_len: usize,
    len: usize,
    _reservation: Reservation,
    _element: PhantomData<T>,
}

impl<T> Drop for DeviceVec<T> {
    fn drop(&mut self) {
        self.gpu.give_buffers_back(std::mem::take(&mut self.chunks));
    }
}

impl<T: Pod> DeviceVec<T> {
    pub(super) const SIZE: u64 = size_of::<T>() as u64;

    /// Creates a vector of `len` elements in chunks of `chunk_len`: zeros, or whatever is in memory that was used before.
    pub(super) fn new(gpu: &Gpu, len: usize, chunk_len: usize, contents: Contents) -> Result<Self> {
        let bytes = (len as u64).saturating_mul(Self::SIZE);
        let reservation = gpu.usage.memory.reserve(bytes)?;
        let count = len.div_ceil(chunk_len).max(1);
        let chunks = (0..count)
            .map(|i| {
                let elements = chunk_len.min(len - i * chunk_len);
                // Copies work on whole words, and a binding must not be empty.
                let size = (elements as u64 * Self::SIZE).next_multiple_of(4).max(16);
                gpu.take_buffer(size, contents)
            })
            .collect::<Result<_>>()?;
        Ok(DeviceVec {
            gpu: gpu.clone(),
            chunks,
            chunk_len,
            len,
            _reservation: reservation,
            _element: PhantomData,
        })
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if the vector has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the device that holds the vector.
    pub fn gpu(&self) -> &Gpu {
        self.gpu.reached();
        &self.gpu
    }

    /// Returns the number of elements in every chunk but the last. It is a power of two, except for vectors
    /// that are bound as a whole.
    pub fn chunk_len(&self) -> usize {
        self.chunk_len
    }

    /// Returns the chunks in order, for kernels to bind.
    pub fn chunks(&self) -> &[wgpu::Buffer] {
        &self.chunks
    }

    /// Returns the only buffer of a vector that has a single chunk.
    pub fn whole(&self) -> Result<&wgpu::Buffer> {
        match self.chunks.as_slice() {
            [buffer] => Ok(buffer),
            _ => Err(Error::OutOfMemory(
                format!(
                    "{} bytes in one vector, past the device's binding limit",
                    self.len as u64 * Self::SIZE
                )
                .into(),
            )),
        }
    }

    /// [`whole`](Self::whole), for a dispatch that writes the vector.
    pub fn written(&self) -> Result<Written<'_>> {
        self.whole().map(Written)
    }

    /// Refuses a range that reaches past the end.
    pub(super) fn check_range(&self, start: usize, len: usize) -> Result<()> {
        match start.checked_add(len) {
            Some(end) if end <= self.len => Ok(()),
            _ => Err(Error::PastTheEnd { what: "elements", start, count: len, len: self.len }),
        }
    }
}
