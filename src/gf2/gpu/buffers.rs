//! Device memory of a blocked elimination.

use std::ops::Range;

use super::matrix::{DeviceMatrix, VECTOR, stride_of, tiles_of};
use super::shape::{BLOCK, INFO, OUTCOME_LEN};
use crate::gpu::DeviceVec;
use crate::{Error, Result};

/// Marks "no row" or "no lead".
pub const NONE: u32 = u32::MAX;
/// The slot value of a column whose pivot is a reducer.
pub const GIVEN: u32 = u32::MAX - 1;

/// The device memory of a blocked elimination in addition to the matrix.
pub struct Buffers {
    /// The outcomes of a block and of the next one, alternately; see `shaders/gf2/outcome.wgsl`.
    outcomes: [DeviceVec<u32>; 2],
    /// By block: the columns that may have a pivot, the columns that have one, and the row of each
    /// pivot; see `shaders/gf2/info.wgsl`.
    pub info: DeviceVec<u32>,
    /// By column, 256 bits: the pivot's state in its block; see `shaders/gf2/panel.wgsl`.
    pub states: DeviceVec<[u32; 4]>,
    /// By tile, 256 vectors: a block's reduced pivots, in the form in which they are added to rows.
    pub acting: DeviceVec<[u32; 4]>,
    /// Every row's bits in the columns of a block, which select the pivots to be added to the row; for
    /// a block and for the next one, alternately.
    selections: [DeviceVec<[u32; 4]>; 2],
    /// The selections, reduced by the block's pivots.
    pub remainders: DeviceVec<[u32; 4]>,
    /// A bit per row, set if the row is not zero in the block.
    pub flags: DeviceVec<u32>,
    /// True if rows keep their places.
    in_order: bool,
}

/// Bytes of device memory of [`Buffers`] on a device that has `own` of the columns of a matrix that is eliminated in `limit`
/// columns.
pub fn buffers_bytes(rows: usize, own: usize, limit: usize) -> u64 {
    let blocks = limit.div_ceil(BLOCK).max(1) as u64;
    let stride = stride_of(rows) as u64;
    let (block, tiles) = (BLOCK as u64, tiles_of(own).max(1) as u64);
    let outcomes = 2 * 4 * OUTCOME_LEN as u64;
    let info = 4 * INFO as u64 * blocks;
    let states = VECTOR * 2 * block * blocks;
    let acting = VECTOR * block * tiles;
    let selections_and_remainders = 3 * VECTOR * 2 * stride;
    let flags = 4 * stride.div_ceil(32);
    outcomes + info + states + acting + selections_and_remainders + flags
}

impl Buffers {
    /// Makes the buffers for the blocks that `info` describes. The states are those of columns without
    /// pivots; or, if `in_order`, zeros, and the caller writes the reducers' states.
    pub fn new(matrix: &DeviceMatrix, info: &[u32], in_order: bool) -> Result<Self> {
        let gpu = matrix.gpu();
        let stride = matrix.stride() as usize;
        let count = info.len() / INFO;
        Ok(Buffers {
            outcomes: [gpu.zeros(OUTCOME_LEN)?, gpu.zeros(OUTCOME_LEN)?],
            info: gpu.upload_table(info)?,
            states: match in_order {
                true => gpu.zeros(2 * BLOCK * count.max(1))?,
                false => gpu.upload_table(&units(count))?,
            },
            acting: gpu.zeros(BLOCK * matrix.tiles().max(1) as usize)?,
            selections: [gpu.zeros(2 * stride)?, gpu.zeros(2 * stride)?],
            remainders: gpu.zeros(2 * stride)?,
            flags: gpu.zeros(stride.div_ceil(32))?,
            in_order,
        })
    }

    /// The number of blocks.
    pub fn count(&self) -> usize {
        self.info.len() / INFO
    }

    /// The rows' selections in a block.
    pub fn selections(&self, block: usize) -> Result<&wgpu::Buffer> {
        self.selections[block % 2].whole()
    }

    /// The outcome of a block's panel.
    pub fn outcome(&self, block: usize) -> Result<&wgpu::Buffer> {
        self.outcomes[block % 2].whole()
    }

