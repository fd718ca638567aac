//! Sparse rows and reducers on the device.
//!
//! Columns are in reverse order, so that a row's lead comes first: column c is at *place*
//! `last_place - c`.

use std::ops::Range;

use super::kernels::convert::{EXPAND, ExpandBuffers, ExpandParams};
use super::kernels::substitute::{INVERSE, InverseBuffers, InverseParams};
use super::matrix::{DeviceMatrix, chunk_len};
use super::shape::{BLOCK, ONES_A_THREAD, shared};
use crate::gf2::{F4Matrix, IndexLists};
use crate::gpu::{DeviceVec, Gpu, Recorder, Variant, Written};
use crate::parallel::*;
use crate::task::Traffic;
use crate::{Error, Result};

/// The maximum number of indices in a part of the rows.
const STAGE: usize = 16 << 20;

/// Bytes of device memory of [`Reducers`] with `ones` ones, for `blocks` blocks.
///
/// An upper bound: any two neighbouring chunks have more ones than a buffer holds, which bounds the number
/// of chunks.
pub fn reducers_bytes(blocks: usize, ones: usize, binding_bytes: u64) -> u64 {
    let chunks = 1 + (2 * ones as u64).checked_div(chunk_len(binding_bytes, 4)).unwrap_or(0);
    4 * (BLOCK as u64 * blocks as u64 + chunks + ones as u64)
}

/// Bytes of device memory that [`in_parts`] takes for `rows` rows with `ones` ones. An upper bound.
pub fn part_bytes(rows: usize, ones: usize, binding_bytes: u64) -> u64 {
    let most = (STAGE as u64).min(chunk_len(binding_bytes, 4));
    4 * ((rows as u64).min(most.saturating_sub(1)) + 1 + (ones as u64).min(most))
}

/// The reducers in the order of their leads' places; each chunk has those of some blocks.
pub struct Reducers {
    chunks: Vec<Chunk>,
}

/// The reducers of some blocks.
pub struct Chunk {
    first_block: usize,
    blocks: usize,
    /// By place, from the first block's on: the beginning of the reducer's indices; and their end.
    pub offsets: DeviceVec<u32>,
    pub indices: DeviceVec<u32>,
}

impl Chunk {
    /// Uploads the reducers `rows`, by place, of the blocks from `first_block` on.
    fn upload(gpu: &Gpu, first_block: usize, rows: &[&[u32]]) -> Result<Self> {
        let ends = rows.iter().scan(0, |end, row| {
            *end += row.len() as u32;
            Some(*end)
        });
        let offsets: Vec<u32> = std::iter::once(0).chain(ends).collect();
        let mut indices = vec![0; rows.iter().map(|row| row.len()).sum()];
        let (mut blocks, mut rest) = (Vec::new(), &mut indices[..]);
        for (rows, ones) in rows.chunks(BLOCK).zip(ones_of_blocks(rows)) {
            let block = rest.split_off_mut(..ones).unwrap_or_default();
            blocks.push((block, rows));
        }
        blocks.par_iter_mut().for_each(|(block, rows)| {
            let mut end = 0;
            for row in *rows {
                block[end..end + row.len()].copy_from_slice(row);
                end += row.len();
            }
        });
        Ok(Chunk {
            first_block,
            blocks: rows.len() / BLOCK,
            offsets: gpu.upload_table(&offsets)?,
            indices: gpu.upload_table(&indices)?,
        })
    }

    /// The place of the first offset.
    pub fn first_place(&self) -> u32 {
        (BLOCK * self.first_block) as u32
    }
}

impl Reducers {
    /// Uploads the reducers of an F4 matrix, or lists that stand for them, one for each. A binding must hold those of
    /// a block.
    pub fn upload(gpu: &Gpu, f4: &F4Matrix, lists: &IndexLists) -> Result<Self> {
        let rows = by_place(f4, lists);
        let ones: Vec<usize> = ones_of_blocks(&rows);
        let chunks = chunks_of(&ones, gpu.chunk_len::<u32>()?)?;
        let upload = |blocks: Range<usize>| {
            Chunk::upload(gpu, blocks.start, &rows[BLOCK * blocks.start..BLOCK * blocks.end])
        };
        Ok(Reducers { chunks: chunks.into_iter().map(upload).collect::<Result<_>>()? })
    }

