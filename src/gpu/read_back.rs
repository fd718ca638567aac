//! Copies of several ranges of device memory to the host, while later work runs.
//!
//! [`DeviceVec::read`](super::DeviceVec::read) waits for all submitted work. Here the host waits for the copies and
//! the work before them only.

use std::ops::Range;

use web_time::Instant;

use super::block_on::block_on;
use super::device::Gpu;
use super::mapped::view;
use super::mapping::{READABLE, map_unrecorded};
use super::staging::Way;
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
        let size = (bytes as u64).next_multiple_of(8).max(16);
        let buffer = gpu.create_buffer("read back", size, READABLE)?;
        Ok(ReadBack { gpu: gpu.clone(), buffer, pending: None })
    }

    /// Submits copies of these ranges of bytes, whole words, which are put one after the other.
    pub fn begin(&mut self, ranges: &[(&wgpu::Buffer, Range<u64>)]) -> Result<()> {
        let bytes: u64 = ranges.iter().map(|(_, range)| range.end - range.start).sum();
        if bytes > self.buffer.size() || self.pending.is_some() {
            return Err(Error::Device(format!("{bytes} bytes for a buffer of {}", self.buffer.size())));
        }
        let submission = self.gpu.submit(|encoder| {
            let mut at = 0;
            for (source, range) in ranges {
                let count = range.end - range.start;
                if count > 0 {
                    encoder.copy_buffer_to_buffer(source, range.start, &self.buffer, at, count);
                }
                at += count;
            }
        })?;
        self.pending = Some((submission, bytes as usize));
        Ok(())
    }

    /// Waits for the copies and puts their bytes into `data`, whose memory is used again.
    pub fn finish(&mut self, data: &mut Vec<u8>) -> Result<()> {
        let Some((submission, bytes)) = self.pending.take() else {
            return Err(Error::Device("no copies to the host are under way".into()));
        };
        self.gpu.wait_for(submission)?;
        let (begin, mapped) = (Instant::now(), (bytes as u64).next_multiple_of(8));
        block_on(map_unrecorded(&self.gpu, &self.buffer, mapped, Way::Download))?;
        data.truncate(bytes);
        data.try_reserve_exact(bytes - data.len())
            .map_err(|_| Error::OutOfMemory(format!("on the host: {bytes} bytes for a message").into()))?;
        data.resize(bytes, 0);
        let view = view(&self.buffer, ..mapped)?;
        let shares = data.par_chunks_mut(SHARE).zip(view.par_chunks(SHARE));
        shares.for_each(|(to, from)| to.copy_from_slice(&from[..to.len()]));
        drop(view);
        self.gpu.unmap(&self.buffer);
        let timeline = self.gpu.timeline();
        timeline.push_copy(Phase::Download, "download", begin, begin.elapsed(), bytes as u64);
        Ok(())
    }
}
