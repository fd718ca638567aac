//! Two-stage elimination on the GPU (see the CPU engine's module of the same name).
//!
//! ```text
//! narrow   the reduced form of a one in each column, in the columns without an eliminator
//!          (elsewhere, substitute: from the last block to the first); from these the rows (gather)
//! choose   eliminate the narrow matrix in file order: which rows are promoted, and their leads
//! widen    eliminate the promoted rows alone, in all columns; the rows of each block are now known
//! ```
//!
//! ```text
//!            all columns                 columns without an eliminator
//! rows   [ sparse            ]  narrow   [ dense  ]  choose   promoted rows, their leads
//!                                                                     |
//!        [ promoted, dense   ]  <-------------------------------------'  widen
//! ```

use std::sync::Arc;

use super::blocks::blocks_in_order_bytes;
use super::buffers::{NONE, info};
use super::f4::{Rows, eliminate_rows, expect_all_promoted, find_leads, rows_bytes};
use super::kernels::substitute::{
    ELSEWHERE, ElsewhereBuffers, ElsewhereParams, GATHER, GatherBuffers, GatherParams, INVERSE, SUBSTITUTE,
    SubstituteBuffers, SubstituteParams, UNITS, UnitsBuffers, UnitsParams,
};
use super::matrix::{DeviceMatrix, VECTOR, chunk_len, matrix_bytes, tiles_of};
use super::shape::{BLOCK, INFO, ONES_A_THREAD, TILE};
use super::system::{
    Eliminators, block_count, block_of, eliminator_at, eliminators_bytes, in_parts, part_bytes,
};
use crate::gf2::{Elimination, IndexLists, System, SystemShape, cost};
use crate::gpu::{DeviceVec, Gpu, Pipeline, Variant};
use crate::{Error, Result};

/// Eliminates a system in two stages.
pub async fn eliminate_in_two_stages(gpu: &Gpu, system: &System) -> Result<Elimination> {
    let missing = missing_columns(system);
    let eliminators = Eliminators::upload(gpu, system, system.eliminators())?;
    let mut stages =
        gpu.timeline().stages(&cost::gpu::stages(&SystemShape::of(system)).map(|vectors| vectors as u64));
    stages.next();
    let mut leads = Vec::new();
    if system.row_count() > 0 && !missing.is_empty() {
        let narrow = narrow(system, &eliminators, &missing)?;
        let info = info(missing.len(), |_| true, |_| false);
        let none = Eliminators::none(gpu, missing.len().div_ceil(BLOCK))?;
        stages.next();
        leads = find_leads(&narrow, &none, &info, None).await?;
    }
    let promoted = promoted_rows(system, &missing, &leads)?;
    stages.next();
    let work = Rows::with_leads(system, &promoted.lists, &promoted.leads);
    let (widened_rows, widened) = eliminate_rows(&work, &eliminators).await?;
    expect_all_promoted(widened_rows.len(), promoted.rows.len())?;
    Ok(Elimination::new(system, &promoted.rows, widened))
}

/// The columns without an eliminator, the highest first.
pub fn missing_columns(system: &System) -> Vec<usize> {
    (0..system.width()).rev().filter(|&column| system.eliminator_of(column).is_none()).collect()
}

/// The promoted rows, in the order of their leads' blocks, and within a block in file order.
pub struct Promoted {
    pub rows: Vec<u32>,
    /// The columns of their leads.
    pub leads: Vec<usize>,
    /// Their ones.
    pub lists: IndexLists,
}

/// The promoted rows of a system; `leads` has by row the number of its lead among the `missing` columns, or [`NONE`].
pub fn promoted_rows(system: &System, missing: &[usize], leads: &[u32]) -> Result<Promoted> {
    let leads = (0..).zip(leads).filter(|(_, lead)| **lead != NONE);
    let column = |(row, &lead): (u32, &u32)| {
        let column = missing.get(lead as usize).map(|&column| (row, column));
        let fault = || format!("has lead {lead} of {}", missing.len());
        column.ok_or_else(|| Error::nonsense_at("row", row, fault()))
    };
    let mut promoted: Vec<(u32, usize)> = leads.map(column).collect::<Result<_>>()?;
    promoted.sort_by_key(|&(_, lead)| block_of(system, lead));
    let mut lists = IndexLists::default();
    for &(row, _) in &promoted {
        lists.push(system.rows().row(row as usize))?;
    }
    let (rows, leads) = promoted.into_iter().unzip();
    Ok(Promoted { rows, leads, lists })
}