    /// No reducers, for a matrix of `blocks` blocks.
    pub fn none(gpu: &Gpu, blocks: usize) -> Result<Self> {
        Ok(Reducers { chunks: vec![Chunk::upload(gpu, 0, &vec![&[][..]; BLOCK * blocks])?] })
    }

    /// The device that holds the reducers.
    pub fn gpu(&self) -> &Gpu {
        self.chunks[0].indices.gpu()
    }

    /// The chunk that holds a block.
    pub fn chunk_of(&self, block: usize) -> &Chunk {
        let after = self.chunks.partition_point(|chunk| chunk.first_block <= block);
        &self.chunks[after - 1]
    }

    /// Writes the states of all blocks' reducers.
    pub fn invert(
        &self,
        gpu: &Gpu,
        recorder: &mut Recorder<'_>,
        states: Written<'_>,
        last_place: u32,
    ) -> Result<()> {
        let pipeline = gpu.pipeline(&INVERSE, &Variant::plain(256))?;
        for chunk in self.chunks.iter().filter(|chunk| chunk.blocks > 0) {
            let (offsets, indices) = (chunk.offsets.whole()?, chunk.indices.whole()?);
            let buffers = InverseBuffers { offsets, indices, states };
            let params = InverseParams { first_block: chunk.first_block as u32, last_place };
            recorder.dispatch(&pipeline, "inverse", &buffers, &params, chunk.blocks as u32)?;
        }
        Ok(())
    }
}

/// By place: the list that stands for the reducer there.
fn by_place<'l>(f4: &F4Matrix, lists: &'l IndexLists) -> Vec<&'l [u32]> {
    let list = |place| reducer_at(f4, place).map_or(&[][..], |reducer| lists.row(reducer));
    (0..BLOCK * block_count(f4)).map(list).collect()
}

fn ones_of_blocks(rows: &[&[u32]]) -> Vec<usize> {
    rows.chunks(BLOCK).map(|rows| rows.iter().map(|row| row.len()).sum()).collect()
}

/// The blocks of each chunk of reducers, of which a chunk has at most `most` ones; `ones` has those of each block.
fn chunks_of(ones: &[usize], most: usize) -> Result<Vec<Range<usize>>> {
    let (mut chunks, mut first, mut sum) = (Vec::new(), 0, 0);
    for (block, &more) in ones.iter().enumerate() {
        if more > most {
            return Err(Error::OutOfMemory(
                format!("{more} ones in 256 eliminators exceed the binding limit").into(),
            ));
        }
        if sum + more > most {
            chunks.push(first..block);
            (first, sum) = (block, 0);
        }
        sum += more;
    }
    chunks.push(first..ones.len());
    Ok(chunks)
}

/// The data of [`Reducers::upload`], and the dispatches of [`Reducers::invert`], for lists with so many
/// ones in each block.
pub fn reducers_traffic(ones: &[usize], binding_bytes: u64) -> Result<Traffic> {
    let chunks = chunks_of(ones, chunk_len(binding_bytes, 4) as usize)?;
    let offsets = chunks.iter().map(|blocks| BLOCK * blocks.len() + 1).sum::<usize>();
    let inverted = chunks.iter().filter(|blocks| !blocks.is_empty()).count();
    let words = offsets + ones.iter().sum::<usize>();
    Ok(Traffic { upload: 4 * words as u64, download: 0, dispatches: Some(inverted as u64) })
}

/// The number of blocks of an F4 matrix's columns.
pub fn block_count(f4: &F4Matrix) -> usize {
    f4.width().div_ceil(BLOCK)
}

/// The block in which a column of an F4 matrix is eliminated.
pub fn block_of(f4: &F4Matrix, column: usize) -> usize {
    block_count(f4) - 1 - column / BLOCK
}

/// The column of an F4 matrix at a place of its blocks, if there is one.
pub fn column_at(f4: &F4Matrix, place: usize) -> Option<usize> {
    (BLOCK * block_count(f4)).checked_sub(place + 1).filter(|&column| column < f4.width())
}

/// The reducer of an F4 matrix whose lead is at a place, if there is one.
pub fn reducer_at(f4: &F4Matrix, place: usize) -> Option<usize> {
    column_at(f4, place).and_then(|column| f4.reducer_of(column))
}

