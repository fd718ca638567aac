//! Matrices over GF(2) in device memory.

use std::ops::Range;

use super::kernels::convert::{PACK, PackBuffers, PackParams, UNPACK, UnpackBuffers, UnpackParams};
use super::shape::{BLOCK, TILE, reversed};
use crate::gf2::bit_matrix::words_of_a_row;
use crate::gf2::{BitMatrix, BitView};
use crate::gpu::{DeviceVec, Gpu, Recorder, Variant, Written, block_on};
use crate::parallel::*;
use crate::task::Traffic;
use crate::{Error, Result};

/// The maximum number of bytes of a staging vector for uploads and downloads.
const STAGE: usize = 64 << 20;
/// Words that a thread copies at a time.
const SHARE: usize = 1 << 16;
/// Rows of padding past the last one, which workgroups may read or write, so kernels check no bounds.
const PADDING: usize = 512 * 8;

/// A matrix over GF(2) on a device.
///
/// It is stored in tiles of 128 columns. Tile t holds one `vec4<u32>` of every row, one row after the
/// other: column 128 t + i of row r is bit i % 32 of word i / 32 of vector r of the tile.
///
/// ```text
///           columns 0 to 127     128 to 255     256 to 383
/// row 0     tile 0, vector 0  |  tile 1, 0   |  tile 2, 0     in memory: tile 0, tile 1, ...,
/// row 1     tile 0, vector 1  |  tile 1, 1   |  tile 2, 1     each of them row after row
/// ```
///
/// Kernels work on it in parts: as many tiles as one buffer holds.
#[derive(Debug)]
pub struct DeviceMatrix {
    gpu: Gpu,
    rows: usize,
    columns: usize,
    /// Vectors from tile to tile.
    stride: usize,
    parts: Vec<Part>,
}

/// The tiles of a matrix in one buffer.
#[derive(Debug)]
pub struct Part {
    pub first_tile: u32,
    pub tiles: u32,
    data: DeviceVec<[u32; 4]>,
}

impl Part {
    pub fn buffer(&self) -> Result<&wgpu::Buffer> {
        self.data.whole()
    }

    /// [`buffer`](Self::buffer), for a dispatch that writes it.
    pub fn written(&self) -> Result<Written<'_>> {
        self.data.written()
    }

    pub fn data(&self) -> &DeviceVec<[u32; 4]> {
        &self.data
    }

    pub fn end(&self) -> u32 {
        self.first_tile + self.tiles
    }

    /// The tiles of this part that are among `tiles`.
    pub fn within(&self, tiles: &Range<u32>) -> Range<u32> {
        tiles.start.max(self.first_tile)..tiles.end.min(self.end())
    }
}

/// The number of vectors from tile to tile in a matrix of `rows` rows.
pub fn stride_of(rows: usize) -> usize {
    rows.div_ceil(32) * 32 + PADDING
}

/// The number of tiles of `columns` columns, an even number: a block has two, and both are in one part.
pub fn tiles_of(columns: usize) -> usize {
    columns.div_ceil(2 * TILE) * 2
}

/// The number of elements of `size` bytes in a chunk of a device vector; 0 if a binding holds none. It
/// equals [`Gpu::chunk_len`] on a device with this binding limit.
pub fn chunk_len(binding_bytes: u64, size: u64) -> u64 {
    (binding_bytes / size).checked_ilog2().map_or(0, |log| 1 << log)
}

/// The maximum number of rows of a matrix on a device with this binding limit: a buffer holds a block of them.
pub fn most_rows(binding_bytes: u64) -> u64 {
    (chunk_len(binding_bytes, VECTOR) / 2).saturating_sub(PADDING as u64) / 32 * 32
}

/// The maximum number of columns of a matrix that is eliminated, or that multiplies another from the right, on a
/// device with this binding limit: a buffer holds the states of their pivots, or the reduced pivots in
/// all tiles, either of which is 512 vectors a block.
pub fn most_columns(binding_bytes: u64) -> u64 {
    chunk_len(binding_bytes, VECTOR) / (2 * BLOCK as u64) * BLOCK as u64
}

/// Bytes of device memory of one vector of 128 bits.
pub const VECTOR: u64 = size_of::<[u32; 4]>() as u64;

/// Bytes of device memory that a matrix takes.
pub fn matrix_bytes(rows: usize, columns: usize) -> u64 {
    VECTOR.saturating_mul(stride_of(rows) as u64).saturating_mul(tiles_of(columns) as u64)
}

/// Bytes of device memory that [`DeviceMatrix::upload`] takes in addition to the matrix.
pub fn upload_bytes(rows: usize, columns: usize, binding_bytes: u64) -> u64 {
    staging_bytes(rows, 8 * words_of_a_row(columns) as u64, binding_bytes)
}

