//! Blocked elimination of a system in file order on the GPU.
//!
//! The eliminators of a block are its pivots from the start (*inverse*, once for all blocks); columns
//! that have none get the first row in order that has anything left there. Rows stay where they are;
//! what was promoted selects no pivots any more.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::blocks::{BATCH, Blocks, Look, NONE, Steps, blocks_bytes, info};
use super::kernels::{
    BLOCK, ELIMINATORS, INFO, INVERSE, PANEL_IN_ORDER, PREDICT_IN_ORDER, UPDATE_NEXT_IN_ORDER,
};
use super::matrix::{DeviceMatrix, VECTOR, download_bytes, matrix_bytes, stride_of, tiles_of};
use super::shape::{WINDOW, ordered, panel};
use super::system::{
    Eliminators, SystemShape, block_count, block_of, chunk_bytes, column_at, eliminator_at,
    eliminators_bytes, expand,
};
use crate::gf2::{BitMatrix, Elimination, IndexLists, System};
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Variant};
use crate::{Error, Result};

/// Eliminates a system in blocks.
pub(super) async fn eliminate(gpu: &Gpu, system: &System) -> Result<Elimination> {
    let occurs = occurring(system);
    let eliminators = Eliminators::upload(gpu, system)?;
    // A column that is zero everywhere cannot get a pivot, and need not be looked at.
    let (promoted, matrix) =
        eliminate_rows(system, &eliminators, system.rows(), |column| occurs[column], None).await?;
    Ok(Elimination::new(system, &promoted, matrix))
}

/// Bytes of device memory that [`eliminate`] takes on a device with such a binding limit. A bound.
pub(super) fn special_bytes(shape: &SystemShape, binding_bytes: u64) -> u64 {
    let blocks = shape.columns.div_ceil(BLOCK);
    eliminators_bytes(blocks, shape.eliminator_ones, binding_bytes)
        + rows_bytes(shape.rows, shape.row_ones, shape.columns, shape.most_promoted(), binding_bytes)
}

/// Bytes of device memory that [`eliminate_rows`] takes beside the eliminators, for so many rows with
/// so many ones, of which `promoted` are promoted at most. A bound.
pub(super) fn rows_bytes(
    rows: usize,
    ones: usize,
    columns: usize,
    promoted: usize,
    binding_bytes: u64,
) -> u64 {
    if rows == 0 || columns == 0 {
        return 0;
    }
    let beside = [
        chunk_bytes(rows, ones, binding_bytes),
        run_bytes(rows, columns),
        download_bytes(promoted, columns, binding_bytes),
    ];
    matrix_bytes(rows, columns) + beside.into_iter().max().unwrap_or(0)
}

/// Bytes of device memory that a [`Run`] takes beside the matrix and the eliminators.
pub(super) fn run_bytes(rows: usize, columns: usize) -> u64 {
    let leads = 4 * stride_of(rows) as u64;
    let dense = VECTOR * (BLOCK * tiles_of(columns).max(1)) as u64;
    blocks_bytes(rows, columns, columns) + leads + dense
}

/// What became of rows of which the leads are known that they get; they are in the order of the
/// blocks of these, and within a block in the order of the file.
pub(super) async fn widen(
    system: &System,
    eliminators: &Eliminators,
    rows: &IndexLists,
    leads: &[usize],
) -> Result<BitMatrix> {
    let mut is_lead = vec![false; system.width()];
    leads.iter().for_each(|&lead| is_lead[lead] = true);
    let blocks: Vec<usize> = leads.iter().map(|&lead| block_of(system, lead)).collect();
    let eligible = |column: usize| is_lead[column];
    let (promoted, matrix) = eliminate_rows(system, eliminators, rows, eligible, Some(&blocks)).await?;
    match promoted.len() == rows.len() {
        true => Ok(matrix),
        false => Err(Error::Device("a row lost the lead that it has among fewer columns".into())),
    }
}