/// Writes sparse rows to a zero matrix, columns reversed.
pub fn expand(matrix: &DeviceMatrix, rows: &IndexLists) -> Result<()> {
    let pipeline = matrix.gpu().pipeline(&EXPAND, &shared(ONES_A_THREAD))?;
    in_parts(matrix.gpu(), rows, |recorder, rows| {
        for part in matrix.parts() {
            let shares = rows.longest.div_ceil(ONES_A_THREAD as u32).max(1);
            let threads = rows.count.checked_mul(shares).ok_or_else(|| {
                let (rows, ones) = (rows.count, rows.longest);
                Error::OutOfMemory(format!("{rows} rows at once of which one has {ones} ones").into())
            })?;
            let params = ExpandParams {
                rows: rows.count,
                shares,
                first_row: rows.first,
                stride: matrix.stride(),
                part_tile: part.first_tile,
                part_tiles: part.tiles,
                last_place: matrix.last_place(),
            };
            let buffers = ExpandBuffers {
                offsets: rows.offsets.whole()?,
                indices: rows.indices.whole()?,
                matrix: part.written()?,
            };
            recorder.dispatch(&pipeline, "expand", &buffers, &params, threads.div_ceil(64))?;
        }
        Ok(())
    })
}

/// Some rows on the device.
pub struct RowsPart {
    /// The first row.
    pub first: u32,
    /// The number of rows.
    pub count: u32,
    /// The number of ones of the longest row.
    pub longest: u32,
    /// By row of the part: the beginning of its indices; and their end.
    pub offsets: DeviceVec<u32>,
    pub indices: DeviceVec<u32>,
}

/// Uploads rows in parts that fit a staging vector, and calls `work` on each part.
pub fn in_parts(
    gpu: &Gpu,
    rows: &IndexLists,
    work: impl Fn(&mut Recorder<'_>, &RowsPart) -> Result<()>,
) -> Result<()> {
    for own in parts_of_rows(rows.offsets(), gpu.chunk_len::<u32>()?)? {
        let ends = &rows.offsets()[own.start..=own.end];
        let offsets: Vec<u32> = ends.iter().map(|&end| (end - ends[0]) as u32).collect();
        let part = RowsPart {
            first: own.start as u32,
            count: own.len() as u32,
            longest: longest(ends) as u32,
            offsets: gpu.upload_table(&offsets)?,
            indices: gpu.upload_table(&rows.indices()[ends[0]..ends[own.len()]])?,
        };
        let mut recorder = gpu.record();
        work(&mut recorder, &part)?;
        recorder.submit()?;
    }
    Ok(())
}

/// The number of ones of the longest of the rows with these offsets.
fn longest(ends: &[usize]) -> usize {
    ends.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
}

/// The rows of each part, which has at most `chunk` offsets and ones, of rows with these offsets.
fn parts_of_rows(offsets: &[usize], chunk: usize) -> Result<Vec<Range<usize>>> {
    let most = STAGE.min(chunk);
    let (mut parts, mut first) = (Vec::new(), 0);
    while first + 1 < offsets.len() {
        let start = offsets[first];
        let fitting = offsets[first..].partition_point(|&end| end - start <= most) - 1;
        if fitting == 0 {
            return Err(Error::OutOfMemory(
                format!("the ones of row {first} exceed the binding limit").into(),
            ));
        }
        let last = first + fitting.min(most - 1);
        parts.push(first..last);
        first = last;
    }
    Ok(parts)
}

/// The data of [`in_parts`] for rows with these offsets, and its dispatches if a part whose longest row has so many
/// ones takes `dispatches`.
pub fn in_parts_traffic(
    offsets: &[usize],
    binding_bytes: u64,
    dispatches: impl Fn(usize) -> u64,
) -> Result<Traffic> {
    let parts = parts_of_rows(offsets, chunk_len(binding_bytes, 4) as usize)?;
    Ok(Traffic::sum(parts.into_iter().map(|own| {
        let ends = &offsets[own.start..=own.end];
        Traffic {
            upload: 4 * (ends.len() + ends[own.len()] - ends[0]) as u64,
            download: 0,
            dispatches: Some(dispatches(longest(ends))),
        }
    })))
}
