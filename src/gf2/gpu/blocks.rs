//! Blocked elimination on the GPU, of dense matrices ([`dense`](super::dense)) and in file order
//! ([`special`](super::special)).
//!
//! A block is 256 columns, two tiles of 128. Blocks are eliminated one after the other:
//!
//! ```text
//! for each block:
//!     state    reduce the rows in the block's columns by the pivots that the block has, and flag
//!              the rows that are not zero there         (only if the panel needs flagged rows)
//!     panel    one workgroup finds pivots among at most 512 rows
//!     state, panel    a second attempt, if the first one may have missed pivots
//!     predict  compute the pivots in all tiles from the block's own on
//!     update next     add them to the rows, in the tiles up to those of the next block
//!     update          add them to the rows, in all other tiles
//! ```
//!
//! The panel of the next block needs only the tiles of *update next*, and runs at the same time as *update*:
//!
//! ```text
//! tiles of     block b   block b + 1   blocks after that
//! rows         panel b | update     | update b                panel b, predict b,
//!                      |  next b    |                         update next b,
//!                      |            |                         update b  beside  panel b + 1
//! ```
//!
//! Nothing waits for the host: a panel that may have missed pivots notes the failure in its
//! *outcome*, and every later kernel then does nothing. The host reads the outcome after a batch of
//! blocks and continues with the block that failed.
//!
//! [`Policy`] decides, in numbers, how each block is eliminated; [`Blocks`] records the dispatches.

use std::ops::Range;

use super::buffers::{Buffers, buffers_bytes};
use super::compiled::{self, Compiled};
use super::kernels::convert::ExtractParams;
use super::kernels::panel::{PanelParams, StateParams};
use super::kernels::substitute::EliminatorsParams;
use super::kernels::update::{PredictParams, UpdateNextInOrderParams, UpdateNextParams, UpdateParams};
use super::matrix::{DeviceMatrix, VECTOR, stride_of, tiles_of};
use super::schedule::{Attempt, Policy, Schedule};
use super::shape::{BLOCK, Shape, Window};
use super::system::Eliminators;
use crate::Result;
use crate::gpu::{DeviceVec, Recorder};

/// The number of blocks recorded before the host reads the outcome.
const BATCH: usize = 256;

/// The order in which rows and pivots are kept.
pub(super) enum Order<'m> {
    /// Pivot rows are swapped to the front, in the order of their columns.
    PivotsFirst {
        /// True if pivots are added to pivot rows, too.
        all_rows: bool,
    },
    /// Rows keep their places. A column's pivot is its eliminator or, without one, the first row with a
    /// one there.
    File {
        eliminators: &'m Eliminators,
        /// By row: the place of its lead, or [`NONE`](super::buffers::NONE).
        leads: DeviceVec<u32>,
    },
}

/// An order with the buffers that only this order needs.
enum Own<'m> {
    PivotsFirst {
        all_rows: bool,
    },
    File {
        eliminators: &'m Eliminators,
        leads: DeviceVec<u32>,
        /// By tile, 256 vectors: the eliminators of a block as rows of bits.
        rows: DeviceVec<[u32; 4]>,
    },
}

/// The tiles of *update next*.
pub(super) struct Next {
    /// All of them.
    pub tiles: Range<u32>,
    /// The first of the next block's two, which are the last.
    pub tile: u32,
}

/// A blocked elimination on the device.
pub(super) struct Blocks<'m> {
    matrix: &'m DeviceMatrix,
    rows: u32,
    pub buffers: Buffers,
    own: Own<'m>,
    compiled: Compiled,
}

/// Bytes of device memory that a blocked elimination of all columns in file order takes in addition to the
/// matrix and the eliminators.
pub(super) fn blocks_in_order_bytes(rows: usize, columns: usize) -> u64 {
    let leads = 4 * stride_of(rows) as u64;
    let eliminators = VECTOR * (BLOCK * tiles_of(columns).max(1)) as u64;
    buffers_bytes(rows, columns, columns) + leads + eliminators
}

impl<'m> Blocks<'m> {
    /// Prepares the elimination of the blocks that `info` describes (see [`info`](super::buffers::info)).
    pub fn new(matrix: &'m DeviceMatrix, info: &[u32], order: Order<'m>) -> Result<Self> {
        let gpu = matrix.gpu();
        let in_order = matches!(order, Order::File { .. });
        let compile = || Compiled::new(gpu, matrix.rows(), matrix.tiles() as usize, in_order);
        let allocate = || Buffers::new(matrix, info, in_order);
        let (compiled, buffers) = gpu.beside(compile, allocate)?;
        let own = match order {
            Order::PivotsFirst { all_rows } => Own::PivotsFirst { all_rows },
            Order::File { eliminators, leads } => {
                let rows = gpu.zeros(BLOCK * matrix.tiles().max(1) as usize)?;
                Own::File { eliminators, leads, rows }
            }
        };
        Ok(Blocks { matrix, rows: matrix.rows() as u32, buffers, own, compiled })
    }