    /// The outcome of the panel of the block before.
    pub fn previous(&self, block: usize) -> Result<&wgpu::Buffer> {
        self.outcome(block + 1)
    }

    /// Waits for all blocks of a recorded batch and reads their progress. After a failure the elimination can
    /// continue with the block that failed. Refuses a failure outside the batch, and more pivot rows than `rows`.
    pub async fn progress(&mut self, batch: &Range<usize>, rows: u32) -> Result<Progress> {
        let outcome = self.outcomes[(batch.end - 1) % 2].read_async(0..3).await?;
        let [failed, before, done] = outcome[..] else {
            return Err(Error::Device(format!("{} words of an outcome instead of 3", outcome.len())));
        };
        let known = if failed == 0 { done } else { before };
        if !self.in_order && known > rows {
            return Err(Error::nonsense_at("pivot row", known - 1, format!("of {rows} rows")));
        }
        if failed == 0 {
            return Ok(Progress { next: batch.end, done, failure: None });
        }
        let block = failed as usize - 1;
        if !batch.contains(&block) {
            let fault = format!("failed in the blocks {} to {}", batch.start, batch.end - 1);
            return Err(Error::nonsense_at("block", block, fault));
        }
        self.allow_again(block, before)?;
        let found = self.info.read_async(has_pivot(block)).await?;
        let found = found.iter().map(|word| word.count_ones() as usize).sum();
        Ok(Progress { next: block, done: before, failure: Some(Failure { block, found }) })
    }

    /// Lets the panel of a block that failed run again, with `before` pivot rows before the block: it reads this
    /// as the outcome of the previous block.
    pub fn allow_again(&mut self, block: usize, before: u32) -> Result<()> {
        self.outcomes[(block + 1) % 2].write(0, &[0, 0, before])
    }

    /// The columns of all pivots, ascending.
    pub async fn pivots(&self) -> Result<Vec<u32>> {
        let info = self.info.read_async(0..INFO * self.count()).await?;
        let columns = info.chunks_exact(INFO).enumerate().flat_map(|(b, block)| {
            let has_pivot = |k: &usize| block[k / 32] >> (k % 32) & 1 == 1;
            (0..BLOCK).filter(has_pivot).map(move |k| (BLOCK * b + k) as u32).collect::<Vec<_>>()
        });
        Ok(columns.collect())
    }
}

/// The words of an outcome with which its notes end: those of moved rows, or of new pivots.
fn noted(in_order: bool) -> usize {
    if in_order { OUTCOME_LEN } else { 5 + 2 * BLOCK }
}

/// Bytes of device memory that tell another device a block of a matrix, whose rows keep their places if `in_order`:
/// outcome, info, states, and the selections of `rows` rows.
pub fn shared_bytes(rows: usize, in_order: bool) -> usize {
    4 * (noted(in_order) + INFO) + VECTOR as usize * 2 * (BLOCK + rows)
}

impl Buffers {
    /// The places of a block's outcome, info, states, and the selections of `rows`, which another device needs
    /// for its tiles: the buffers and their bytes.
    pub fn shared(&self, block: usize, rows: &Range<usize>) -> Result<[(&wgpu::Buffer, Range<u64>); 5]> {
        let [outcome, info, states, low, high] = self.shared_places(block, rows);
        let bytes = |range: Range<usize>, size: usize| (size * range.start) as u64..(size * range.end) as u64;
        let selections = self.selections(block)?;
        Ok([
            (self.outcome(block)?, bytes(outcome, 4)),
            (self.info.whole()?, bytes(info, 4)),
            (self.states.whole()?, bytes(states, 16)),
            (selections, bytes(low, 16)),
            (selections, bytes(high, 16)),
        ])
    }

