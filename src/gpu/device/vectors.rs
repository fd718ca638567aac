//! The device's vectors: how many elements a chunk and a binding hold, and new vectors.

use super::Gpu;
use crate::gpu::DeviceVec;
#[cfg(doc)]
use crate::gpu::Options;
use crate::gpu::buffer::Contents;
use crate::{Error, Result};

impl Gpu {
    /// Returns the number of elements in a chunk of a [`DeviceVec`]: the largest power of two that fits a
    /// binding.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if one element is larger than a binding.
    pub fn chunk_len<T>(&self) -> Result<usize> {
        self.binding_len::<T>().map(|elements| 1 << elements.ilog2())
    }

    /// Returns the number of elements that fit a binding; it need not be a power of two.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if one element is larger than a binding.
    pub fn binding_len<T>(&self) -> Result<usize> {
        self.elements_within::<T>(self.options().max_chunk_bytes)
    }

    /// Returns the most bytes of a binding, as plans have it from the device's profile.
    pub fn binding_bytes(&self) -> u64 {
        let limits = self.limits();
        let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        binding.min(self.options().max_chunk_bytes)
    }

    /// Creates a device vector of `len` zeros in one buffer, for kernels that bind it as a whole.
    ///
    /// # Errors
    /// Those of [`Gpu::zeros`]. A vector longer than [`Gpu::binding_len`] is an error only when it is bound.
    pub fn zeros_whole<T: bytemuck::Pod>(&self, len: usize) -> Result<DeviceVec<T>> {
        DeviceVec::new(self, len, self.binding_len::<T>()?, Contents::Zeros)
    }

    /// Creates a device vector of `len` zeros.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the vector exceeds the device's memory or [`Options::memory`].
    pub fn zeros<T: bytemuck::Pod>(&self, len: usize) -> Result<DeviceVec<T>> {
        DeviceVec::new(self, len, self.chunk_len::<T>()?, Contents::Zeros)
    }

    /// Creates a device vector of `len` elements with unspecified contents, all of which the caller overwrites.
    pub fn unset<T: bytemuck::Pod>(&self, len: usize) -> Result<DeviceVec<T>> {
        DeviceVec::new(self, len, self.chunk_len::<T>()?, Contents::Any)
    }

    /// Copies `data` to a new device vector.
    pub fn upload<T: bytemuck::Pod>(&self, data: &[T]) -> Result<DeviceVec<T>> {
        let mut vector = self.unset(data.len())?;
        vector.write(0, data)?;
        Ok(vector)
    }

    /// Copies a table to a new device vector in one buffer, for kernels that bind it as a whole.
    ///
    /// # Errors
    /// Those of [`Gpu::upload`]. A table longer than a binding is an error only when it is bound.
    pub fn upload_table<T: bytemuck::Pod>(&self, data: &[T]) -> Result<DeviceVec<T>> {
        let chunk = self.elements_within::<T>(u64::MAX)?;
        let mut vector = DeviceVec::new(self, data.len(), chunk, Contents::Any)?;
        vector.write(0, data)?;
        Ok(vector)
    }

    /// Overwrites all elements of several vectors with zeros, behind all work so far and before all that comes later. It is
    /// gathered: without more work, [`flush`](Gpu::flush) hands it over.
    pub fn clear_all<'v, T: bytemuck::Pod>(
        &self,
        vectors: impl IntoIterator<Item = &'v DeviceVec<T>>,
    ) -> Result<()> {
        let chunks = vectors.into_iter().flat_map(DeviceVec::chunks);
        self.gather(|gathered| chunks.for_each(|chunk| gathered.clear(chunk.clone())))
    }

    /// Returns the number of elements that fit both a binding and `most_bytes`.
    fn elements_within<T>(&self, most_bytes: u64) -> Result<usize> {
        let limits = self.limits();
        let bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size).min(most_bytes);
        match bytes / (size_of::<T>() as u64).max(1) {
            0 => Err(Error::OutOfMemory("an element is larger than a binding".into())),
            elements => Ok(elements as usize),
        }
    }
}
