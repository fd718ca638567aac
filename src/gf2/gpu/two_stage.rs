//! Two-stage elimination on the GPU (see the CPU engine's module of the same name).
//!
//! ```text
//! narrow   the reduced form of a one in each column, in the columns without a reducer
//!          (elsewhere, substitute: from the last block to the first); from these the rows (gather)
//! choose   eliminate the narrow matrix in file order: which rows become pivots, and their leads
//! widen    eliminate the new pivots alone, in all columns; the rows of each block are now known
//! ```
//!
//! ```text
//!            all columns                 columns without a reducer
//! rows   [ sparse            ]  narrow   [ dense  ]  choose   new pivots, their leads
//!                                                                     |
//!        [ new pivots, dense ]  <-------------------------------------'  widen
//! ```

use std::sync::Arc;

use super::blocks::blocks_in_order_bytes;
use super::buffers::{NONE, info};
use super::f4::{Rows, eliminate_rows, expect_all_new_pivots, find_leads, rows_bytes};
use super::f4_lists::{Reducers, block_count, block_of, in_parts, part_bytes, reducer_at, reducers_bytes};
use super::kernels::substitute::{
    ELSEWHERE, ElsewhereBuffers, ElsewhereParams, GATHER, GatherBuffers, GatherParams, INVERSE, SUBSTITUTE,
    SubstituteBuffers, SubstituteParams, UNITS, UnitsBuffers, UnitsParams,
};
use super::matrix::{DeviceMatrix, VECTOR, chunk_len, matrix_bytes, tiles_of};
use super::shape::{BLOCK, INFO, ONES_A_THREAD, TILE};
use crate::gf2::{Elimination, F4Matrix, F4Shape, IndexLists, cost};
use crate::gpu::{DeviceVec, Gpu, Pipeline, Variant};
use crate::{Error, Result};

/// Eliminates an F4 matrix in two stages.
pub async fn eliminate_in_two_stages(gpu: &Gpu, f4: &F4Matrix) -> Result<Elimination> {
    let missing = missing_columns(f4);
    let reducers = Reducers::upload(gpu, f4, f4.reducers())?;
    let mut stages =
        gpu.timeline().stages(&cost::gpu::stages(&F4Shape::of(f4)).map(|vectors| vectors as u64));
    stages.next();
    let mut leads = Vec::new();
    if f4.row_count() > 0 && !missing.is_empty() {
        let narrow = narrow(f4, &reducers, &missing)?;
        let info = info(missing.len(), |_| true, |_| false);
        let none = Reducers::none(gpu, missing.len().div_ceil(BLOCK))?;
        stages.next();
        leads = find_leads(&narrow, &none, &info, None).await?;
    }
    let new_pivots = new_pivot_rows(f4, &missing, &leads)?;
    stages.next();
    let work = Rows::with_leads(f4, &new_pivots.lists, &new_pivots.leads);
    let (widened_rows, widened) = eliminate_rows(&work, &reducers).await?;
    expect_all_new_pivots(widened_rows.len(), new_pivots.rows.len())?;
    Ok(Elimination::new(f4, &new_pivots.rows, widened))
}

/// The columns without a reducer, the highest first.
pub fn missing_columns(f4: &F4Matrix) -> Vec<usize> {
    (0..f4.width()).rev().filter(|&column| f4.reducer_of(column).is_none()).collect()
}

/// The new pivots, in the order of their leads' blocks, and within a block in file order.
pub struct NewPivots {
    pub rows: Vec<u32>,
    /// The columns of their leads.
    pub leads: Vec<usize>,
    /// Their ones.
    pub lists: IndexLists,
}

/// The new pivots of an F4 matrix; `leads` has by row the number of its lead among the `missing` columns, or [`NONE`].
pub fn new_pivot_rows(f4: &F4Matrix, missing: &[usize], leads: &[u32]) -> Result<NewPivots> {
    let leads = (0..).zip(leads).filter(|(_, lead)| **lead != NONE);
    let column = |(row, &lead): (u32, &u32)| {
        let column = missing.get(lead as usize).map(|&column| (row, column));
        let fault = || format!("has lead {lead} of {}", missing.len());
        column.ok_or_else(|| Error::nonsense_at("row", row, fault()))
    };
    let mut new_pivots: Vec<(u32, usize)> = leads.map(column).collect::<Result<_>>()?;
    new_pivots.sort_by_key(|&(_, lead)| block_of(f4, lead));
    let mut lists = IndexLists::default();
    for &(row, _) in &new_pivots {
        lists.push(f4.rows().row(row as usize))?;
    }
    let (rows, leads) = new_pivots.into_iter().unzip();
    Ok(NewPivots { rows, leads, lists })
}

