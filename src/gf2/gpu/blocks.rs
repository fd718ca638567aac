//! What both blocked eliminations on the GPU have in common: the state of the blocks on the device
//! and the kernels that work on it.
//!
//! A block is 256 columns, two tiles. Per block:
//!
//! 1. *state*: reduces all rows in the block's columns by the pivots that it has, and flags those
//!    with anything left (not where the first rows that are no pivots will do);
//! 2. *panel*: one workgroup finds the block's pivots among at most 512 of these rows;
//! 3. *predict*: what these pivots are in every tile after the block;
//! 4. *update*: they are added to all rows, by tables of sums: first in the tiles of the next block,
//!    then, side by side with the next block's panel, which needs no more than these, in the others.
//!
//! Nothing waits for the host: a panel that cannot vouch for its block says so in its *outcome*,
//! which makes every later kernel do nothing; the host reads it after a batch and goes on there.

use std::ops::Range;
use std::sync::Arc;

use super::kernels::{BLOCK, EXTRACT, INFO, OUTCOME_LEN, STATE, UPDATE};
use super::matrix::{DeviceMatrix, VECTOR, stride_of, tiles_of};
use super::shape::{FIRST_WINDOW, Shape, ordered};
use crate::Result;
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Variant};

/// Blocks recorded before the host looks at the outcome.
pub(super) const BATCH: usize = 256;

/// No row, or no lead.
pub(super) const NONE: u32 = u32::MAX;
/// The slot of a column that an eliminator has.
pub(super) const GIVEN: u32 = u32::MAX - 1;

/// Which look at the rows of a block a panel is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Look {
    /// A second one follows, for a block that needs it.
    First = 0,
    Only = 1,
    Second = 2,
}