/// Bytes of device memory that [`eliminate_in_two_stages`] takes on a device with this binding limit.
/// An upper bound.
pub fn two_stage_bytes(shape: &SystemShape, binding_bytes: u64) -> u64 {
    let &SystemShape { columns, rows, row_ones, eliminator_ones, .. } = shape;
    let (missing, promoted) = (shape.missing(), shape.most_promoted());
    let eliminators = eliminators_bytes(columns.div_ceil(BLOCK), eliminator_ones, binding_bytes);
    if promoted == 0 {
        return eliminators;
    }
    let narrowing = narrowing_bytes(columns, missing, (rows, row_ones), binding_bytes);
    let choosing = eliminators_bytes(missing.div_ceil(BLOCK), 0, binding_bytes)
        + blocks_in_order_bytes(rows, missing, missing);
    let narrow = matrix_bytes(rows, missing) + narrowing.max(choosing);
    let widening = rows_bytes(promoted, row_ones, columns, promoted, binding_bytes);
    eliminators + narrow.max(widening)
}

/// Bytes of device memory that [`narrow`] takes for `missing` columns of `columns`, in addition to the matrix and the
/// eliminators, for a given number of rows and of their ones. An upper bound.
pub fn narrowing_bytes(
    columns: usize,
    missing: usize,
    (rows, ones): (usize, usize),
    binding_bytes: u64,
) -> u64 {
    let places = BLOCK * columns.div_ceil(BLOCK);
    let fitting = chunk_len(binding_bytes, VECTOR) / (places as u64).max(1);
    let tiles = fitting.min(tiles_of(missing) as u64);
    let reduced = VECTOR * places as u64 * tiles;
    let units = 4 * (TILE as u64 * tiles).min(missing as u64);
    let states = VECTOR * 2 * places as u64 + 4 * (INFO * (places / BLOCK)) as u64;
    states + reduced + units.max(part_bytes(rows, ones, binding_bytes))
}

/// Computes the narrow matrix: its column k is column `missing[k]` of the rows reduced by all
/// eliminators.
///
/// Tiles are computed in groups for which a binding holds the reduced forms of all columns.
pub fn narrow(system: &System, eliminators: &Eliminators, missing: &[usize]) -> Result<DeviceMatrix> {
    let gpu = eliminators.gpu();
    let matrix = DeviceMatrix::zeros(gpu, system.row_count(), missing.len())?;
    let places = BLOCK * block_count(system);
    let most = (gpu.chunk_len::<[u32; 4]>()? / places) as u32;
    if most == 0 {
        return Err(Error::OutOfMemory(
            format!("{places} columns of one tile exceed the binding limit").into(),
        ));
    }
    let columns = Columns::new(system, eliminators, places)?;
    let gather = gpu.pipeline(&GATHER, &Variant::plain(256))?;
    for first in (0..matrix.tiles()).step_by(most as usize) {
        let group = first..matrix.tiles().min(first + most);
        let tiles = group.len() as u32;
        let end = missing.len().min(TILE * group.end as usize);
        let reduced = columns.reduced(missing.get(TILE * first as usize..end).unwrap_or_default(), tiles)?;
        in_parts(gpu, system.rows(), |recorder, rows| {
            matrix.over_tiles(recorder, group.clone(), |recorder, part, own| {
                let lanes = (own.len() as u32).min(256);
                let params = |begin: u32| GatherParams {
                    rows: rows.count,
                    first_row: rows.first,
                    stride: matrix.stride(),
                    first_tile: own.start - part.first_tile,
                    count: own.len() as u32,
                    first_reduced: own.start - first,
                    tiles,
                    lanes,
                    last_place: columns.last_place(),
                    begin,
                    span: ONES_A_THREAD as u32,
                };
                let buffers = GatherBuffers {
                    offsets: rows.offsets.whole()?,
                    indices: rows.indices.whole()?,
                    reduced: reduced.whole()?,
                    matrix: part.written()?,
                };
                let groups = rows.count.div_ceil(256 / lanes) * (own.len() as u32).div_ceil(lanes);
                (0..rows.longest.max(1)).step_by(ONES_A_THREAD).try_for_each(|begin| {
                    recorder.dispatch(&gather, "gather", &buffers, &params(begin), groups)
                })
            })
        })?;
    }
    Ok(matrix)
}

