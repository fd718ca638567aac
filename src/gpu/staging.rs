//! Buffers that the host can map, kept between transfers: making one costs more than
//! filling it (100 ms for 512 MiB on an H200).

use std::sync::Mutex;

use super::device::{Gpu, lock};
use crate::{Error, Result};

/// Bytes of one staging buffer.
pub(super) const PIECE: u64 = 32 << 20;
/// Pieces that one transfer fills or drains in parallel.
pub(super) const PARALLEL: usize = 4;

/// Bytes of host memory that staging buffers take at most, kept ones included, where no transfer
/// moves more than `bytes`.
pub(crate) fn staging_bytes(bytes: u64) -> u64 {
    // Both ways two transfers' worth is kept.
    let count = bytes.div_ceil(PIECE).min(2 * PARALLEL as u64);
    2 * count * buffer_bytes(bytes.min(PIECE))
}

/// Bytes of a staging buffer for `bytes`.
fn buffer_bytes(bytes: u64) -> u64 {
    bytes.next_power_of_two().clamp(64 << 10, PIECE)
}

/// Unmapped staging buffers that wait for their next use.
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
    /// `count` unmapped staging buffers of at least `bytes`.
    pub(super) fn take(&self, gpu: &Gpu, way: Way, bytes: u64, count: usize) -> Result<Vec<wgpu::Buffer>> {
        let mut buffers = Vec::with_capacity(count);
        {
            let mut free = lock(self.pool(way));
            while buffers.len() < count {
                let Some(i) = free.iter().position(|buffer| buffer.size() >= bytes) else { break };
                // The one given back longest ago: the device has most likely done with it.
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

    /// Takes unmapped buffers back.
    pub(super) fn give_back(&self, way: Way, buffers: Vec<wgpu::Buffer>) {
        let mut free = lock(self.pool(way));
        free.extend(buffers);
        // Two transfers' worth is kept.
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

/// Maps the first `bytes[i]` bytes of `buffers[i]`, once the device has done with them.
pub(super) async fn map(gpu: &Gpu, buffers: &[wgpu::Buffer], bytes: &[u64], way: Way) -> Result<()> {
    let mode = if way == Way::Upload { wgpu::MapMode::Write } else { wgpu::MapMode::Read };
    let mut answers = Vec::new();
    for (buffer, &bytes) in buffers.iter().zip(bytes) {
        let (sender, answer) = futures_channel::oneshot::channel();
        // A receiver that is gone has met another error first.
        buffer.slice(..bytes).map_async(mode, move |mapped| drop(sender.send(mapped)));
        answers.push(answer);
    }
    // The browser calls back by itself; elsewhere polling makes the device call back. What no work
    // under way uses is mapped at once.
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
