//! The dispatches of a block: each takes its buffers and the parameters of its kernel.

use std::ops::Range;

use super::super::kernels::convert::{ExtractBuffers, ExtractParams};
use super::super::kernels::panel::{
    PanelFirstBuffers, PanelFlaggedBuffers, PanelInOrderBuffers, PanelParams, PanelRemaindersBuffers,
    StateBuffers, StateParams,
};
use super::super::kernels::substitute::{EliminatorsBuffers, EliminatorsParams};
use super::super::kernels::update::{
    PredictBuffers, PredictInOrderBuffers, PredictParams, UpdateBuffers, UpdateNextBuffers,
    UpdateNextInOrderBuffers, UpdateNextInOrderParams, UpdateNextParams, UpdateParams,
};
use super::super::schedule::{Attempt, Schedule};
use super::super::shape::{Shape, Window};
use super::{Blocks, Next, Own};
use crate::Result;
use crate::gpu::{Buffers, Recorder, Written};

impl Blocks<'_> {
    /// Copies the matrix's first two tiles to the selections of the first block.
    pub fn extract(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        let part = self.matrix.part_of(0)?;
        let params = ExtractParams { stride: self.matrix.stride(), tile: 0 };
        let selections = Written(self.buffers.selections(0)?);
        let buffers = ExtractBuffers { matrix: part.buffer()?, selections };
        let groups = (2 * params.stride).div_ceil(256);
        recorder.dispatch(&self.compiled.extract, "extract", &buffers, &params, groups)
    }

    /// Reduces rows in the block's columns and flags those that are not zero there. With `again` it
    /// precedes a second attempt and does nothing unless that is needed.
    pub fn state(
        &self,
        recorder: &mut Recorder<'_>,
        block: usize,
        rows: &Range<u32>,
        again: bool,
    ) -> Result<()> {
        let own = &self.buffers;
        let buffers = StateBuffers {
            outcome: if again { own.outcome(block)? } else { own.previous(block)? },
            info: own.info.whole()?,
            states: own.states.whole()?,
            selections: own.selections(block)?,
            remainders: own.remainders.written()?,
            flags: own.flags.written()?,
        };
        let params = StateParams {
            block: block as u32,
            first: rows.start,
            rows: rows.end,
            stride: self.matrix.stride(),
            again: u32::from(again),
        };
        recorder.dispatch(&self.compiled.state, "state", &buffers, &params, groups(rows.len(), 2))
    }

    /// Finds pivots of the block by one panel.
    pub fn panel(
        &self,
        recorder: &mut Recorder<'_>,
        block: usize,
        window: Window,
        attempt: Attempt,
    ) -> Result<()> {
        let own = &self.buffers;
        let (previous, outcome) = (own.previous(block)?, Written(own.outcome(block)?));
        let (info, states) = (own.info.written()?, own.states.written()?);
        let selections = Written(own.selections(block)?);
        let (remainders, flags) = (own.remainders.whole()?, own.flags.written()?);
        let buffers: &dyn Buffers = match (&self.own, window) {
            (Own::PivotsFirst { .. }, Window::First) => {
                &PanelFirstBuffers { previous, outcome, info, states, selections }
            }
            (Own::PivotsFirst { .. }, Window::Flagged) => {
                &PanelFlaggedBuffers { previous, outcome, info, states, selections, flags }
            }
            (Own::PivotsFirst { .. }, Window::Remainders) => {
                &PanelRemaindersBuffers { previous, outcome, info, states, selections, remainders, flags }
            }
            (Own::File { leads, .. }, _) => {
                let leads = leads.written()?;
                &PanelInOrderBuffers { previous, outcome, info, states, selections, remainders, flags, leads }
            }
        };
        let params = PanelParams {
            block: block as u32,
            rows: self.rows,
            stride: self.matrix.stride(),
            attempt: attempt as u32,
        };
        recorder.dispatch(&self.compiled.panels[window as usize], "panel", buffers, &params, 1)
    }

    /// Writes the block's reducers as rows of bits in these tiles, for *predict*. It can run at the same time as
    /// the panel.
    pub fn reducers_to_rows(
        &self,
        recorder: &mut Recorder<'_>,
        block: usize,
        tiles: Range<u32>,
    ) -> Result<()> {
        let (Own::File { reducers, rows, .. }, Some(to_rows)) = (&self.own, &self.compiled.to_rows) else {
            return Ok(());
        };
        let chunk = reducers.chunk_of(block);
        let buffers = EliminatorsBuffers {
            offsets: chunk.offsets.whole()?,
            indices: chunk.indices.whole()?,
            eliminators: rows.written()?,
        };
        let params = EliminatorsParams {
            block: block as u32,
            first_tile: tiles.start,
            first_position: chunk.first_place(),
            last_place: self.matrix.last_place(),
        };
        recorder.dispatch(to_rows, "eliminators", &buffers, &params, tiles.len() as u32)
    }

    /// Computes the block's pivots in these tiles.
    pub fn predict(&self, recorder: &mut Recorder<'_>, block: usize, tiles: Range<u32>) -> Result<()> {
        let own = &self.buffers;
        self.matrix.over_tiles(recorder, tiles, |recorder, part, tiles| {
            let (outcome, info, states) = (own.outcome(block)?, own.info.whole()?, own.states.whole()?);
            let (matrix, acting) = (part.written()?, own.acting.written()?);
            let buffers: &dyn Buffers = match &self.own {
                Own::PivotsFirst { .. } => &PredictBuffers { outcome, info, states, matrix, acting },
                Own::File { rows, .. } => {
                    let eliminators = rows.whole()?;
                    &PredictInOrderBuffers { outcome, info, states, eliminators, matrix, acting }
                }
            };
            let params = PredictParams {
                block: block as u32,
                stride: self.matrix.stride(),
                part_tile: part.first_tile,
                first_tile: tiles.start,
            };
            recorder.dispatch(&self.compiled.predict, "predict", buffers, &params, tiles.len() as u32)
        })
    }

    /// Adds the block's pivots to rows in the tiles up to those of the next block, which become its
    /// selections.
    pub fn update_next(
        &self,
        recorder: &mut Recorder<'_>,
        block: usize,
        schedule: &Schedule,
        next: Next,
    ) -> Result<()> {
        let (own, next_tile) = (&self.buffers, next.tile);
        self.matrix.over_tiles(recorder, next.tiles, |recorder, part, tiles| {
            let (outcome, matrix, acting) = (own.outcome(block)?, part.written()?, own.acting.whole()?);
            let selections = own.selections(block)?;
            let next_selections = Written(own.selections(block + 1)?);
            let groups = groups(schedule.rows.len(), tiles.len());
            let (rows, stride, part_tile) = (self.rows, self.matrix.stride(), part.first_tile);
            let (first_tile, tiles) = (tiles.start, tiles.len() as u32);
            let (pipeline, stage) = (&self.compiled.update_next, "update next");
            match &self.own {
                Own::PivotsFirst { all_rows } => {
                    let flags = own.flags.written()?;
                    let buffers =
                        UpdateNextBuffers { outcome, matrix, acting, selections, next_selections, flags };
                    let [all_rows, flagging] = [*all_rows, schedule.flags_next].map(u32::from);
                    let params = UpdateNextParams {
                        rows,
                        stride,
                        part_tile,
                        first_tile,
                        tiles,
                        next_tile,
                        all_rows,
                        flagging,
                    };
                    recorder.dispatch(pipeline, stage, &buffers, &params, groups)
                }
                Own::File { leads, .. } => {
                    let (leads, first_row) = (leads.whole()?, schedule.rows.start);
                    let buffers = UpdateNextInOrderBuffers {
                        outcome,
                        matrix,
                        acting,
                        selections,
                        next_selections,
                        leads,
                    };
                    let params = UpdateNextInOrderParams {
                        rows,
                        stride,
                        part_tile,
                        first_tile,
                        tiles,
                        next_tile,
                        first_row,
                    };
                    recorder.dispatch(pipeline, stage, &buffers, &params, groups)
                }
            }
        })
    }

    /// Adds the block's pivots to these rows in these tiles. If pivot rows stand first, the rows are counted
    /// from the end.
    pub fn update(
        &self,
        recorder: &mut Recorder<'_>,
        block: usize,
        rows: &Range<u32>,
        tiles: Range<u32>,
    ) -> Result<()> {
        let own = &self.buffers;
        let all_rows = match &self.own {
            Own::PivotsFirst { all_rows } => *all_rows,
            Own::File { .. } => true,
        };
        self.matrix.over_tiles(recorder, tiles, |recorder, part, tiles| {
            let buffers = UpdateBuffers {
                outcome: own.outcome(block)?,
                matrix: part.written()?,
                acting: own.acting.whole()?,
                selections: own.selections(block)?,
            };
            let count = tiles.len() as u32;
            let (span, groups) = Shape::span_and_groups(count, rows.len() as u32, self.compiled.rows_a_group);
            let params = UpdateParams {
                rows: self.rows,
                stride: self.matrix.stride(),
                part_tile: part.first_tile,
                first_tile: tiles.start,
                tiles: count,
                span,
                all_rows: u32::from(all_rows),
                selection: 0,
                selection_stride: self.matrix.stride(),
                first_row: rows.start,
            };
            recorder.dispatch(&self.compiled.update, "update", &buffers, &params, groups)
        })
    }

    /// The tiles from the block's own on.
    pub fn tiles_from(&self, block: usize) -> Range<u32> {
        2 * block as u32..self.matrix.tiles()
    }
}

/// The number of workgroups for `rows` in `tiles` tiles, at 256 rows of a tile each.
fn groups(rows: usize, tiles: usize) -> u32 {
    (tiles * rows.div_ceil(256)) as u32
}
