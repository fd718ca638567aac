//! Vectors in device memory.

use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;
use rayon::prelude::*;
use web_time::Instant;

use super::block_on::block_on;
use super::device::Gpu;
use super::memory::Reservation;
use super::staging::{self, PARALLEL, PIECE, Way};
use crate::timeline::Phase;
use crate::{Error, Result};

/// A vector of `T` in device memory. It is one buffer or, if it is longer than a binding, several
/// chunks of the same power-of-two length. It keeps its contents between calls and is freed when dropped.
#[derive(Debug)]
pub struct DeviceVec<T> {
    gpu: Gpu,
    chunks: Vec<wgpu::Buffer>,
    chunk_len: usize,
    len: usize,
    _reservation: Reservation,
    _element: PhantomData<T>,
}

/// Largest transfer, in bytes, that is done in a single submission.
const SMALL: usize = 1 << 20;

/// A range of one chunk.
struct Piece {
    chunk: usize,
    /// The range in bytes, within the chunk.
    bytes: Range<u64>,
    /// The same range within the host's slice.
    host: Range<usize>,
}

impl<T: Pod> DeviceVec<T> {
    const SIZE: u64 = size_of::<T>() as u64;

    /// Creates a vector of `len` zeros in chunks of `chunk_len` elements.
    pub(super) fn new(gpu: &Gpu, len: usize, chunk_len: usize) -> Result<Self> {
        let bytes = (len as u64).saturating_mul(Self::SIZE);
        let reservation = gpu.memory().reserve(bytes)?;
        let count = len.div_ceil(chunk_len).max(1);
        let chunks = (0..count)
            .map(|i| {
                let elements = chunk_len.min(len - i * chunk_len);
                // Copies work on whole words, and a binding must not be empty.
                let size = (elements as u64 * Self::SIZE).next_multiple_of(4).max(16);
                let usage =
                    wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
                let descriptor =
                    wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
                gpu.guarded(|device| device.create_buffer(&descriptor))
            })
            .collect::<Result<_>>()?;
        Ok(DeviceVec {
            gpu: gpu.clone(),
            chunks,
            chunk_len,
            len,
            _reservation: reservation,
            _element: PhantomData,
        })
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if the vector has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the device that holds the vector.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Returns the number of elements in every chunk but the last. It is a power of two, except for vectors
    /// that are bound as a whole.
    pub fn chunk_len(&self) -> usize {
        self.chunk_len
    }

    /// Returns the chunks in order, for kernels to bind.
    pub fn chunks(&self) -> &[wgpu::Buffer] {
        &self.chunks
    }

    /// Returns the only buffer of a vector that has a single chunk.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the vector has several chunks: the caller's kernel has no chunked form.
    pub fn whole(&self) -> Result<&wgpu::Buffer> {
        match self.chunks.as_slice() {
            [buffer] => Ok(buffer),
            _ => Err(Error::OutOfMemory(
                format!(
                    "{} bytes in one vector, past the device's binding limit",
                    self.len as u64 * Self::SIZE
                )
                .into(),
            )),
        }
    }

    /// Copies `data` to the elements from `start` on. The written bytes must begin and end on boundaries of
    /// 32-bit words.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], [`Error::OutOfMemory`]; [`Error::Usage`] if `data` reaches past the end.
    pub fn write(&mut self, start: usize, data: &[T]) -> Result<()> {
        block_on(self.write_async(start, data))
    }

    /// The asynchronous form of [`DeviceVec::write`], for browsers.
    pub async fn write_async(&mut self, start: usize, data: &[T]) -> Result<()> {
        self.check_range(start, data.len())?;
        let begin = Instant::now();
        let bytes: &[u8] = bytemuck::cast_slice(data);
        for pieces in self.pieces(start, data.len()).chunks(PARALLEL) {
            self.upload_pieces(pieces, bytes).await?;
        }
        let (spent, bytes) = (begin.elapsed(), bytes.len() as u64);
        self.gpu.timeline().push_copy(Phase::Upload, "upload", begin, spent, bytes);
        Ok(())
    }

    /// Copies all of `other` to the first elements, on the device, and sets the rest to zero. The chunk
    /// length of both vectors must be a power of two.
    ///
    /// # Errors
    /// [`Error::Usage`] if `other` is longer; errors of the device.
    pub fn assign(&mut self, other: &DeviceVec<T>) -> Result<()> {
        self.check_range(0, other.len)?;
        self.gpu.submit(|encoder| {
            for chunk in &self.chunks {
                encoder.clear_buffer(chunk, 0, None);
            }
            // Vectors of one type on one device have the same chunk length.
            for (i, (from, to)) in other.chunks.iter().zip(&self.chunks).enumerate() {
                let elements = self.chunk_len.min(other.len - i * self.chunk_len) as u64;
                let bytes = (elements * Self::SIZE).next_multiple_of(4).min(from.size());
                encoder.copy_buffer_to_buffer(from, 0, to, 0, bytes);
            }
        })
    }

    /// Copies all elements to the host.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], or an error of the work that computed the elements.
    pub fn download(&self) -> Result<Vec<T>> {
        block_on(self.download_async())
    }

    /// The asynchronous form of [`DeviceVec::download`], for browsers.
    pub async fn download_async(&self) -> Result<Vec<T>> {
        self.read_async(0..self.len).await
    }

    /// Copies the elements of `range` to the host.
    pub fn read(&self, range: Range<usize>) -> Result<Vec<T>> {
        block_on(self.read_async(range))
    }

    /// The asynchronous form of [`DeviceVec::read`], for browsers.
    pub async fn read_async(&self, range: Range<usize>) -> Result<Vec<T>> {
        self.check_range(range.start, range.len())?;
        let pieces = self.pieces(range.start, range.len());
        let mut result = host_zeros(range.len())?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut result);
        // A small copy is submitted before the wait below, so that a single wait covers it too.
        let early = match &pieces[..] {
            [piece] if piece.host.len() <= SMALL => Some(self.copy_out(&pieces)?),
            _ => None,
        };
        // Waiting for earlier work is recorded as waiting, not as downloading.
        self.gpu.wait_async().await?;
        let begin = Instant::now();
        if let Some(copies) = early {
            self.collect(&pieces, copies, bytes).await?;
        } else {
            let mut rest = bytes;
            for pieces in pieces.chunks(PARALLEL) {
                let end = pieces.iter().map(|piece| piece.host.len()).sum();
                let (now, later) = rest.split_at_mut(end);
                self.collect(pieces, self.copy_out(pieces)?, now).await?;
                rest = later;
            }
        }
        let (spent, bytes) = (begin.elapsed(), size_of_val(&result[..]) as u64);
        self.gpu.timeline().push_copy(Phase::Download, "download", begin, spent, bytes);
        Ok(result)
    }

