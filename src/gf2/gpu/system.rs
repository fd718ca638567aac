//! Sparse rows and eliminators on the device, columns in reverse order: column c at place
//! `last_place - c`, so that a row's lead comes first.

use super::kernels::{BLOCK, EXPAND, INVERSE};
use super::matrix::DeviceMatrix;
use crate::gf2::{IndexLists, System};
use crate::gpu::{DeviceVec, Gpu, Recorder, Variant};
use crate::{Error, Result};

/// Indices of one upload of rows.
const STAGE: usize = 16 << 20;

/// The eliminators by place of their lead, some blocks in each segment.
pub(super) struct Eliminators {
    segments: Vec<Segment>,
}

/// The eliminators of some blocks.
pub(super) struct Segment {
    first_block: usize,
    blocks: usize,
    /// By place from the first block's on, and the end: where the eliminator's indices begin.
    pub offsets: DeviceVec<u32>,
    pub indices: DeviceVec<u32>,
}

impl Segment {
    pub fn first_position(&self) -> u32 {
        (BLOCK * self.first_block) as u32
    }
}

impl Eliminators {
    /// The eliminators of a system for a matrix of `blocks` blocks.
    pub fn upload(gpu: &Gpu, system: &System, blocks: usize, last_place: u32) -> Result<Self> {
        let most = gpu.chunk_len::<u32>()?;
        let mut segments = Vec::new();
        let mut open = Host::new(0);
        for block in 0..blocks {
            let rows: Vec<&[u32]> =
                (0..BLOCK).map(|k| eliminator_at(system, last_place, BLOCK * block + k)).collect();
            let ones = rows.iter().map(|row| row.len()).sum::<usize>();
            if ones > most {
                return Err(Error::OutOfMemory(format!(
                    "{ones} ones in 256 eliminators pass the binding limit"
                )));
            }
            if open.indices.len() + ones > most {
                let next = Host::new(block);
                segments.push(std::mem::replace(&mut open, next).upload(gpu)?);
            }
            rows.into_iter().for_each(|row| open.push(row));
        }
        segments.push(open.upload(gpu)?);
        Ok(Eliminators { segments })
    }

    /// No eliminators, for a matrix of `blocks` blocks.
    pub fn none(gpu: &Gpu, blocks: usize) -> Result<Self> {
        let mut none = Host::new(0);
        (0..BLOCK * blocks).for_each(|_| none.push(&[]));
        Ok(Eliminators { segments: vec![none.upload(gpu)?] })
    }

    /// The segment that holds a block.
    pub fn segment(&self, block: usize) -> &Segment {
        let after = self.segments.partition_point(|segment| segment.first_block <= block);
        &self.segments[after - 1]
    }

    /// Writes the states of all blocks' eliminators.
    pub fn invert(
        &self,
        gpu: &Gpu,
        recorder: &mut Recorder<'_>,
        states: &wgpu::Buffer,
        last_place: u32,
    ) -> Result<()> {
        let pipeline = gpu.pipeline(&INVERSE, &Variant::plain(256))?;
        for segment in self.segments.iter().filter(|segment| segment.blocks > 0) {
            let buffers = [segment.offsets.whole()?, segment.indices.whole()?, states];
            let params = [segment.first_block as u32, last_place];
            recorder.dispatch(&pipeline, "inverse", &buffers, &params, segment.blocks as u32)?;
        }
        Ok(())
    }
}

/// The ones of the eliminator whose lead is at a place; none if there is no such eliminator.
fn eliminator_at(system: &System, last_place: u32, place: usize) -> &[u32] {
    let column = (last_place as usize).checked_sub(place).filter(|&column| column < system.width());
    match column.and_then(|column| system.eliminator_of(column)) {
        Some(eliminator) => system.eliminators().row(eliminator),
        None => &[],
    }
}

/// A segment as it is put together.
struct Host {
    first_block: usize,
    offsets: Vec<u32>,
    indices: Vec<u32>,
}

impl Host {
    fn new(first_block: usize) -> Self {
        Host { first_block, offsets: vec![0], indices: Vec::new() }
    }

    fn push(&mut self, row: &[u32]) {
        self.indices.extend_from_slice(row);
        self.offsets.push(self.indices.len() as u32);
    }

    fn upload(self, gpu: &Gpu) -> Result<Segment> {
        Ok(Segment {
            first_block: self.first_block,
            blocks: (self.offsets.len() - 1) / BLOCK,
            offsets: gpu.upload_table(&self.offsets)?,
            indices: gpu.upload_table(&self.indices)?,
        })
    }
}

/// Writes sparse rows to a zero matrix, columns reversed.
pub(super) fn expand(matrix: &DeviceMatrix, rows: &IndexLists) -> Result<()> {
    let pipeline = matrix.gpu().pipeline(&EXPAND, &Variant::plain(64))?;
    in_chunks(matrix.gpu(), rows, |recorder, chunk| {
        for part in matrix.parts() {
            let params =
                [chunk.count, chunk.first, matrix.stride(), part.first_tile, part.tiles, matrix.last_place()];
            let buffers = [chunk.offsets.whole()?, chunk.indices.whole()?, part.buffer()?];
            recorder.dispatch(&pipeline, "expand", &buffers, &params, chunk.count.div_ceil(64))?;
        }
        Ok(())
    })
}

/// Some rows on the device.
pub(super) struct Chunk {
    pub first: u32,
    pub count: u32,
    /// By row of the chunk, and the end: where its indices begin.
    pub offsets: DeviceVec<u32>,
    pub indices: DeviceVec<u32>,
}

/// Takes rows to the device, as many at a time as fit a staging vector, and has `work` done on them.
pub(super) fn in_chunks(
    gpu: &Gpu,
    rows: &IndexLists,
    work: impl Fn(&mut Recorder<'_>, &Chunk) -> Result<()>,
) -> Result<()> {
    let most = STAGE.min(gpu.chunk_len::<u32>()?);
    let mut first = 0;
    while first < rows.len() {
        let start = rows.offsets()[first];
        let fitting = rows.offsets()[first..].partition_point(|&end| end - start <= most) - 1;
        if fitting == 0 {
            return Err(Error::OutOfMemory(format!("the ones of row {first} pass the binding limit")));
        }
        let last = first + fitting.min(most - 1);
        let offsets: Vec<u32> =
            rows.offsets()[first..=last].iter().map(|&end| (end - start) as u32).collect();
        let chunk = Chunk {
            first: first as u32,
            count: (last - first) as u32,
            offsets: gpu.upload_table(&offsets)?,
            indices: gpu.upload_table(&rows.indices()[start..rows.offsets()[last]])?,
        };
        let mut recorder = gpu.record();
        work(&mut recorder, &chunk)?;
        recorder.submit()?;
        first = last;
    }
    Ok(())
}