/// Bytes of device memory that the download of `rows` rows takes in addition to the matrix.
pub fn download_bytes(rows: usize, columns: usize, binding_bytes: u64) -> u64 {
    let row = VECTOR * tiles_of(columns) as u64;
    let staging = staging_bytes(rows, row, binding_bytes);
    // The second term is the list of rows.
    staging + staging.checked_div(row).map_or(0, |rows| 8 * rows)
}

/// Bytes of a staging vector for `rows` rows of `row` bytes: for all rows or for as many as fit, but at
/// least one.
fn staging_bytes(rows: usize, row: u64, binding_bytes: u64) -> u64 {
    let stage = (STAGE as u64).min(VECTOR * chunk_len(binding_bytes, VECTOR));
    stage.checked_div(row).map_or(0, |fitting| row * fitting.max(1).min(rows as u64))
}

/// The number of buffers of a matrix.
pub fn parts_of(rows: usize, columns: usize, binding_bytes: u64) -> usize {
    let most = chunk_len(binding_bytes, VECTOR) as usize / stride_of(rows) / 2 * 2;
    tiles_of(columns).div_ceil(most.max(1))
}

/// The data and the dispatches of [`DeviceMatrix::upload`].
pub fn upload_traffic(rows: usize, columns: usize, binding_bytes: u64) -> Traffic {
    let row = 8 * words_of_a_row(columns) as u64;
    Traffic {
        upload: row * rows as u64,
        download: 0,
        dispatches: Some(stages(rows, row, binding_bytes) * parts_of(rows, columns, binding_bytes) as u64),
    }
}

/// The data and the dispatches of [`DeviceMatrix::download`]. The list of rows goes to the device.
pub fn download_traffic(rows: usize, columns: usize, binding_bytes: u64) -> Traffic {
    let row = VECTOR * tiles_of(columns) as u64;
    Traffic {
        upload: if row > 0 { 8 * rows as u64 } else { 0 },
        download: row * rows as u64,
        dispatches: Some(stages(rows, row, binding_bytes) * parts_of(rows, columns, binding_bytes) as u64),
    }
}

/// The number of transfers of `rows` rows of `row` bytes through a staging vector.
fn stages(rows: usize, row: u64, binding_bytes: u64) -> u64 {
    match staging_bytes(rows, row, binding_bytes) {
        0 => 0,
        bytes => (row * rows as u64).div_ceil(bytes),
    }
}

impl DeviceMatrix {
    /// Makes the zero matrix. A binding must hold 16 bytes a row.
    pub fn zeros(gpu: &Gpu, rows: usize, columns: usize) -> Result<Self> {
        let (stride, tiles) = (stride_of(rows), tiles_of(columns));
        let most = gpu.chunk_len::<[u32; 4]>()? / stride / 2 * 2;
        if most == 0 {
            return Err(Error::OutOfMemory(
                format!("{rows} rows: two tiles of them exceed the binding limit").into(),
            ));
        }
        let parts = (0..tiles).step_by(most).map(|first| {
            let count = most.min(tiles - first);
            let data = gpu.zeros(count * stride)?;
            Ok(Part { first_tile: first as u32, tiles: count as u32, data })
        });
        Ok(DeviceMatrix { gpu: gpu.clone(), rows, columns, stride, parts: parts.collect::<Result<_>>()? })
    }

    /// Copies a host matrix to the device.
    pub fn upload(gpu: &Gpu, matrix: &BitMatrix) -> Result<Self> {
        let device = Self::zeros(gpu, matrix.rows(), matrix.columns())?;
        let width = matrix.stride();
        if matrix.words().is_empty() {
            return Ok(device);
        }
        let pipeline = gpu.pipeline(&PACK, &Variant::plain(256))?;
        let chunk = (stage(gpu)? / 4 / width).clamp(1, matrix.rows());
        let mut staging: DeviceVec<u32> = gpu.zeros(chunk * width)?;
        for (k, words) in matrix.words().chunks(chunk * width).enumerate() {
            staging.write(0, words)?;
            let rows = words.len() / width;
            let mut recorder = gpu.record();
            for part in &device.parts {
                let params = PackParams {
                    rows: rows as u32,
                    width: width as u32,
                    first_row: (k * chunk) as u32,
                    stride: device.stride(),
                    part_tile: part.first_tile,
                    tiles: part.tiles,
                };
                let groups = rows.div_ceil(32) * (part.tiles as usize).div_ceil(8);
                let buffers = PackBuffers { words: staging.whole()?, matrix: part.written()? };
                recorder.dispatch(&pipeline, "pack", &buffers, &params, groups as u32)?;
            }
            recorder.submit()?;
        }
        Ok(device)
    }

    /// Makes this a copy of another matrix of the same shape, on the device.
    pub fn assign(&mut self, other: &DeviceMatrix) -> Result<()> {
        if (self.rows, self.columns) != (other.rows, other.columns) {
            return Err(Error::only_for("assignment", "matrices of the same shape"));
        }
        self.parts.iter_mut().zip(&other.parts).try_for_each(|(to, from)| to.data.assign(&from.data))
    }