/// The eliminators and their states, from which the reduced forms of columns are computed.
struct Columns<'a> {
    gpu: &'a Gpu,
    places: usize,
    eliminators: &'a Eliminators,
    states: DeviceVec<[u32; 4]>,
    info: DeviceVec<u32>,
    units: Arc<Pipeline>,
    elsewhere: Arc<Pipeline>,
    substitute: Arc<Pipeline>,
}

impl<'a> Columns<'a> {
    fn new(system: &System, eliminators: &'a Eliminators, places: usize) -> Result<Self> {
        let gpu = eliminators.gpu();
        let given = |place: usize| eliminator_at(system, place).is_some();
        let plain = Variant::plain(256);
        // The inverses run first, gathering last.
        let kernels = [&UNITS, &ELSEWHERE, &SUBSTITUTE, &INVERSE, &GATHER];
        let [units, elsewhere, substitute, ..] = gpu.pipelines(kernels.map(|kernel| (kernel, &plain)))?;
        let columns = Columns {
            units,
            elsewhere,
            substitute,
            gpu,
            places,
            eliminators,
            states: gpu.zeros(2 * places)?,
            info: gpu.upload_table(&info(places, |_| false, given))?,
        };
        let mut recorder = gpu.record();
        columns.eliminators.invert(gpu, &mut recorder, columns.states.written()?, columns.last_place())?;
        recorder.submit()?;
        Ok(columns)
    }

    /// The place of column 0.
    fn last_place(&self) -> u32 {
        self.places as u32 - 1
    }

    /// Computes by place, as `tiles` vectors, the reduced form of a one there, in the columns `missing`,
    /// which have no eliminator.
    fn reduced(&self, missing: &[usize], tiles: u32) -> Result<DeviceVec<[u32; 4]>> {
        let gpu = self.gpu;
        let reduced: DeviceVec<[u32; 4]> = gpu.zeros(self.places * tiles as usize)?;
        let missing: Vec<u32> = missing.iter().map(|&column| self.last_place() - column as u32).collect();
        let missing = gpu.upload_table(&missing)?;
        let mut recorder = gpu.record();
        let count = missing.len() as u32;
        let buffers = UnitsBuffers { places: missing.whole()?, reduced: reduced.written()? };
        let params = UnitsParams { len: count, tiles };
        recorder.dispatch(&self.units, "units", &buffers, &params, count.div_ceil(256))?;
        // Equal groups of at most 32 tiles, so that many threads share an eliminator's list.
        let lanes = tiles.div_ceil(tiles.div_ceil(32));
        for block in (0..self.places / BLOCK).rev() {
            let chunk = self.eliminators.chunk_of(block);
            let buffers = ElsewhereBuffers {
                offsets: chunk.offsets.whole()?,
                indices: chunk.indices.whole()?,
                reduced: reduced.written()?,
            };
            let params = ElsewhereParams {
                block: block as u32,
                tiles,
                lanes,
                first_position: chunk.first_place(),
                last_place: self.last_place(),
            };
            let groups = BLOCK as u32 * tiles.div_ceil(lanes);
            recorder.dispatch(&self.elsewhere, "substitute", &buffers, &params, groups)?;
            let buffers = SubstituteBuffers {
                info: self.info.whole()?,
                states: self.states.whole()?,
                reduced: reduced.written()?,
            };
            let params = SubstituteParams { block: block as u32, tiles };
            recorder.dispatch(&self.substitute, "substitute", &buffers, &params, tiles)?;
        }
        recorder.submit()?;
        Ok(reduced)
    }
}
