//! Copies between the host and device vectors, and from one device vector to another.

use std::ops::Range;

use bytemuck::Pod;
use web_time::Instant;

use super::block_on::block_on;
use super::buffer::DeviceVec;
use super::transfer::{Copies, Source};
use crate::timeline::Phase;
use crate::{Error, Result};

impl<T: Pod> DeviceVec<T> {
    /// Copies `data` to the elements from `start` on. The written bytes must begin and end on boundaries of
    /// 32-bit words.
    pub fn write(&mut self, start: usize, data: &[T]) -> Result<()> {
        block_on(self.write_async(start, data))
    }

    /// The asynchronous form of [`DeviceVec::write`], for browsers.
    pub async fn write_async(&mut self, start: usize, data: &[T]) -> Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        self.write_source(start, &bytes, false).await
    }

    /// [`write_async`](Self::write_async) of the bytes of `source`, whole elements. `behind` the work that the device is
    /// doing, it does not wait for it, and takes as many bytes of the host's memory as the source has.
    pub(crate) async fn write_source(
        &mut self,
        start: usize,
        source: &dyn Source,
        behind: bool,
    ) -> Result<()> {
        self.check_range(start, source.len().div_ceil(size_of::<T>()))?;
        let begin = Instant::now();
        match behind {
            true => self.fill_behind(start, source).await?,
            false => self.fill(start, source).await?,
        }
        self.gpu().timeline().push_copy(Phase::Upload, "upload", begin, begin.elapsed(), source.len() as u64);
        Ok(())
    }

    /// [`write`](Self::write) of elements given as bytes, which need not be aligned.
    pub(crate) fn write_bytes(&mut self, start: usize, data: &[u8]) -> Result<()> {
        block_on(self.write_source(start, &data, false))
    }

    /// Copies all of `other` to the first elements, on the device, and sets the rest to zero. The chunk
    /// length of both vectors must be a power of two.
    pub fn assign(&mut self, other: &DeviceVec<T>) -> Result<()> {
        self.assign_first(other, other.len())
    }

    /// [`assign`](Self::assign) of the first `len` elements of `other`.
    pub(crate) fn assign_first(&mut self, other: &DeviceVec<T>, len: usize) -> Result<()> {
        self.gpu().expect_same_device([other.gpu()])?;
        self.check_range(0, len)?;
        other.check_range(0, len)?;
        self.assign_vectors(other, 1, len, len)
    }

    /// Overwrites all elements: those from `i * stride` on with the `i`-th vector of `width` elements of `other`, for the
    /// first `vectors`; the others with zeros.
    fn assign_vectors(
        &self,
        other: &DeviceVec<T>,
        vectors: usize,
        width: usize,
        stride: usize,
    ) -> Result<()> {
        let encode = |encoder: &mut wgpu::CommandEncoder| {
            for chunk in self.chunks() {
                encoder.clear_buffer(chunk, 0, None);
            }
            for i in 0..vectors {
                self.copy_elements(encoder, other, i * width..(i + 1) * width, i * stride);
            }
        };
        self.gpu().submit(encode).map(drop)
    }

    /// Overwrites all elements with zeros, on the device.
    pub fn clear(&mut self) -> Result<()> {
        self.gpu().flush_with(|gathered| gathered.clear(self.chunks())).map(drop)
    }

    /// Copies the vectors of `width` elements that stand one after the other in `other` to places `stride` elements
    /// apart, on the device, and sets all other elements to zero. Coefficients padded like this are transformed to
    /// values at more points: a low-degree extension. `width` must be at least 1 and at most `stride`, `other` must
    /// be a whole number of vectors, and the elements whole 32-bit words.
    ///
    /// ```no_run
    /// use wgalois::Device;
    /// use wgalois::field::BABY_BEAR;
    /// use wgalois::gpu::Gpu;
    /// use wgalois::ntt::Transform;
    /// use wgalois::task::Problem;
    ///
    /// // The values of three polynomials of 2^10 coefficients at 2^12 points.
    /// let gpu = Gpu::new()?;
    /// let coefficients = gpu.upload(&vec![1u32; 3 << 10])?;
    /// let mut values = gpu.zeros(3 << 12)?;
    /// values.assign_padded(&coefficients, 1 << 10, 1 << 12)?;
    /// let device = Device::Gpu(gpu);
    /// let transform = Transform::new(BABY_BEAR, 1 << 12)?.with_batch(3);
    /// transform.plan(&device)?.prepare(&device)?.run_on_device(&mut values)?;
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    pub fn assign_padded(&mut self, other: &DeviceVec<T>, width: usize, stride: usize) -> Result<()> {
        if width == 0 || width > stride || !other.len().is_multiple_of(width) || !Self::SIZE.is_multiple_of(4)
        {
            let len = other.len();
            return Err(Error::Usage(format!("{len} elements as vectors of {width}, {stride} apart")));
        }
        self.gpu().expect_same_device([other.gpu()])?;
        let vectors = other.len() / width;
        match vectors.checked_sub(1).map(|last| last.checked_mul(stride)) {
            Some(Some(last)) => self.check_range(last, width)?,
            Some(None) => self.check_range(usize::MAX, width)?,
            None => (),
        }
        self.assign_vectors(other, vectors, width, stride)
    }

    /// Copies the elements of a range of `other`, whole words, to the first elements, on the device.
    pub(crate) fn assign_range(&self, other: &DeviceVec<T>, range: Range<usize>) -> Result<()> {
        self.gpu().expect_same_device([other.gpu()])?;
        other.check_range(range.start, range.len())?;
        self.check_range(0, range.len())?;
        self.gpu().submit(|encoder| self.copy_elements(encoder, other, range, 0)).map(drop)
    }

    /// Encodes copies of the elements of a range of `other` to those from `to` on, with the rest of the last word. The range
    /// may lie in several chunks of either side.
    fn copy_elements(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        other: &DeviceVec<T>,
        range: Range<usize>,
        to: usize,
    ) {
        let mut done = 0;
        while done < range.len() {
            let (from, to) = (range.start + done, to + done);
            let [from_left, to_left] =
                [(other, from), (self, to)].map(|(own, place)| own.chunk_len() - place % own.chunk_len());
            let count = (range.len() - done).min(from_left).min(to_left);
            encoder.copy_buffer_to_buffer(
                &other.chunks()[from / other.chunk_len()],
                (from % other.chunk_len()) as u64 * Self::SIZE,
                &self.chunks()[to / self.chunk_len()],
                (to % self.chunk_len()) as u64 * Self::SIZE,
                (count as u64 * Self::SIZE).next_multiple_of(4),
            );
            done += count;
        }
    }

    /// Copies all elements to the host.
    pub fn download(&self) -> Result<Vec<T>> {
        block_on(self.download_async())
    }

    /// The asynchronous form of [`DeviceVec::download`], for browsers.
    pub async fn download_async(&self) -> Result<Vec<T>> {
        self.read_async(0..self.len()).await
    }

    /// Copies the elements from `start` on to `data`. If it fails, `data` may hold some of them.
    pub fn read_into(&self, start: usize, data: &mut [T]) -> Result<()> {
        block_on(self.read_into_async(start, data))
    }

    /// The asynchronous form of [`DeviceVec::read_into`], for browsers.
    pub async fn read_into_async(&self, start: usize, data: &mut [T]) -> Result<()> {
        let copies = self.begin_copies(start..start + data.len())?;
        self.finish_copies(copies, data).await
    }

    /// Hands the work so far to the driver, and the copies of a short download.
    fn begin_copies(&self, range: Range<usize>) -> Result<Copies<'_>> {
        self.check_range(range.start, range.len())?;
        let mut copies = self.copies(range);
        match copies.is_small() {
            // A single wait covers them, too.
            true => copies.submit()?,
            false => self.gpu().flush()?,
        }
        Ok(copies)
    }

    async fn finish_copies(&self, copies: Copies<'_>, data: &mut [T]) -> Result<()> {
        // Waiting for earlier work is recorded as waiting, not as downloading.
        self.gpu().wait_async().await?;
        let begin = Instant::now();
        copies.collect(bytemuck::cast_slice_mut(data)).await?;
        let (spent, bytes) = (begin.elapsed(), size_of_val(data) as u64);
        self.gpu().timeline().push_copy(Phase::Download, "download", begin, spent, bytes);
        Ok(())
    }

    /// Appends the elements of `range` to a vector of the host, which is as it was if that fails.
    pub fn append_to(&self, range: Range<usize>, vector: &mut Vec<T>) -> Result<()> {
        block_on(self.append_to_async(range, vector))
    }

    /// The asynchronous form of [`DeviceVec::append_to`], for browsers.
    pub async fn append_to_async(&self, range: Range<usize>, vector: &mut Vec<T>) -> Result<()> {
        let before = vector.len();
        // The device works while the system provides memory for the elements.
        let copies = self.begin_copies(range.clone())?;
        crate::huge_pages::append_zeros(vector, range.len())?;
        let outcome = self.finish_copies(copies, &mut vector[before..]).await;
        if outcome.is_err() {
            vector.truncate(before);
        }
        outcome
    }

    /// Copies the elements of `range` to the host.
    pub fn read(&self, range: Range<usize>) -> Result<Vec<T>> {
        block_on(self.read_async(range))
    }

    /// The asynchronous form of [`DeviceVec::read`], for browsers.
    pub async fn read_async(&self, range: Range<usize>) -> Result<Vec<T>> {
        // The device works while the system provides memory for the result.
        let copies = self.begin_copies(range.clone())?;
        let mut result = crate::huge_pages::zeros(range.len())?;
        crate::huge_pages::touch(bytemuck::cast_slice_mut(&mut result));
        self.finish_copies(copies, &mut result).await?;
        Ok(result)
    }
}