    /// Copies the matrix to the host.
    pub fn download(&self) -> Result<BitMatrix> {
        block_on(self.download_async())
    }

    /// The asynchronous form of [`download`](Self::download), for browsers.
    pub async fn download_async(&self) -> Result<BitMatrix> {
        let rows: Vec<[u32; 2]> = (0..self.rows as u32).map(|row| [row, 0]).collect();
        self.download_rows(&rows, false).await
    }

    /// Downloads some rows, in this order. Each is given by its number and its first valid tile; earlier
    /// tiles read as zero. With `reverse`, column c of the host matrix is place `last_place - c` here.
    pub(super) async fn download_rows(&self, rows: &[[u32; 2]], reverse: bool) -> Result<BitMatrix> {
        let mut matrix = BitMatrix::zeros(rows.len(), self.columns)?;
        let tiles = self.tiles() as usize;
        if rows.is_empty() || tiles == 0 {
            return Ok(matrix);
        }
        let pipeline = self.gpu.pipeline(&UNPACK, &reversed(reverse))?;
        let chunk = (stage(&self.gpu)? / 16 / tiles).clamp(1, rows.len());
        let staging: DeviceVec<[u32; 4]> = self.gpu.zeros(chunk * tiles)?;
        let (mut words, width) = (crate::huge_pages::zeros(chunk * tiles)?, matrix.stride());
        for (k, rows) in rows.chunks(chunk).enumerate() {
            let list = self.gpu.upload_table(rows)?;
            let mut recorder = self.gpu.record();
            for part in &self.parts {
                let params = UnpackParams {
                    rows: rows.len() as u32,
                    stride: self.stride(),
                    part_tile: part.first_tile,
                    part_tiles: part.tiles,
                    tiles: tiles as u32,
                };
                let groups = rows.len().div_ceil(32) * (part.tiles as usize).div_ceil(8);
                let buffers =
                    UnpackBuffers { matrix: part.buffer()?, rows: list.whole()?, words: staging.written()? };
                recorder.dispatch(&pipeline, "unpack", &buffers, &params, groups as u32)?;
            }
            recorder.submit()?;
            let words = &mut words[..rows.len() * tiles];
            staging.read_into_async(0, words).await?;
            let view = BitView::new(bytemuck::cast_slice(words), rows.len(), self.columns, 4 * tiles)?;
            let targets = &mut matrix.words_mut()[k * chunk * width..][..rows.len() * width];
            let targets = targets.par_chunks_mut(width).enumerate().with_min_len(SHARE.div_ceil(width));
            targets.for_each(|(row, target)| copy_row(target, view.row(row), self.columns));
        }
        Ok(matrix)
    }

    /// Downloads the first `rows` rows of a tile.
    pub(super) async fn download_tile(&self, tile: u32, rows: usize) -> Result<Vec<[u32; 4]>> {
        let part = self.part_of(tile)?;
        let first = (tile - part.first_tile) as usize * self.stride;
        part.data.read_async(first..first + rows).await
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The device that holds the matrix.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    pub(super) fn stride(&self) -> u32 {
        self.stride as u32
    }

    pub(super) fn tiles(&self) -> u32 {
        self.parts.last().map_or(0, Part::end)
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The part that holds a tile.
    pub(super) fn part_of(&self, tile: u32) -> Result<&Part> {
        self.parts
            .iter()
            .find(|part| (part.first_tile..part.end()).contains(&tile))
            .ok_or_else(|| Error::Device(format!("tile {tile} of {}", self.tiles())))
    }

    /// The place of column 0 if columns are in reverse order.
    pub(super) fn last_place(&self) -> u32 {
        (TILE as u32 * self.tiles()).saturating_sub(1)
    }

    /// Makes one dispatch per part that has some of `tiles`: `work` gets the part and those tiles.
    pub(super) fn over_tiles<'a>(
        &'a self,
        recorder: &mut Recorder<'_>,
        tiles: Range<u32>,
        work: impl Fn(&mut Recorder<'_>, &'a Part, Range<u32>) -> Result<()>,
    ) -> Result<()> {
        for part in &self.parts {
            let own = part.within(&tiles);
            if !own.is_empty() {
                work(recorder, part, own)?;
            }
        }
        Ok(())
    }
}

/// Bytes of a staging vector on this device.
fn stage(gpu: &Gpu) -> Result<usize> {
    Ok(STAGE.min(16 * gpu.chunk_len::<[u32; 4]>()?))
}

/// Copies the words of a row, without bits past the last column.
fn copy_row(row: &mut [u32], words: &[u32], columns: usize) {
    let target = &mut row[..words.len()];
    target.copy_from_slice(words);
    if let Some(last) = target.last_mut() {
        *last &= crate::gf2::last_mask(columns);
    }
}
