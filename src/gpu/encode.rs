//! Encoding and submitting command buffers, and reading timestamps.

use std::time::Duration;

use super::block_on::block_on;
use super::device::Gpu;
use super::staging::{self, Way};
use crate::{Error, Result};

/// The command buffers of one submission, while they are encoded.
pub(super) struct Encoders<'d> {
    device: &'d wgpu::Device,
    encoders: Vec<wgpu::CommandEncoder>,
}

impl Encoders<'_> {
    /// Begins another command buffer.
    pub fn begin(&mut self) -> &mut wgpu::CommandEncoder {
        let encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.encoders.push(encoder);
        let last = self.encoders.len() - 1;
        &mut self.encoders[last]
    }
}

impl Gpu {
    /// Submits one command buffer with the commands that `encode` writes.
    pub(super) fn submit(&self, encode: impl FnOnce(&mut wgpu::CommandEncoder)) -> Result<()> {
        self.submit_all(|encoders| encode(encoders.begin()))
    }

    /// Submits the command buffers that `encode` begins, all at once.
    pub(super) fn submit_all(&self, encode: impl FnOnce(&mut Encoders<'_>)) -> Result<()> {
        self.lose_if_asked();
        self.guarded(|device| {
            let mut encoders = Encoders { device, encoders: Vec::new() };
            encode(&mut encoders);
            let encoders = encoders.encoders.into_iter();
            self.queue().submit(encoders.map(wgpu::CommandEncoder::finish));
        })
    }
}

/// Timestamps at the begin and end of a number of compute passes.
pub(super) struct Queries {
    pub set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    count: u32,
}

impl Queries {
    pub fn new(gpu: &Gpu, passes: u32) -> Result<Self> {
        let count = 2 * passes;
        let buffer = |device: &wgpu::Device, usage| {
            let size = u64::from(count) * 8;
            let label = Some("timestamps");
            device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        };
        gpu.guarded(|device| Queries {
            set: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count,
            }),
            resolved: buffer(device, wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readable: buffer(device, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            count,
        })
    }

    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.set, 0..self.count, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readable, 0, self.readable.size());
    }

    /// Waits, and returns the begin and end of every pass, counted from the device's origin of time.
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<(Duration, Duration)>> {
        let size = self.readable.size();
        block_on(staging::map_unrecorded(gpu, &self.readable, size, Way::Download))?;
        let view = self.readable.slice(..).get_mapped_range();
        let view = view.map_err(|e| Error::Device(format!("cannot see the timestamps: {e}")))?;
        let period = f64::from(gpu.queue().get_timestamp_period());
        let time = |bytes: &[u8]| {
            let ticks = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            Duration::from_nanos((ticks as f64 * period) as u64)
        };
        Ok(view.chunks_exact(16).map(|pair| (time(&pair[..8]), time(&pair[8..]))).collect())
    }
}
