//! Blocked elimination on the GPU, of dense matrices ([`dense`](super::dense)) and in file order
//! ([`f4`](super::f4)).
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
//! [`Policy`] decides, in numbers, how each block is eliminated; [`Blocks`] records the dispatches, which `steps` makes.

mod steps;

use std::ops::Range;

use super::buffers::{Buffers, Failures, NONE, buffers_bytes};
use super::compiled::Compiled;
use super::f4_lists::Reducers;
use super::matrix::{DeviceMatrix, VECTOR, stride_of, tiles_of};
use super::schedule::{Attempt, Policy, Schedule};
use super::shape::{BLOCK, Window};
use crate::Result;
use crate::gpu::{DeviceVec, Recorder};
use crate::timeline::Mark;

/// The number of blocks recorded before the host reads the outcome.
const BATCH: usize = 256;
/// The same where the host ends the work at some time.
const LIMITED_BATCH: usize = 8;

/// The order in which rows and pivots are kept.
pub enum Order<'m> {
    /// Pivot rows are swapped to the front, in the order of their columns.
    PivotsFirst {
        /// True if pivots are added to pivot rows, too.
        all_rows: bool,
    },
    /// Rows keep their places. A column's pivot is its reducer or, without one, the first row with a
    /// one there.
    File(&'m Reducers),
}

/// An order with the buffers that only this order needs.
enum Own<'m> {
    PivotsFirst {
        all_rows: bool,
    },
    File {
        reducers: &'m Reducers,
        /// By row: the place of its lead, or [`NONE`].
        leads: DeviceVec<u32>,
        /// By tile, 256 vectors: the reducers of a block as rows of bits.
        rows: DeviceVec<[u32; 4]>,
    },
}

/// The tiles of *update next*.
pub struct Next {
    /// All of them.
    pub tiles: Range<u32>,
    /// The first of the next block's two, which are the last.
    pub tile: u32,
}

/// A blocked elimination on the device.
pub struct Blocks<'m> {
    matrix: &'m DeviceMatrix,
    rows: u32,
    pub buffers: Buffers,
    own: Own<'m>,
    compiled: Compiled,
}

/// Bytes of device memory that a blocked elimination of `columns` columns in file order takes in addition to the
/// matrix and the reducers, on a device that has `own` of the columns.
pub fn blocks_in_order_bytes(rows: usize, own: usize, columns: usize) -> u64 {
    let leads = 4 * stride_of(rows) as u64;
    let reducers = VECTOR * (BLOCK * tiles_of(own).max(1)) as u64;
    buffers_bytes(rows, own, columns) + leads + reducers
}

impl<'m> Blocks<'m> {
    /// Prepares the elimination of the blocks that `info` describes (see [`info`](super::buffers::info)).
    pub fn new(matrix: &'m DeviceMatrix, info: &[u32], order: Order<'m>) -> Result<Self> {
        let gpu = matrix.gpu();
        let own = match order {
            Order::PivotsFirst { all_rows } => Own::PivotsFirst { all_rows },
            Order::File(reducers) => {
                let leads = gpu.upload(&vec![NONE; matrix.stride() as usize])?;
                let rows = gpu.zeros(BLOCK * matrix.tiles().max(1) as usize)?;
                Own::File { reducers, leads, rows }
            }
        };
        let in_order = matches!(own, Own::File { .. });
        let compile = || Compiled::new(gpu, matrix.rows(), matrix.tiles() as usize, in_order);
        let allocate = || Buffers::new(matrix, info, in_order);
        let (compiled, buffers) = gpu.beside(compile, allocate)?;
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

    /// Reads by row the place of its lead, or [`NONE`], if rows keep their places.
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

    /// Eliminates the blocks before `end`. It is an error if the device makes no progress.
    pub async fn run(&mut self, end: usize, policy: &mut impl Policy) -> Result<()> {
        let gpu = self.matrix.gpu();
        let mut recorder = gpu.record();
        if let Own::File { reducers, .. } = &self.own {
            let states = self.buffers.states.written()?;
            reducers.invert(gpu, &mut recorder, states, self.matrix.last_place())?;
        }
        self.extract(&mut recorder)?;
        let meter = gpu.timeline().meter(self.effort(end, end));
        let (mut next, mut failures) = (0, Failures::default());
        while next < end {
            meter.check()?;
            let size = if gpu.timeline().is_limited() { LIMITED_BATCH } else { BATCH };
            let batch = next..end.min(next + size);
            let progress = |block| (meter.mark(), self.effort(block, end));
            self.record(&mut recorder, batch.clone(), policy, &progress)?;
            recorder.submit()?;
            let progress = self.buffers.progress(&batch, self.rows).await?;
            if let Some(failure) = progress.failure {
                failures.note(failure)?;
            }
            next = progress.next;
            meter.reach(self.effort(next, end));
            policy.advance(next, progress.done, progress.failure);
        }
        Ok(())
    }

    /// The work of the first `count` of `end` blocks, up to a factor: a block is applied to all rows in the tiles after
    /// it. Of dense matrices that are not reduced, later blocks have fewer rows.
    pub fn effort(&self, count: usize, end: usize) -> u64 {
        let tiles = (self.matrix.tiles() as usize).max(2 * end);
        let rows = |block: usize| match self.own {
            Own::PivotsFirst { all_rows: false } => (self.rows as usize).saturating_sub(BLOCK * block),
            _ => self.rows as usize,
        };
        (0..count).map(|block| ((tiles - 2 * block) * (rows(block) + BLOCK)) as u64).sum()
    }

    /// Records the dispatches of some blocks, one block after the other. `progress` tells the progress with the blocks
    /// before one.
    fn record(
        &self,
        recorder: &mut Recorder<'_>,
        blocks: Range<usize>,
        policy: &impl Policy,
        progress: &dyn Fn(usize) -> (Mark, u64),
    ) -> Result<()> {
        let mut previous: Option<(usize, Schedule)> = None;
        for block in blocks {
            let (mark, done) = progress(block);
            recorder.mark(mark, done);
            let schedule = policy.schedule(block);
            self.search_first(recorder, block, &schedule)?;
            self.reducers_to_rows(recorder, block, self.tiles_from(block))?;
            if let Some((block, schedule)) = &previous {
                self.update(recorder, *block, &schedule.rows, schedule.other_tiles(*block))?;
            }
            self.search_again(recorder, block, &schedule)?;
            self.predict(recorder, block, self.tiles_from(block))?;
            let next = Next { tiles: schedule.next_tiles(block), tile: 2 * (block as u32 + 1) };
            self.update_next(recorder, block, &schedule, next)?;
            previous = Some((block, schedule));
        }
        let Some((block, schedule)) = &previous else { return Ok(()) };
        self.update(recorder, *block, &schedule.rows, schedule.other_tiles(*block))
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
}
