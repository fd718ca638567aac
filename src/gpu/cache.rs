//! Compiled pipelines kept on disk, where the backend supports it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// The pipeline cache of one device and driver.
pub(super) struct DiskCache {
    cache: wgpu::PipelineCache,
    path: PathBuf,
    dirty: AtomicBool,
}

impl DiskCache {
    /// Opens the file of this adapter in the user's cache folder; a file that does not fit
    /// is replaced. None where there is no such folder or the driver refuses.
    pub(super) fn open(device: &wgpu::Device, info: &wgpu::AdapterInfo) -> Option<Self> {
        let folder = directories::ProjectDirs::from("", "", "wgalois")?.cache_dir().to_owned();
        let driver: String = format!("{}-{}", info.driver, info.driver_info)
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let path = folder.join(format!("{}-{driver}", wgpu::util::pipeline_cache_key(info)?));
        let data = std::fs::read(&path).ok();
        let descriptor =
            wgpu::PipelineCacheDescriptor { label: Some("wgalois"), data: data.as_deref(), fallback: true };
        // SAFETY: the file was written by `save` for this adapter and driver, which its name
        // states; wgpu validates its header and falls back to an empty cache.
        let cache = unsafe { device.create_pipeline_cache(&descriptor) };
        Some(DiskCache { cache, path, dirty: AtomicBool::new(false) })
    }

    pub(super) fn handle(&self) -> &wgpu::PipelineCache {
        &self.cache
    }

    /// Notes that a pipeline was built.
    pub(super) fn changed(&self) {
        self.dirty.store(true, Ordering::Relaxed);
    }

    /// Writes the cache if it changed. It only saves time, so a failure is logged, no more.
    pub(super) fn save(&self) {
        if !self.dirty.swap(false, Ordering::Relaxed) {
            return;
        }
        let Some(data) = self.cache.get_data() else { return };
        if let Err(e) = self.replace(&data) {
            log::warn!("the pipeline cache {} was not written: {e}", self.path.display());
        }
    }

    fn replace(&self, data: &[u8]) -> std::io::Result<()> {
        let folder = self.path.parent().ok_or(std::io::ErrorKind::NotFound)?;
        std::fs::create_dir_all(folder)?;
        let file = tempfile::NamedTempFile::new_in(folder)?;
        std::fs::write(file.path(), data)?;
        file.persist(&self.path)?;
        Ok(())
    }
}
