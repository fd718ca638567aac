//! F4 matrices whose sparse lists and rows are larger than memory, and their plans.
//!
//! The method is the elimination of [`on_files`](super): columns in bands (groups of tiles) from high to low, with
//! the reducers as the first rows of the matrix.
//!
//! ```text
//! rows of the matrix: reducers, then rows of the F4 matrix, in file order; the highest columns first
//! for each group of tiles, from the highest columns to the lowest:
//!     read the group's columns of all lists                                    text of both files
//!     for each block before the group:
//!         read its multipliers, add its pivots to the rows                     64 R bytes a block
//!     for each block of the group:
//!         its reducers are pivots; the first row, in file order, whose lead has no pivot is a new one
//!         write its multipliers, add its pivots to the rest of the group       64 R bytes a block
//!     write the group's columns of the rows that are pivots so far              64 P bytes a tile
//! read the new pivots in file order, some at a time
//! ```
//!
//! A row becomes a pivot with the pivots above its lead added and no other, so the bytes are those of the elimination in
//! memory. R rows, T tiles of 512 columns, g groups of T / g tiles, text of X bytes, at most P new pivots:
//!
//! ```text
//! reads   X (g + 1) + 64 R T (g - 1) / 2 + 64 P T        writes  64 R T (g - 1) / g + 64 P T
//! ```
//!
//! Batches of rows that keep their new pivots would read the text once, but need memory for all reducers and all
//! new pivots; bands need one tile of all rows.

use std::fmt;
use std::path::Path;

use super::f4_run::{F4OnFilesAnswer, StoredF4Matrix};
use super::way::{FromFiles, ReadyFromFiles, StaysOnDisk};
use crate::gf2::bit_matrix::LINE_BITS;
use crate::gf2::cpu::{state_bytes, tile_bytes};
use crate::gf2::{BitMatrix, MAX_SIDE};
use crate::task::{CpuProfile, Problem, Profile, Ways};
use crate::{Error, Result};

/// The special elimination, in file order, of an [`F4Matrix`](crate::gf2::F4Matrix) whose lists stay in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct F4OnFiles {
    pub(super) reducers: usize,
    pub(super) rows: usize,
    /// Tiles of 512 columns in which some list has a one.
    pub(super) tiles: usize,
    file_bytes: u64,
    /// True if the plan has room for a check, and the elimination carries random columns for it.
    pub(super) checks: bool,
}

impl F4OnFiles {
    /// The maximum number of parts of a file that a plan allows for; see [`StoredRows`](super::StoredRows).
    pub const MOST_PARTS: usize = 513;

    /// Makes the problem for so many reducers and rows, with ones in `tiles` tiles of 512 columns, whose files have
    /// `file_bytes` bytes in all. Refuses more than [`MAX_SIDE`] reducers and rows, or columns of the tiles.
    pub fn new(reducers: usize, rows: usize, tiles: usize, file_bytes: u64) -> Result<Self> {
        let (lists, columns) = (reducers.saturating_add(rows), tiles.saturating_mul(LINE_BITS));
        Error::expect_at_most("lists or columns", MAX_SIDE as u64, lists.max(columns) as u64)?;
        Ok(F4OnFiles { reducers, rows, tiles, file_bytes, checks: false })
    }

    /// Includes the memory and the reads of a [`check`](Self::check) of a sample after the run, if `checks`, and carries
    /// 64 random columns through the elimination: they show that the new pivots are sums of the F4 matrix's rows.
    #[must_use]
    pub fn with_check(self, checks: bool) -> Self {
        F4OnFiles { checks, ..self }
    }

    /// All rows of the matrix.
    pub(super) fn all(&self) -> usize {
        self.reducers + self.rows
    }

    /// The tiles of the elimination: the carried columns have one of their own, after all others.
    pub(super) fn all_tiles(&self) -> usize {
        self.tiles + usize::from(self.checks)
    }

    /// An upper bound on the number of new pivots.
    pub(super) fn most_new_pivots(&self) -> usize {
        self.rows.min(LINE_BITS * self.tiles)
    }
}

impl Problem for F4OnFiles {
    const NAME: &'static str = "this system, which stays on the disk,";