    fn check_range(&self, start: usize, len: usize) -> Result<()> {
        match start.checked_add(len) {
            Some(end) if end <= self.len => Ok(()),
            _ => Err(Error::Usage(format!("{len} elements from {start} of a vector of {}", self.len))),
        }
    }

    /// Splits a range of elements into pieces. A piece lies in one chunk and fits one staging buffer.
    fn pieces(&self, start: usize, len: usize) -> Vec<Piece> {
        let step = (PIECE / Self::SIZE.max(1)).max(1) as usize;
        let (mut pieces, mut at, end) = (Vec::new(), start, start + len);
        while at < end {
            let (chunk, offset) = (at / self.chunk_len, at % self.chunk_len);
            let count = step.min(end - at).min(self.chunk_len - offset);
            let offset = offset as u64 * Self::SIZE;
            let bytes = count as u64 * Self::SIZE;
            let host = (at - start) * size_of::<T>();
            pieces.push(Piece { chunk, bytes: offset..offset + bytes, host: host..host + bytes as usize });
            at += count;
        }
        pieces
    }

    async fn upload_pieces(&self, pieces: &[Piece], data: &[u8]) -> Result<()> {
        // The queue sends small writes with the next submission, so they need no staging buffer. In a
        // browser all writes of whole words go this way, since the caller may be unable to wait.
        let small = matches!(pieces, [piece] if piece.host.len() <= SMALL);
        if (small || cfg!(target_arch = "wasm32")) && pieces.iter().all(|p| p.host.len().is_multiple_of(4)) {
            return self.gpu.guarded(|_| {
                for piece in pieces {
                    let (buffer, offset) = (&self.chunks[piece.chunk], piece.bytes.start);
                    self.gpu.queue().write_buffer(buffer, offset, &data[piece.host.clone()]);
                }
            });
        }
        let (staging, sizes) = self.staging(Way::Upload, pieces)?;
        staging::map(&self.gpu, &staging, &sizes, Way::Upload).await?;
        staging.par_iter().zip(pieces).zip(&sizes).try_for_each(|((buffer, piece), &size)| {
            let source = &data[piece.host.clone()];
            let mut view = buffer.slice(..size).get_mapped_range_mut().map_err(mapping)?;
            view.slice(..source.len()).copy_from_slice(source);
            Ok::<_, Error>(())
        })?;
        self.gpu.unmap(&staging);
        self.copy(pieces, &sizes, |encoder, i, piece, size| {
            encoder.copy_buffer_to_buffer(&staging[i], 0, &self.chunks[piece.chunk], piece.bytes.start, size);
        })?;
        self.gpu.staging().give_back(Way::Upload, staging);
        Ok(())
    }

