//! The pipeline cache for browsers: there is none, since a browser keeps its own.

/// A pipeline cache that is never created.
pub(super) enum DiskCache {}

impl DiskCache {
    pub(super) fn open(_: &wgpu::Device, _: &wgpu::AdapterInfo) -> Option<Self> {
        None
    }

    pub(super) fn handle(&self) -> Option<&wgpu::PipelineCache> {
        match *self {}
    }

    pub(super) fn distrust(&self) {}

    pub(super) fn changed(&self) {}

    pub(super) fn save(&self) {}
}
