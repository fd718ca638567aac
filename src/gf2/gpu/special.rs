//! Blocked elimination of a system in file order on the GPU.
//!
//! The eliminators of a block are its pivots from the start (*inverse*, once for all blocks); columns
//! that have none get the first row in order that has anything left there. Rows stay where they are;
//! what was promoted selects no pivots any more.

use std::sync::Arc;

use super::blocks::{BATCH, Blocks, NONE, info};
use super::kernels::{BLOCK, PANEL_IN_ORDER, PREDICT_IN_ORDER, ordered, panel};
use super::matrix::DeviceMatrix;
use super::system::{Eliminators, expand};
use crate::Result;
use crate::gf2::{Elimination, IndexLists, System};
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder};

/// Eliminates a system in blocks.
pub(super) fn eliminate(gpu: &Gpu, system: &System) -> Result<Elimination> {
    let matrix = DeviceMatrix::zeros(gpu, system.row_count(), system.width())?;
    if system.row_count() == 0 || system.width() == 0 {
        return Elimination::from_lists(system, &IndexLists::empty_rows(system.row_count()));
    }
    expand(&matrix, system.rows())?;
    let leads = Run::new(&matrix, system)?.run()?;
    let promoted: Vec<u32> =
        (0..system.row_count() as u32).filter(|&row| leads[row as usize] != NONE).collect();
    let valid: Vec<[u32; 2]> =
        promoted.iter().map(|&row| [row, 2 * (leads[row as usize] / BLOCK as u32)]).collect();
    Ok(Elimination::new(system, &promoted, matrix.download_rows(&valid, true)?))
}

struct Run<'m> {
    blocks: Blocks<'m>,
    eliminators: Eliminators,
    /// By block: whether it has columns that may get a pivot.
    is_open: Vec<bool>,
    combinations: DeviceVec<[u32; 4]>,
    /// By row: the place of its lead, or [`NONE`].
    leads: DeviceVec<u32>,
    panel: Arc<Pipeline>,
    predict: Arc<Pipeline>,
}

impl<'m> Run<'m> {
    fn new(matrix: &'m DeviceMatrix, system: &System) -> Result<Self> {
        let gpu = matrix.gpu();
        let last_place = matrix.last_place();
        let places = BLOCK * (matrix.tiles() as usize / 2);
        let column = |place: usize| {
            (last_place as usize - place < system.width()).then(|| last_place as usize - place)
        };
        let given = |place: usize| column(place).is_some_and(|c| system.eliminator_of(c).is_some());
        let occurs = occurring(system);
        // A column that is zero everywhere cannot get a pivot, and need not be looked at.
        let eligible = |place: usize| column(place).is_some_and(|c| occurs[c]) && !given(place);
        let info = info(places, eligible, given);
        let is_open = info.chunks_exact(super::kernels::INFO).map(|b| b[8..16].iter().any(|&word| word != 0));
        Ok(Run {
            is_open: is_open.collect(),
            blocks: Blocks::new(matrix, places, &info, true)?,
            eliminators: Eliminators::upload(gpu, system, places / BLOCK, last_place)?,
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
