//! Blocked elimination of a matrix that stays on the disk, some tiles of 512 columns in memory at a time.
//!
//! ```text
//! for each group of tiles, from left to right:
//!     read the group
//!     for each block before the group:       [its multipliers are read while the block before it is applied]
//!         apply the block to the group
//!     for each block of the group:
//!         factor it in its tile, keep its multipliers, apply it to the tiles after it in the group
//!     finish the group: no later block changes it
//!
//!                 group 0     group 1     group 2
//!     block 0     factor -->  apply --->  apply        the multipliers of a block, 64 bytes a row,
//!     block 1     factor -->  apply --->  apply        are written once and read by every later group
//!     block 2                 factor -->  apply
//!     ...
//! ```
//!
//! Every tile sees the same blocks in the same order as in memory (see [`super::blocked`]), so the result is the same,
//! bit for bit. With g groups of equal size, the multipliers are read (g - 1) / 2 times as a whole.
//!
//! The eliminators of a system are the first rows, with known leads. An eliminator is a candidate only in the block of
//! its lead, which promotes it as it is, since no other pivot has that lead; no block changes it.

use super::blocked::{GROUP, Plan, Reduction};
#[cfg(doc)]
use super::panel::NONE;
use super::panel::{Block, Promotion, RowStates};
use super::work::Work;
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, zero_lines};
use crate::parallel::*;

/// The files of an elimination. Tile t of a matrix with r rows has r lines.
pub(in crate::gf2) trait Store: Send + Sync {
    /// Reads consecutive tiles of the matrix, from `first_tile` on.
    fn read(&self, first_tile: usize, tiles: &mut [Line]) -> Result<()>;

    /// Keeps the multipliers of a block.
    fn keep(&mut self, block: usize, multipliers: &[Line]) -> Result<()>;

    /// Reads the multipliers of a block that were kept.
    fn multipliers(&self, block: usize, lines: &mut [Line]) -> Result<()>;

    /// Takes consecutive tiles in their final form. `leads` has by row the column of its lead, or [`NONE`]; those of
    /// later tiles are not known yet. Returns true if the tiles after them are needed.
    fn finish(&mut self, first_tile: usize, tiles: &[Line], leads: &[u32]) -> Result<bool>;
}

/// The shape of an elimination.
pub(in crate::gf2) struct Shape {
    pub rows: usize,
    pub tiles: usize,
    /// Pivots are sought in the columns before this one.
    pub limit: usize,
    /// Clears the pivots' columns in all rows, those promoted before included.
    pub full: bool,
    /// Tiles in memory at a time, at least 1.
    pub at_a_time: usize,
    pub known: KnownPivots,
}

/// The first rows of a matrix, whose leads are known and distinct. They become pivots as they are.
#[derive(Default)]
pub(in crate::gf2) struct KnownPivots {
    /// The number of these rows, rows of zeros included.
    pub rows: usize,
    /// The lead and the number of each row that is not zero, by ascending lead.
    pub leads: Vec<(u32, u32)>,
}

/// Bytes that an elimination takes in addition to its tiles: two blocks' multipliers, lists of rows, pivots of all
/// blocks.
pub(in crate::gf2) fn state_bytes(rows: u64, limit: u64) -> u64 {
    let (lists, promotions) = (16 + 32, size_of::<Promotion>() as u64 + 8);
    let blocks = limit.div_ceil(LINE_BITS as u64);
    let of_blocks = blocks.saturating_mul(8 * LINE_BITS as u64 + 256);
    (rows.saturating_mul(128 + lists))
        .saturating_add(rows.min(limit).saturating_mul(promotions))
        .saturating_add(of_blocks)
        .saturating_add(512 << 10)
}

/// Bytes of a tile in memory, with the block's pivots in it.
pub(in crate::gf2) fn tile_bytes(rows: u64) -> u64 {
    rows.saturating_mul(64).saturating_add(64 * LINE_BITS as u64)
}

/// The pivots of a factored block.
struct Factored {
    present: Line,
    coefficients: Box<[u64]>,
    promotions: Vec<Promotion>,
}