    /// The number of blocks.
    pub fn count(&self) -> usize {
        self.buffers.count()
    }

    /// True if rows keep their places.
    pub fn is_in_order(&self) -> bool {
        matches!(self.own, Own::File { .. })
    }

    /// Reads by row the place of its lead, or [`NONE`](super::buffers::NONE), if rows keep their places.
    pub async fn leads(&self) -> Result<Vec<u32>> {
        match &self.own {
            Own::File { leads, .. } => leads.read_async(0..self.matrix.rows()).await,
            Own::PivotsFirst { .. } => Ok(Vec::new()),
        }
    }

    /// Writes the places of the rows' leads, if rows keep their places.
    pub fn write_leads(&mut self, places: &[u32]) -> Result<()> {
        match &mut self.own {
            Own::File { leads, .. } => leads.write(0, places),
            Own::PivotsFirst { .. } => Ok(()),
        }
    }

    /// Eliminates the blocks before `end`.
    pub async fn run(&mut self, end: usize, policy: &mut impl Policy) -> Result<()> {
        let gpu = self.matrix.gpu();
        let mut recorder = gpu.record();
        if let Own::File { eliminators, .. } = &self.own {
            let states = self.buffers.states.whole()?;
            eliminators.invert(gpu, &mut recorder, states, self.matrix.last_place())?;
        }
        self.extract(&mut recorder)?;
        let mut next = 0;
        while next < end {
            let batch = next..end.min(next + BATCH);
            self.record(&mut recorder, batch.clone(), policy)?;
            recorder.submit()?;
            let progress = self.buffers.progress(batch.end).await?;
            next = progress.next;
            policy.advance(next, progress.done, progress.failure);
        }
        Ok(())
    }

    /// Records the dispatches of some blocks, one block after the other.
    fn record(&self, recorder: &mut Recorder<'_>, blocks: Range<usize>, policy: &impl Policy) -> Result<()> {
        let mut previous: Option<(usize, Schedule)> = None;
        for block in blocks {
            let schedule = policy.schedule(block);
            self.search_first(recorder, block, &schedule)?;
            self.eliminators_to_rows(recorder, block, self.tiles_from(block))?;
            if let Some((block, schedule)) = &previous {
                self.update(recorder, *block, &schedule.rows, schedule.other_tiles(*block))?;
            }
            self.search_again(recorder, block, &schedule)?;
            self.predict(recorder, block, self.tiles_from(block))?;
            let next = Next { tiles: schedule.next_tiles(block), tile: 2 * (block as u32 + 1) };
            self.update_next(recorder, block, &schedule, next)?;
            previous = Some((block, schedule));
        }
        match &previous {
            Some((block, schedule)) => {
                self.update(recorder, *block, &schedule.rows, schedule.other_tiles(*block))
            }
            None => Ok(()),
        }
    }

    /// Seeks the pivots of a block.
    pub fn search_first(&self, recorder: &mut Recorder<'_>, block: usize, schedule: &Schedule) -> Result<()> {
        if let Some(rows) = &schedule.flag {
            self.state(recorder, block, rows, false)?;
        }
        recorder.split();
        let attempt = if schedule.second.is_some() { Attempt::First } else { Attempt::Only };
        self.panel(recorder, block, schedule.window, attempt)
    }

    /// Makes the second attempt to find the pivots of a block, if the schedule has one.
    pub fn search_again(&self, recorder: &mut Recorder<'_>, block: usize, schedule: &Schedule) -> Result<()> {
        let Some(rows) = &schedule.second else { return Ok(()) };
        self.state(recorder, block, rows, true)?;
        self.panel(recorder, block, Window::Remainders, Attempt::Second)
    }

    /// Copies the matrix's first two tiles to the selections of the first block.
    pub fn extract(&self, recorder: &mut Recorder<'_>) -> Result<()> {
        let part = self.matrix.part_of(0)?;
        let params = ExtractParams { stride: self.matrix.stride(), tile: 0 };
        let buffers = [part.buffer()?, self.buffers.selections(0)?];
        recorder.dispatch(
            &self.compiled.extract,
            "extract",
            &buffers,
            &params,
            (2 * params.stride).div_ceil(256),
        )
    }

    /// Reduces rows in the block's columns and flags those that are not zero there. With `again` it
    /// precedes a second attempt and does nothing unless that is needed.
    fn state(&self, recorder: &mut Recorder<'_>, block: usize, rows: &Range<u32>, again: bool) -> Result<()> {
        let own = &self.buffers;
        let buffers = [
            if again { own.outcome(block)? } else { own.previous(block)? },
            own.info.whole()?,
            own.states.whole()?,
            own.selections(block)?,
            own.remainders.whole()?,
            own.flags.whole()?,
        ];
        let params = StateParams {
            block: block as u32,
            first: rows.start,
            rows: rows.end,
            stride: self.matrix.stride(),
            again: u32::from(again),
        };
        recorder.dispatch(&self.compiled.state, "state", &buffers, &params, groups(rows, 2))
    }

