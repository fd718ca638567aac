//! Transfers between the host and device vectors, through staging buffers.
//!
//! A transfer is cut into pieces of at most one staging buffer. Some are under way at a time: while the
//! device copies one piece, the threads of the host fill or empty another.
//!
//! ```text
//! upload    host:   fill 0 | fill 1 | fill 2 | fill 3 ...     a buffer is filled again once it is copied
//!           device:          copy 0 | copy 1 | copy 2 ...
//! download  device: copy 0 | copy 1 | copy 2 | copy 3 ...     a buffer is copied to again once it is empty
//!           host:            empty 0| empty 1| empty 2...
//! ```

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use bytemuck::Pod;
use rayon::prelude::*;

use super::buffer::DeviceVec;
use super::device::Gpu;
use super::mapping;
use super::staging::{PIECE, UNDER_WAY, Way};
use crate::{Error, Result};

/// Largest transfer, in bytes, that is done in a single submission.
const SMALL: usize = 1 << 20;
/// Bytes that one thread copies at a time.
const SHARE: usize = 1 << 20;
/// Bytes that one thread converts at a time, so that they stay in its cache.
pub(crate) const BLOCK: usize = 64 << 10;

/// A range of one chunk.
struct Piece {
    chunk: usize,
    /// The range in bytes, within the chunk.
    bytes: Range<u64>,
    /// The same range within the host's slice.
    host: Range<usize>,
}

impl Piece {
    /// Returns the bytes that are copied: whole words.
    fn size(&self) -> u64 {
        (self.host.len() as u64).next_multiple_of(4)
    }
}

/// What an upload brings to the device: bytes as they are, or values that are converted on the way.
pub(crate) trait Source: Sync {
    /// The number of bytes.
    fn len(&self) -> usize;

    /// The bytes of a range of at most [`BLOCK`], which begins and ends between whole elements; converted ones are put
    /// into `room`.
    fn block<'s>(&'s self, range: Range<usize>, room: &'s mut Vec<u8>) -> &'s [u8];

    /// All bytes, for uploads that need them in one piece.
    fn whole(&self) -> Cow<'_, [u8]>;
}

impl Source for [u8] {
    fn len(&self) -> usize {
        <[u8]>::len(self)
    }

    fn block<'s>(&'s self, range: Range<usize>, _: &'s mut Vec<u8>) -> &'s [u8] {
        &self[range]
    }

    fn whole(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(self)
    }
}

impl<T: Pod> DeviceVec<T> {
    /// Copies `data` to the elements from `start` on.
    pub(super) async fn fill<S: Source + ?Sized>(&self, start: usize, data: &S) -> Result<()> {
        let (gpu, pieces) = (self.gpu(), self.pieces(start, data.len() / size_of::<T>()));
        // The queue sends small writes with the next submission, so they need no staging buffer. In a
        // browser all writes of whole words go this way, since the caller may be unable to wait.
        let small = matches!(&pieces[..], [piece] if piece.host.len() <= SMALL);
        if (small || cfg!(target_arch = "wasm32")) && pieces.iter().all(|p| p.host.len().is_multiple_of(4)) {
            let data = data.whole();
            return gpu.guarded(|_| {
                for piece in &pieces {
                    let (buffer, offset) = (&self.chunks()[piece.chunk], piece.bytes.start);
                    gpu.queue().write_buffer(buffer, offset, &data[piece.host.clone()]);
                }
            });
        }
        // Every buffer holds any piece: the first may be shorter, up to the end of its chunk.
        let largest = pieces.iter().map(Piece::size).max().unwrap_or(0);
        let mut used = VecDeque::new();
        for piece in &pieces {
            let size = piece.size();
            let oldest = if used.len() == UNDER_WAY { used.pop_front() } else { None };
            let buffer = match oldest {
                Some(buffer) => buffer,
                None => gpu.staging_buffer(Way::Upload, largest)?,
            };
            mapping::map(gpu, &buffer, size, Way::Upload).await?;
            let shares = piece.host.len().div_ceil(SHARE);
            (0..shares).into_par_iter().try_for_each_init(Vec::new, |room, i| {
                let begin = piece.host.start + i * SHARE;
                let end = piece.host.end.min(begin + SHARE);
                let range = share(i, end - begin);
                let mut view = buffer.slice(range).get_mapped_range_mut().map_err(mapping)?;
                for first in (begin..end).step_by(BLOCK) {
                    let last = end.min(first + BLOCK);
                    let block = data.block(first..last, room);
                    view.slice(first - begin..last - begin).copy_from_slice(block);
                }
                Ok::<_, Error>(())
            })?;
            gpu.unmap(&buffer);
            let (target, offset) = (&self.chunks()[piece.chunk], piece.bytes.start);
            gpu.submit(|encoder| encoder.copy_buffer_to_buffer(&buffer, 0, target, offset, size))?;
            used.push_back(buffer);
        }
        used.into_iter().for_each(|buffer| gpu.staging().give_back(Way::Upload, buffer));
        Ok(())
    }

