//! Blocked elimination of an F4 matrix in file order on the GPU.
//!
//! Columns are in reverse order, so a row's lead is its first one. Rows keep their places:
//!
//! ```text
//! states of all blocks' reducers                                  (inverse)
//! for each block (see blocks):
//!     its pivots are its reducers
//!     for each column without a reducer, in order:
//!         the first row in file order with a one there is a new pivot; its form is final
//!     add the pivots to all rows that are no pivots
//! ```
//!
//! A new pivot is reduced only by pivots before its lead. The pivot that acts on other rows is
//! reduced by all pivots of its block; the panel notes both forms. A new pivot's selections are zero,
//! so later pivots do not change it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::blocks::{Blocks, Order, blocks_in_order_bytes};
use super::buffers::{Failure, NONE, OpenColumns, eligible_columns, expect_leads, info};
use super::f4_lists::{
    Reducers, block_count, block_of, column_at, expand, part_bytes, reducer_at, reducers_bytes,
};
use super::matrix::{DeviceMatrix, download_bytes, matrix_bytes};
use super::schedule::{Policy, Schedule};
use super::shape::{BLOCK, INFO, Window};
use crate::gf2::{BitMatrix, Elimination, F4Matrix, F4Shape, IndexLists};
use crate::gpu::Gpu;
use crate::parallel::*;
use crate::{Error, Result};

/// Eliminates an F4 matrix in blocks.
pub async fn eliminate_in_file_order(gpu: &Gpu, f4: &F4Matrix) -> Result<Elimination> {
    let reducers = Reducers::upload(gpu, f4, f4.reducers())?;
    let (new_pivots, matrix) = eliminate_rows(&Rows::all(f4), &reducers).await?;
    Ok(Elimination::new(f4, &new_pivots, matrix))
}

/// Bytes of device memory that [`eliminate_in_file_order`] takes on a device with this binding limit.
/// An upper bound.
pub fn blocked_bytes(shape: &F4Shape, binding_bytes: u64) -> u64 {
    let blocks = shape.columns.div_ceil(BLOCK);
    reducers_bytes(blocks, shape.reducer_ones, binding_bytes)
        + rows_bytes(shape.rows, shape.row_ones, shape.columns, shape.most_new_pivots(), binding_bytes)
}

/// Bytes of device memory that [`eliminate_rows`] takes in addition to the reducers, for a given number of
/// rows and of their ones, if at most `new_pivots` rows become pivots. An upper bound.
pub fn rows_bytes(rows: usize, ones: usize, columns: usize, new_pivots: usize, binding_bytes: u64) -> u64 {
    if rows == 0 || columns == 0 {
        return 0;
    }
    let moved = part_bytes(rows, ones, binding_bytes).max(download_bytes(new_pivots, columns, binding_bytes));
    matrix_bytes(rows, columns) + moved.max(blocks_in_order_bytes(rows, columns, columns))
}

/// The rows that are eliminated, and their leads if these are known.
pub struct Rows<'a> {
    pub f4: &'a F4Matrix,
    pub rows: &'a IndexLists,
    /// By column: true if it may get a pivot.
    pub eligible: Vec<bool>,
    /// The blocks of the rows' leads, ascending, if these are known.
    pub blocks: Option<Vec<usize>>,
}

impl<'a> Rows<'a> {
    /// All rows of an F4 matrix, whose leads are not known. Columns of zeros get no pivots, so they are not eligible.
    pub fn all(f4: &'a F4Matrix) -> Self {
        Rows { f4, rows: f4.rows(), eligible: occurring(f4), blocks: None }
    }

    /// Rows with these leads, in the order of their leads' blocks, and within a block in file order.
    pub fn with_leads(f4: &'a F4Matrix, rows: &'a IndexLists, leads: &[usize]) -> Self {
        let mut eligible = vec![false; f4.width()];
        leads.iter().for_each(|&lead| eligible[lead] = true);
        let blocks = Some(leads.iter().map(|&lead| block_of(f4, lead)).collect());
        Rows { f4, rows, eligible, blocks }
    }