    /// Finds pivots of the block by one panel.
    fn panel(
        &self,
        recorder: &mut Recorder<'_>,
        block: usize,
        window: Window,
        attempt: Attempt,
    ) -> Result<()> {
        let own = &self.buffers;
        let mut buffers = vec![
            own.previous(block)?,
            own.outcome(block)?,
            own.info.whole()?,
            own.states.whole()?,
            own.selections(block)?,
        ];
        let (remainders, flags) = (own.remainders.whole()?, own.flags.whole()?);
        let pipeline = match (&self.compiled.own, window) {
            (compiled::Own::PivotsFirst { first, .. }, Window::First) => first,
            (compiled::Own::PivotsFirst { flagged, .. }, Window::Flagged) => {
                buffers.push(flags);
                flagged
            }
            (compiled::Own::PivotsFirst { remainders: pipeline, .. }, Window::Remainders) => {
                buffers.extend([remainders, flags]);
                pipeline
            }
            (compiled::Own::File { panel, .. }, _) => {
                buffers.extend([remainders, flags]);
                panel
            }
        };
        if let Own::File { leads, .. } = &self.own {
            buffers.push(leads.whole()?);
        }
        let params = PanelParams {
            block: block as u32,
            rows: self.rows,
            stride: self.matrix.stride(),
            attempt: attempt as u32,
        };
        recorder.dispatch(pipeline, "panel", &buffers, &params, 1)
    }

    /// Writes the block's eliminators as rows of bits in these tiles, for *predict*. It can run at the same time as
    /// the panel.
    pub fn eliminators_to_rows(
        &self,
        recorder: &mut Recorder<'_>,
        block: usize,
        tiles: Range<u32>,
    ) -> Result<()> {
        let (Own::File { eliminators, rows, .. }, compiled::Own::File { to_rows, .. }) =
            (&self.own, &self.compiled.own)
        else {
            return Ok(());
        };
        let chunk = eliminators.chunk_of(block);
        let buffers = [chunk.offsets.whole()?, chunk.indices.whole()?, rows.whole()?];
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
            let mut buffers = vec![own.outcome(block)?, own.info.whole()?, own.states.whole()?];
            if let Own::File { rows, .. } = &self.own {
                buffers.push(rows.whole()?);
            }
            buffers.extend([part.buffer()?, own.acting.whole()?]);
            let params = PredictParams {
                block: block as u32,
                stride: self.matrix.stride(),
                part_tile: part.first_tile,
                first_tile: tiles.start,
            };
            recorder.dispatch(&self.compiled.predict, "predict", &buffers, &params, tiles.len() as u32)
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
        let own = &self.buffers;
        let rows = &schedule.rows;
        let next_tile = next.tile;
        self.matrix.over_tiles(recorder, next.tiles, |recorder, part, tiles| {
            let buffers = [
                own.outcome(block)?,
                part.buffer()?,
                own.acting.whole()?,
                own.selections(block)?,
                own.selections(block + 1)?,
            ];
            let stage = "update next";
            let groups = groups(rows, tiles.len());
            let (stride, part_tile, first_tile) = (self.matrix.stride(), part.first_tile, tiles.start);
            let count = tiles.len() as u32;
            match &self.own {
                Own::PivotsFirst { all_rows } => {
                    let buffers = [&buffers[..], &[own.flags.whole()?]].concat();
                    let params = UpdateNextParams {
                        rows: self.rows,
                        stride,
                        part_tile,
                        first_tile,
                        tiles: count,
                        next_tile,
                        all_rows: u32::from(*all_rows),
                        flagging: u32::from(schedule.flags_next),
                    };
                    recorder.dispatch(&self.compiled.update_next, stage, &buffers, &params, groups)
                }
                Own::File { leads, .. } => {
                    let buffers = [&buffers[..], &[leads.whole()?]].concat();
                    let params = UpdateNextInOrderParams {
                        rows: self.rows,
                        stride,
                        part_tile,
                        first_tile,
                        tiles: count,
                        next_tile,
                        first_row: rows.start,
                    };
                    recorder.dispatch(&self.compiled.update_next, stage, &buffers, &params, groups)
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
            let buffers = [own.outcome(block)?, part.buffer()?, own.acting.whole()?, own.selections(block)?];
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
    fn tiles_from(&self, block: usize) -> Range<u32> {
        2 * block as u32..self.matrix.tiles()
    }
}

/// The number of workgroups for `rows` in `tiles` tiles, at 256 rows of a tile each.
fn groups(rows: &Range<u32>, tiles: usize) -> u32 {
    tiles as u32 * (rows.len() as u32).div_ceil(256)
}