    type Resident<'a> = &'a Path;
    type Input<'a> = &'a StoredF4Matrix<'a>;
    /// That of [`eliminate`](crate::gf2::eliminate), bit for bit.
    type Answer = F4OnFilesAnswer;
    type Kernels = ();

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        self.only_way(profile)
    }

    fn check_input(&self, f4: &&StoredF4Matrix<'_>) -> Result<()> {
        let counts = [f4.reducers, f4.rows].map(|lists| lists.first_rows().last().copied().unwrap_or(0));
        Error::expect_length("eliminators", self.reducers, counts[0])?;
        Error::expect_length("rows", self.rows, counts[1])?;
        Error::expect_length("tiles", self.tiles, f4.tiles.len())?;
        match f4.tiles.is_sorted_by(|a, b| a > b) {
            true => Ok(()),
            false => Err(Error::Unordered { what: "the tiles of a system", order: "descend" }),
        }
    }

    fn reborrow<'s>(f4: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        f4
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "system         {} eliminators, {} rows", self.reducers, self.rows)
    }
}

impl StaysOnDisk for F4OnFiles {
    fn in_parts(&self, profile: &Profile, cpu: CpuProfile) -> FromFiles {
        let (all, rows, columns) = (self.all() as u64, self.rows as u64, LINE_BITS * self.tiles);
        let parts = 2 * Self::MOST_PARTS as u64;
        // Beside the state of the elimination: rows by number and numbers by row, a buffer, parts of files.
        let vectors = if self.checks { 8 * columns as u64 } else { 0 };
        let state = state_bytes(all, columns as u64) + 8 * rows + 64 * parts + vectors + (512 << 10);
        let tile = tile_bytes(all) + 32 * parts;
        let fitting = usize::try_from(profile.host_memory.saturating_sub(state) / tile).unwrap_or(usize::MAX);
        let at_a_time = fitting.clamp(1, self.all_tiles().max(1));
        // The words of the new pivots, too.
        let check = if self.checks { self.check_bytes() + vectors + 8 * rows } else { 0 };
        let lists = 20 * rows + (1 << 20) + check;
        let elimination = state.saturating_add(tile.saturating_mul(at_a_time as u64));
        let host_bytes = elimination.max(lists + BitMatrix::bytes_of(1, columns as u64) + 16);

        let groups = self.all_tiles().div_ceil(at_a_time);
        let again: u64 = (0..groups).map(|group| self.tiles.min(group * at_a_time) as u64).sum();
        let kept = self.tiles.min(groups.saturating_sub(1) * at_a_time) as u64;
        let new_pivots = 64 * (self.most_new_pivots() * self.all_tiles()) as u64;
        // A check reads the new pivots for their leads, a sample of the rows, for what may be lost, and for their
        // carried words; the lists for their ones and for these words, too.
        let (lists_again, new_pivots_again) = if self.checks { (4, 5) } else { (0, 0) };
        let input_bytes = self.file_bytes.saturating_mul(groups as u64 + 1 + lists_again);
        let read_bytes = input_bytes
            .saturating_add((64 * rows).saturating_mul(again))
            .saturating_add(new_pivots.saturating_mul(1 + new_pivots_again));
        let written_bytes = (64 * rows).saturating_mul(kept).saturating_add(new_pivots);
        FromFiles {
            parts: groups,
            read_bytes,
            written_bytes,
            input_bytes,
            at_a_time,
            band: host_bytes - lists,
            compute: crate::gf2::cpu::times::f4_on_files(self.rows, columns, cpu),
            host_bytes,
        }
    }

    fn write_parts(&self, files: &FromFiles, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FromFiles { parts, at_a_time, read_bytes, input_bytes, written_bytes, .. } = files;
        writeln!(f, "method         blocked, 512 columns at a time, on files")?;
        writeln!(f, "parts          {parts} of {} tiles, {at_a_time} at a time", self.tiles)?;
        writeln!(f, "passes         {} over the input files", parts + 1)?;
        writeln!(f, "reads          {read_bytes} bytes at most, {input_bytes} of them of the input files")?;
        writeln!(f, "writes         {written_bytes} bytes to scratch files at most")
    }

    fn run_in_parts(&self, ready: &ReadyFromFiles<'_>, f4: &StoredF4Matrix<'_>) -> Result<F4OnFilesAnswer> {
        self.eliminate(ready, f4)
    }
}
