//! Staging buffers, which the host can map. They are kept between transfers, since creating one takes
//! longer than filling it (100 ms for 512 MiB on an H200).

use std::sync::Mutex;

use web_time::Instant;

use super::device::{Gpu, lock};
use crate::timeline::Phase;
use crate::{Error, Result};

/// Bytes of one staging buffer.
pub(super) const PIECE: u64 = 32 << 20;
/// Number of pieces that a transfer copies in parallel.
pub(super) const PARALLEL: usize = 4;

/// Returns the maximum bytes of host memory that staging buffers use, kept ones included, if no transfer
/// moves more than `bytes`.
pub(crate) fn staging_bytes(bytes: u64) -> u64 {
    // For each direction, the buffers of two transfers are kept.
    let count = bytes.div_ceil(PIECE).min(2 * PARALLEL as u64);
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
    /// Returns `count` unmapped staging buffers of at least `bytes` each.
    pub(super) fn take(&self, gpu: &Gpu, way: Way, bytes: u64, count: usize) -> Result<Vec<wgpu::Buffer>> {
        let mut buffers = Vec::with_capacity(count);
        {
            let mut free = lock(self.pool(way));
            while buffers.len() < count {
                let Some(i) = free.iter().position(|buffer| buffer.size() >= bytes) else { break };
                // Of the buffers of one size, the first was given back first: the device has most
                // likely finished with it.
                buffers.push(free.remove(i));
            }
        }
        while buffers.len() < count {
            let usage = match way {
                Way::Upload => wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
                Way::Download => wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            };
            let size = buffer_bytes(bytes);
            let descriptor =
                wgpu::BufferDescriptor { label: Some("staging"), size, usage, mapped_at_creation: false };
            buffers.push(gpu.guarded(|device| device.create_buffer(&descriptor))?);
        }
        Ok(buffers)
    }

    /// Takes unmapped buffers back, for later transfers.
    pub(super) fn give_back(&self, way: Way, buffers: Vec<wgpu::Buffer>) {
        let mut free = lock(self.pool(way));
        free.extend(buffers);
        // The buffers of two transfers are kept, largest first.
        free.sort_by_key(|buffer| std::cmp::Reverse(buffer.size()));
        free.truncate(2 * PARALLEL);
    }

    fn pool(&self, way: Way) -> &Mutex<Vec<wgpu::Buffer>> {
        match way {
            Way::Upload => &self.uploads,
            Way::Download => &self.downloads,
        }
    }
}

/// Maps the first `bytes[i]` bytes of `buffers[i]`, once the device has finished with them. A detailed
/// timeline records it.
pub(super) async fn map(gpu: &Gpu, buffers: &[wgpu::Buffer], bytes: &[u64], way: Way) -> Result<()> {
    let begin = gpu.timeline().is_detailed().then(Instant::now);
    map_unrecorded(gpu, buffers, bytes, way).await?;
    if let Some(begin) = begin {
        gpu.timeline().push_copy(Phase::Mapping, "map", begin, begin.elapsed(), bytes.iter().sum());
    }
    Ok(())
}

/// [`map`], which no timeline records.
pub(super) async fn map_unrecorded(
    gpu: &Gpu,
    buffers: &[wgpu::Buffer],
    bytes: &[u64],
    way: Way,
) -> Result<()> {
    let mode = if way == Way::Upload { wgpu::MapMode::Write } else { wgpu::MapMode::Read };
    let mut answers = Vec::new();
    for (buffer, &bytes) in buffers.iter().zip(bytes) {
        let (sender, answer) = futures_channel::oneshot::channel();
        // The send fails only if the receiver was dropped, after another error.
        buffer.slice(..bytes).map_async(mode, move |mapped| drop(sender.send(mapped)));
        answers.push(answer);
    }
    // A browser runs the callbacks by itself; elsewhere a poll does. Buffers that no pending work uses
    // are mapped at once.
    gpu.poll()?;
    for mut answer in answers {
        let mapped = match answer.try_recv() {
            Ok(Some(mapped)) => Ok(mapped),
            Ok(None) => {
                gpu.wait()?;
                answer.await
            }
            Err(canceled) => Err(canceled),
        };
        let mapped = mapped.map_err(|_| Error::DeviceLost("a mapping was dropped".into()))?;
        mapped.map_err(|e| Error::DeviceLost(format!("cannot map a buffer: {e}")))?;
    }
    Ok(())
}