    /// Submits copies of the pieces to staging buffers; returns the buffers and their sizes in bytes.
    fn copy_out(&self, pieces: &[Piece]) -> Result<(Vec<wgpu::Buffer>, Vec<u64>)> {
        let (staging, sizes) = self.staging(Way::Download, pieces)?;
        self.copy(pieces, &sizes, |encoder, i, piece, size| {
            encoder.copy_buffer_to_buffer(&self.chunks[piece.chunk], piece.bytes.start, &staging[i], 0, size);
        })?;
        Ok((staging, sizes))
    }

    /// Waits for the pieces in their staging buffers and copies them to `data`, one after the other.
    async fn collect(
        &self,
        pieces: &[Piece],
        (staging, sizes): (Vec<wgpu::Buffer>, Vec<u64>),
        data: &mut [u8],
    ) -> Result<()> {
        staging::map(&self.gpu, &staging, &sizes, Way::Download).await?;
        let mut targets = Vec::with_capacity(pieces.len());
        let mut rest = data;
        for piece in pieces {
            let (now, later) = rest.split_at_mut(piece.host.len());
            targets.push(now);
            rest = later;
        }
        staging.par_iter().zip(targets).zip(&sizes).try_for_each(|((buffer, target), &size)| {
            let view = buffer.slice(..size).get_mapped_range().map_err(mapping)?;
            target.copy_from_slice(&view[..target.len()]);
            Ok::<_, Error>(())
        })?;
        self.gpu.unmap(&staging);
        self.gpu.staging().give_back(Way::Download, staging);
        Ok(())
    }

    fn staging(&self, way: Way, pieces: &[Piece]) -> Result<(Vec<wgpu::Buffer>, Vec<u64>)> {
        let sizes: Vec<u64> =
            pieces.iter().map(|piece| (piece.host.len() as u64).next_multiple_of(4)).collect();
        let largest = sizes.iter().copied().max().unwrap_or(4);
        Ok((self.gpu.staging().take(&self.gpu, way, largest, pieces.len())?, sizes))
    }

    fn copy(
        &self,
        pieces: &[Piece],
        sizes: &[u64],
        copy: impl Fn(&mut wgpu::CommandEncoder, usize, &Piece, u64),
    ) -> Result<()> {
        self.gpu.submit(|encoder| {
            for (i, (piece, &size)) in pieces.iter().zip(sizes).enumerate() {
                copy(encoder, i, piece, size);
            }
        })
    }
}

fn mapping(e: wgpu::MapRangeError) -> Error {
    Error::Device(format!("cannot see a mapped buffer: {e}"))
}

/// Allocates `len` zeros on the host; an error if the host has too little memory.
fn host_zeros<T: Pod>(len: usize) -> Result<Vec<T>> {
    let bytes = len as u64 * size_of::<T>() as u64;
    bytemuck::allocation::try_zeroed_vec(len)
        .map_err(|()| Error::OutOfMemory(format!("on the host: {bytes} bytes for a result").into()))
}
