//! How each block of an elimination is done: decisions, in numbers.

use std::ops::Range;

use super::buffers::Failure;
use super::shape::Window;

/// How a block is eliminated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Schedule {
    /// Rows to reduce and flag before the panel; none where the last update flagged what the
    /// panel needs.
    pub flag: Option<Range<u32>>,
    /// The rows among which the panel seeks pivots.
    pub window: Window,
    /// Rows to reduce and flag for a second attempt where the first may have missed pivots. None
    /// for a single attempt, after which the block then fails.
    pub second: Option<Range<u32>>,
    /// Rows to which the pivots are added. Where pivot rows stand first: so many rows after these.
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

    /// The other tiles.
    pub fn other_tiles(&self, block: usize) -> Range<u32> {
        self.next_tiles(block).end..self.tiles.end
    }
}

/// Decides how blocks are eliminated.
pub(super) trait Policy {
    /// How a block is to be eliminated, by what is known so far.
    fn schedule(&self, block: usize) -> Schedule;

    /// Takes note that the next block is `next`, before which there are `done` pivot rows at least
    /// where these stand first, and of the failure that made the last batch end there.
    fn advance(&mut self, next: usize, done: u32, failure: Option<Failure>);
}

/// The attempts to find the pivots of a block; see `shaders/gf2/panel.wgsl`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Attempt {
    /// A second one follows, which does nothing where the first is enough.
    First = 0,
    Only = 1,
    Second = 2,
}
