//! Compiled pipelines kept on disk, where the backend supports it.
//!
//! A cache saves time and can never fail a job: drivers trust what they are given, so nothing reaches
//! one but the very bytes that it made. A file is
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 15 | `wgalois cache 1\n` |
//! | 16 to 23 | the length of the driver's bytes, little-endian |
//! | 24 to 55 | SHA-256 of the file's name, a zero byte, and the driver's bytes |
//! | 56 on | the driver's bytes, and nothing after them |
//!
//! and any other content is as good as none: it is reported once and replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use hmac_sha256::Hash;

use crate::io::write_whole;

const MAGIC: &[u8; 16] = b"wgalois cache 1\n";
const HEADER: usize = 56;
/// A larger file is not read: all kernels of this crate take a few MiB.
const MOST: u64 = 1 << 30;

/// The pipeline cache of one device and driver.
pub(super) struct DiskCache {
    cache: wgpu::PipelineCache,
    path: PathBuf,
    /// The file's name, which says what it was made for.
    key: String,
    /// Whether there is something to save.
    dirty: AtomicBool,
    /// Whether a pipeline was made with it that the driver could make only without.
    distrusted: AtomicBool,
}

impl DiskCache {
    /// Opens the file of this adapter in the user's cache folder; one that is damaged is
    /// replaced. None where there is no such folder or the driver refuses.
    pub(super) fn open(device: &wgpu::Device, info: &wgpu::AdapterInfo) -> Option<Self> {
        let folder = directories::ProjectDirs::from("", "", "wgalois")?.cache_dir().to_owned();
        let driver: String = format!("{}-{}", info.driver, info.driver_info)
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let key = format!("{}-{driver}", wgpu::util::pipeline_cache_key(info)?);
        let path = folder.join(&key);
        let found = read(&path);
        let data = found.as_deref().ok().and_then(|bytes| unsealed(&key, bytes));
        let damaged = match &found {
            Ok(_) => data.is_none(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        };
        let loaded = data.and_then(|data| create(device, Some(data)));
        if damaged || (data.is_some() && loaded.is_none()) {
            log::warn!("the pipeline cache {} cannot be used and is built anew", path.display());
        }
        let dirty = AtomicBool::new(
            loaded.is_none() && !matches!(&found, Err(e) if e.kind() == io::ErrorKind::NotFound),
        );
        let cache = loaded.or_else(|| create(device, None))?;
        Some(DiskCache { cache, path, key, dirty, distrusted: AtomicBool::new(false) })
    }

    /// The cache, for as long as it may be used.
    pub(super) fn handle(&self) -> Option<&wgpu::PipelineCache> {
        (!self.distrusted.load(Ordering::Relaxed)).then_some(&self.cache)
    }

    /// Notes that a pipeline was built.
    pub(super) fn changed(&self) {
        self.dirty.store(true, Ordering::Relaxed);
    }

    /// Notes that the driver made a pipeline without the cache that it could not make with it: nothing
    /// of it is used or kept any more.
    pub(super) fn distrust(&self) {
        if !self.distrusted.swap(true, Ordering::Relaxed) {
            log::warn!("the pipeline cache {} fails, and is removed", self.path.display());
            let _ = fs::remove_file(&self.path);
        }
    }

    /// Writes the cache if it changed. It only saves time, so a failure is logged, no more.
    pub(super) fn save(&self) {
        if !self.dirty.swap(false, Ordering::Relaxed) {
            return;
        }
        let Some(data) = self.handle().and_then(wgpu::PipelineCache::get_data) else { return };
        if let Err(e) = self.replace(&data) {
            log::warn!("the pipeline cache was not written: {e}");
        }
    }

    fn replace(&self, data: &[u8]) -> crate::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(|e| crate::Error::file(folder, e))?;
        }
        // Whole or not at all, so that processes beside each other see the one's or the other's.
        write_whole(&self.path, |out| {
            out.write_all(&header(&self.key, data))?;
            out.write_all(data)
        })
    }
}

/// The driver's cache of `data`, or an empty one; `None` where the driver refuses.
fn create(device: &wgpu::Device, data: Option<&[u8]>) -> Option<wgpu::PipelineCache> {
    let descriptor = wgpu::PipelineCacheDescriptor { label: Some("wgalois"), data, fallback: true };
    let scopes = [wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation]
        .map(|filter| device.push_error_scope(filter));
    // SAFETY: the bytes are those that this adapter and driver gave `save`: the file's checksum
    // says so, which its name, that of both, is a part of.
    let cache = unsafe { device.create_pipeline_cache(&descriptor) };
    let faults: Vec<_> = scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop())).collect();
    faults.iter().all(Option::is_none).then_some(cache)
}

/// The bytes of a regular file, if they are not absurdly many.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    // Before it is opened: to open a pipe is to wait.
    let found = fs::metadata(path)?;
    match found.is_file() && found.len() <= MOST {
        true => fs::read(path),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// What stands before the driver's bytes.
fn header(key: &str, data: &[u8]) -> [u8; HEADER] {
    let mut hash = Hash::new();
    for part in [key.as_bytes(), &[0], data] {
        hash.update(part);
    }
    let mut header = [0; HEADER];
    header[..16].copy_from_slice(MAGIC);
    header[16..24].copy_from_slice(&(data.len() as u64).to_le_bytes());
    header[24..].copy_from_slice(&hash.finalize());
    header
}

/// The driver's bytes of a file that is as it was written.
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
        // SHA-256 of "key\0abc", by another program.
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
