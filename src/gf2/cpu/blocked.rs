//! Blocked elimination: blocks of 512 columns, each factored in its own tile (see [`super::panel`])
//! and then applied to the tiles after it by tables of sums (four Russians).
//!
//! A block's multipliers, 512 bits a row, name the acting pivots that are added to the row; the
//! update of the other tiles needs the multipliers only, not the block's own tile. Work: rows *
//! columns * rank / 2 bit additions; one table look-up adds 5 pivots to 512 columns.

use super::kernels::{Selection, Tables, add_selected};
use super::panel::{Block, CHUNK, Promotion, RowStates, between};
use super::tiles::Tiles;
use super::work::Work;
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, SetBits, zero_lines};
use crate::parallel::*;

/// The number of tiles that are updated at a time; their given and acting pivots take 4 MiB in all.
pub(in crate::gf2) const GROUP: usize = 64;

/// Pivots that exist before any row is promoted.
pub(super) trait Given: Sync {
    /// Writes the given pivots of block `index` in the tiles from `first_tile` on: the line of place
    /// k in tile t to `lines[512 * (t - first_tile) + k]`. Lines without a pivot become zero.
    fn expand(&self, index: usize, first_tile: usize, lines: &mut [Line]);

    /// The places of block `index` that have a given pivot.
    fn present(&self, index: usize) -> Line;
}

/// The options of an elimination.
pub(super) struct Plan<'a> {
    pub given: Option<&'a dyn Given>,
    /// Pivots are sought in the columns before this one.
    pub limit: usize,
    /// Clears the pivots' columns in all rows, those promoted before included.
    pub full: bool,
    /// Records how each promoted row was computed.
    pub record: bool,
    pub work: Work<'a>,
}

/// The result of an elimination.
pub(super) struct Factors {
    /// By row: the column of its lead if it was promoted, else [`NONE`].
    pub leads: Vec<u32>,
    pub record: Option<Record>,
}

/// The additions from which each promoted row was computed.
pub(super) struct Record {
    /// By row, in the columns of each word: the acting pivots that were added to it.
    pub multipliers: Tiles,
    /// By row: as [`Promotion::exact`].
    pub exact: Vec<u64>,
    /// By column: as [`Block::coefficients`].
    pub coefficients: Vec<u64>,
}

/// Eliminates `matrix` in place; lead means lowest column. Of the rows with a lead that has no
/// pivot, the first in order is promoted.
pub(super) fn eliminate(matrix: &mut Tiles, plan: &Plan<'_>) -> Result<Factors> {
    let rows = matrix.rows();
    let blocks = plan.limit.div_ceil(LINE_BITS);
    let group = LINE_BITS * matrix.count().min(GROUP);
    let mut run = Run {
        plan,
        block: Block::new(),
        given: zero_lines(if plan.given.is_some() { group } else { LINE_BITS })?,
        acting: zero_lines(group)?,
        rows: RowStates::new(rows, plan.full),
    };
    let mut record = match plan.record {
        true => Some(Record {
            multipliers: Tiles::zeros(rows, blocks * LINE_BITS)?,
            exact: vec![0; rows],
            coefficients: vec![0; blocks * LINE_BITS],
        }),
        false => None,
    };
    let mut scratch = zero_lines(if plan.record { 0 } else { rows })?;
    let meter = plan.work.meter(effort(blocks, matrix.count()));
    for b in 0..blocks {
        meter.reach(effort(b, matrix.count()));
        match &mut record {
            None => run.block(b, matrix, &mut scratch)?,
            Some(record) => {
                run.block(b, matrix, record.multipliers.tile_mut(b))?;
                record.note(&run.block);
            }
        }
        if run.rows.candidates.is_empty() && !plan.full {
            break;
        }
    }
    meter.reach(effort(blocks, matrix.count()));
    Ok(Factors { leads: run.rows.leads, record })
}

