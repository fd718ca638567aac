//! What both blocked eliminations on the GPU have in common: the state of the blocks on the device
//! and the kernels that work on it.
//!
//! A block is 256 columns, two tiles. Per block:
//!
//! 1. *panel*: one workgroup finds the block's pivots among at most 512 rows;
//! 2. *predict*: what these pivots are in every tile after the block;
//! 3. *update*: they are added to all rows, by tables of sums.
//!
//! Where a panel leaves columns without a pivot, and there are rows that it did not see, *state*
//! reduces all rows in the block and flags those with anything left, and a panel over these follows.
//! Nothing waits for the host: a panel that cannot vouch for its block notes its number in `control`,
//! which makes every later kernel do nothing; the host reads the note after a batch and goes on there.

use std::ops::Range;
use std::sync::Arc;

use super::kernels::{BLOCK, EXTRACT, INFO, STATE, Shape, UPDATE, WINDOW};
use super::matrix::DeviceMatrix;
use crate::Result;
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Variant};

/// Blocks recorded before the host looks at the outcome.
pub(super) const BATCH: usize = 256;

/// No row, or no lead.
pub(super) const NONE: u32 = u32::MAX;
/// The slot of a column that an eliminator has.
pub(super) const GIVEN: u32 = u32::MAX - 1;

/// Which look at the rows of a block a panel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// A second one follows, for a block that needs it.
    First = 0,
    Only = 1,
    Second = 2,
}

/// The state of a blocked elimination on the device.
pub(super) struct Blocks<'m> {
    pub matrix: &'m DeviceMatrix,
    pub gpu: Gpu,
    pub rows: u32,
    pub count: usize,
    /// Word 0: the number of the block that failed, from 1, or 0. Word 1 + b: rows that are
    /// pivots before block b. The last word: whether a block needs another look.
    pub control: DeviceVec<u32>,
    pub info: DeviceVec<u32>,
    pub states: DeviceVec<[u32; 4]>,
    pub acting: DeviceVec<[u32; 4]>,
    /// Of this block and the next, by turns.
    selections: [DeviceVec<[u32; 4]>; 2],
    pub remainders: DeviceVec<[u32; 4]>,
    pub flags: DeviceVec<u32>,
    update: Arc<Pipeline>,
    state: Arc<Pipeline>,
    extract: Arc<Pipeline>,
    /// Rows that a workgroup of the kernels with tables does.
    rows_a_group: u32,
}

impl<'m> Blocks<'m> {
    /// For the first `limit` columns; `info` is what is known of the blocks, `in_order` whether
    /// rows stay where they are.
    pub fn new(matrix: &'m DeviceMatrix, limit: usize, info: &[u32], in_order: bool) -> Result<Self> {
        let gpu = matrix.gpu().clone();
        let count = limit.div_ceil(BLOCK);
        let stride = matrix.stride() as usize;
        let shape = Shape::of(&gpu);
        let rows_a_thread = shape.rows_a_thread(matrix.rows(), matrix.tiles() as usize);
        let state = gpu.pipeline(&STATE, &shape.variant(1, in_order))?;
        Ok(Blocks {
            rows: matrix.rows() as u32,
            count,
            control: gpu.zeros(count + 3)?,
            info: gpu.upload_table(info)?,
            states: gpu.zeros(2 * BLOCK * count.max(1))?,
            acting: gpu.zeros(BLOCK * matrix.tiles().max(1) as usize)?,
            selections: [gpu.zeros(2 * stride)?, gpu.zeros(2 * stride)?],
            remainders: gpu.zeros(2 * stride)?,
            flags: gpu.zeros(stride.div_ceil(32))?,
            update: gpu.pipeline(&UPDATE, &shape.variant(rows_a_thread, in_order))?,
            state,
            extract: gpu.pipeline(&EXTRACT, &Variant::plain(256))?,
            rows_a_group: shape.workgroup * rows_a_thread,
            matrix,
            gpu,
        })
    }

    pub fn selections(&self, block: usize) -> Result<&wgpu::Buffer> {
        self.selections[block % 2].whole()
    }

    /// The parameters that every panel takes.
    pub fn panel_params(&self, block: usize, look: Look) -> [u32; 5] {
        [block as u32, self.rows, self.matrix.stride(), look as u32, self.guard()]
    }

    /// The word of `control` that says whether a block needs another look.
    fn guard(&self) -> u32 {
        self.count as u32 + 2
    }

