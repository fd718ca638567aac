//! Copies to the host that are submitted at once and awaited later.
//!
//! [`DeviceVec::read`](super::DeviceVec::read) waits for all submitted work. Here the host waits for the copy and the
//! work before it only, so that work which is submitted meanwhile goes on.

use bytemuck::Pod;
use web_time::Instant;

use super::buffer::DeviceVec;
use super::device::Gpu;
use super::mapped;
use super::mapping;
use super::staging::{PIECE, Way};
use crate::lock::lock;
use crate::timeline::Phase;
use crate::{Error, Result};

/// A copy of a vector, on its way to the host.
pub struct BegunRead {
    gpu: Gpu,
    buffer: wgpu::Buffer,
    bytes: u64,
    submission: wgpu::SubmissionIndex,
}

impl<T: Pod> DeviceVec<T> {
    /// Submits a copy of all elements, which must be whole words in one buffer of at most [`PIECE`] bytes.
    pub(crate) fn begin_read(&self) -> Result<BegunRead> {
        let gpu = self.gpu();
        let (source, bytes) = (self.whole()?, self.len() as u64 * Self::SIZE);
        if bytes > PIECE || !bytes.is_multiple_of(4) {
            return Err(Error::Device(format!("{bytes} bytes for one staging buffer of words")));
        }
        let buffer = gpu.staging_buffer(Way::Download, bytes)?;
        let (from, to) = ((source.clone(), 0), (buffer.clone(), 0));
        let submission = gpu.flush_with(|gathered| gathered.copy(from, to, bytes))?;
        Ok(BegunRead { gpu: gpu.clone(), buffer, bytes, submission })
    }
}

impl BegunRead {
    /// Waits for the copy and returns the elements.
    pub async fn finish<T: Pod>(self) -> Result<Vec<T>> {
        let BegunRead { gpu, buffer, bytes, submission } = self;
        let begin = Instant::now();
        gpu.wait_for(submission)?;
        mapping::map(&gpu, &buffer, bytes, Way::Download).await?;
        if cfg!(target_arch = "wasm32") {
            // There the mapping waits.
            gpu.timeline().push(Phase::Waiting, "wait", begin, begin.elapsed());
        }
        let begin = Instant::now();
        let elements = bytemuck::pod_collect_to_vec(&mapped::view(&buffer, ..bytes)?[..]);
        gpu.unmap(&buffer);
        gpu.opened.staging.give_back(Way::Download, buffer);
        gpu.timeline().push_copy(Phase::Download, "download", begin, begin.elapsed(), bytes);
        Ok(elements)
    }
}

impl Gpu {
    /// Overwrites the staging buffers of uploads, which hold what was uploaded last. It waits until the device has copied
    /// from them. Those that another thread is using stay as they are. Uploads of at most 16 KiB, and a browser's, have
    /// buffers of the driver instead, which stay as they are, too.
    pub async fn clear_uploads_async(&self) -> Result<()> {
        self.flush()?;
        if let Some(copied) = lock(&self.opened.staging.copied).clone() {
            self.wait_for(copied)?;
        }
        for buffer in self.opened.staging.take_all(Way::Upload) {
            mapping::map(self, &buffer, buffer.size(), Way::Upload).await?;
            mapping::fill_zeros(&buffer)?;
            self.unmap(&buffer);
            self.opened.staging.give_back(Way::Upload, buffer);
        }
        Ok(())
    }

    /// Overwrites the staging buffers of downloads, as [`clear_uploads_async`](Self::clear_uploads_async) does those of
    /// uploads, behind the work that was submitted.
    pub fn clear_downloads(&self) -> Result<()> {
        let buffers = self.opened.staging.take_all(Way::Download);
        let cleared = match &buffers[..] {
            [] => Ok(()),
            all => self.flush_with(|gathered| gathered.clear(all)).map(drop),
        };
        buffers.into_iter().for_each(|buffer| self.opened.staging.give_back(Way::Download, buffer));
        cleared
    }
}

impl Gpu {
    /// Returns the contents of all staging buffers that no transfer uses, and frees them.
    #[doc(hidden)]
    pub fn take_staged(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let downloads = self.opened.staging.take_all(Way::Download);
        // The host reads only buffers of downloads.
        let copied = |buffer: wgpu::Buffer| -> Result<wgpu::Buffer> {
            let (size, copy) = (buffer.size(), self.staging_buffer(Way::Download, buffer.size())?);
            self.flush_with(|gathered| gathered.copy((buffer, 0), (copy.clone(), 0), size))?;
            Ok(copy)
        };
        let uploads = self.opened.staging.take_all(Way::Upload).into_iter().map(copied);
        for buffer in downloads.into_iter().map(Ok).chain(uploads) {
            let buffer = buffer?;
            super::block_on(mapping::map(self, &buffer, buffer.size(), Way::Download))?;
            bytes.extend_from_slice(&buffer.slice(..).get_mapped_range().expect("mapped"));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use crate::gpu::{block_on, test_devices};

    #[test]
    fn vectors_are_read_as_they_were_when_the_copy_was_submitted() {
        let gpu = test_devices::open(crate::gpu::Options::default());
        let mut vector = gpu.upload(&[1u32, 2, 3]).unwrap();
        let before = vector.begin_read().unwrap();
        vector.clear().unwrap();
        let after = vector.begin_read().unwrap();
        assert_eq!(block_on(after.finish::<u32>()).unwrap(), [0, 0, 0]);
        assert_eq!(block_on(before.finish::<u32>()).unwrap(), [1, 2, 3]);
        // Behind a clearing that is gathered, and before the next.
        gpu.clear_all([&vector]).unwrap();
        vector.write(1, &[9]).unwrap();
        let last = vector.begin_read().unwrap();
        gpu.clear_all([&vector]).unwrap();
        assert_eq!(block_on(last.finish::<u32>()).unwrap(), [0, 9, 0]);
        assert_eq!(vector.download().unwrap(), [0; 3]);
    }

    /// Uploads of one submission and of several pieces, downloads and begun ones: each leaves its elements in staging buffers.
    #[test]
    fn cleared_staging_buffers_hold_zeros() {
        let gpu = test_devices::open_another(crate::gpu::Options::default());
        let is_zero = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
        for len in [1 << 15, 5 << 20] {
            let long = vec![7u32; len];
            for clears in [false, true] {
                let vector = gpu.upload(&long).unwrap();
                if len < 1 << 20 {
                    assert!(block_on(vector.begin_read().unwrap().finish::<u32>()).unwrap() == long);
                } else {
                    assert!(vector.download().unwrap() == long);
                }
                if clears {
                    // The last upload is still gathered.
                    drop(gpu.upload(&long).unwrap());
                    block_on(gpu.clear_uploads_async()).unwrap();
                    gpu.clear_downloads().unwrap();
                }
                let staged = gpu.take_staged().unwrap();
                assert!(staged.len() >= 2 * 4 * len.min(4 << 20));
                assert_eq!(is_zero(&staged), clears, "{len}");
                assert!(vector.download().unwrap() == long);
            }
        }
    }
}
