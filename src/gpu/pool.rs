//! Buffers of dropped device vectors, kept for new ones: to allocate and free device memory takes 34 us a MiB on an H200,
//! as long as a kernel that goes through the memory forty times.

use super::buffer::Contents;
use super::device::Gpu;
use crate::{Error, Result};

/// Buffers that are kept at most, and their bytes together.
const MAX_BUFFERS: usize = 64;
const MAX_BYTES: u64 = 2 << 30;
/// Smaller buffers share blocks of memory, so that creating them costs nothing.
const MIN_BYTES: u64 = 64 << 10;

/// Buffers that no vector uses, the longest unused first.
#[derive(Default)]
pub(super) struct Pool {
    buffers: Vec<wgpu::Buffer>,
}

impl Pool {
    /// Returns the bytes of the buffers.
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(wgpu::Buffer::size).sum()
    }

    /// Takes a buffer of exactly `size` bytes.
    fn take(&mut self, size: u64) -> Option<wgpu::Buffer> {
        let i = self.buffers.iter().rposition(|buffer| buffer.size() == size)?;
        Some(self.buffers.remove(i))
    }

    /// Gives up the buffers that were unused longest, until at most `bytes` are left, and returns them.
    fn shrink(&mut self, bytes: u64) -> Vec<wgpu::Buffer> {
        let mut kept = self.bytes();
        let surplus = self.buffers.iter().take_while(|buffer| {
            let is_surplus = kept > bytes;
            kept -= buffer.size();
            is_surplus
        });
        let surplus = surplus.count().max(self.buffers.len().saturating_sub(MAX_BUFFERS));
        self.buffers.drain(..surplus).collect()
    }
}

impl Gpu {
    /// Returns a buffer of `size` bytes for a vector: one that was used before, or a new one.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; other errors of the driver.
    pub(super) fn take_buffer(&self, size: u64, contents: Contents) -> Result<wgpu::Buffer> {
        let known = self.pool().take(size);
        if let Some(buffer) = known {
            self.check()?;
            if contents == Contents::Zeros {
                self.gather(|gathered| gathered.clear(buffer.clone()))?;
            }
            return Ok(buffer);
        }
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        // What the vectors use and what is kept stays within the limit.
        let room = self.memory().room();
        self.shrink_pool(room);
        let create = || self.guarded(|device| device.create_buffer(&descriptor));
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
        self.shrink_pool(self.memory().room().min(MAX_BYTES));
    }

    /// Frees buffers of the pool until at most `bytes` are left.
    fn shrink_pool(&self, bytes: u64) {
        let freed = self.pool().shrink(bytes);
        self.bindings().forget(&freed);
    }
}

impl Gpu {
    /// Returns the contents of all buffers that no vector uses, and frees them.
    #[doc(hidden)]
    pub fn take_kept(&self) -> Result<Vec<Vec<u32>>> {
        let sizes: Vec<u64> = self.pool().buffers.iter().map(wgpu::Buffer::size).collect();
        let vectors = sizes.iter().map(|&size| self.unset::<u32>(size as usize / 4));
        let vectors = vectors.collect::<Result<Vec<_>>>()?;
        let contents = vectors.iter().map(super::DeviceVec::download).collect();
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
