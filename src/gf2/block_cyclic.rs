//! The blocks of a matrix's columns, dealt out to several devices or processes.

use std::ops::Range;

use super::BitMatrix;
use super::row_reduction::RowReduction;
use super::tiles::BLOCK;
use crate::Result;
use crate::parallel::*;

/// 64-bit words of a row in a block.
const WORDS: usize = BLOCK / 64;
/// Rows that one thread copies at a time.
const ROWS: usize = 64;
/// The most blocks of a run, and the fewest runs of a member: the last run is the work of one member alone.
const LONGEST_RUN: usize = 8;
const RUNS: usize = 16;

/// The owner of each block of 256 columns of a matrix. A member's own blocks stand side by side in its part:
///
/// ```text
/// blocks      0 1 2 3 4 5 6        of members as fast as each other
/// owners      0 1 2 0 1 2 0
/// parts       0 3 6 | 1 4 | 2 5
/// ```
///
/// In wide matrices blocks go out in runs: within a run the owner waits for nobody, and the messages to the others go
/// out while it works.
#[derive(Clone, Debug)]
pub struct Deal {
    columns: usize,
    /// By block: its owner.
    owners: Vec<usize>,
    /// By block: the number of the owner's blocks before it.
    places: Vec<usize>,
    members: usize,
}

impl Deal {
    /// Deals out the blocks of `columns` columns to members with these speeds: each run of blocks to the member that
    /// then has the fewest for its speed, the first of equal ones.
    pub fn new(columns: usize, speeds: &[f64]) -> Self {
        let mut counts = vec![0; speeds.len()];
        let (mut owners, mut places) = (Vec::new(), Vec::new());
        let blocks = columns.div_ceil(BLOCK);
        let run = (blocks / (RUNS * speeds.len().max(1))).clamp(1, LONGEST_RUN);
        for first in (0..blocks).step_by(run) {
            let run = run.min(blocks - first);
            let load = |member: usize| (counts[member] + run) as f64 / speeds[member];
            let able = (0..speeds.len()).filter(|&member| speeds[member] > 0.0);
            let owner = able.min_by(|&a, &b| load(a).total_cmp(&load(b))).unwrap_or(0);
            for _ in 0..run {
                owners.push(owner);
                places.push(counts[owner]);
                counts[owner] += 1;
            }
        }
        Deal { columns, owners, places, members: speeds.len() }
    }

    /// The number of members, with and without blocks.
    pub fn members(&self) -> usize {
        self.members
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.owners.len()
    }

    /// The owner of a block.
    pub fn owner(&self, block: usize) -> usize {
        self.owners[block]
    }

    /// The blocks of a member, ascending.
    pub fn own(&self, member: usize) -> impl Iterator<Item = usize> {
        (0..self.owners.len()).filter(move |&block| self.owners[block] == member)
    }

    /// The number of a member's blocks before `block`: the place in its part of the first one from there on.
    pub fn before(&self, member: usize, block: usize) -> usize {
        self.owners[..block.min(self.owners.len())].iter().filter(|&&owner| owner == member).count()
    }

    /// True if a member has this block or one after it: only then does the block concern it.
    pub fn is_busy(&self, member: usize, block: usize) -> bool {
        self.owners[block..].contains(&member)
    }

    /// The number of columns of a member's part.
    pub fn columns_of(&self, member: usize) -> usize {
        self.own(member).map(|block| self.width(block)).sum()
    }

    fn width(&self, block: usize) -> usize {
        BLOCK.min(self.columns - BLOCK * block)
    }

    /// The words of a block in a row.
    fn words(&self, block: usize) -> std::ops::Range<usize> {
        WORDS * block..WORDS * block + self.width(block).div_ceil(64)
    }

    /// Copies a member's part out of a matrix.
    pub fn part(&self, matrix: &BitMatrix, member: usize) -> Result<BitMatrix> {
        self.part_of_rows(matrix, 0..matrix.rows(), member)
    }

    /// Copies a member's part of some rows of a matrix.
    pub fn part_of_rows(&self, matrix: &BitMatrix, rows: Range<usize>, member: usize) -> Result<BitMatrix> {
        let mut part = BitMatrix::zeros(rows.len(), self.columns_of(member))?;
        let (stride, own_stride) = (matrix.stride64().max(1), part.stride64().max(1));
        let all = &matrix.words64()[rows.start * matrix.stride64()..rows.end * matrix.stride64()];
        let rows = all.par_chunks(stride).zip(part.words64_mut().par_chunks_mut(own_stride));
        rows.with_min_len(ROWS).for_each(|(from, to)| {
            for block in self.own(member) {
                let (range, place) = (self.words(block), WORDS * self.places[block]);
                let count = range.len();
                to[place..place + count].copy_from_slice(&from[range]);
            }
        });
        Ok(part)
    }