/// Eliminates some rows by the eliminators of a system: which of them were promoted, and what
/// became of these. Columns that are not `eligible` get no pivots; `blocks`, ascending, are those
/// of the rows' leads, where they are known.
async fn eliminate_rows(
    system: &System,
    eliminators: &Eliminators,
    rows: &IndexLists,
    eligible: impl Fn(usize) -> bool,
    blocks: Option<&[usize]>,
) -> Result<(Vec<u32>, BitMatrix)> {
    if rows.is_empty() || system.width() == 0 {
        return Ok((Vec::new(), BitMatrix::zeros(0, system.width())?));
    }
    let matrix = DeviceMatrix::zeros(eliminators.gpu(), rows.len(), system.width())?;
    expand(&matrix, rows)?;
    let given = |place: usize| eliminator_at(system, place).is_some();
    let open = |place: usize| column_at(system, place).is_some_and(&eligible) && !given(place);
    let info = info(BLOCK * block_count(system), open, given);
    // By block: the rows before its end that have their leads there or earlier.
    let ends = blocks.map(|blocks| {
        let last = blocks.last().map_or(0, |&last| last + 1);
        (0..last).map(|b| blocks.partition_point(|&block| block <= b) as u32).collect()
    });
    let leads = Run::new(&matrix, eliminators, &info, ends)?.run().await?;
    let promoted: Vec<u32> = (0..rows.len() as u32).filter(|&row| leads[row as usize] != NONE).collect();
    let valid: Vec<[u32; 2]> =
        promoted.iter().map(|&row| [row, 2 * (leads[row as usize] / BLOCK as u32)]).collect();
    Ok((promoted, matrix.download_rows(&valid, true).await?))
}

/// Eliminates the columns of a matrix that `info` tells of in file order, lowest column first, and
/// returns by row the column of its lead if it was promoted, else [`NONE`].
pub(super) async fn leads_in_order(
    matrix: &DeviceMatrix,
    eliminators: &Eliminators,
    info: &[u32],
) -> Result<Vec<u32>> {
    Run::new(matrix, eliminators, info, None)?.run().await
}

/// Columns that get their pivots from the rows of one panel, as a rule: a quarter of these.
const FEW_COLUMNS: u32 = WINDOW as u32 / 4;

struct Run<'m> {
    blocks: Blocks<'m>,
    eliminators: &'m Eliminators,
    /// By block: the columns that may get a pivot.
    open: Vec<u32>,
    /// Where rows are in the order of their leads' blocks, by block: the rows before this one have
    /// theirs there or earlier. Nothing is left to do after the last block here.
    ends: Option<Vec<u32>>,
    /// Whether a block's panels were not enough: from then on blocks of few columns have two as well.
    has_failed: bool,
    /// By row: the place of its lead, or [`NONE`].
    leads: DeviceVec<u32>,
    /// The eliminators of the block as rows of bits, tile by tile.
    dense: DeviceVec<[u32; 4]>,
    spread: Arc<Pipeline>,
    panel: Arc<Pipeline>,
    predict: Arc<Pipeline>,
    update_next: Arc<Pipeline>,
}

impl<'m> Run<'m> {
    fn new(
        matrix: &'m DeviceMatrix,
        eliminators: &'m Eliminators,
        info: &[u32],
        ends: Option<Vec<u32>>,
    ) -> Result<Self> {
        let gpu = matrix.gpu();
        let open = info.chunks_exact(INFO).map(|block| block[8..16].iter().map(|w| w.count_ones()).sum());
        // The inverses are the eliminators' own, which find them compiled.
        let pipelines = || {
            gpu.pipelines([
                (&INVERSE, &Variant::plain(256)),
                (&ELIMINATORS, &Variant::plain(256)),
                (&PANEL_IN_ORDER, &panel("remainders", true)),
                (&PREDICT_IN_ORDER, &ordered(true)),
                (&UPDATE_NEXT_IN_ORDER, &ordered(true)),
            ])
        };
        let blocks = || Blocks::new(matrix, BLOCK * (info.len() / INFO), info, true, true);
        let ([_, spread, panel, predict, update_next], blocks) = gpu.beside(pipelines, blocks)?;
        Ok(Run {
            open: open.collect(),
            blocks,
            ends,
            has_failed: false,
            eliminators,
            leads: gpu.upload(&vec![NONE; matrix.stride() as usize])?,
            dense: gpu.zeros(BLOCK * matrix.tiles().max(1) as usize)?,
            spread,
            panel,
            predict,
            update_next,
        })
    }

