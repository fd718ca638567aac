//! Buffers that the host maps: making, mapping and unmapping them.

use web_time::Instant;

use super::device::Gpu;
use super::mapped::view_mut;
use super::staging::{Way, buffer_bytes};
use crate::Result;
use crate::lock::lock;
use crate::parallel::*;
use crate::timeline::Phase;

/// Buffers from this size on, in bytes, have an event in the timeline: to allocate and free them takes 34 us a MiB on an H200.
const NOTED: u64 = 1 << 20;

/// The usage of a buffer that downloads are copied to.
pub(super) const READABLE: wgpu::BufferUsages =
    wgpu::BufferUsages::MAP_READ.union(wgpu::BufferUsages::COPY_DST);

impl Gpu {
    /// Creates a buffer.
    pub(super) fn create_buffer(
        &self,
        label: &'static str,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer> {
        let descriptor =
            wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let begin = Instant::now();
        let buffer = self.guarded(|device| device.create_buffer(&descriptor));
        if size >= NOTED {
            self.timeline().push(Phase::Preparing, "allocate", begin, begin.elapsed());
        }
        buffer
    }

    /// Takes the staging buffers of uploads back once the device has done what was submitted so far, of which `copies` is
    /// the last that copies from them.
    pub(super) fn give_back_when_done(&self, buffers: Vec<wgpu::Buffer>, copies: wgpu::SubmissionIndex) {
        if buffers.is_empty() {
            return;
        }
        let staging = self.opened.staging.clone();
        *lock(&staging.copied) = Some(copies);
        let _driver = self.driver();
        self.opened.queue.on_submitted_work_done(move || {
            buffers.into_iter().for_each(|buffer| staging.give_back(Way::Upload, buffer));
        });
    }

    /// Returns an unmapped staging buffer of at least `bytes`.
    pub(super) fn staging_buffer(&self, way: Way, bytes: u64) -> Result<wgpu::Buffer> {
        if let Some(free) = self.opened.staging.take(way, bytes) {
            return Ok(free);
        }
        let usage = match way {
            Way::Upload => wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
            Way::Download => READABLE,
        };
        self.create_buffer("staging", buffer_bytes(bytes), usage)
    }
}

/// Overwrites a buffer that is mapped for an upload.
pub(super) fn fill_zeros(buffer: &wgpu::Buffer) -> Result<()> {
    static ZEROS: [u8; 64 << 10] = [0; 64 << 10];
    let begins: Vec<u64> = (0..buffer.size()).step_by(ZEROS.len()).collect();
    begins.par_iter().try_for_each(|&begin| {
        let end = buffer.size().min(begin + ZEROS.len() as u64);
        view_mut(buffer, begin..end)?.slice(..).copy_from_slice(&ZEROS[..(end - begin) as usize]);
        Ok(())
    })
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
    // Nothing but a loss refuses a mapping. The driver may report the loss later.
    let mapped = mapped.map_err(|_| gpu.lost("a mapping was dropped".into()))?;
    mapped.map_err(|e| gpu.lost(format!("cannot map a buffer: {e}")))
}