    /// Copies a member's part to its place in a matrix.
    pub fn put(&self, part: &BitMatrix, member: usize, matrix: &mut BitMatrix) {
        let (stride, own_stride) = (matrix.stride64().max(1), part.stride64().max(1));
        let rows = matrix.words64_mut().par_chunks_mut(stride).zip(part.words64().par_chunks(own_stride));
        rows.with_min_len(ROWS).for_each(|(to, from)| {
            for block in self.own(member) {
                let (range, place) = (self.words(block), WORDS * self.places[block]);
                let count = range.len();
                to[range].copy_from_slice(&from[place..place + count]);
            }
        });
    }

    /// The work of a member for a block whose pivots are known; `is_last` if no pivots are sought after it.
    pub fn steps(&self, member: usize, block: usize, reduction: &RowReduction, is_last: bool) -> Steps {
        let tile = |block: usize| 2 * self.before(member, block) as u32;
        let (own, after, end) = (tile(block), tile(block + 1), tile(self.blocks()));
        // Unless rows above are cleared, or the block has columns that get no pivots, nothing reads its columns again.
        let first = if reduction.is_reduced() || reduction.ends_within(block) { own } else { after };
        let is_next = !is_last && self.owners.get(block + 1) == Some(&member);
        Steps {
            predict: own..end,
            next: is_next.then_some(first..after + 2),
            next_tile: after,
            update: if is_next { after + 2..end } else { first..end },
        }
    }
}

/// The tiles of a member's part in which it does the steps of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    pub predict: std::ops::Range<u32>,
    /// Those of *update next*, if the member owns the next block and its panel follows.
    pub next: Option<std::ops::Range<u32>>,
    /// The next block's first tile.
    pub next_tile: u32,
    pub update: std::ops::Range<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gf2::{Wanted, generate};

    #[test]
    fn blocks_are_dealt_out_in_a_cycle_or_by_speed() {
        let owners = |columns, speeds: &[f64]| Deal::new(columns, speeds).owners;
        assert_eq!(owners(7 * 256, &[1.0; 3]), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(owners(257, &[1.0; 3]), [0, 1]);
        assert_eq!(owners(6 * 256, &[0.5, 1.0]), [1, 0, 1, 1, 0, 1]);
        assert_eq!(owners(600, &[0.0, 1.0]), [1, 1, 1]);
        assert!(owners(0, &[1.0]).is_empty());
    }

    #[test]
    fn parts_are_put_back_where_they_were() {
        for columns in [0, 1, 256, 257, 600, 1500, 1536] {
            let matrix = generate::matrix(5, columns, 0.5, 1).unwrap();
            for speeds in [&[1.0][..], &[1.0, 1.0], &[1.0, 0.3, 1.0, 1.0]] {
                let deal = Deal::new(columns, speeds);
                let mut copy = BitMatrix::zeros(5, columns).unwrap();
                for member in 0..speeds.len() {
                    let part = deal.part(&matrix, member).unwrap();
                    assert_eq!(part.columns(), deal.columns_of(member));
                    deal.put(&part, member, &mut copy);
                }
                assert!(copy == matrix, "{columns} {speeds:?}");
            }
        }
    }

    #[test]
    fn every_tile_after_a_block_is_updated_once() {
        for wanted in [Wanted::Echelon { from: 0 }, Wanted::Reduced] {
            let reduction = RowReduction::new(9, 1800, wanted).unwrap();
            let deal = Deal::new(1800, &[1.0, 0.5, 1.0]);
            for block in 0..8 {
                for member in 0..3 {
                    let steps = deal.steps(member, block, &reduction, block == 7);
                    let changed = if reduction.is_reduced() { block } else { block + 1 };
                    let first = 2 * deal.before(member, changed) as u32;
                    let end = 2 * deal.own(member).count() as u32;
                    let next = steps.next.clone().unwrap_or(first..steps.update.start);
                    assert_eq!((next.start, next.end, steps.update.end), (first, steps.update.start, end));
                    assert_eq!(steps.next.is_some(), block < 7 && deal.owner(block + 1) == member);
                    assert_eq!(steps.predict, 2 * deal.before(member, block) as u32..end);
                }
            }
        }
    }
}