    /// Writes what another device read from its [`shared`](Self::shared) places.
    pub fn write_shared(&mut self, block: usize, rows: &Range<usize>, message: &[u8]) -> Result<()> {
        if message.len() != shared_bytes(rows.len(), self.in_order) {
            return Err(Error::Device(format!("{} bytes for a block of columns", message.len())));
        }
        let [outcome, info, states, low, high] = self.shared_places(block, rows);
        let mut rest = message;
        let mut take = |count: usize| {
            let (bytes, after) = rest.split_at(count.min(rest.len()));
            rest = after;
            bytes
        };
        self.outcomes[block % 2].write_bytes(outcome.start, take(4 * outcome.len()))?;
        self.info.write_bytes(info.start, take(4 * info.len()))?;
        self.states.write_bytes(states.start, take(16 * states.len()))?;
        for half in [low, high] {
            self.selections[block % 2].write_bytes(half.start, take(16 * half.len()))?;
        }
        Ok(())
    }

    /// The elements of the places: words, words, vectors, vectors, vectors.
    fn shared_places(&self, block: usize, rows: &Range<usize>) -> [Range<usize>; 5] {
        let stride = self.selections[0].len() / 2;
        [
            0..noted(self.in_order),
            INFO * block..INFO * (block + 1),
            2 * BLOCK * block..2 * BLOCK * (block + 1),
            rows.clone(),
            stride + rows.start..stride + rows.end,
        ]
    }
}

/// A panel that another device is told, as [`Buffers::shared`] lays it out.
pub struct SharedPanel<'m> {
    words: &'m [u8],
    /// The first word of the block's info.
    info: usize,
}

impl<'m> SharedPanel<'m> {
    /// Reads the message of a block of a matrix whose rows keep their places if `in_order`.
    pub fn new(message: &'m [u8], in_order: bool) -> Self {
        SharedPanel { words: message, info: noted(in_order) }
    }

    fn word(&self, at: usize) -> u32 {
        let bytes = self.words.get(4 * at..4 * at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_ne_bytes)
    }

    /// True if the panel may have missed pivots.
    pub fn has_failed(&self) -> bool {
        self.word(0) != 0
    }

    /// The number of pivot rows after the block, if pivot rows stand first.
    pub fn done(&self) -> u32 {
        self.word(2)
    }

    /// The columns of the block that have a pivot, ascending.
    pub fn pivots(&self) -> impl Iterator<Item = u32> {
        (0..BLOCK).filter(|k| self.word(self.info + k / 32) >> (k % 32) & 1 == 1).map(|k| k as u32)
    }

    /// The new pivots of the block, with their columns in it, if rows keep their places.
    pub fn new_pivots(&self) -> impl Iterator<Item = (u32, u32)> {
        let slots = self.pivots().map(|k| (self.word(self.info + SLOTS + k as usize), k));
        slots.filter(|&(row, _)| row < GIVEN)
    }
}

/// The progress of an elimination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The first block that is not done.
    pub next: usize,
    /// The number of pivot rows before that block, if pivot rows stand first.
    pub done: u32,
    /// The failure that ended the batch early, if there was one.
    pub failure: Option<Failure>,
}

/// A block whose panel may have missed pivots. Later kernels did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The block.
    pub block: usize,
    /// The number of pivots that it has.
    pub found: usize,
}

/// The failures of one block. Each leads to another search, or comes with more pivots than all before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Failures {
    block: usize,
    most: usize,
    /// The failures that came without a pivot.
    without: usize,
}

/// The maximum number of failures of a block without another pivot: a policy has fewer searches to go on with.
const MOST_WITHOUT: usize = 4;

impl Failures {
    /// Takes note of a failure. A block fails no more than some 260 times, so every elimination ends. It is an error
    /// if the block fails again and again without another pivot.
    pub fn note(&mut self, failure: Failure) -> Result<()> {
        let Failure { block, found } = failure;
        if self.block != block {
            *self = Failures { block, ..Failures::default() };
        }
        if found <= self.most {
            self.without += 1;
        }
        self.most = self.most.max(found);
        match self.without > MOST_WITHOUT {
            true => {
                let fault = format!("fails without progress in the search for pivots, at {found}");
                Err(Error::nonsense_at("block", block, fault))
            }
            false => Ok(()),
        }
    }
}

/// The words of `info` with a bit per column, set if it has a pivot.
fn has_pivot(block: usize) -> Range<usize> {
    INFO * block..INFO * block + 8
}

