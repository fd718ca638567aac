//! New vectors of a device: how many elements a chunk and a binding hold, and where the memory comes from.

use super::block_on::block_on;
use super::buffer::DeviceVec;
use super::device::Gpu;
use super::pool::{Contents, MAX_BYTES, MIN_BYTES};
use super::transfer::Source;
use crate::{Error, Result};

impl Gpu {
    /// Returns the number of elements in a chunk of a [`DeviceVec`]: the largest power of two that fits a
    /// binding.
    pub fn chunk_len<T>(&self) -> Result<usize> {
        self.binding_len::<T>().map(|elements| 1 << elements.ilog2())
    }

    /// Returns the number of elements that fit a binding; it need not be a power of two.
    pub fn binding_len<T>(&self) -> Result<usize> {
        self.elements_within::<T>(self.options().max_chunk_bytes)
    }

    /// Returns the most bytes of a binding, as plans have it from the device's profile.
    pub fn binding_bytes(&self) -> u64 {
        let limits = self.limits();
        let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        binding.min(self.options().max_chunk_bytes)
    }

    /// Creates a device vector of `len` zeros in one buffer, for kernels that bind it as a whole. A vector longer
    /// than [`Gpu::binding_len`] is an error only when it is bound.
    pub fn zeros_whole<T: bytemuck::Pod>(&self, len: usize) -> Result<DeviceVec<T>> {
        DeviceVec::new(self, len, self.binding_len::<T>()?, Contents::Zeros)
    }

    /// Creates a device vector of `len` zeros.
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

    /// Copies a table to a new device vector in one buffer, for kernels that bind it as a whole. A table longer than
    /// a binding is an error only when it is bound.
    pub fn upload_table<T: bytemuck::Pod>(&self, data: &[T]) -> Result<DeviceVec<T>> {
        let chunk = self.elements_within::<T>(u64::MAX)?;
        let mut vector = DeviceVec::new(self, data.len(), chunk, Contents::Any)?;
        vector.write(0, data)?;
        Ok(vector)
    }

    /// [`upload_table`](Self::upload_table) of the words of a source.
    pub(crate) fn upload_table_of(&self, source: &dyn Source) -> Result<DeviceVec<u32>> {
        let chunk = self.elements_within::<u32>(u64::MAX)?;
        let mut vector = DeviceVec::new(self, source.len().div_ceil(4), chunk, Contents::Any)?;
        block_on(vector.write_source(0, source, false))?;
        Ok(vector)
    }

    /// Overwrites all elements of several vectors with zeros, behind all work so far and before all that comes later. It is
    /// gathered: without more work, [`flush`](Gpu::flush) hands it over.
    pub fn clear_all<'v, T: bytemuck::Pod>(
        &self,
        vectors: impl IntoIterator<Item = &'v DeviceVec<T>>,
    ) -> Result<()> {
        let chunks = vectors.into_iter().flat_map(DeviceVec::chunks);
        self.gather(|gathered| gathered.clear(chunks))
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

    /// Returns a buffer of `size` bytes for a vector: one that was used before, or a new one.
    pub(super) fn take_buffer(&self, size: u64, contents: Contents) -> Result<wgpu::Buffer> {
        self.reached();
        let known = self.pool().take(size);
        if let Some(buffer) = known {
            self.check()?;
            if contents == Contents::Zeros {
                self.gather(|gathered| gathered.clear([&buffer]))?;
            }
            return Ok(buffer);
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        // What the vectors use and what is kept stays within the limit.
        self.shrink_pool(self.usage.memory.room());
        let create = || self.create_buffer("vector", size, usage);
        match create() {
            Err(Error::OutOfMemory(_)) if self.pool().bytes() > 0 => {
                self.shrink_pool(0);
                // The driver frees the memory once the work that used it is done.
                self.wait()?;
                create()
            }
            created => created,
        }
    }

    /// Keeps the buffers of a dropped vector, as far as there is room.
    pub(super) fn give_buffers_back(&self, buffers: Vec<wgpu::Buffer>) {
        if buffers.iter().all(|buffer| buffer.size() < MIN_BYTES) {
            return;
        }
        self.pool().buffers.extend(buffers.into_iter().filter(|buffer| buffer.size() >= MIN_BYTES));
        self.shrink_pool(self.usage.memory.room().min(MAX_BYTES));
    }

    /// Frees buffers of the pool until at most `bytes` are left.
    fn shrink_pool(&self, bytes: u64) {
        let freed = self.pool().shrink(bytes);
        self.bindings().forget(&freed);
    }

    /// Returns the contents of all buffers that no vector uses, and frees them.
    #[doc(hidden)]
    pub fn take_kept(&self) -> Result<Vec<Vec<u32>>> {
        let sizes: Vec<u64> = self.pool().buffers.iter().map(wgpu::Buffer::size).collect();
        let vectors = sizes.iter().map(|&size| self.unset::<u32>(size as usize / 4));
        let vectors = vectors.collect::<Result<Vec<_>>>()?;
        let contents = vectors.iter().map(DeviceVec::download).collect();
        drop(vectors);
        self.shrink_pool(0);
        contents
    }
}

#[cfg(test)]
mod tests {
    use crate::gpu::{DeviceVec, Options, test_devices};

    const WORDS: usize = 1 << 16;
    const BYTES: u64 = 4 * WORDS as u64;

    #[test]
    fn new_vectors_in_used_memory_hold_zeros() {
        let gpu = test_devices::open_another(Options::default());
        drop(gpu.upload(&vec![u32::MAX; WORDS]).unwrap());
        assert_eq!(gpu.pool().bytes(), BYTES);
        let vector: DeviceVec<u32> = gpu.zeros(WORDS).unwrap();
        assert_eq!(gpu.pool().bytes(), 0);
        assert_eq!(vector.download().unwrap(), vec![0; WORDS]);
        // An upload to used memory takes its place before work that was gathered earlier is handed over.
        let ones = vec![1u32; WORDS];
        drop(vector);
        assert_eq!(gpu.upload(&ones).unwrap().download().unwrap(), ones);
    }

    #[test]
    fn kept_memory_stays_within_the_limit() {
        let gpu = test_devices::open_another(Options { memory: 3 * BYTES, ..Options::default() });
        let vectors = [0; 2].map(|_| gpu.zeros::<u32>(WORDS).unwrap());
        drop(vectors);
        assert_eq!(gpu.pool().bytes(), 2 * BYTES);
        // Of another length, so no kept buffer is used again; with both the limit would be passed.
        let other: DeviceVec<u32> = gpu.zeros(WORDS + 64).unwrap();
        assert!(gpu.pool().bytes() <= BYTES);
        drop(other);
        assert!(gpu.pool().bytes() <= 3 * BYTES);
    }
}
