//! The update of tiles by a factored block, by tables of sums (four Russians).
//!
//! A block's multipliers, 512 bits a row, name the acting pivots that are added to the row; the
//! update of the other tiles needs the multipliers only, not the block's own tile. Work: rows *
//! columns * rank / 2 bit additions; one table look-up adds 5 pivots to 512 columns.

use super::kernels::{Selection, Tables, add_selected};
use super::panel::{BlockPivots, CHUNK, Promotion, between};
use super::run_context::RunContext;
use crate::gf2::bit_matrix::{LINE_BITS, Line, SetBits};
pub use crate::gf2::tiles::GROUP;
use crate::parallel::*;

/// Computes the block's pivots in any tile from the given pivots and the promoted rows.
pub struct Reduction<'a> {
    pivots: &'a BlockPivots,
    /// By promotion.
    multipliers: Vec<Line>,
    /// All promotions by number.
    numbers: Vec<u32>,
    full: bool,
    context: RunContext<'a>,
}

impl<'a> Reduction<'a> {
    /// `full` clears the pivots' columns in the promoted rows, too.
    pub fn new(pivots: &'a BlockPivots, multipliers: &[Line], full: bool, context: RunContext<'a>) -> Self {
        let promotions = &pivots.promotions;
        Reduction {
            pivots,
            multipliers: promotions.iter().map(|p| multipliers[p.row as usize]).collect(),
            numbers: (0..promotions.len() as u32).collect(),
            full,
            context,
        }
    }

    /// Reduces the promoted rows of a tile, and makes the block's acting pivots of the given ones in `acting`.
    pub fn apply(&self, tile: &mut [Line], acting: &mut [Line]) {
        let promotions = &self.pivots.promotions;
        let mut promoted: Vec<Line> = promotions.iter().map(|p| tile[p.row as usize]).collect();
        for w in 0..8 {
            let range = word_range(promotions, w);
            let raw = &mut acting[64 * w..64 * w + 64];
            for (promotion, line) in promotions[range.clone()].iter().zip(&mut promoted[range.clone()]) {
                SetBits(promotion.exact).for_each(|k| line.xor(&raw[k]));
                raw[promotion.place % 64] = *line;
            }
            self.let_act(w, raw);
            if self.full {
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
        let (rows, simd, present) = (multipliers.len(), self.context.simd, &self.pivots.present);
        let tiles = tiles.par_chunks_mut(rows).zip(acting.par_chunks(LINE_BITS));
        tiles.for_each(|(tile, acting)| {
            let chunks = tile.par_chunks_mut(CHUNK).zip(multipliers.par_chunks(CHUNK));
            chunks.enumerate().for_each(|(k, (lines, multipliers))| {
                let _task = self.context.task("update");
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
        for k in SetBits(self.pivots.present.0[w]).rev() {
            let mut line = pivots[k];
            SetBits(self.pivots.coefficients[64 * w + k]).for_each(|other| line.xor(&pivots[other]));
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
            Tables::with(|tables| add_selected(self.context.simd, promoted, &selection, acting, tables));
        } else {
            for (line, multipliers) in promoted.iter_mut().zip(&self.multipliers) {
                SetBits(multipliers.0[w]).for_each(|k| line.xor(&acting[k]));
            }
        }
    }
}

/// The range of the promotions in word `w` of the block; promotions are in order of place.
pub fn word_range(promotions: &[Promotion], w: usize) -> std::ops::Range<usize> {
    let before = |w: usize| promotions.partition_point(|promotion| promotion.place < 64 * w);
    before(w)..before(w + 1)
}
