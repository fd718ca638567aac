//! Timestamps of dispatches: their queries, and those of a profiled device that are not read yet.

use std::time::Duration;

use web_time::Instant;

use super::mapped::view;
use crate::Result;
use crate::timeline::Launch;

/// Timestamps at the begin and end of a number of compute passes.
pub(super) struct Queries {
    pub set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    pub readable: wgpu::Buffer,
    count: u32,
}

impl Queries {
    /// Creates the queries of `passes` compute passes.
    pub fn new(device: &wgpu::Device, passes: u32) -> Self {
        let count = 2 * passes;
        let buffer = |usage| {
            let size = u64::from(count) * 8;
            let label = Some("timestamps");
            device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        };
        Queries {
            set: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readable: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            count,
        }
    }

    /// Copies the timestamps to the readable buffer.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.set, 0..self.count, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readable, 0, self.readable.size());
    }

    /// Returns the begin and end of every pass, counted from the device's origin of time, once `readable` is
    /// mapped. A tick of the device's clock takes `period` nanoseconds.
    pub fn times(&self, period: f64) -> Result<Vec<(Duration, Duration)>> {
        let view = view(&self.readable, ..)?;
        let time = |bytes: &[u8]| {
            let ticks = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            Duration::from_nanos((ticks as f64 * period) as u64)
        };
        Ok(view.chunks_exact(16).map(|pair| (time(&pair[..8]), time(&pair[8..]))).collect())
    }
}

/// A profiled submission.
pub(super) struct Batch {
    /// The time before the submission.
    pub submitted: Instant,
    /// The kernel, the workgroups and the stage of each dispatch.
    pub dispatches: Vec<(&'static str, Launch, String)>,
    pub queries: Queries,
}

/// The submissions whose timestamps are unread, and the relation of the two clocks.
#[derive(Default)]
pub(super) struct Profiled {
    pub unread: Vec<Batch>,
    /// The reading of the host's clock minus that of the device's, in nanoseconds. No dispatch begins
    /// before its submission, so every submission gives a lower bound; this is the largest. The one that
    /// finds the device idle is short of the truth by the time that a submission takes.
    pub offset: Option<i128>,
}