    /// The tiles from the block's own on.
    pub fn tiles_from(&self, block: usize) -> Range<u32> {
        2 * block as u32..self.matrix.tiles()
    }

    /// Copies a block's tiles to its selections.
    pub fn extract(&self, recorder: &mut Recorder<'_>, block: usize) -> Result<()> {
        let part = self.matrix.part_of(2 * block as u32)?;
        let params = [self.matrix.stride(), 2 * block as u32 - part.first_tile];
        let groups = (2 * self.matrix.stride()).div_ceil(256);
        recorder.dispatch(
            &self.extract,
            "extract",
            &[part.buffer()?, self.selections(block)?],
            &params,
            groups,
        )
    }

    /// Reduces `rows` in the block's columns and flags those with anything left; for a second
    /// look only if the first was not enough.
    pub fn state(
        &self,
        recorder: &mut Recorder<'_>,
        block: usize,
        rows: Range<u32>,
        look: Look,
    ) -> Result<()> {
        let buffers = [
            self.control.whole()?,
            self.info.whole()?,
            self.states.whole()?,
            self.selections(block)?,
            self.remainders.whole()?,
            self.flags.whole()?,
        ];
        let guard = if look == Look::Second { self.guard() } else { 0 };
        let params = [block as u32, rows.start, rows.end, self.matrix.stride(), guard];
        let groups = 2 * (rows.len() as u32).div_ceil(Shape::of(&self.gpu).workgroup);
        recorder.dispatch(&self.state, "state", &buffers, &params, groups)
    }

    /// Adds the block's pivots to rows in `tiles`. `leads`: by row, where rows stay in order; these
    /// are then the rows of `rows`, else as many after the pivots found so far.
    pub fn update(
        &self,
        recorder: &mut Recorder<'_>,
        block: usize,
        tiles: Range<u32>,
        rows: Range<u32>,
        all_rows: bool,
        leads: &wgpu::Buffer,
    ) -> Result<()> {
        let stride = self.matrix.stride();
        self.matrix.over_tiles(recorder, tiles, |recorder, part, tiles| {
            let buffers = [
                self.control.whole()?,
                part.buffer()?,
                self.acting.whole()?,
                self.selections(block)?,
                self.selections(block + 1)?,
                leads,
            ];
            let params = [
                block as u32,
                self.rows,
                stride,
                part.first_tile,
                tiles.start,
                tiles.len() as u32,
                2 * (block as u32 + 1),
                u32::from(all_rows),
                0,
                stride,
                rows.start,
            ];
            let groups = tiles.len() as u32 * (rows.len() as u32).div_ceil(self.rows_a_group);
            recorder.dispatch(&self.update, "update", &buffers, &params, groups)
        })
    }

    /// Waits for what was recorded; the block that failed, if one did, and the pivot rows before
    /// it or, without a failure, before `end`.
    pub async fn outcome(&mut self, end: usize) -> Result<(Option<usize>, u32)> {
        let control = self.control.read_async(0..end + 2).await?;
        match control[0] {
            0 => Ok((None, control[1 + end])),
            failed => {
                self.control.write(0, &[0])?;
                Ok((Some(failed as usize - 1), control[failed as usize]))
            }
        }
    }

    /// Rows that may be left after `done` pivot rows, at least what a window holds: the count is
    /// an upper bound where a block found fewer pivots than columns.
    pub fn rows_after(&self, done: u32) -> u32 {
        self.rows.saturating_sub(done).max(self.rows.min(WINDOW as u32))
    }
}

/// What is known of the blocks before elimination: the columns below `limit` may get a pivot,
/// those that `eliminated` names have one.
pub(super) fn info(
    limit: usize,
    eligible: impl Fn(usize) -> bool,
    given: impl Fn(usize) -> bool,
) -> Vec<u32> {
    let count = limit.div_ceil(BLOCK);
    let mut info = vec![0; (INFO * count).max(1)];
    for (b, block) in info.chunks_exact_mut(INFO).enumerate().take(count) {
        block[16..].fill(NONE);
        for k in (0..BLOCK).filter(|k| BLOCK * b + k < limit) {
            let place = BLOCK * b + k;
            if given(place) {
                block[k / 32] |= 1 << (k % 32);
                block[16 + k] = GIVEN;
            }
            if eligible(place) {
                block[8 + k / 32] |= 1 << (k % 32);
            }
        }
    }
    info
}
