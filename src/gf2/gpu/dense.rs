//! Echelon forms of dense matrices.
//!
//! An echelon form is a blocked elimination ([`blocks`](super::blocks)) with pivot rows swapped to the
//! front. Random matrices get the pivots of a block from the first rows that are not pivots; other
//! matrices make that panel fail, and go on by slower searches (`Search`).

use std::ops::Range;

use super::blocks::{Blocks, Order};
use super::buffers::{Failure, buffers_bytes, info};
use super::matrix::{DeviceMatrix, download_bytes, matrix_bytes, upload_bytes};
use super::schedule::{Policy, Schedule};
use super::shape::{BLOCK, Window};
use crate::Result;
use crate::gf2::dense::expect_pivots;
use crate::gf2::row_reduction::RowReduction;
use crate::gf2::{BitMatrix, Echelon};
use crate::gpu::{Gpu, block_on};

/// The echelon form of a matrix, with all rows.
pub async fn echelon(gpu: &Gpu, matrix: &BitMatrix, reduction: &RowReduction) -> Result<Echelon> {
    let mut device = DeviceMatrix::upload(gpu, matrix)?;
    let pivots = device.reduce_to_echelon_async(reduction).await?;
    Ok(Echelon { matrix: device.download_echelon_async(&pivots, reduction).await?, pivots })
}

/// Bytes of device memory that [`echelon`] takes on a device with this binding limit. The bound is
/// tight.
pub fn dense_bytes(rows: usize, columns: usize, limit: usize, binding_bytes: u64) -> u64 {
    let eliminates = rows > 0 && columns.min(limit) > 0;
    let buffers = if eliminates { buffers_bytes(rows, columns, limit.min(columns)) } else { 0 };
    let moved = upload_bytes(rows, columns, binding_bytes).max(download_bytes(rows, columns, binding_bytes));
    matrix_bytes(rows, columns) + buffers.max(moved)
}

impl DeviceMatrix {
    /// Brings the matrix to the form that `reduction` names, and returns the columns of the pivots, ascending; row i has
    /// pivot i. The matrix keeps its shape and all rows, whatever those of `reduction` are. Unless the form is reduced, the
    /// bits of a row before its pivot's block are not cleared on the device:
    /// [`download_echelon`](Self::download_echelon) leaves them out.
    pub fn reduce_to_echelon(&mut self, reduction: &RowReduction) -> Result<Vec<u32>> {
        block_on(self.reduce_to_echelon_async(reduction))
    }

    /// The asynchronous form of [`reduce_to_echelon`](Self::reduce_to_echelon), for browsers.
    pub async fn reduce_to_echelon_async(&mut self, reduction: &RowReduction) -> Result<Vec<u32>> {
        let reduction = reduction.of_shape(self.rows(), self.columns());
        let RowReduction { rows, limit, .. } = reduction;
        if rows == 0 || limit == 0 {
            return Ok(Vec::new());
        }
        let info = info(limit, |_| true, |_| false);
        let mut blocks = Blocks::new(self, &info, Order::PivotsFirst { all_rows: reduction.is_reduced() })?;
        let mut policy = DensePolicy::new(reduction, self.tiles());
        blocks.run(blocks.count(), &mut policy).await?;
        let pivots = blocks.buffers.pivots().await?;
        expect_pivots(&pivots, rows, limit)?;
        Ok(pivots)
    }

    /// Returns a host copy of a matrix that [`reduce_to_echelon`](Self::reduce_to_echelon) brought to the form of
    /// `reduction`, with these `pivots`.
    pub fn download_echelon(&self, pivots: &[u32], reduction: &RowReduction) -> Result<BitMatrix> {
        block_on(self.download_echelon_async(pivots, reduction))
    }

    /// The asynchronous form of [`download_echelon`](Self::download_echelon), for browsers.
    pub async fn download_echelon_async(
        &self,
        pivots: &[u32],
        reduction: &RowReduction,
    ) -> Result<BitMatrix> {
        let reduction = reduction.of_shape(self.rows(), self.columns());
        self.download_form(pivots, &reduction, 0..self.rows()).await
    }

    /// Returns a host copy of some rows of the form, which has these pivots.
    pub(super) async fn download_form(
        &self,
        pivots: &[u32],
        reduction: &RowReduction,
        rows: Range<usize>,
    ) -> Result<BitMatrix> {
        self.download_form_of(pivots, reduction, rows, |block| 2 * block as u32).await
    }

    /// [`download_form`](Self::download_form) of a matrix whose tiles from a block on begin with `first_tile`.
    pub(super) async fn download_form_of(
        &self,
        pivots: &[u32],
        reduction: &RowReduction,
        rows: Range<usize>,
        first_tile: impl Fn(usize) -> u32,
    ) -> Result<BitMatrix> {
        let first_tile = |row: usize| match pivots.get(row) {
            _ if reduction.is_reduced() => 0,
            Some(&pivot) => first_tile(pivot as usize / BLOCK),
            None => reduction.first_of_others().map_or(self.tiles(), &first_tile),
        };
        let rows: Vec<[u32; 2]> = rows.map(|row| [row as u32, first_tile(row)]).collect();
        self.download_rows(&rows, false).await
    }
}

/// The rows among which the pivots of a block are sought. After a failure the block and all later ones
/// are eliminated by the next search:
///
/// ```text
///                 many pivots found          again
///         First --------------------> FirstThenFlagged ---.
///           |                                             v
///           '--- few ---> Flagged ----------------> FlaggedTwice
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    /// Among the first rows that are not pivots: enough for random matrices.
    First,
    /// First as `First`; then, for columns still without a pivot, among the first rows that are not
    /// zero in these columns: for matrices with equal columns, which have no such rows.
    FirstThenFlagged,
    /// Among the first rows that are not zero in the block: for permutations.
    Flagged,
    /// As `Flagged`, with two attempts.
    FlaggedTwice,
}

