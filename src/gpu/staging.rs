//! Staging buffers, which the host can map. They are kept between transfers, since creating one takes
//! longer than filling it (100 ms for 512 MiB on an H200).

use std::sync::Mutex;

use super::lock::lock;

/// Maximum bytes of one staging buffer.
pub(super) const PIECE: u64 = 16 << 20;
/// Number of pieces of a transfer that are under way at a time: one for the host, one for the device, one
/// that hides the time between them.
pub(super) const UNDER_WAY: usize = 3;

/// Returns the maximum bytes of host memory that staging buffers use, kept ones included, if no transfer
/// moves more than `bytes`.
pub(crate) fn staging_bytes(bytes: u64) -> u64 {
    // For each direction, the buffers of one transfer are kept.
    let count = bytes.div_ceil(PIECE).min(UNDER_WAY as u64);
    2 * count * buffer_bytes(bytes.min(PIECE))
}

/// Returns the size of a staging buffer for `bytes`.
pub(super) fn buffer_bytes(bytes: u64) -> u64 {
    bytes.next_power_of_two().clamp(64 << 10, PIECE)
}

/// The unmapped staging buffers that are free for use.
#[derive(Debug, Default)]
pub(super) struct Staging {
    uploads: Mutex<Vec<wgpu::Buffer>>,
    downloads: Mutex<Vec<wgpu::Buffer>>,
}

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Upload,
    Download,
}

impl Staging {
    /// Takes a free buffer of at least `bytes`, if there is one.
    pub(super) fn take(&self, way: Way, bytes: u64) -> Option<wgpu::Buffer> {
        let mut free = lock(self.pool(way));
        // Of the buffers of one size, the first was given back first: the device has most likely
        // finished with it.
        let i = free.iter().position(|buffer| buffer.size() >= bytes)?;
        Some(free.remove(i))
    }

    /// Takes all free buffers.
    pub(super) fn take_all(&self, way: Way) -> Vec<wgpu::Buffer> {
        std::mem::take(&mut lock(self.pool(way)))
    }

    /// Takes an unmapped buffer back, for later transfers.
    pub(super) fn give_back(&self, way: Way, buffer: wgpu::Buffer) {
        let mut free = lock(self.pool(way));
        free.push(buffer);
        // The buffers of one transfer are kept, largest first.
        free.sort_by_key(|buffer| std::cmp::Reverse(buffer.size()));
        free.truncate(UNDER_WAY);
    }

    fn pool(&self, way: Way) -> &Mutex<Vec<wgpu::Buffer>> {
        match way {
            Way::Upload => &self.uploads,
            Way::Download => &self.downloads,
        }
    }
}