    /// Returns the copies that bring the elements of `range` to the host.
    pub(super) fn copies(&self, range: Range<usize>) -> Copies<'_> {
        let (gpu, chunks) = (self.gpu(), self.chunks());
        Copies {
            gpu,
            chunks,
            pieces: self.pieces(range.start, range.len()),
            submitted: VecDeque::new(),
            next: 0,
        }
    }

    /// Splits a range of elements into pieces. A piece lies in one chunk and fits one staging buffer.
    fn pieces(&self, start: usize, len: usize) -> Vec<Piece> {
        let step = (PIECE / Self::SIZE.max(1)).max(1) as usize;
        let (mut pieces, mut at, end) = (Vec::new(), start, start + len);
        while at < end {
            let (chunk, offset) = (at / self.chunk_len(), at % self.chunk_len());
            let count = step.min(end - at).min(self.chunk_len() - offset);
            let offset = offset as u64 * Self::SIZE;
            let bytes = count as u64 * Self::SIZE;
            let host = (at - start) * size_of::<T>();
            pieces.push(Piece { chunk, bytes: offset..offset + bytes, host: host..host + bytes as usize });
            at += count;
        }
        pieces
    }
}

/// The copies of a download, some of which are submitted.
pub(super) struct Copies<'v> {
    gpu: &'v Gpu,
    chunks: &'v [wgpu::Buffer],
    pieces: Vec<Piece>,
    /// The staging buffers of the pieces before `next` that were not collected yet, oldest first.
    submitted: VecDeque<wgpu::Buffer>,
    next: usize,
}

impl Copies<'_> {
    /// True if the download is small enough for a single submission.
    pub fn is_small(&self) -> bool {
        matches!(&self.pieces[..], [piece] if piece.host.len() <= SMALL)
    }

    /// Submits the copies of the next pieces, as many as may be under way.
    pub fn submit(&mut self) -> Result<()> {
        while self.submitted.len() < UNDER_WAY && self.next < self.pieces.len() {
            let piece = &self.pieces[self.next];
            let buffer = self.gpu.staging_buffer(Way::Download, piece.size())?;
            let (source, offset) = (&self.chunks[piece.chunk], piece.bytes.start);
            self.gpu
                .submit(|encoder| encoder.copy_buffer_to_buffer(source, offset, &buffer, 0, piece.size()))?;
            self.submitted.push_back(buffer);
            self.next += 1;
        }
        Ok(())
    }

    /// Copies all pieces to `data`.
    pub async fn collect(mut self, data: &mut [u8]) -> Result<()> {
        let mut collected = 0;
        loop {
            self.submit()?;
            let Some(buffer) = self.submitted.pop_front() else { return Ok(()) };
            let piece = &self.pieces[collected];
            mapping::map(self.gpu, &buffer, piece.size(), Way::Download).await?;
            let shares = data[piece.host.clone()].par_chunks_mut(SHARE).enumerate();
            shares.try_for_each(|(i, target)| {
                let view = buffer.slice(share(i, target.len())).get_mapped_range().map_err(mapping)?;
                target.copy_from_slice(&view[..target.len()]);
                Ok::<_, Error>(())
            })?;
            self.gpu.unmap(&buffer);
            self.gpu.staging().give_back(Way::Download, buffer);
            collected += 1;
        }
    }
}

/// Returns the range of a staging buffer that the `i`-th share of `len` bytes takes.
fn share(i: usize, len: usize) -> Range<u64> {
    let begin = (i * SHARE) as u64;
    begin..begin + (len as u64).next_multiple_of(4)
}

fn mapping(e: wgpu::MapRangeError) -> Error {
    Error::Device(format!("cannot see a mapped buffer: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::test_devices;

    /// Lengths around the borders of shares and pieces, from places that are no borders.
    #[test]
    fn vectors_come_back_from_every_place() {
        let gpu = test_devices::open(crate::gpu::Options::default());
        let (share, piece) = (SHARE / 4, PIECE as usize / 4);
        let data: Vec<u32> =
            (0..(UNDER_WAY + 2) * piece + 9).map(|i| (i as u32).wrapping_mul(0x9e37_79b1)).collect();
        let mut vector: DeviceVec<u32> = gpu.zeros(data.len() + 3).unwrap();
        for len in [0, 1, share - 1, share, share + 1, piece - 1, piece, piece + 1, data.len()] {
            vector.write(3, &data[data.len() - len..]).unwrap();
            assert!(vector.read(3..3 + len).unwrap() == data[data.len() - len..], "{len}");
            assert_eq!(vector.read(0..3).unwrap(), [0; 3]);
        }
        // A write that begins near the end of a chunk has a short first piece.
        let chunks = crate::gpu::Options { max_chunk_bytes: PIECE, ..crate::gpu::Options::default() };
        let mut vector: DeviceVec<u32> = gpu.with_options(chunks).zeros((UNDER_WAY + 3) * piece).unwrap();
        assert_eq!(vector.chunks().len(), UNDER_WAY + 3);
        vector.write(piece - share, &data).unwrap();
        assert!(vector.read(piece - share..piece - share + data.len()).unwrap() == data);
        // Bytes, which need not be whole words.
        let source: &[u8] = bytemuck::cast_slice(&data[..share]);
        let mut bytes: DeviceVec<u8> = gpu.zeros(SHARE + 8).unwrap();
        bytes.write(4, source).unwrap();
        assert!(bytes.read(4..SHARE + 3).unwrap() == source[..SHARE - 1]);
    }
}
