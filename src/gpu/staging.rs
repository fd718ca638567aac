//! Staging buffers, which the host can map. They are kept between transfers, since creating one takes
//! longer than filling it (100 ms for 512 MiB on an H200).

use std::sync::Mutex;

use crate::lock::lock;

/// Maximum bytes of one staging buffer.
pub const PIECE: u64 = 16 << 20;
/// Number of pieces of a transfer that are under way at a time: one for the host, one for the device, one
/// that hides the time between them.
pub(super) const UNDER_WAY: usize = 3;

/// Maximum bytes of the staging buffers of transfers in one direction.
pub(super) const MOST: u64 = UNDER_WAY as u64 * PIECE;

/// Number of small upload buffers that are kept.
const KEPT: usize = 16;

/// Returns the maximum bytes of host memory that staging buffers use, kept ones included, if no transfer
/// moves more than `bytes`.
pub fn staging_bytes(bytes: u64) -> u64 {
    let buffer = buffer_bytes(bytes.min(PIECE));
    let downloads = bytes.div_ceil(PIECE).min(UNDER_WAY as u64) * buffer;
    let uploads = (KEPT as u64 * buffer).min(MOST);
    downloads + uploads
}

/// Returns the size of a staging buffer for `bytes`.
pub(super) fn buffer_bytes(bytes: u64) -> u64 {
    bytes.next_power_of_two().clamp(64 << 10, PIECE)
}

/// The unmapped staging buffers that are free for use.
#[derive(Debug, Default)]
pub(super) struct Staging {
    /// By [`Way`], the largest first.
    free: [Mutex<Vec<wgpu::Buffer>>; 2],
    /// The last submission that copies from buffers of uploads.
    pub copied: Mutex<Option<wgpu::SubmissionIndex>>,
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
        let mut free = lock(&self.free[way as usize]);
        // The smallest that is large enough, so that the others stay for longer transfers.
        let i = free.iter().rposition(|buffer| buffer.size() >= bytes)?;
        Some(free.remove(i))
    }

    /// Takes all free buffers.
    pub(super) fn take_all(&self, way: Way) -> Vec<wgpu::Buffer> {
        std::mem::take(&mut lock(&self.free[way as usize]))
    }

    /// Takes an unmapped buffer back, for later transfers.
    pub(super) fn give_back(&self, way: Way, buffer: wgpu::Buffer) {
        let mut free = lock(&self.free[way as usize]);
        free.push(buffer);
        // The buffers of one long transfer are kept, or of some short ones, largest first.
        free.sort_by_key(|buffer| std::cmp::Reverse(buffer.size()));
        let mut bytes = MOST;
        let fits = |buffer: &&wgpu::Buffer| {
            let left = bytes.checked_sub(buffer.size());
            bytes = left.unwrap_or(0);
            left.is_some()
        };
        let kept = free.iter().take_while(fits).count();
        free.truncate(kept.min(if way == Way::Upload { KEPT } else { UNDER_WAY }));
    }
}
