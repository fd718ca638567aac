//! The bytes of buffers that are mapped.

use std::ops::RangeBounds;

use crate::{Error, Result};

/// The mapped bytes of a range of a buffer, to be read.
pub(super) fn view(buffer: &wgpu::Buffer, range: impl RangeBounds<u64>) -> Result<wgpu::BufferView> {
    buffer.get_mapped_range(range).map_err(unseen)
}

/// The mapped bytes of a range of a buffer, to be written.
pub(super) fn view_mut(buffer: &wgpu::Buffer, range: impl RangeBounds<u64>) -> Result<wgpu::BufferViewMut> {
    buffer.get_mapped_range_mut(range).map_err(unseen)
}

fn unseen(error: wgpu::MapRangeError) -> Error {
    Error::Device(format!("cannot see a mapped buffer: {error}"))
}