    /// Eliminates, and returns the place of each row's lead.
    async fn run(mut self) -> Result<Vec<u32>> {
        let gpu = self.blocks.gpu.clone();
        let mut recorder = gpu.record();
        let last_place = self.blocks.matrix.last_place();
        self.eliminators.invert(&gpu, &mut recorder, self.blocks.states.whole()?, last_place)?;
        self.blocks.extract(&mut recorder, 0)?;
        let mut block = 0;
        let count = self.ends.as_ref().map_or(self.blocks.count, Vec::len);
        while block < count {
            let end = count.min(block + BATCH);
            self.record(&mut recorder, block..end)?;
            recorder.submit()?;
            let failed = self.blocks.result(end).await?.0;
            self.has_failed |= failed.is_some();
            block = failed.unwrap_or(end);
        }
        self.leads.read_async(0..self.blocks.rows as usize).await
    }

    /// The rows that may get their leads in a block.
    fn rows_of(&self, block: usize) -> Range<u32> {
        match &self.ends {
            None => 0..self.blocks.rows,
            Some(ends) => block.checked_sub(1).map_or(0, |before| ends[before])..ends[block],
        }
    }

    fn look_at(&self, recorder: &mut Recorder<'_>, block: usize, look: Look) -> Result<()> {
        let blocks = &self.blocks;
        let buffers = [
            blocks.previous(block)?,
            blocks.outcome(block)?,
            blocks.info.whole()?,
            blocks.states.whole()?,
            blocks.selections(block)?,
            blocks.remainders.whole()?,
            blocks.flags.whole()?,
            self.leads.whole()?,
        ];
        recorder.dispatch(&self.panel, "panel", &buffers, &blocks.panel_params(block, look), 1)
    }

    /// Whether a second panel follows. Without it a block that may have pivots left is done again.
    fn looks_again(&self, block: usize) -> bool {
        let enough = if self.has_failed { 0 } else { FEW_COLUMNS };
        self.ends.is_none() && self.open[block] > enough
    }
}

impl<'m> Steps<'m> for Run<'m> {
    fn blocks(&self) -> &Blocks<'m> {
        &self.blocks
    }

    fn look(&self, recorder: &mut Recorder<'_>, block: usize) -> Result<()> {
        self.blocks.state(recorder, block, self.rows_of(block), false)
    }

    fn panel(&self, recorder: &mut Recorder<'_>, block: usize) -> Result<()> {
        let look = if self.looks_again(block) { Look::First } else { Look::Only };
        self.look_at(recorder, block, look)?;
        // Beside the panel, for what follows it.
        let segment = self.eliminators.segment(block);
        let buffers = [segment.offsets.whole()?, segment.indices.whole()?, self.dense.whole()?];
        let tiles = self.blocks.tiles_from(block);
        let params = [block as u32, tiles.start, segment.first_position(), self.blocks.matrix.last_place()];
        recorder.dispatch(&self.spread, "eliminators", &buffers, &params, tiles.len() as u32)
    }

    fn panel_again(&self, recorder: &mut Recorder<'_>, block: usize) -> Result<()> {
        if !self.looks_again(block) {
            return Ok(());
        }
        self.blocks.state(recorder, block, self.rows_of(block), true)?;
        self.look_at(recorder, block, Look::Second)
    }

    fn predict(&self, recorder: &mut Recorder<'_>, block: usize, tiles: Range<u32>) -> Result<()> {
        self.blocks.predict(recorder, &self.predict, block, tiles, Some(self.dense.whole()?))
    }

    fn reach(&self, block: usize) -> (Range<u32>, Range<u32>) {
        // Those promoted are as they will be. Whole runs of 32 rows are read fastest.
        let first = if self.ends.is_some() { self.rows_of(block).end / 32 * 32 } else { 0 };
        (first..self.blocks.rows, self.blocks.tiles_from(block + 1))
    }

    fn update_next(&self, recorder: &mut Recorder<'_>, block: usize, tiles: Range<u32>) -> Result<()> {
        let (rows, _) = self.reach(block);
        let (first, leads) = (rows.start, self.leads.whole()?);
        self.blocks.update_next(recorder, &self.update_next, block, (rows, tiles), leads, &[first])
    }
}

/// By column: whether any row or eliminator has a one there.
fn occurring(system: &System) -> Vec<bool> {
    /// Indices that one task looks at.
    const SHARE: usize = 1 << 18;
    let none = || vec![false; system.width()];
    let lists = [system.eliminators().indices(), system.rows().indices()];
    let shares = lists.par_iter().flat_map(|indices| indices.par_chunks(SHARE));
    let noted = shares.fold(none, |mut occurs, indices| {
        indices.iter().for_each(|&column| occurs[column as usize] = true);
        occurs
    });
    noted.reduce(none, |a, b| a.iter().zip(&b).map(|(a, b)| a | b).collect())
}