/// Eliminates the matrix of `store`, which has at least one row. Returns by row the column of its lead, or [`NONE`].
pub(super) fn eliminate(shape: &Shape, store: &mut dyn Store, work: Work<'_>) -> Result<Vec<u32>> {
    let &Shape { rows, limit, full, at_a_time, .. } = shape;
    let blocks = limit.div_ceil(LINE_BITS);
    let mut run = Run {
        plan: Plan { given: None, limit, full, record: false, work },
        block: Block::new(),
        factored: Vec::new(),
        zeros: zero_lines(LINE_BITS)?,
        acting: zero_lines(LINE_BITS * at_a_time.min(GROUP))?,
        rows: RowStates::new(rows, full),
        known_rows: shape.known.rows,
    };
    run.rows.candidates.drain(..shape.known.rows);
    let mut known = &shape.known.leads[..];
    let mut lines = zero_lines(rows * at_a_time.min(shape.tiles))?;
    let (mut multipliers, mut next) = (zero_lines(rows)?, zero_lines(rows)?);
    let meter = work.meter(effort(shape.tiles, blocks));
    for first in (0..shape.tiles).step_by(at_a_time) {
        let end = shape.tiles.min(first + at_a_time);
        let tiles = &mut lines[..rows * (end - first)];
        store.read(first, tiles)?;
        let before = run.acting_blocks();
        if let Some(&b) = before.first() {
            store.multipliers(b, &mut multipliers)?;
        }
        for (k, &b) in before.iter().enumerate() {
            let following = before.get(k + 1);
            let read = || following.map_or(Ok(()), |&b| store.multipliers(b, &mut next));
            let (read, ()) = join(read, || run.apply(b, tiles, &multipliers));
            read?;
            meter.reach(effort(first, blocks) + ((b + 1) * (end - first)) as u64);
            std::mem::swap(&mut multipliers, &mut next);
        }
        for b in first..end.min(blocks) {
            if run.rows.candidates.is_empty() && !full {
                break;
            }
            let in_block = known.partition_point(|&(lead, _)| (lead as usize) < LINE_BITS * (b + 1));
            let (now, later) = known.split_at(in_block);
            known = later;
            run.consider(now);
            run.factor(b, &mut tiles[rows * (b - first)..][..rows], &mut multipliers);
            if end < shape.tiles && !run.factored[b].present.is_zero() {
                store.keep(b, &multipliers)?;
            }
            run.apply(b, &mut tiles[rows * (b + 1 - first)..], &multipliers);
            // The tiles up to b are done; those after it have seen the blocks up to b.
            meter.reach(effort(b + 1, blocks) + ((b + 1) * (end - b - 1)) as u64);
        }
        meter.reach(effort(end, blocks));
        if !store.finish(first, tiles, &run.rows.leads)? {
            break;
        }
    }
    // The rank may be known before the last tile.
    meter.reach(effort(shape.tiles, blocks));
    Ok(run.rows.leads)
}

/// The work on the first `tiles` tiles, up to a factor: each sees the blocks before it, and its own.
fn effort(tiles: usize, blocks: usize) -> u64 {
    let (inside, outside) = (tiles.min(blocks) as u64, tiles.saturating_sub(blocks) as u64);
    inside * (inside + 1) / 2 + outside * (blocks as u64 + 1)
}

struct Run<'a> {
    plan: Plan<'a>,
    block: Block,
    factored: Vec<Factored>,
    /// The given pivots of every tile: none.
    zeros: Box<[Line]>,
    /// The acting pivots of a block, 512 lines a tile.
    acting: Box<[Line]>,
    rows: RowStates,
    /// The rows with known leads, which no block changes.
    known_rows: usize,
}

impl Run<'_> {
    /// Makes known pivots candidates, before all others.
    fn consider(&mut self, known: &[(u32, u32)]) {
        let mut rows: Vec<u32> = known.iter().map(|&(_, row)| row).collect();
        rows.sort_unstable();
        self.rows.candidates.splice(0..0, rows);
    }

    /// The factored blocks that have pivots.
    fn acting_blocks(&self) -> Vec<usize> {
        (0..self.factored.len()).filter(|&b| !self.factored[b].present.is_zero()).collect()
    }

    /// Finds the pivots of block `b` in its tile and writes its multipliers of each row.
    fn factor(&mut self, b: usize, tile: &mut [Line], multipliers: &mut [Line]) {
        let given = (&*self.zeros, Line::ZERO);
        self.rows.factor(&mut self.block, b, given, (tile, multipliers), self.plan.limit, self.plan.work);
        // A block without pivots is never applied, and there may be millions of them.
        let coefficients = match self.block.present.is_zero() {
            true => Box::default(),
            false => self.block.coefficients.clone(),
        };
        self.factored.push(Factored {
            present: self.block.present,
            coefficients,
            promotions: self.block.promotions.clone(),
        });
    }

    /// Applies block `b` to tiles after its own.
    fn apply(&mut self, b: usize, tiles: &mut [Line], multipliers: &[Line]) {
        let (rows, factored) = (multipliers.len(), &self.factored[b]);
        if factored.present.is_zero() || tiles.is_empty() {
            return;
        }
        self.block.index = b;
        self.block.present = factored.present;
        self.block.coefficients.copy_from_slice(&factored.coefficients);
        self.block.promotions.clone_from(&factored.promotions);
        let reduction = Reduction::new(&self.block, multipliers, &self.plan);
        // Rows that later blocks promoted were not promoted yet when the block was factored. Rows without a lead
        // count as promoted after all blocks.
        let is_updated = |&row: &u32| {
            let block = self.rows.leads[row as usize] as usize / LINE_BITS;
            if self.plan.full { block != b } else { block > b }
        };
        let updated: Vec<u32> = (self.known_rows as u32..rows as u32).filter(is_updated).collect();
        for tiles in tiles.chunks_mut(GROUP * rows) {
            let acting = &mut self.acting[..LINE_BITS * (tiles.len() / rows)];
            let pairs = tiles.par_chunks_mut(rows).zip(acting.par_chunks_mut(LINE_BITS));
            pairs.for_each(|(tile, acting)| {
                let _task = self.plan.work.task("pivots");
                reduction.apply(tile, &self.zeros, acting);
            });
            reduction.add_to_others(tiles, acting, &updated, multipliers);
        }
    }
}