    /// The columns before the elimination.
    pub fn info(&self) -> Vec<u32> {
        let given = |place: usize| reducer_at(self.f4, place).is_some();
        let is_eligible =
            |place: usize| column_at(self.f4, place).is_some_and(|column| self.eligible[column]);
        info(BLOCK * block_count(self.f4), |place| is_eligible(place) && !given(place), given)
    }

    /// By block: the number of rows with leads in it or in blocks before it, if the leads are known.
    pub fn ends(&self) -> Option<Vec<u32>> {
        self.blocks.as_deref().map(ends_of)
    }
}

/// Returns an error if fewer rows became pivots than have known leads.
pub fn expect_all_new_pivots(new_pivots: usize, rows: usize) -> Result<()> {
    match new_pivots == rows {
        true => Ok(()),
        false => Err(Error::Nonsense("a row lost the lead that it has among fewer columns".into())),
    }
}

/// Eliminates rows by the reducers of their F4 matrix. Returns the new pivots and their final form.
pub async fn eliminate_rows(work: &Rows<'_>, reducers: &Reducers) -> Result<(Vec<u32>, BitMatrix)> {
    let (rows, width) = (work.rows, work.f4.width());
    if rows.is_empty() || width == 0 {
        return Ok((Vec::new(), BitMatrix::zeros(0, width)?));
    }
    let matrix = DeviceMatrix::zeros(reducers.gpu(), rows.len(), width)?;
    expand(&matrix, rows)?;
    let leads = find_leads(&matrix, reducers, &work.info(), work.ends()).await?;
    download_new_pivots(&matrix, &leads, |block| block).await
}

/// The new pivots and their final form. `place` gives the number of the first of a matrix's blocks from a block on.
pub async fn download_new_pivots(
    matrix: &DeviceMatrix,
    leads: &[u32],
    place: impl Fn(usize) -> usize,
) -> Result<(Vec<u32>, BitMatrix)> {
    let new_pivots = new_pivots(leads);
    let first_tile = |row: u32| 2 * place(leads[row as usize] as usize / BLOCK) as u32;
    let valid: Vec<[u32; 2]> = new_pivots.iter().map(|&row| [row, first_tile(row)]).collect();
    Ok((new_pivots, matrix.download_rows(&valid, true).await?))
}

/// The rows that have leads, ascending.
pub fn new_pivots(leads: &[u32]) -> Vec<u32> {
    (0..).zip(leads).filter(|&(_, &lead)| lead != NONE).map(|(row, _)| row).collect()
}

/// By block: the number of rows with leads in it or in blocks before it. `blocks`, ascending, has the blocks of the
/// rows' leads.
pub fn ends_of(blocks: &[usize]) -> Vec<u32> {
    let last = blocks.last().map_or(0, |&last| last + 1);
    (0..last).map(|b| blocks.partition_point(|&block| block <= b) as u32).collect()
}

/// Eliminates the columns that `info` describes in file order, lowest column first, and returns by
/// row the column of its lead if it became a pivot, else [`NONE`]. `ends` as in [`FilePolicy`].
pub async fn find_leads(
    matrix: &DeviceMatrix,
    reducers: &Reducers,
    info: &[u32],
    ends: Option<Vec<u32>>,
) -> Result<Vec<u32>> {
    let mut blocks = Blocks::new(matrix, info, Order::File(reducers))?;
    let mut policy = FilePolicy::new(matrix.rows(), matrix.tiles(), info, ends);
    blocks.run(policy.blocks(), &mut policy).await?;
    let leads = blocks.leads().await?;
    expect_leads(&leads, info)?;
    Ok(leads)
}

/// The policy for eliminations in file order, with the state of the elimination.
pub struct FilePolicy {
    rows: u32,
    tiles: u32,
    /// By block: the number of columns that may get a pivot.
    eligible: Vec<u32>,
    /// If leads are known and rows are in the order of their leads' blocks: by block, the number of rows
    /// with leads in it or in blocks before it. The elimination ends after the last of these blocks.
    ends: Option<Vec<u32>>,
    /// True if a block failed. From then on all blocks have two attempts.
    has_failed: bool,
    /// If several devices share the elimination: by row, the place of its lead so far, or [`NONE`]; and the columns without
    /// one.
    pub leads: Vec<u32>,
    pub open: OpenColumns,
}

