//! Two-stage elimination on the GPU (see the CPU engine's module of the same name).
//!
//! 1. *Narrow*: what a one in each column comes to, once eliminated, in the columns that have no
//!    eliminator (*substitute*, from the last block to the first); from these, the rows (*gather*).
//! 2. *Choose*: the narrow matrix, eliminated in file order, tells which rows are promoted.
//! 3. *Widen*: these alone, eliminated in all columns.

use super::blocks::{NONE, info};
use super::kernels::{BLOCK, GATHER, SUBSTITUTE, TILE, UNITS};
use super::matrix::DeviceMatrix;
use super::special::{eliminate_rows, leads_in_order};
use super::system::{Eliminators, in_chunks};
use crate::gf2::{Elimination, IndexLists, System};
use crate::gpu::{DeviceVec, Gpu, Variant};
use crate::{Error, Result};

/// Eliminates a system in two stages.
pub(super) fn eliminate(gpu: &Gpu, system: &System) -> Result<Elimination> {
    let missing: Vec<usize> =
        (0..system.width()).rev().filter(|&column| system.eliminator_of(column).is_none()).collect();
    let promoted = if system.row_count() == 0 || missing.is_empty() {
        Vec::new()
    } else {
        let narrow = narrow(gpu, system, &missing)?;
        let info = info(missing.len(), |_| true, |_| false);
        let none = Eliminators::none(gpu, missing.len().div_ceil(BLOCK))?;
        let leads = leads_in_order(&narrow, &none, &info, missing.len())?;
        (0..system.row_count()).filter(|&row| leads[row] != NONE).collect()
    };
    let mut rows = IndexLists::default();
    for &row in &promoted {
        rows.push(system.rows().row(row))?;
    }
    let (still, matrix) = eliminate_rows(gpu, system, &rows)?;
    let promoted: Vec<u32> = still.iter().map(|&k| promoted[k as usize] as u32).collect();
    Ok(Elimination::new(system, &promoted, matrix))
}

/// Stage 1: column k of the result is column `missing[k]` of the rows reduced by all eliminators.
///
/// In groups of tiles for which what each column comes to fits a binding.
fn narrow(gpu: &Gpu, system: &System, missing: &[usize]) -> Result<DeviceMatrix> {
    let matrix = DeviceMatrix::zeros(gpu, system.row_count(), missing.len())?;
    let places = BLOCK * system.width().div_ceil(BLOCK);
    let most = (gpu.chunk_len::<[u32; 4]>()? / places) as u32;
    if most == 0 {
        return Err(Error::OutOfMemory(format!("{places} columns of one tile pass the binding limit")));
    }
    let columns = Columns::new(gpu, system, places)?;
    let gather = gpu.pipeline(&GATHER, &Variant::plain(256))?;
    for first in (0..matrix.tiles()).step_by(most as usize) {
        let group = first..matrix.tiles().min(first + most);
        let tiles = group.len() as u32;
        let end = missing.len().min(TILE * group.end as usize);
        let reduced = columns.reduced(missing.get(TILE * first as usize..end).unwrap_or_default(), tiles)?;
        in_chunks(gpu, system.rows(), |recorder, chunk| {
            matrix.over_tiles(recorder, group.clone(), |recorder, part, own| {
                let lanes = (own.len() as u32).min(256);
                let params = [
                    chunk.count,
                    chunk.first,
                    matrix.stride(),
                    own.start - part.first_tile,
                    own.len() as u32,
                    own.start - first,
                    tiles,
                    lanes,
                    columns.last_place(),
                ];
                let buffers =
                    [chunk.offsets.whole()?, chunk.indices.whole()?, reduced.whole()?, part.buffer()?];
                let groups = chunk.count.div_ceil(256 / lanes) * (own.len() as u32).div_ceil(lanes);
                recorder.dispatch(&gather, "gather", &buffers, &params, groups)
            })
        })?;
    }
    Ok(matrix)
}

/// The eliminators, to find what a one in each column comes to.
struct Columns<'a> {
    gpu: &'a Gpu,
    places: usize,
    eliminators: Eliminators,
    states: DeviceVec<[u32; 4]>,
    info: DeviceVec<u32>,
}

impl<'a> Columns<'a> {
    fn new(gpu: &'a Gpu, system: &System, places: usize) -> Result<Self> {
        let last_place = places - 1;
        let given = |place: usize| {
            let column = last_place.checked_sub(place).filter(|&column| column < system.width());
            column.is_some_and(|column| system.eliminator_of(column).is_some())
        };
        let columns = Columns {
            gpu,
            places,
            eliminators: Eliminators::upload(gpu, system, places / BLOCK, last_place as u32)?,
            states: gpu.zeros(2 * places)?,
            info: gpu.upload_table(&info(places, |_| false, given))?,
        };
        let mut recorder = gpu.record();
        columns.eliminators.invert(gpu, &mut recorder, columns.states.whole()?, last_place as u32)?;
        recorder.submit()?;
        Ok(columns)
    }

    /// The place of column 0.
    fn last_place(&self) -> u32 {
        self.places as u32 - 1
    }

    /// By place, `tiles` vectors: what a one there comes to in the columns `missing`, which have no
    /// eliminator.
    fn reduced(&self, missing: &[usize], tiles: u32) -> Result<DeviceVec<[u32; 4]>> {
        let gpu = self.gpu;
        let reduced: DeviceVec<[u32; 4]> = gpu.zeros(self.places * tiles as usize)?;
        let missing: Vec<u32> = missing.iter().map(|&column| self.last_place() - column as u32).collect();
        let missing = gpu.upload_table(&missing)?;
        let mut recorder = gpu.record();
        let units = gpu.pipeline(&UNITS, &Variant::plain(256))?;
        let count = missing.len() as u32;
        let buffers = [missing.whole()?, reduced.whole()?];
        recorder.dispatch(&units, "units", &buffers, &[count, tiles], count.div_ceil(256))?;
        let substitute = gpu.pipeline(&SUBSTITUTE, &Variant::plain(256))?;
        for block in (0..self.places / BLOCK).rev() {
            let segment = self.eliminators.segment(block);
            let buffers = [
                self.info.whole()?,
                self.states.whole()?,
                segment.offsets.whole()?,
                segment.indices.whole()?,
                reduced.whole()?,
            ];
            let params = [block as u32, tiles, segment.first_position(), self.last_place()];
            recorder.dispatch(&substitute, "substitute", &buffers, &params, tiles)?;
        }
        recorder.submit()?;
        Ok(reduced)
    }
}
