//! Copies of several ranges of device memory to the host, while later work runs.
//!
//! [`DeviceVec::read`](super::DeviceVec::read) waits for all submitted work. Here the host waits for the copies and
//! the work before them only.

use std::ops::Range;

use web_time::Instant;

use super::device::Gpu;
use crate::parallel::*;
use crate::timeline::Phase;
use crate::{Error, Result};

/// Bytes that one thread copies at a time.
const SHARE: usize = 1 << 20;

/// A buffer for copies to the host, used again and again.
pub struct ReadBack {
    gpu: Gpu,
    buffer: wgpu::Buffer,
    /// The submission of the copies under way, and their bytes.
    pending: Option<(wgpu::SubmissionIndex, usize)>,
}

impl ReadBack {
    /// Makes a buffer for at most `bytes` bytes at a time.
    pub fn new(gpu: &Gpu, bytes: usize) -> Result<Self> {
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let size = (bytes as u64).next_multiple_of(8).max(16);
        let descriptor =
            wgpu::BufferDescriptor { label: Some("read back"), size, usage, mapped_at_creation: false };
        let buffer = gpu.guarded(|device| device.create_buffer(&descriptor))?;
        Ok(ReadBack { gpu: gpu.clone(), buffer, pending: None })
    }

    /// Submits copies of these ranges of bytes, whole words, which are put one after the other.
    pub fn begin(&mut self, ranges: &[(&wgpu::Buffer, Range<u64>)]) -> Result<()> {
        let bytes: u64 = ranges.iter().map(|(_, range)| range.end - range.start).sum();
        if bytes > self.buffer.size() || self.pending.is_some() {
            return Err(Error::Device(format!("{bytes} bytes for a buffer of {}", self.buffer.size())));
        }
        self.gpu.flush()?;
        self.gpu.lose_if_asked();
        let submission = self.gpu.guarded(|device| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let mut at = 0;
            for (source, range) in ranges {
                let count = range.end - range.start;
                if count > 0 {
                    encoder.copy_buffer_to_buffer(source, range.start, &self.buffer, at, count);
                }
                at += count;
            }
            self.gpu.queue().submit([encoder.finish()])
        })?;
        self.pending = Some((submission, bytes as usize));
        Ok(())
    }

    /// Waits for the copies and puts their bytes into `data`, whose memory is used again.
    pub fn finish(&mut self, data: &mut Vec<u8>) -> Result<()> {
        let Some((submission, bytes)) = self.pending.take() else {
            return Err(Error::Device("no copies to the host are under way".into()));
        };
        let (sender, mut answer) = futures_channel::oneshot::channel();
        // The send fails only if the receiver was dropped, after another error.
        let slice = self.buffer.slice(..(bytes as u64).next_multiple_of(8));
        slice.map_async(wgpu::MapMode::Read, move |mapped| drop(sender.send(mapped)));
        self.gpu.wait_for(submission)?;
        let begin = Instant::now();
        if matches!(answer.try_recv(), Ok(None)) {
            self.gpu.wait()?;
        }
        data.truncate(bytes);
        data.try_reserve_exact(bytes - data.len())
            .map_err(|_| Error::OutOfMemory(format!("on the host: {bytes} bytes for a message").into()))?;
        data.resize(bytes, 0);
        let view = slice.get_mapped_range();
        let view = view.map_err(|e| Error::DeviceLost(format!("cannot see a mapped buffer: {e}")))?;
        let shares = data.par_chunks_mut(SHARE).zip(view.par_chunks(SHARE));
        shares.for_each(|(to, from)| to.copy_from_slice(&from[..to.len()]));
        drop(view);
        self.gpu.unmap(&self.buffer);
        let timeline = self.gpu.timeline();
        timeline.push_copy(Phase::Download, "download", begin, begin.elapsed(), bytes as u64);
        Ok(())
    }
}
