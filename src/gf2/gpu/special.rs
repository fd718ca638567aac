//! Blocked elimination of a system in file order on the GPU.
//!
//! The eliminators of a block are its pivots from the start (*inverse*, once for all blocks); columns
//! that have none get the first row in order that has anything left there. Rows stay where they are;
//! what was promoted selects no pivots any more.

use std::sync::Arc;

use super::blocks::{BATCH, Blocks, NONE, info};
use super::kernels::{BLOCK, INFO, PANEL_IN_ORDER, PREDICT_IN_ORDER, ordered, panel};
use super::matrix::DeviceMatrix;
use super::system::{Eliminators, expand};
use crate::Result;
use crate::gf2::{BitMatrix, Elimination, IndexLists, System};
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder};

/// Eliminates a system in blocks.
pub(super) fn eliminate(gpu: &Gpu, system: &System) -> Result<Elimination> {
    let (promoted, matrix) = eliminate_rows(gpu, system, system.rows())?;
    Ok(Elimination::new(system, &promoted, matrix))
}

/// Eliminates some rows by the eliminators of a system: which of them were promoted, and what
/// became of these.
pub(super) fn eliminate_rows(gpu: &Gpu, system: &System, rows: &IndexLists) -> Result<(Vec<u32>, BitMatrix)> {
    if rows.is_empty() || system.width() == 0 {
        return Ok((Vec::new(), BitMatrix::zeros(0, system.width())?));
    }
    let matrix = DeviceMatrix::zeros(gpu, rows.len(), system.width())?;
    expand(&matrix, rows)?;
    let last_place = matrix.last_place() as usize;
    let places = BLOCK * (matrix.tiles() as usize / 2);
    let column = |place: usize| last_place.checked_sub(place).filter(|&column| column < system.width());
    let given = |place: usize| column(place).is_some_and(|c| system.eliminator_of(c).is_some());
    let occurs = occurring(system);
    // A column that is zero everywhere cannot get a pivot, and need not be looked at.
    let eligible = |place: usize| column(place).is_some_and(|c| occurs[c]) && !given(place);
    let info = info(places, eligible, given);
    let eliminators = Eliminators::upload(gpu, system, places / BLOCK, matrix.last_place())?;
    let leads = leads_in_order(&matrix, &eliminators, &info, places)?;
    let promoted: Vec<u32> = (0..rows.len() as u32).filter(|&row| leads[row as usize] != NONE).collect();
    let valid: Vec<[u32; 2]> =
        promoted.iter().map(|&row| [row, 2 * (leads[row as usize] / BLOCK as u32)]).collect();
    Ok((promoted, matrix.download_rows(&valid, true)?))
}

/// Eliminates the first `places` columns of a matrix in file order, lowest column first, and returns
/// by row the column of its lead if it was promoted, else [`NONE`].
pub(super) fn leads_in_order(
    matrix: &DeviceMatrix,
    eliminators: &Eliminators,
    info: &[u32],
    places: usize,
) -> Result<Vec<u32>> {
    Run::new(matrix, eliminators, info, places)?.run()
}

struct Run<'m> {
    blocks: Blocks<'m>,
    eliminators: &'m Eliminators,
    /// By block: whether it has columns that may get a pivot.
    is_open: Vec<bool>,
    combinations: DeviceVec<[u32; 4]>,
    /// By row: the place of its lead, or [`NONE`].
    leads: DeviceVec<u32>,
    panel: Arc<Pipeline>,
    predict: Arc<Pipeline>,
}

impl<'m> Run<'m> {
    fn new(
        matrix: &'m DeviceMatrix,
        eliminators: &'m Eliminators,
        info: &[u32],
        places: usize,
    ) -> Result<Self> {
        let gpu = matrix.gpu();
        let is_open = info.chunks_exact(INFO).map(|block| block[8..16].iter().any(|&word| word != 0));
        Ok(Run {
            is_open: is_open.collect(),
            blocks: Blocks::new(matrix, places, info, true)?,
            eliminators,
            combinations: gpu.zeros(2 * BLOCK)?,
            leads: gpu.upload(&vec![NONE; matrix.stride() as usize])?,
            panel: gpu.pipeline(&PANEL_IN_ORDER, &panel("flagged", true))?,
            predict: gpu.pipeline(&PREDICT_IN_ORDER, &ordered(true))?,
        })
    }

    /// Eliminates, and returns the place of each row's lead.
    fn run(mut self) -> Result<Vec<u32>> {
        let gpu = self.blocks.gpu.clone();
        let mut recorder = gpu.record();
        let last_place = self.blocks.matrix.last_place();
        self.eliminators.invert(&gpu, &mut recorder, self.blocks.states.whole()?, last_place)?;
        self.blocks.extract(&mut recorder, 0)?;
        let mut block = 0;
        while block < self.blocks.count {
            let end = self.blocks.count.min(block + BATCH);
            for b in block..end {
                if self.is_open[b] {
                    self.panel(&mut recorder, b, false)?;
                    self.panel(&mut recorder, b, true)?;
                }
                self.apply(&mut recorder, b)?;
            }
            recorder.submit()?;
            block = self.blocks.outcome(end)?.0.unwrap_or(end);
        }
        self.leads.read(0..self.blocks.rows as usize)
    }

    fn panel(&self, recorder: &mut Recorder<'_>, block: usize, last: bool) -> Result<()> {
        let blocks = &self.blocks;
        blocks.state(recorder, block)?;
        let buffers = [
            blocks.control.whole()?,
            blocks.info.whole()?,
            blocks.states.whole()?,
            blocks.selections(block)?,
            self.combinations.whole()?,
            blocks.remainders.whole()?,
            blocks.flags.whole()?,
            self.leads.whole()?,
        ];
        recorder.dispatch(&self.panel, "panel", &buffers, &blocks.panel_params(block, last), 1)
    }

    fn apply(&self, recorder: &mut Recorder<'_>, block: usize) -> Result<()> {
        let blocks = &self.blocks;
        let segment = self.eliminators.segment(block);
        blocks.matrix.over_tiles(recorder, blocks.tiles_from(block), |recorder, part, tiles| {
            let buffers = [
                blocks.control.whole()?,
                blocks.info.whole()?,
                blocks.states.whole()?,
                self.combinations.whole()?,
                segment.offsets.whole()?,
                segment.indices.whole()?,
                part.buffer()?,
                blocks.acting.whole()?,
            ];
            let params = [
                block as u32,
                blocks.matrix.stride(),
                part.first_tile,
                tiles.start,
                segment.first_position(),
                blocks.matrix.last_place(),
            ];
            recorder.dispatch(&self.predict, "predict", &buffers, &params, tiles.len() as u32)
        })?;
        blocks.update(recorder, block, blocks.tiles_from(block + 1), blocks.rows, true, self.leads.whole()?)
    }
}

/// By column: whether any row or eliminator has a one there.
fn occurring(system: &System) -> Vec<bool> {
    let mut occurs = vec![false; system.width()];
    for &column in system.eliminators().indices().iter().chain(system.rows().indices()) {
        occurs[column as usize] = true;
    }
    occurs
}
