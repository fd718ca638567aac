//! Staging buffers, which the host can map. They are kept between transfers, since creating one takes
//! longer than filling it (100 ms for 512 MiB on an H200).

use std::sync::Mutex;

use web_time::Instant;

use super::device::{Gpu, lock};
use crate::timeline::Phase;
use crate::{Error, Result};

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
fn buffer_bytes(bytes: u64) -> u64 {
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
    /// Returns an unmapped staging buffer of at least `bytes`.
    pub(super) fn take(&self, gpu: &Gpu, way: Way, bytes: u64) -> Result<wgpu::Buffer> {
        {
            let mut free = lock(self.pool(way));
            // Of the buffers of one size, the first was given back first: the device has most likely
            // finished with it.
            if let Some(i) = free.iter().position(|buffer| buffer.size() >= bytes) {
                return Ok(free.remove(i));
            }
        }
        let usage = match way {
            Way::Upload => wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
            Way::Download => wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        };
        let size = buffer_bytes(bytes);
        let descriptor =
            wgpu::BufferDescriptor { label: Some("staging"), size, usage, mapped_at_creation: false };
        gpu.guarded(|device| device.create_buffer(&descriptor))
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

/// Maps the first `bytes` bytes of `buffer`, once the device has finished with it. A detailed timeline
/// records it.
pub(super) async fn map(gpu: &Gpu, buffer: &wgpu::Buffer, bytes: u64, way: Way) -> Result<()> {
    let begin = gpu.timeline().is_detailed().then(Instant::now);
    map_unrecorded(gpu, buffer, bytes, way).await?;
    if let Some(begin) = begin {
        gpu.timeline().push_copy(Phase::Mapping, "map", begin, begin.elapsed(), bytes);
    }
    Ok(())
}

/// [`map`], which no timeline records.
pub(super) async fn map_unrecorded(gpu: &Gpu, buffer: &wgpu::Buffer, bytes: u64, way: Way) -> Result<()> {
    let mode = if way == Way::Upload { wgpu::MapMode::Write } else { wgpu::MapMode::Read };
    let (sender, mut answer) = futures_channel::oneshot::channel();
    // The send fails only if the receiver was dropped, after another error.
    buffer.slice(..bytes).map_async(mode, move |mapped| drop(sender.send(mapped)));
    // A browser runs the callback by itself; elsewhere a poll does. A buffer that no pending work uses is
    // mapped at once.
    gpu.poll()?;
    let mapped = match answer.try_recv() {
        Ok(Some(mapped)) => Ok(mapped),
        Ok(None) => {
            gpu.wait()?;
            answer.await
        }
        Err(canceled) => Err(canceled),
    };
    let mapped = mapped.map_err(|_| Error::DeviceLost("a mapping was dropped".into()))?;
    mapped.map_err(|e| Error::DeviceLost(format!("cannot map a buffer: {e}")))
}
