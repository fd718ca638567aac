//! Buffers of dropped device vectors, kept for new ones: to allocate and free device memory takes 34 us a MiB on an H200,
//! as long as a kernel that goes through the memory forty times.

/// Buffers that are kept at most, and their bytes together.
const MAX_BUFFERS: usize = 64;
pub(super) const MAX_BYTES: u64 = 2 << 30;
/// Smaller buffers share blocks of memory, so that creating them costs nothing.
pub(super) const MIN_BYTES: u64 = 64 << 10;

/// Buffers that no vector uses, the longest unused first.
#[derive(Default)]
pub(super) struct Pool {
    pub buffers: Vec<wgpu::Buffer>,
}

impl Pool {
    /// Returns the bytes of the buffers.
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(wgpu::Buffer::size).sum()
    }

    /// Takes a buffer of exactly `size` bytes.
    pub fn take(&mut self, size: u64) -> Option<wgpu::Buffer> {
        let i = self.buffers.iter().rposition(|buffer| buffer.size() == size)?;
        Some(self.buffers.remove(i))
    }

    /// Gives up the buffers that were unused longest, until at most `bytes` are left, and returns them.
    pub fn shrink(&mut self, bytes: u64) -> Vec<wgpu::Buffer> {
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

/// The contents of a new vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    Zeros,
    /// Unspecified: the caller overwrites all.
    Any,
}