/// Bytes of device memory that [`eliminate_in_two_stages`] takes on a device with this binding limit.
/// An upper bound.
pub fn two_stage_bytes(shape: &F4Shape, binding_bytes: u64) -> u64 {
    let &F4Shape { columns, rows, row_ones, reducer_ones, .. } = shape;
    let (missing, new_pivots) = (shape.missing(), shape.most_new_pivots());
    let reducers = reducers_bytes(columns.div_ceil(BLOCK), reducer_ones, binding_bytes);
    if new_pivots == 0 {
        return reducers;
    }
    let narrowing = narrowing_bytes(columns, missing, (rows, row_ones), binding_bytes);
    let choosing = reducers_bytes(missing.div_ceil(BLOCK), 0, binding_bytes)
        + blocks_in_order_bytes(rows, missing, missing);
    let narrow = matrix_bytes(rows, missing) + narrowing.max(choosing);
    let widening = rows_bytes(new_pivots, row_ones, columns, new_pivots, binding_bytes);
    reducers + narrow.max(widening)
}

/// Bytes of device memory that [`narrow`] takes for `missing` columns of `columns`, in addition to the matrix and the
/// reducers, for a given number of rows and of their ones. An upper bound.
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
/// reducers.
///
/// Tiles are computed in groups for which a binding holds the reduced forms of all columns.
pub fn narrow(f4: &F4Matrix, reducers: &Reducers, missing: &[usize]) -> Result<DeviceMatrix> {
    let gpu = reducers.gpu();
    let matrix = DeviceMatrix::zeros(gpu, f4.row_count(), missing.len())?;
    let places = BLOCK * block_count(f4);
    let most = (gpu.chunk_len::<[u32; 4]>()? / places) as u32;
    if most == 0 {
        return Err(Error::OutOfMemory(
            format!("{places} columns of one tile exceed the binding limit").into(),
        ));
    }
    let columns = Columns::new(f4, reducers, places)?;
    let gather = gpu.pipeline(&GATHER, &Variant::plain(256))?;
    for first in (0..matrix.tiles()).step_by(most as usize) {
        let group = first..matrix.tiles().min(first + most);
        let tiles = group.len() as u32;
        let end = missing.len().min(TILE * group.end as usize);
        let reduced = columns.reduced(missing.get(TILE * first as usize..end).unwrap_or_default(), tiles)?;
        in_parts(gpu, f4.rows(), |recorder, rows| {
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

/// The reducers and their states, from which the reduced forms of columns are computed.
struct Columns<'a> {
    gpu: &'a Gpu,
    places: usize,
    reducers: &'a Reducers,
    states: DeviceVec<[u32; 4]>,
    info: DeviceVec<u32>,
    units: Arc<Pipeline>,
    elsewhere: Arc<Pipeline>,
    substitute: Arc<Pipeline>,
}

impl<'a> Columns<'a> {
    fn new(f4: &F4Matrix, reducers: &'a Reducers, places: usize) -> Result<Self> {
        let gpu = reducers.gpu();
        let given = |place: usize| reducer_at(f4, place).is_some();
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
            reducers,
            states: gpu.zeros(2 * places)?,
            info: gpu.upload_table(&info(places, |_| false, given))?,
        };
        let mut recorder = gpu.record();
        columns.reducers.invert(gpu, &mut recorder, columns.states.written()?, columns.last_place())?;
        recorder.submit()?;
        Ok(columns)
    }

    /// The place of column 0.
    fn last_place(&self) -> u32 {
        self.places as u32 - 1
    }

    /// Computes by place, as `tiles` vectors, the reduced form of a one there, in the columns `missing`,
    /// which have no reducer.
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
        // Equal groups of at most 32 tiles, so that many threads share a reducer's list.
        let lanes = tiles.div_ceil(tiles.div_ceil(32));
        for block in (0..self.places / BLOCK).rev() {
            let chunk = self.reducers.chunk_of(block);
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
