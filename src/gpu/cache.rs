//! A cache of compiled pipelines on disk, if the backend supports it.
//!
//! The cache saves time and never makes a run fail. Drivers trust the data that they are given, so a driver
//! gets only bytes that it wrote itself. A file has this layout:
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 15 | `wgalois cache 1\n` |
//! | 16 to 23 | the length of the driver's bytes, little-endian |
//! | 24 to 55 | SHA-256 of the file's name, a zero byte, and the driver's bytes |
//! | 56 on | the driver's bytes, and nothing after them |
//!
//! A file with any other content is ignored, reported once and replaced.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sha2::{Digest, Sha256};

use super::error_scopes;
use crate::files::cached;

const MAGIC: &[u8; 16] = b"wgalois cache 1\n";
const HEADER: usize = 56;
/// Largest file that is read, in bytes. All kernels of this crate take a few MiB.
const MOST: u64 = 1 << 30;

/// The pipeline cache of one device and driver.
pub(super) struct DiskCache {
    cache: wgpu::PipelineCache,
    path: PathBuf,
    /// The file's name, which identifies the adapter and the driver.
    key: String,
    /// True if a pipeline was built, so that the cache may have grown.
    dirty: AtomicBool,
    /// The number of the driver's bytes in the file, 0 if they cannot be used. A cache only grows, so that one of this
    /// size has no pipeline that the file lacks.
    written: AtomicUsize,
    /// True if the driver failed to build a pipeline with the cache and built it without.
    distrusted: AtomicBool,
}

impl DiskCache {
    /// Opens the file of this adapter in the user's cache folder; a damaged file is replaced. `None` if
    /// there is no such folder or the driver does not create a cache.
    pub(super) fn open(device: &wgpu::Device, info: &wgpu::AdapterInfo) -> Option<Self> {
        let folder = cached::folder()?;
        let driver: String = format!("{}-{}", info.driver, info.driver_info)
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let key = format!("{}-{driver}", wgpu::util::pipeline_cache_key(info)?);
        let path = folder.join(&key);
        let found = cached::read(&path, MOST);
        let is_new = matches!(&found, Err(error) if error.kind() == io::ErrorKind::NotFound);
        let data = found.as_deref().ok().and_then(|bytes| unsealed(&key, bytes));
        let loaded = data.and_then(|data| create(device, Some(data)));
        let is_damaged = loaded.is_none() && !is_new;
        if is_damaged {
            log::warn!("the pipeline cache {} cannot be used and is built anew", path.display());
        }
        let dirty = AtomicBool::new(is_damaged);
        let written = AtomicUsize::new(data.filter(|_| loaded.is_some()).map_or(0, <[u8]>::len));
        let cache = loaded.or_else(|| create(device, None))?;
        Some(DiskCache { cache, path, key, dirty, written, distrusted: AtomicBool::new(false) })
    }

    /// Returns the cache, unless it is distrusted.
    pub(super) fn handle(&self) -> Option<&wgpu::PipelineCache> {
        (!self.distrusted.load(Ordering::Relaxed)).then_some(&self.cache)
    }

    /// Records that a pipeline was built: if that was not in the cache, the cache is saved.
    pub(super) fn changed(&self) {
        self.dirty.store(true, Ordering::Relaxed);
    }

    /// Records that the driver built a pipeline only without the cache. The file is removed, and the cache
    /// is no longer used or saved.
    pub(super) fn distrust(&self) {
        if !self.distrusted.swap(true, Ordering::Relaxed) {
            log::warn!("the pipeline cache {} fails, and is removed", self.path.display());
            let _ = fs::remove_file(&self.path);
        }
    }

    /// Writes the cache to disk if it has grown. A failure is only logged.
    pub(super) fn save(&self) {
        if !self.dirty.swap(false, Ordering::Relaxed) {
            return;
        }
        let Some(data) = self.handle().and_then(wgpu::PipelineCache::get_data) else { return };
        if self.written.swap(data.len(), Ordering::Relaxed) == data.len() {
            return;
        }
        // The file is replaced atomically, so that another process sees the old or the new file.
        let replaced = cached::write(&self.path, |out| {
            out.write_all(&header(&self.key, &data))?;
            out.write_all(&data)
        });
        if let Err(e) = replaced {
            log::warn!("the pipeline cache was not written: {e}");
        }
    }
}

/// Creates the driver's cache from `data`, or an empty one; `None` if the driver reports an error.
fn create(device: &wgpu::Device, data: Option<&[u8]>) -> Option<wgpu::PipelineCache> {
    let descriptor = wgpu::PipelineCacheDescriptor { label: Some("wgalois"), data, fallback: true };
    // SAFETY: this adapter and driver wrote the bytes in `save`. The file's name identifies both, and
    // the checksum covers the name and the bytes.
    let (cache, fault) =
        error_scopes::within(device, || unsafe { device.create_pipeline_cache(&descriptor) });
    fault.is_none().then_some(cache)
}

/// SHA-256 of a file's name, a zero byte, and its content.
pub(super) fn seal(name: &str, content: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [name.as_bytes(), &[0], content] {
        hash.update(part);
    }
    hash.finalize().into()
}

/// Returns the header that precedes the driver's bytes.
fn header(key: &str, data: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..16].copy_from_slice(MAGIC);
    header[16..24].copy_from_slice(&(data.len() as u64).to_le_bytes());
    header[24..].copy_from_slice(&seal(key, data));
    header
}

/// Returns the driver's bytes if the file is exactly as it was written.
fn unsealed<'a>(key: &str, file: &'a [u8]) -> Option<&'a [u8]> {
    let (head, data) = file.split_at_checked(HEADER)?;
    (head == header(key, data)).then_some(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(key: &str, data: &[u8]) -> Vec<u8> {
        [&header(key, data), data].concat()
    }

    #[test]
    fn what_was_written_is_read() {
        for data in [&b""[..], b"x", &[7; 1000]] {
            assert_eq!(unsealed("key", &sealed("key", data)), Some(data));
        }
        // SHA-256 of "key\0abc", computed by another program.
        let file = sealed("key", b"abc");
        let hash: String = file[24..56].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, "2128517b6e80ec3a6bd649a475aa3b94f2963691a4ba37c68340c4eafdb5c03b");
    }

    #[test]
    fn any_other_content_is_refused() {
        let whole = sealed("key", &(0..200).collect::<Vec<u8>>());
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut changed = whole.clone();
                changed[at] ^= 1 << bit;
                assert_eq!(unsealed("key", &changed), None, "byte {at}, bit {bit}");
            }
            assert_eq!(unsealed("key", &whole[..at]), None, "the first {at} bytes");
            assert_eq!(unsealed("key", &whole[at + 1..]), None, "without the first {at} bytes");
        }
        assert_eq!(unsealed("key", &[&whole[..], b"\0"].concat()), None);
        assert_eq!(unsealed("other", &whole), None);
        assert_eq!(unsealed("key", &[0; 300]), None);
        assert_eq!(unsealed("key", b""), None);
    }
}
