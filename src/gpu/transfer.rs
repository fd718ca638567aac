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

use super::buffer::DeviceVec;
use super::device::Gpu;
use super::mapped;
use super::mapping;
use super::staging::{PIECE, UNDER_WAY, Way};
use crate::parallel::*;
use crate::{Error, Result};

/// Largest transfer, in bytes, that goes to the driver together with the work before and after it.
const SMALL: usize = 4 << 20;
/// Largest upload, in bytes, for which the queue's own staging buffers are as fast.
const TINY: usize = 16 << 10;
/// Bytes of a staging buffer that one thread fills or empties.
const SHARE: usize = 256 << 10;
/// The longest piece that one thread fills or empties alone: others take up to 0.3 ms to wake.
const ALONE: usize = 1 << 20;
/// Bytes that a source makes at a time.
const STEP: usize = 32 << 10;

/// A range of one chunk.
struct Piece {
    chunk: wgpu::Buffer,
    /// Where it begins in the chunk, in bytes.
    offset: u64,
    /// The same range within the host's slice.
    host: Range<usize>,
}

impl Piece {
    /// Returns the bytes that are copied: whole words.
    fn size(&self) -> u64 {
        (self.host.len() as u64).next_multiple_of(4)
    }
}

/// The bytes that an upload copies to a device.
pub(crate) trait Source: Sync {
    /// The number of bytes.
    fn len(&self) -> usize;
    /// The bytes in `range`; they may be made for the call.
    fn bytes(&self, range: Range<usize>) -> Cow<'_, [u8]>;
}

impl Source for &[u8] {
    fn len(&self) -> usize {
        <[u8]>::len(self)
    }

    fn bytes(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self[range])
    }
}

impl<T: Pod> DeviceVec<T> {
    /// Copies `source` to the elements from `start` on. A long upload waits for the device, to use few staging buffers.
    pub(super) async fn fill(&self, start: usize, source: &dyn Source) -> Result<()> {
        fill(self.gpu(), self.pieces(start, source.len() / size_of::<T>(), PIECE), source).await
    }

    /// Copies `source` to the elements from `start` on, behind the work that the device is doing: it waits for nothing, but
    /// takes as many bytes of staging buffers as the upload has.
    pub(super) async fn fill_behind(&self, start: usize, source: &dyn Source) -> Result<()> {
        fill_behind(self.gpu(), self.pieces(start, source.len() / size_of::<T>(), SMALL as u64), source).await
    }

    /// Returns the copies that bring the elements of `range` to the host.
    pub(super) fn copies(&self, range: Range<usize>) -> Copies<'_> {
        let pieces = self.pieces(range.start, range.len(), PIECE);
        Copies { gpu: self.gpu(), pieces, submitted: VecDeque::new(), emptied: Vec::new(), next: 0 }
    }

    /// Splits a range of elements into pieces of at most `most` bytes, each in one chunk.
    fn pieces(&self, start: usize, len: usize, most: u64) -> Vec<Piece> {
        let step = (most / Self::SIZE.max(1)).max(1) as usize;
        let (mut pieces, mut at, end) = (Vec::new(), start, start + len);
        while at < end {
            let (chunk, offset) = (at / self.chunk_len(), at % self.chunk_len());
            let count = step.min(end - at).min(self.chunk_len() - offset);
            let [host, bytes] = [at - start, count].map(|elements| elements * size_of::<T>());
            let (chunk, offset) = (self.chunks()[chunk].clone(), offset as u64 * Self::SIZE);
            pieces.push(Piece { chunk, offset, host: host..host + bytes });
            at += count;
        }
        pieces
    }
}

/// Copies `source` to pieces.
async fn fill(gpu: &Gpu, pieces: Vec<Piece>, source: &dyn Source) -> Result<()> {
    let is_at_most = |bytes: usize| matches!(&pieces[..], [piece] if piece.host.len() <= bytes);
    // In a browser all writes of whole words go through the queue, since the caller may be unable to wait.
    let queued = is_at_most(TINY) || cfg!(target_arch = "wasm32");
    if queued && pieces.iter().all(|p| p.host.len().is_multiple_of(4)) {
        // The queue puts writes before everything that is submitted later.
        gpu.flush()?;
        return gpu.guarded(|_| {
            for piece in &pieces {
                let bytes = source.bytes(piece.host.clone());
                gpu.opened.queue.write_buffer(&piece.chunk, piece.offset, &bytes);
            }
        });
    }
    if is_at_most(SMALL) {
        return fill_behind(gpu, pieces, source).await;
    }
    // Every buffer holds any piece: the first may be shorter, up to the end of its chunk.
    let largest = pieces.iter().map(Piece::size).max().unwrap_or(0);
    let mut used = VecDeque::new();
    for piece in &pieces {
        let oldest = if used.len() == UNDER_WAY { used.pop_front() } else { None };
        let buffer = match oldest {
            Some((buffer, copied)) => {
                gpu.wait_for(copied)?;
                buffer
            }
            None => gpu.staging_buffer(Way::Upload, largest)?,
        };
        stage(gpu, &buffer, source, piece).await?;
        let copied = gpu.submit(|encoder| {
            encoder.copy_buffer_to_buffer(&buffer, 0, &piece.chunk, piece.offset, piece.size());
        })?;
        used.push_back((buffer, copied));
    }
    if let Some((_, last)) = used.back().cloned() {
        gpu.give_back_when_done(used.into_iter().map(|(buffer, _)| buffer).collect(), last);
    }
    Ok(())
}