/// If the first rows have at least this many pivots of a block, they are read in later blocks, too.
const MANY: usize = BLOCK / 4;

impl Search {
    /// The next search after this one failed in a block with `found` pivots.
    fn next(self, found: usize) -> Self {
        match self {
            Search::First if found >= MANY => Search::FirstThenFlagged,
            Search::First => Search::Flagged,
            Search::FirstThenFlagged | Search::Flagged | Search::FlaggedTwice => Search::FlaggedTwice,
        }
    }

    /// True if the first attempt is over flagged rows.
    fn begins_with_flagged(self) -> bool {
        matches!(self, Search::Flagged | Search::FlaggedTwice)
    }

    /// True if there is a second attempt.
    fn is_twice(self) -> bool {
        matches!(self, Search::FirstThenFlagged | Search::FlaggedTwice)
    }
}

/// The policy for dense matrices, with the state of the elimination.
pub struct DensePolicy {
    pub reduction: RowReduction,
    tiles: u32,
    search: Search,
    /// A block that failed. It has pivots, so its panel needs rows reduced by them.
    begun: Option<usize>,
    /// The first block that is not done, and a lower bound on the pivot rows before it.
    next: usize,
    pub done: u32,
    /// The pivots so far, of all devices, if several share the elimination.
    pub pivots: Vec<u32>,
}

impl DensePolicy {
    pub fn new(reduction: RowReduction, tiles: u32) -> Self {
        DensePolicy {
            reduction,
            tiles,
            search: Search::First,
            begun: None,
            next: 0,
            done: 0,
            pivots: Vec::new(),
        }
    }

    fn rows(&self) -> u32 {
        self.reduction.rows as u32
    }

    /// An upper bound on the rows left after `done` pivot rows. At least the rows of a window: `done` is
    /// too high if a block has fewer pivots than columns.
    fn rows_after(&self, done: u32) -> u32 {
        self.rows().saturating_sub(done).max(self.rows().min(Window::First.rows() as u32))
    }
}

impl Policy for DensePolicy {
    fn schedule(&self, block: usize) -> Schedule {
        let not_done = self.done / 32 * 32..self.rows();
        let has_begun = self.begun == Some(block);
        let window = match has_begun {
            true => Window::Remainders,
            false if self.search.begins_with_flagged() => Window::Flagged,
            false => Window::First,
        };
        // Unless rows above are cleared, or the block has columns that get no pivots, nothing reads its columns again.
        let first_block =
            if self.reduction.is_reduced() || self.reduction.ends_within(block) { block } else { block + 1 };
        let found = if self.search == Search::First { (block - self.next) * BLOCK } else { 0 };
        let count =
            if self.reduction.is_reduced() { self.rows() } else { self.rows_after(self.done + found as u32) };
        Schedule {
            flag: has_begun.then(|| not_done.clone()),
            window,
            second: self.search.is_twice().then_some(not_done),
            rows: 0..count,
            tiles: 2 * first_block as u32..self.tiles,
            flags_next: self.search.begins_with_flagged(),
        }
    }

    fn advance(&mut self, next: usize, done: u32, failure: Option<Failure>) {
        (self.next, self.done) = (next, done);
        self.begun = failure.map(|failure| failure.block);
        if let Some(failure) = failure {
            self.search = self.search.next(failure.found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gf2::Wanted;

    fn policy() -> DensePolicy {
        DensePolicy::new(RowReduction::whole(5000, 5120), 40)
    }

    #[test]
    fn a_failed_block_is_sought_in_more_rows() {
        let searches = |found: &[usize]| {
            let mut policy = policy();
            let mut failed = |&found: &usize| {
                policy.advance(7, 1700, Some(Failure { block: 7, found }));
                policy.search
            };
            found.iter().map(&mut failed).collect::<Vec<_>>()
        };
        assert_eq!(
            searches(&[64, 200, 255]),
            [Search::FirstThenFlagged, Search::FlaggedTwice, Search::FlaggedTwice]
        );
        assert_eq!(searches(&[63, 0]), [Search::Flagged, Search::FlaggedTwice]);
    }

    #[test]
    fn schedules_reach_all_rows_that_are_no_pivots() {
        let mut policy = policy();
        let schedule = policy.schedule(3);
        assert_eq!((schedule.window, schedule.flag, schedule.second), (Window::First, None, None));
        // Three full blocks of pivots are assumed, and the tiles of the block itself are not read again.
        assert_eq!((schedule.rows, schedule.tiles), (0..5000 - 3 * 256, 8..40));
        assert_eq!(policy.schedule(19).rows, 0..320);

        policy.advance(3, 700, Some(Failure { block: 3, found: 10 }));
        let schedule = policy.schedule(3);
        assert_eq!((schedule.window, schedule.flag), (Window::Remainders, Some(672..5000)));
        let schedule = policy.schedule(4);
        assert_eq!((schedule.window, schedule.flag, schedule.second), (Window::Flagged, None, None));
        // The number of pivots of later blocks is unknown.
        assert_eq!((schedule.rows, schedule.flags_next), (0..4300, true));

        policy.advance(5, 900, Some(Failure { block: 5, found: 10 }));
        assert_eq!(policy.schedule(6).second, Some(896..5000));
        let reduction = RowReduction { wanted: Wanted::Reduced, ..policy.reduction };
        let reduced = DensePolicy { reduction, ..policy };
        assert_eq!((reduced.schedule(6).rows, reduced.schedule(6).tiles), (0..5000, 12..40));
    }
}