/// The work of the first `blocks` blocks on so many tiles, up to a factor. Block b is applied to the tiles after it;
/// its own tile takes about as long as one of them.
pub(super) fn effort(blocks: usize, tiles: usize) -> u64 {
    let (blocks, tiles) = (blocks as u64, tiles as u64);
    blocks * (tiles + 1) - blocks * (blocks + 1) / 2
}

impl Record {
    fn note(&mut self, block: &Block) {
        self.coefficients[LINE_BITS * block.index..][..LINE_BITS].copy_from_slice(&block.coefficients);
        for promotion in &block.promotions {
            self.exact[promotion.row as usize] = promotion.exact;
        }
    }
}

struct Run<'a> {
    plan: &'a Plan<'a>,
    block: Block,
    /// The given pivots of the block in a group of tiles, 512 lines a tile. Without given pivots:
    /// 512 zero lines, used for every tile.
    given: Box<[Line]>,
    /// The acting pivots of the block in a group of tiles: 512 lines a tile.
    acting: Box<[Line]>,
    rows: RowStates,
}

impl Run<'_> {
    /// Eliminates the columns of block `b` and writes its multipliers of each row.
    fn block(&mut self, b: usize, matrix: &mut Tiles, multipliers: &mut [Line]) -> Result<()> {
        let own = &mut self.given[..LINE_BITS];
        let present = match self.plan.given {
            Some(given) => {
                given.expand(b, b, own);
                given.present(b)
            }
            None => Line::ZERO,
        };
        let (given, lines) = ((&*own, present), (matrix.tile_mut(b), &mut *multipliers));
        self.rows.factor(&mut self.block, b, given, lines, self.plan.limit, self.plan.work);
        self.trail(b + 1, matrix, multipliers)
    }

    /// Applies the block to the tiles from `first_tile` on.
    ///
    /// # Errors
    /// [`Error::Stopped`](crate::Error::Stopped).
    fn trail(&mut self, first_tile: usize, matrix: &mut Tiles, multipliers: &[Line]) -> Result<()> {
        self.plan.work.timeline().check()?;
        if self.block.present.is_zero() || matrix.rows() == 0 {
            return Ok(());
        }
        let rows = matrix.rows();
        let reduction = Reduction::new(&self.block, multipliers, self.plan);
        let updated = &*self.rows.updated(&self.block);
        let groups = matrix.tiles_from_mut(first_tile).chunks_mut(GROUP * rows);
        for (tiles, first_tile) in groups.zip((first_tile..).step_by(GROUP)) {
            self.plan.work.timeline().check()?;
            let count = tiles.len() / rows;
            if let Some(given) = self.plan.given {
                given.expand(self.block.index, first_tile, &mut self.given[..LINE_BITS * count]);
            }
            let given = match self.plan.given {
                Some(_) => &self.given[..],
                None => &[],
            };
            let acting = &mut self.acting[..LINE_BITS * count];
            let pairs = tiles.par_chunks_mut(rows).zip(acting.par_chunks_mut(LINE_BITS));
            pairs.enumerate().for_each(|(t, (tile, acting))| {
                let _task = self.plan.work.task("pivots");
                let given = given.get(LINE_BITS * t..LINE_BITS * (t + 1)).unwrap_or(&self.given[..LINE_BITS]);
                reduction.apply(tile, given, acting);
            });
            reduction.add_to_others(tiles, acting, updated, multipliers);
        }
        Ok(())
    }
}

/// Computes the block's pivots in any tile from the given pivots and the promoted rows.
pub(super) struct Reduction<'a> {
    block: &'a Block,
    /// By promotion.
    multipliers: Vec<Line>,
    /// All promotions by number.
    numbers: Vec<u32>,
    plan: &'a Plan<'a>,
}

impl<'a> Reduction<'a> {
    pub fn new(block: &'a Block, multipliers: &[Line], plan: &'a Plan<'a>) -> Self {
        let promotions = &block.promotions;
        Reduction {
            block,
            multipliers: promotions.iter().map(|p| multipliers[p.row as usize]).collect(),
            numbers: (0..promotions.len() as u32).collect(),
            plan,
        }
    }

