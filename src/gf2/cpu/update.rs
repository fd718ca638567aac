//! The update of tiles by a factored block, by tables of sums (four Russians).
//!
//! A block's multipliers, 512 bits a row, name the reduced pivots that are added to the row; the
//! update of the other tiles needs the multipliers only, not the block's own tile. Work: rows *
//! columns * rank / 2 bit additions; one table look-up adds 5 pivots to 512 columns.

use super::kernels::{Selection, Tables, add_selected};
use super::panel::{BlockPivots, CHUNK, NewPivot, between};
use super::run_context::RunContext;
use crate::gf2::bit_matrix::{LINE_BITS, Line, SetBits};
pub use crate::gf2::tiles::GROUP;
use crate::parallel::*;

/// Computes the block's pivots in any tile from the given and the new pivots.
pub struct Reduction<'a> {
    pivots: &'a BlockPivots,
    /// By new pivot.
    multipliers: Vec<Line>,
    /// All new pivots by number.
    numbers: Vec<u32>,
    is_reduced: bool,
    context: RunContext<'a>,
}

impl<'a> Reduction<'a> {
    /// `is_reduced` clears the pivots' columns in the new pivots, too.
    pub fn new(
        pivots: &'a BlockPivots,
        multipliers: &[Line],
        is_reduced: bool,
        context: RunContext<'a>,
    ) -> Self {
        let new_pivots = &pivots.new_pivots;
        Reduction {
            pivots,
            multipliers: new_pivots.iter().map(|p| multipliers[p.row as usize]).collect(),
            numbers: (0..new_pivots.len() as u32).collect(),
            is_reduced,
            context,
        }
    }

    /// Reduces the new pivots of a tile, and makes the block's reduced pivots of the given ones in `reduced`.
    pub fn apply(&self, tile: &mut [Line], reduced: &mut [Line]) {
        let new_pivots = &self.pivots.new_pivots;
        let mut pivot_lines: Vec<Line> = new_pivots.iter().map(|p| tile[p.row as usize]).collect();
        for w in 0..8 {
            let range = word_range(new_pivots, w);
            let raw = &mut reduced[64 * w..64 * w + 64];
            for (new_pivot, line) in new_pivots[range.clone()].iter().zip(&mut pivot_lines[range.clone()]) {
                SetBits(new_pivot.exact).for_each(|k| line.xor(&raw[k]));
                raw[new_pivot.place % 64] = *line;
            }
            self.reduce_pivots(w, raw);
            if self.is_reduced {
                for (new_pivot, line) in new_pivots[range.clone()].iter().zip(&mut pivot_lines[range]) {
                    *line = raw[new_pivot.place % 64];
                }
            }
            self.add_to_pivot_lines(w, &mut pivot_lines, raw);
        }
        for (new_pivot, line) in new_pivots.iter().zip(&pivot_lines) {
            tile[new_pivot.row as usize] = *line;
        }
    }

    /// Adds the reduced pivots to the rows `updated` in some tiles; none of these rows is a
    /// new pivot of the block.
    pub fn add_to_others(&self, tiles: &mut [Line], reduced: &[Line], updated: &[u32], multipliers: &[Line]) {
        let (rows, simd, present) = (multipliers.len(), self.context.simd, &self.pivots.present);
        let tiles = tiles.par_chunks_mut(rows).zip(reduced.par_chunks(LINE_BITS));
        tiles.for_each(|(tile, reduced)| {
            let chunks = tile.par_chunks_mut(CHUNK).zip(multipliers.par_chunks(CHUNK));
            chunks.enumerate().for_each(|(k, (lines, multipliers))| {
                let _task = self.context.task("update");
                let first = k * CHUNK;
                let rows = between(updated, first, first + lines.len());
                for word in (0..8).filter(|&w| present.0[w] != 0) {
                    let selection = Selection { first, rows, multipliers, word };
                    let reduced = &reduced[64 * word..64 * word + 64];
                    Tables::with(|tables| add_selected(simd, lines, &selection, reduced, tables));
                }
            });
        });
    }

    /// Makes reduced pivots of the raw pivots of word `w`.
    fn reduce_pivots(&self, w: usize, pivots: &mut [Line]) {
        for k in SetBits(self.pivots.present.0[w]).rev() {
            let mut line = pivots[k];
            SetBits(self.pivots.coefficients[64 * w + k]).for_each(|other| line.xor(&pivots[other]));
            pivots[k] = line;
        }
    }

    fn add_to_pivot_lines(&self, w: usize, pivot_lines: &mut [Line], reduced: &[Line]) {
        /// Up to this many rows, single additions are cheaper than tables: tables take 416 additions
        /// to build and then 13 a row instead of 32.
        const FEW: usize = 20;
        if pivot_lines.len() > FEW {
            let selection =
                Selection { first: 0, rows: &self.numbers, multipliers: &self.multipliers, word: w };
            Tables::with(|tables| add_selected(self.context.simd, pivot_lines, &selection, reduced, tables));
        } else {
            for (line, multipliers) in pivot_lines.iter_mut().zip(&self.multipliers) {
                SetBits(multipliers.0[w]).for_each(|k| line.xor(&reduced[k]));
            }
        }
    }
}

/// The range of the new pivots in word `w` of the block; new pivots are in order of place.
pub fn word_range(new_pivots: &[NewPivot], w: usize) -> std::ops::Range<usize> {
    let before = |w: usize| new_pivots.partition_point(|new_pivot| new_pivot.place < 64 * w);
    before(w)..before(w + 1)
}