/// The number of columns whose pivots one panel usually finds: a quarter of its number of rows.
const FEW_COLUMNS: u32 = Window::Remainders.rows() as u32 / 4;

impl FilePolicy {
    pub fn new(rows: usize, tiles: u32, info: &[u32], ends: Option<Vec<u32>>) -> Self {
        let eligible = info.chunks_exact(INFO).map(eligible_columns).collect();
        let (leads, open) = (vec![NONE; rows], OpenColumns::new(info));
        FilePolicy { rows: rows as u32, tiles, eligible, ends, has_failed: false, leads, open }
    }

    /// The number of blocks after which the elimination ends.
    pub fn blocks(&self) -> usize {
        self.ends.as_ref().map_or(self.eligible.len(), Vec::len)
    }

    /// The rows that may get their leads in a block.
    fn rows_of(&self, block: usize) -> Range<u32> {
        match &self.ends {
            None => 0..self.rows,
            Some(ends) => block.checked_sub(1).map_or(0, |before| ends[before])..ends[block],
        }
    }

    /// True if a block has a second attempt. With a single attempt, a block that may have more pivots
    /// fails and is repeated.
    fn is_twice(&self, block: usize) -> bool {
        let few = if self.has_failed { 0 } else { FEW_COLUMNS };
        self.ends.is_none() && self.eligible[block] > few
    }
}

impl Policy for FilePolicy {
    fn schedule(&self, block: usize) -> Schedule {
        let own = self.rows_of(block);
        // New pivots are final, so they are skipped. Runs of 32 rows are read fastest.
        let first = if self.ends.is_some() { own.end / 32 * 32 } else { 0 };
        Schedule {
            flag: Some(own.clone()),
            window: Window::Remainders,
            second: self.is_twice(block).then_some(own),
            rows: first..self.rows,
            tiles: 2 * (block as u32 + 1)..self.tiles,
            flags_next: false,
        }
    }

    fn advance(&mut self, _: usize, _: u32, failure: Option<Failure>) {
        self.has_failed |= failure.is_some();
    }
}

/// Returns by column true if any row or reducer has a one there.
pub fn occurring(f4: &F4Matrix) -> Vec<bool> {
    /// The number of indices per task.
    const SHARE: usize = 1 << 18;
    let occurs: Vec<AtomicBool> = (0..f4.width()).map(|_| AtomicBool::new(false)).collect();
    // Reading first keeps a column that many rows have in the caches of all cores.
    let note = |&column: &u32| {
        let occurs = &occurs[column as usize];
        if !occurs.load(Ordering::Relaxed) {
            occurs.store(true, Ordering::Relaxed);
        }
    };
    for indices in [f4.reducers().indices(), f4.rows().indices()] {
        indices.par_iter().with_min_len(SHARE).for_each(note);
    }
    occurs.into_iter().map(AtomicBool::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(tiles: u32, eligible: Vec<u32>, ends: Option<Vec<u32>>) -> FilePolicy {
        FilePolicy { eligible, ..FilePolicy::new(900, tiles, &[], ends) }
    }

    #[test]
    fn blocks_with_many_columns_have_two_attempts() {
        let mut policy = policy(8, vec![0, 128, 129, 256], None);
        let second = |policy: &FilePolicy| [0, 1, 2, 3].map(|block| policy.schedule(block).second.is_some());
        assert_eq!(second(&policy), [false, false, true, true]);
        assert_eq!(policy.schedule(2).rows, 0..900);
        policy.advance(4, 0, None);
        assert_eq!(second(&policy), [false, false, true, true]);
        policy.advance(1, 0, Some(Failure { block: 1, found: 3 }));
        assert_eq!(second(&policy), [false, true, true, true]);
    }

    #[test]
    fn rows_with_known_leads_are_left_alone_after_their_block() {
        let policy = policy(6, vec![256; 3], Some(vec![40, 40, 900]));
        let schedule = policy.schedule(0);
        assert_eq!((schedule.flag, schedule.second), (Some(0..40), None));
        assert_eq!((schedule.rows, schedule.tiles), (32..900, 2..6));
        assert_eq!(policy.schedule(1).flag, Some(40..40));
        assert_eq!((policy.schedule(2).flag, policy.schedule(2).rows), (Some(40..900), 896..900));
    }
}