/// What an elimination does in a block, besides updates.
pub(super) trait Steps<'m> {
    fn blocks(&self) -> &Blocks<'m>;

    /// What a panel needs that the last update does not leave it.
    fn look(&self, recorder: &mut Recorder<'_>, block: usize) -> Result<()>;

    /// Finds the pivots.
    fn panel(&self, recorder: &mut Recorder<'_>, block: usize) -> Result<()>;

    /// Seeks further where the panel missed pivots, if it may have.
    fn panel_again(&self, recorder: &mut Recorder<'_>, block: usize) -> Result<()>;

    /// Makes the pivots what they are in all `tiles` after the block.
    fn predict(&self, recorder: &mut Recorder<'_>, block: usize, tiles: Range<u32>) -> Result<()>;

    /// The rows that the block's pivots are added to, and the tiles.
    fn reach(&self, block: usize) -> (Range<u32>, Range<u32>);

    /// Adds the block's pivots in `tiles`, up to those of the next block, which become its selections.
    fn update_next(&self, recorder: &mut Recorder<'_>, block: usize, tiles: Range<u32>) -> Result<()>;

    /// Records some blocks, one after the other.
    fn record(&self, recorder: &mut Recorder<'_>, blocks: Range<usize>) -> Result<()> {
        let (first, end) = (blocks.start, blocks.end);
        for block in blocks {
            self.look(recorder, block)?;
            recorder.split();
            self.panel(recorder, block)?;
            if block > first {
                self.update_others(recorder, block - 1)?;
            }
            self.panel_again(recorder, block)?;
            self.predict(recorder, block, self.blocks().tiles_from(block))?;
            self.update_next(recorder, block, self.next_tiles(block))?;
        }
        self.update_others(recorder, end - 1)
    }

    /// The tiles that are updated up to those of the next block.
    fn next_tiles(&self, block: usize) -> Range<u32> {
        let (_, tiles) = self.reach(block);
        tiles.start..tiles.end.min(2 * (block as u32 + 2))
    }

    fn update_others(&self, recorder: &mut Recorder<'_>, block: usize) -> Result<()> {
        let (rows, tiles) = self.reach(block);
        self.blocks().update(recorder, block, self.next_tiles(block).end..tiles.end, rows)
    }
}

/// The state of a blocked elimination on the device.
pub(super) struct Blocks<'m> {
    pub matrix: &'m DeviceMatrix,
    pub gpu: Gpu,
    pub rows: u32,
    pub count: usize,
    /// What the panels of this block and the next note, by turns; see `shaders/gf2/outcome.wgsl`.
    outcomes: [DeviceVec<u32>; 2],
    pub info: DeviceVec<u32>,
    pub states: DeviceVec<[u32; 4]>,
    pub acting: DeviceVec<[u32; 4]>,
    /// Of this block and the next, by turns.
    selections: [DeviceVec<[u32; 4]>; 2],
    pub remainders: DeviceVec<[u32; 4]>,
    pub flags: DeviceVec<u32>,
    /// Whether pivots are added to pivot rows, too, where these stand first.
    all_rows: bool,
    update: Arc<Pipeline>,
    /// Rows that a workgroup of it does.
    rows_a_group: u32,
    state: Arc<Pipeline>,
    extract: Arc<Pipeline>,
}

/// Bytes of device memory that a blocked elimination of the first `limit` columns takes beside the
/// matrix.
pub(super) fn blocks_bytes(rows: usize, columns: usize, limit: usize) -> u64 {
    let blocks = limit.min(columns).div_ceil(BLOCK).max(1) as u64;
    let stride = stride_of(rows) as u64;
    let (block, tiles) = (BLOCK as u64, tiles_of(columns).max(1) as u64);
    let outcomes = 2 * 4 * OUTCOME_LEN as u64;
    let info = 4 * INFO as u64 * blocks;
    let states = VECTOR * 2 * block * blocks;
    let acting = VECTOR * block * tiles;
    let selections_and_remainders = 3 * VECTOR * 2 * stride;
    let flags = 4 * stride.div_ceil(32);
    outcomes + info + states + acting + selections_and_remainders + flags
}

impl<'m> Blocks<'m> {
    /// For the first `limit` columns; `info` is what is known of the blocks, `in_order` whether
    /// rows stay where they are.
    pub fn new(
        matrix: &'m DeviceMatrix,
        limit: usize,
        info: &[u32],
        in_order: bool,
        all_rows: bool,
    ) -> Result<Self> {
        let gpu = matrix.gpu().clone();
        let count = limit.div_ceil(BLOCK);
        let stride = matrix.stride() as usize;
        let shape = Shape::of(&gpu);
        let rows_a_thread = shape.rows_a_thread(matrix.rows(), matrix.tiles() as usize);
        let [update, state, extract] = gpu.pipelines([
            (&UPDATE, &shape.variant(rows_a_thread, in_order)),
            (&STATE, &ordered(in_order)),
            (&EXTRACT, &Variant::plain(256)),
        ])?;
        // Columns without a pivot stand for themselves; those with an eliminator are yet to be told.
        let states =
            if in_order { gpu.zeros(2 * BLOCK * count.max(1))? } else { gpu.upload_table(&units(count))? };
        Ok(Blocks {
            rows: matrix.rows() as u32,
            count,
            outcomes: [gpu.zeros(OUTCOME_LEN)?, gpu.zeros(OUTCOME_LEN)?],
            info: gpu.upload_table(info)?,
            states,
            acting: gpu.zeros(BLOCK * matrix.tiles().max(1) as usize)?,
            selections: [gpu.zeros(2 * stride)?, gpu.zeros(2 * stride)?],
            remainders: gpu.zeros(2 * stride)?,
            flags: gpu.zeros(stride.div_ceil(32))?,
            all_rows,
            update,
            rows_a_group: shape.workgroup * rows_a_thread,
            state,
            extract,
            matrix,
            gpu,
        })
    }

    pub fn selections(&self, block: usize) -> Result<&wgpu::Buffer> {
        self.selections[block % 2].whole()
    }

    /// What the panel of a block notes.
    pub fn outcome(&self, block: usize) -> Result<&wgpu::Buffer> {
        self.outcomes[block % 2].whole()
    }

    /// What the panel of the block before noted.
    pub fn previous(&self, block: usize) -> Result<&wgpu::Buffer> {
        self.outcome(block + 1)
    }

    /// The parameters that every panel takes.
    pub fn panel_params(&self, block: usize, look: Look) -> [u32; 4] {
        [block as u32, self.rows, self.matrix.stride(), look as u32]
    }

    /// Groups of a kernel that does 256 rows of a tile each.
    fn groups(rows: &Range<u32>, tiles: usize) -> u32 {
        tiles as u32 * (rows.len() as u32).div_ceil(256)
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

    /// Reduces `rows` in the block's columns and flags those with anything left; `again` if the
    /// block's first panel was not enough.
    pub fn state(
        &self,
        recorder: &mut Recorder<'_>,
        block: usize,
        rows: Range<u32>,
        again: bool,
    ) -> Result<()> {
        let buffers = [
            if again { self.outcome(block)? } else { self.previous(block)? },
            self.info.whole()?,
            self.states.whole()?,
            self.selections(block)?,
            self.remainders.whole()?,
            self.flags.whole()?,
        ];
        let params = [block as u32, rows.start, rows.end, self.matrix.stride(), u32::from(again)];
        recorder.dispatch(&self.state, "state", &buffers, &params, Self::groups(&rows, 2))
    }

    /// Makes the block's pivots what they are in `tiles`; `eliminators`: where there are any, those of
    /// the block as rows of bits.
    pub fn predict(
        &self,
        recorder: &mut Recorder<'_>,
        pipeline: &Pipeline,
        block: usize,
        tiles: Range<u32>,
        eliminators: Option<&wgpu::Buffer>,
    ) -> Result<()> {
        self.matrix.over_tiles(recorder, tiles, |recorder, part, tiles| {
            let mut buffers = vec![self.outcome(block)?, self.info.whole()?, self.states.whole()?];
            buffers.extend(eliminators);
            buffers.extend([part.buffer()?, self.acting.whole()?]);
            let params = [block as u32, self.matrix.stride(), part.first_tile, tiles.start];
            recorder.dispatch(pipeline, "predict", &buffers, &params, tiles.len() as u32)
        })
    }

    /// Adds the block's pivots to `rows` in `tiles`, up to those of the next block, which become its
    /// selections; `last` and `own` are the buffer and the parameters that only this kernel takes.
    pub fn update_next(
        &self,
        recorder: &mut Recorder<'_>,
        pipeline: &Pipeline,
        block: usize,
        (rows, tiles): (Range<u32>, Range<u32>),
        last: &wgpu::Buffer,
        own: &[u32],
    ) -> Result<()> {
        self.matrix.over_tiles(recorder, tiles, |recorder, part, tiles| {
            let buffers = [
                self.outcome(block)?,
                part.buffer()?,
                self.acting.whole()?,
                self.selections(block)?,
                self.selections(block + 1)?,
                last,
            ];
            let (count, next_tile) = (tiles.len() as u32, 2 * (block as u32 + 1));
            let common = [self.rows, self.matrix.stride(), part.first_tile, tiles.start, count, next_tile];
            let params = [&common, own].concat();
            recorder.dispatch(pipeline, "update next", &buffers, &params, Self::groups(&rows, tiles.len()))
        })
    }

    /// Adds the block's pivots to rows in `tiles`. Where rows stay in order these are the rows of
    /// `rows`, else as many after the pivots found so far.
    fn update(
        &self,
        recorder: &mut Recorder<'_>,
        block: usize,
        tiles: Range<u32>,
        rows: Range<u32>,
    ) -> Result<()> {
        self.matrix.over_tiles(recorder, tiles, |recorder, part, tiles| {
            let buffers =
                [self.outcome(block)?, part.buffer()?, self.acting.whole()?, self.selections(block)?];
            let (span, groups) =
                Shape::span_and_groups(tiles.len() as u32, rows.len() as u32, self.rows_a_group);
            let stride = self.matrix.stride();
            let params = [
                self.rows,
                stride,
                part.first_tile,
                tiles.start,
                tiles.len() as u32,
                span,
                u32::from(self.all_rows),
                0,
                stride,
                rows.start,
            ];
            recorder.dispatch(&self.update, "update", &buffers, &params, groups)
        })
    }

    /// Waits for what was recorded; the block that failed, if one did, and the pivot rows before
    /// it or, without a failure, before `end`.
    pub async fn result(&mut self, end: usize) -> Result<(Option<usize>, u32)> {
        let outcome = self.outcomes[(end - 1) % 2].read_async(0..3).await?;
        let [failed, before, done] = outcome[..] else { return Ok((None, 0)) };
        match failed {
            0 => Ok((None, done)),
            failed => {
                // The block's panel is to come once more.
                self.outcomes[failed as usize % 2].write(0, &[0, 0, before])?;
                Ok((Some(failed as usize - 1), before))
            }
        }
    }

    /// Rows that may be left after `done` pivot rows, at least what a window holds: the count is
    /// an upper bound where a block found fewer pivots than columns.
    pub fn rows_after(&self, done: u32) -> u32 {
        self.rows.saturating_sub(done).max(self.rows.min(FIRST_WINDOW as u32))
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

/// The states of the columns of `count` blocks, none of which has a pivot.
fn units(count: usize) -> Vec<[u32; 4]> {
    let mut units = vec![[0; 4]; 2 * BLOCK * count.max(1)];
    for slot in 0..BLOCK * count {
        let k = slot % BLOCK;
        units[2 * slot + k / 128][k / 32 % 4] = 1 << (k % 32);
    }
    units
}