    /// Reduces the promoted rows of a tile and writes the block's acting pivots.
    pub fn apply(&self, tile: &mut [Line], given: &[Line], acting: &mut [Line]) {
        let promotions = &self.block.promotions;
        let mut promoted: Vec<Line> = promotions.iter().map(|p| tile[p.row as usize]).collect();
        for w in 0..8 {
            let range = word_range(promotions, w);
            let raw = &mut acting[64 * w..64 * w + 64];
            raw.copy_from_slice(&given[64 * w..64 * w + 64]);
            for (promotion, line) in promotions[range.clone()].iter().zip(&mut promoted[range.clone()]) {
                SetBits(promotion.exact).for_each(|k| line.xor(&raw[k]));
                raw[promotion.place % 64] = *line;
            }
            self.let_act(w, raw);
            if self.plan.full {
                for (promotion, line) in promotions[range.clone()].iter().zip(&mut promoted[range]) {
                    *line = raw[promotion.place % 64];
                }
            }
            self.add_to_promoted(w, &mut promoted, raw);
        }
        for (promotion, line) in promotions.iter().zip(&promoted) {
            tile[promotion.row as usize] = *line;
        }
    }

    /// Adds the acting pivots to the rows `updated` in some tiles; the block promoted none of these
    /// rows.
    pub fn add_to_others(&self, tiles: &mut [Line], acting: &[Line], updated: &[u32], multipliers: &[Line]) {
        let (rows, simd, present) = (multipliers.len(), self.plan.work.simd, &self.block.present);
        let tiles = tiles.par_chunks_mut(rows).zip(acting.par_chunks(LINE_BITS));
        tiles.for_each(|(tile, acting)| {
            let chunks = tile.par_chunks_mut(CHUNK).zip(multipliers.par_chunks(CHUNK));
            chunks.enumerate().for_each(|(k, (lines, multipliers))| {
                let _task = self.plan.work.task("update");
                let first = k * CHUNK;
                let rows = between(updated, first, first + lines.len());
                for word in (0..8).filter(|&w| present.0[w] != 0) {
                    let selection = Selection { first, rows, multipliers, word };
                    let acting = &acting[64 * word..64 * word + 64];
                    Tables::with(|tables| add_selected(simd, lines, &selection, acting, tables));
                }
            });
        });
    }

    /// Makes acting pivots of the raw pivots of word `w`.
    fn let_act(&self, w: usize, pivots: &mut [Line]) {
        for k in SetBits(self.block.present.0[w]).rev() {
            let mut line = pivots[k];
            SetBits(self.block.coefficients[64 * w + k]).for_each(|other| line.xor(&pivots[other]));
            pivots[k] = line;
        }
    }

    fn add_to_promoted(&self, w: usize, promoted: &mut [Line], acting: &[Line]) {
        /// Up to this many rows, single additions are cheaper than tables: tables take 416 additions
        /// to build and then 13 a row instead of 32.
        const FEW: usize = 20;
        if promoted.len() > FEW {
            let selection =
                Selection { first: 0, rows: &self.numbers, multipliers: &self.multipliers, word: w };
            Tables::with(|tables| add_selected(self.plan.work.simd, promoted, &selection, acting, tables));
        } else {
            for (line, multipliers) in promoted.iter_mut().zip(&self.multipliers) {
                SetBits(multipliers.0[w]).for_each(|k| line.xor(&acting[k]));
            }
        }
    }
}

/// The range of the promotions in word `w` of the block; promotions are in order of place.
fn word_range(promotions: &[Promotion], w: usize) -> std::ops::Range<usize> {
    let before = |w: usize| promotions.partition_point(|promotion| promotion.place < 64 * w);
    before(w)..before(w + 1)
}