/// The first of the words of a block's `info` with a bit per column, set if it may get a pivot.
const ELIGIBLE: usize = 8;
/// The first of the words of a block's `info` that hold by column its pivot's row.
const SLOTS: usize = 16;

/// The `info` of the blocks of the first `limit` columns before elimination: columns that are
/// `eligible` may get a pivot, and columns that are `given` have a reducer.
pub fn info(limit: usize, eligible: impl Fn(usize) -> bool, given: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut info = vec![0; INFO * limit.div_ceil(BLOCK)];
    for (b, block) in info.chunks_exact_mut(INFO).enumerate() {
        block[SLOTS..].fill(NONE);
        for k in (0..BLOCK).filter(|k| BLOCK * b + k < limit) {
            let place = BLOCK * b + k;
            if given(place) {
                block[k / 32] |= 1 << (k % 32);
                block[SLOTS + k] = GIVEN;
            }
            if eligible(place) {
                block[ELIGIBLE + k / 32] |= 1 << (k % 32);
            }
        }
    }
    info
}

/// Returns an error unless these are leads that an elimination of the columns of `info` may find: by row a column that
/// may get a pivot, at most one row for each, or [`NONE`].
pub fn expect_leads(leads: &[u32], info: &[u32]) -> Result<()> {
    let mut open = OpenColumns::new(info);
    (0..).zip(leads).filter(|&(_, &lead)| lead != NONE).try_for_each(|(row, &lead)| open.take(row, lead))
}

/// The columns that may still get a pivot.
pub struct OpenColumns(Vec<u32>);

impl OpenColumns {
    /// Those that `info` describes.
    pub fn new(info: &[u32]) -> Self {
        OpenColumns(info.chunks_exact(INFO).flat_map(|block| &block[ELIGIBLE..SLOTS]).copied().collect())
    }

    /// Gives a column to a row. Refuses a column that is not open.
    pub fn take(&mut self, row: u32, lead: u32) -> Result<()> {
        let bit = 1 << (lead % 32);
        match self.0.get_mut(lead as usize / 32) {
            Some(word) if *word & bit != 0 => {
                *word &= !bit;
                Ok(())
            }
            _ => {
                let fault = format!("was promoted in column {lead}, which is not open");
                Err(Error::nonsense_at("row", row, fault))
            }
        }
    }
}

/// The number of columns of a block that may get a pivot, by its `info`.
pub fn eligible_columns(block: &[u32]) -> u32 {
    block[ELIGIBLE..SLOTS].iter().map(|word| word.count_ones()).sum()
}

/// The states of the columns of `count` blocks that have no pivots: unit vectors.
fn units(count: usize) -> Vec<[u32; 4]> {
    let mut units = vec![[0; 4]; 2 * BLOCK * count.max(1)];
    for slot in 0..BLOCK * count {
        let k = slot % BLOCK;
        units[2 * slot + k / 128][k / 32 % 4] = 1 << (k % 32);
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_nonsense<T: std::fmt::Debug>(outcome: &Result<T>) -> bool {
        matches!(outcome, Err(Error::Nonsense(_)))
    }

    #[test]
    fn a_block_that_fails_without_progress_is_nonsense() {
        let mut failures = Failures::default();
        // A block with a pivot more each time takes at most one turn a column.
        (0..=BLOCK).for_each(|found| failures.note(Failure { block: 3, found }).unwrap());
        (1..MOST_WITHOUT).for_each(|_| failures.note(Failure { block: 3, found: 7 }).unwrap());
        assert!(is_nonsense(&failures.note(Failure { block: 3, found: BLOCK })));
        // Another block begins anew.
        failures.note(Failure { block: 4, found: 0 }).unwrap();
    }

    #[test]
    fn a_lead_is_an_open_column_and_no_other_rows() {
        // Of 300 columns the first has a reducer.
        let info = info(300, |place| place > 0, |place| place == 0);
        expect_leads(&[NONE, 299, 1, NONE, 256], &info).unwrap();
        for leads in [[0, NONE], [300, NONE], [512, NONE], [NONE - 1, NONE], [9, 9]] {
            assert!(is_nonsense(&expect_leads(&leads, &info)), "{leads:?}");
        }
    }
}