/// Copies `source` to pieces, each with a staging buffer of its own.
async fn fill_behind(gpu: &Gpu, pieces: Vec<Piece>, source: &dyn Source) -> Result<()> {
    for piece in pieces {
        let buffer = gpu.staging_buffer(Way::Upload, piece.size())?;
        stage(gpu, &buffer, source, &piece).await?;
        let size = piece.size();
        gpu.gather(|gathered| gathered.upload(buffer, (piece.chunk, piece.offset), size))?;
    }
    Ok(())
}

/// The copies of a download, some of which are submitted.
pub(super) struct Copies<'v> {
    gpu: &'v Gpu,
    pieces: Vec<Piece>,
    /// The staging buffers of the pieces before `next` that were not collected yet, oldest first.
    submitted: VecDeque<(wgpu::Buffer, wgpu::SubmissionIndex)>,
    /// Staging buffers for the next pieces.
    emptied: Vec<wgpu::Buffer>,
    next: usize,
}

impl Copies<'_> {
    /// True if the download is small enough for a single submission.
    pub fn is_small(&self) -> bool {
        matches!(&self.pieces[..], [piece] if piece.host.len() <= SMALL)
    }

    /// Submits the copies of the next pieces, as many as may be under way.
    pub fn submit(&mut self) -> Result<()> {
        // Every buffer holds any piece, so that memory can run out only before data arrive.
        let largest = self.pieces.iter().map(Piece::size).max().unwrap_or(0);
        while self.submitted.len() < UNDER_WAY && self.next < self.pieces.len() {
            let piece = &self.pieces[self.next];
            let buffer = match self.emptied.pop() {
                Some(buffer) => buffer,
                None => self.gpu.staging_buffer(Way::Download, largest)?,
            };
            let (from, to) = ((piece.chunk.clone(), piece.offset), (buffer.clone(), 0));
            let copied = self.gpu.flush_with(|gathered| gathered.copy(from, to, piece.size()))?;
            self.submitted.push_back((buffer, copied));
            self.next += 1;
        }
        Ok(())
    }

    /// Copies all pieces to `data`.
    pub async fn collect(mut self, data: &mut [u8]) -> Result<()> {
        let mut collected = 0;
        loop {
            self.submit()?;
            let Some((buffer, copied)) = self.submitted.pop_front() else { break };
            let piece = &self.pieces[collected];
            // The host waits for this piece only, not for those behind it.
            self.gpu.wait_for(copied)?;
            mapping::map(self.gpu, &buffer, piece.size(), Way::Download).await?;
            let empty = |(i, target): (usize, &mut [u8])| {
                let view = mapped::view(&buffer, share(i, target.len()))?;
                target.copy_from_slice(&view[..target.len()]);
                Ok::<_, Error>(())
            };
            let target = &mut data[piece.host.clone()];
            match target.len() <= ALONE {
                true => target.chunks_mut(SHARE).enumerate().try_for_each(empty)?,
                false => target.par_chunks_mut(SHARE).enumerate().try_for_each(empty)?,
            }
            self.gpu.unmap(&buffer);
            self.emptied.push(buffer);
            collected += 1;
        }
        self.emptied.into_iter().for_each(|buffer| self.gpu.opened.staging.give_back(Way::Download, buffer));
        Ok(())
    }
}

/// Maps a staging buffer and fills it with a piece of `source`.
async fn stage(gpu: &Gpu, buffer: &wgpu::Buffer, source: &dyn Source, piece: &Piece) -> Result<()> {
    mapping::map(gpu, buffer, piece.size(), Way::Upload).await?;
    let (len, shares) = (piece.host.len(), piece.host.len().div_ceil(SHARE));
    let fill = |i: usize| {
        let begin = piece.host.start + i * SHARE;
        let end = piece.host.end.min(begin + SHARE);
        let mut view = mapped::view_mut(buffer, share(i, end - begin))?;
        for at in (begin..end).step_by(STEP) {
            let bytes = source.bytes(at..end.min(at + STEP));
            view.slice(at - begin..at - begin + bytes.len()).copy_from_slice(&bytes);
        }
        Ok::<_, Error>(())
    };
    match len <= ALONE {
        true => (0..shares).try_for_each(fill)?,
        false => (0..shares).into_par_iter().try_for_each(fill)?,
    }
    gpu.unmap(buffer);
    Ok(())
}

/// Returns the range of a staging buffer that the `i`-th share of `len` bytes takes.
fn share(i: usize, len: usize) -> Range<u64> {
    let begin = (i * SHARE) as u64;
    begin..begin + (len as u64).next_multiple_of(4)
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
        let alone = ALONE / 4;
        for len in
            [0, 1, share - 1, share, share + 1, alone, alone + 1, piece - 1, piece, piece + 1, data.len()]
        {
            vector.write(3, &data[data.len() - len..]).unwrap();
            let mut appended = vec![7, 8];
            vector.append_to(3..3 + len, &mut appended).unwrap();
            assert!(appended[..2] == [7, 8] && appended[2..] == data[data.len() - len..], "{len}");
            assert!(vector.append_to(3..vector.len() + 1, &mut appended).is_err());
            assert_eq!(appended.len(), len + 2);
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
