//! Schedules: the numbers that decide how each block is eliminated.

use std::ops::Range;

use super::buffers::Failure;
use super::shape::Window;

/// The decisions for the elimination of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Rows to reduce and flag before the panel; `None` if the last update flagged the rows that the
    /// panel needs.
    pub flag: Option<Range<u32>>,
    /// The rows among which the panel seeks pivots.
    pub window: Window,
    /// Rows to reduce and flag for a second attempt, made if the first may have missed pivots. `None`
    /// for a single attempt: the block fails if that may have missed pivots.
    pub second: Option<Range<u32>>,
    /// Rows to which the pivots are added. If pivot rows stand first, counted from the end of these.
    pub rows: Range<u32>,
    /// Tiles in which the pivots are added.
    pub tiles: Range<u32>,
    /// True if *update next* flags rows for the next block's panel.
    pub flags_next: bool,
}

impl Schedule {
    /// The tiles of *update next*: those up to the next block's two.
    pub fn next_tiles(&self, block: usize) -> Range<u32> {
        self.tiles.start..self.tiles.end.min(2 * (block as u32 + 2))
    }

    /// The tiles of *update*: all later ones.
    pub fn other_tiles(&self, block: usize) -> Range<u32> {
        self.next_tiles(block).end..self.tiles.end
    }
}

/// A policy decides how blocks are eliminated.
pub trait Policy {
    /// Returns the schedule of a block, by the progress known so far.
    fn schedule(&self, block: usize) -> Schedule;

    /// Records the progress of a batch: the next block is `next`; if pivot rows stand first, at least
    /// `done` of them come before it; `failure` made the batch end there.
    fn advance(&mut self, next: usize, done: u32, failure: Option<Failure>);
}

/// The attempts to find the pivots of a block; see `shaders/gf2/panel.wgsl`.
#[derive(Clone, Copy, Debug)]
pub enum Attempt {
    /// A second attempt follows, which does nothing if the first is enough.
    First = 0,
    Only = 1,
    Second = 2,
}
