//! The pivots of one block of 512 columns, found in the block's own tile.
//!
//! A block is processed in words of 64 columns. Each pivot has two forms:
//!
//! ```text
//! raw      a reducer as given, or a new pivot reduced by the pivots before its lead only
//! reduced  the raw pivot reduced by all other pivots of its word (Gauss-Jordan)
//! ```
//!
//! A row's multipliers in a word are therefore its bits at the places of the word's pivots.

use std::borrow::Cow;

use super::kernels::{Selection, Tables, add_selected};
use super::run_context::RunContext;
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, SetBits, zero_lines};
use crate::gf2::word_map::WordMap;
use crate::parallel::*;

/// The number of rows that one task updates: their lines and multipliers, 256 KiB, stay in the
/// second-level cache from word to word.
pub const CHUNK: usize = 2048;

/// Marks a row that has no lead yet.
pub const NONE: u32 = u32::MAX;

/// The rows in the order of their leads, and the leads.
pub fn by_lead(leads: &[u32]) -> (Vec<u32>, Vec<u32>) {
    // Rows without a lead are last: the sort is stable, and the mark of no lead is the largest.
    let mut order: Vec<u32> = (0..leads.len() as u32).collect();
    order.sort_by_key(|&row| leads[row as usize]);
    let pivots = order.iter().map(|&row| leads[row as usize]).take_while(|&lead| lead != NONE).collect();
    (order, pivots)
}

/// A row that became a pivot.
#[derive(Clone, Copy, Debug)]
pub struct NewPivot {
    pub row: u32,
    /// Its lead, counted from the block's first column.
    pub place: usize,
    /// The raw pivots of its own word, all before its lead, that were added to it. The pivots of
    /// earlier words that were added to it are the reduced ones, named by its multipliers.
    pub exact: u64,
}

/// The pivots of a factored block, by place: 0 to 511 from the block's first column. With the multipliers of a row,
/// all that another tile needs.
#[derive(Clone, Debug, Default)]
pub struct BlockPivots {
    pub index: usize,
    /// The places that have a pivot.
    pub present: Line,
    /// By place k: the reduced pivot is the raw one plus the reduced pivots of the same word named here.
    pub coefficients: Vec<u64>,
    /// By ascending place.
    pub new_pivots: Vec<NewPivot>,
}

impl BlockPivots {
    /// The new pivots, with the columns of their leads, ascending.
    pub fn rows_with_leads(&self) -> impl Iterator<Item = (u32, u32)> {
        self.new_pivots.iter().map(|p| (p.row, (LINE_BITS * self.index + p.place) as u32))
    }
}

/// What a factored block does to all rows.
#[derive(Default)]
pub struct Panel {
    pub pivots: BlockPivots,
    /// By row: the reduced pivots that are added to it, in the words that have pivots.
    pub multipliers: Box<[Line]>,
}

impl Panel {
    /// Makes room for the multipliers of so many rows.
    pub fn make_room(&mut self, rows: usize) -> Result<()> {
        if self.multipliers.len() < rows {
            self.multipliers = zero_lines(rows)?;
        }
        Ok(())
    }
}

/// Pivots that exist before any row becomes a pivot.
pub trait Given: Sync {
    /// Writes the given pivots of block `index` in a tile: the line of place k to `lines[k]`. Lines without a pivot
    /// become zero.
    fn expand(&self, index: usize, tile: usize, lines: &mut [Line]);

    /// The places of block `index` that have a given pivot.
    fn present(&self, index: usize) -> Line;
}

/// A block that is factored: its pivots' lines in its own tile, by place.
pub struct Block {
    pub pivots: BlockPivots,
    raw: Box<[Line]>,
    reduced: Box<[Line]>,
}

/// The state of all rows between blocks.
pub struct RowStates {
    /// By row: the place of its lead in the whole matrix, or [`NONE`].
    pub leads: Vec<u32>,
    /// Rows without a lead, ascending.
    pub candidates: Vec<u32>,
    /// The rows to update in Gauss-Jordan mode: all rows. Otherwise only the candidates are updated.
    all: Option<Vec<u32>>,
}

impl RowStates {
    /// The state of `rows` rows before the first block; `is_reduced` for Gauss-Jordan mode.
    pub fn new(rows: usize, is_reduced: bool) -> Self {
        let all: Vec<u32> = (0..rows as u32).collect();
        RowStates { leads: vec![NONE; rows], candidates: all.clone(), all: is_reduced.then_some(all) }
    }

    /// The rows that the next block can change.
    pub fn eligible(&self) -> &[u32] {
        self.all.as_ref().unwrap_or(&self.candidates)
    }

    /// True if no block after the last one changes anything.
    pub fn are_final(&self) -> bool {
        self.eligible().is_empty()
    }

    /// Finds the pivots of block `index` before column `limit` in its own tile, by `given` pivots and those of the
    /// candidates, and eliminates its columns. Writes by row to `multipliers` the reduced pivots that are added to it,
    /// in the words that have pivots.
    ///
    /// A block without given pivots in which no candidate has a one has no pivots. Nothing else is done for it: a
    /// matrix may have millions of such blocks.
    pub fn factor(
        &mut self,
        block: &mut Block,
        index: usize,
        given: Option<&dyn Given>,
        (tile, multipliers): (&mut [Line], &mut [Line]),
        limit: usize,
        context: RunContext<'_>,
    ) {
        let Block { pivots, raw, .. } = block;
        pivots.index = index;
        pivots.present = given.map_or(Line::ZERO, |given| given.present(index));
        pivots.new_pivots.clear();
        if pivots.present.is_zero() && self.candidates.iter().all(|&row| tile[row as usize].is_zero()) {
            return;
        }
        pivots.coefficients.resize(LINE_BITS, 0);
        match given {
            Some(given) => given.expand(index, index, raw),
            None => raw.fill(Line::ZERO),
        }
        let RowStates { leads, candidates, all } = self;
        let mut rows = Rows { tile, multipliers, leads, candidates, all: all.as_deref() };
        block.factor(&mut rows, Line::ones(limit - LINE_BITS * index), context);
    }

    /// Eliminates the columns of a block, which was factored from its new pivots elsewhere, from the candidates, and
    /// writes their multipliers in the words that have pivots. None of the candidates is a new pivot of the block.
    pub fn reduce(
        &mut self,
        block: &Block,
        (tile, multipliers): (&mut [Line], &mut [Line]),
        context: RunContext<'_>,
    ) {
        let RowStates { leads, candidates, all } = self;
        let mut rows = Rows { tile, multipliers, leads, candidates, all: all.as_deref() };
        for w in (0..8).filter(|&w| block.pivots.present.0[w] != 0) {
            block.update(w, &mut rows, context);
        }
    }

    /// Takes new pivots, with their leads, out of the candidates.
    pub fn note(&mut self, new_pivots: impl Iterator<Item = (u32, u32)>) {
        new_pivots.for_each(|(row, lead)| self.leads[row as usize] = lead);
        let leads = &self.leads;
        self.candidates.retain(|&row| leads[row as usize] == NONE);
    }

    /// The rows from row `first` on that a factored block is added to: those that it could change, without its new
    /// pivots. Those of later blocks were not pivots yet when it was factored; rows without a lead count as pivots after
    /// all blocks.
    pub fn updated(&self, block: usize, first: usize, is_latest: bool) -> Cow<'_, [u32]> {
        let block_of = |row: u32| self.leads[row as usize] as usize / LINE_BITS;
        match &self.all {
            Some(all) => all.iter().copied().filter(|&row| block_of(row) != block).collect(),
            None if is_latest => Cow::Borrowed(&self.candidates),
            None => (first as u32..self.leads.len() as u32).filter(|&row| block_of(row) > block).collect(),
        }
    }
}

/// The rows that a block is factored from: their lines in the block's own tile and their state.
struct Rows<'a> {
    tile: &'a mut [Line],
    multipliers: &'a mut [Line],
    leads: &'a mut [u32],
    candidates: &'a mut Vec<u32>,
    all: Option<&'a [u32]>,
}

impl Block {
    pub fn new() -> Self {
        Block {
            pivots: BlockPivots::default(),
            raw: vec![Line::ZERO; LINE_BITS].into(),
            reduced: vec![Line::ZERO; LINE_BITS].into(),
        }
    }

    /// Finds the pivots of the block at the places of `eligible` and eliminates its columns from
    /// the candidates, or from all rows.
    fn factor(&mut self, rows: &mut Rows<'_>, eligible: Line, context: RunContext<'_>) {
        for w in 0..8 {
            self.reduce_given(w);
            self.make_pivots(w, rows, eligible.0[w]);
            if self.pivots.present.0[w] != 0 {
                self.note_coefficients(w);
                self.update(w, rows, context);
            }
        }
    }

    /// Computes the reduced form of the given pivots of word `w`.
    fn reduce_given(&mut self, w: usize) {
        let present = self.pivots.present.0[w];
        for k in SetBits(present).rev() {
            let mut line = self.raw[64 * w + k];
            for other in SetBits(line.0[w] & present & !(1 << k)) {
                line.xor(&self.reduced[64 * w + other]);
            }
            self.reduced[64 * w + k] = line;
        }
    }

    /// Makes pivots of rows, in order, until none has a one at an eligible place of word `w` without a
    /// pivot.
    fn make_pivots(&mut self, w: usize, rows: &mut Rows<'_>, eligible: u64) {
        let first = self.pivots.new_pivots.len();
        let mut from = 0;
        while eligible & !self.pivots.present.0[w] != 0 {
            let map = self.remainders(w, eligible);
            match first_remaining(&map, rows.tile, &rows.candidates[from..], w) {
                None => break,
                Some(k) => from += k,
            }
            let row = rows.candidates[from];
            from += 1;
            let place = self.make_pivot(w, row, map.apply(rows.tile[row as usize].0[w]), rows.tile);
            rows.leads[row as usize] = (LINE_BITS * self.pivots.index + place) as u32;
            rows.multipliers[row as usize].0[w..].fill(0);
        }
        if self.pivots.new_pivots.len() > first {
            self.pivots.new_pivots[first..].sort_unstable_by_key(|new_pivot| new_pivot.place);
            let leads = &*rows.leads;
            rows.candidates.retain(|&row| leads[row as usize] == NONE);
        }
    }

    /// The map from word `w` of a row to its bits at eligible places without a pivot, once the row
    /// is reduced by the word's pivots.
    fn remainders(&self, w: usize, eligible: u64) -> WordMap {
        let present = self.pivots.present.0[w];
        let open = eligible & !present;
        WordMap::new(|k| match present >> k & 1 {
            1 => self.reduced[64 * w + k].0[w] & open,
            _ => 1 << k & open,
        })
    }

    /// Makes `row` the pivot of the lowest place of `remainder` and returns the place.
    fn make_pivot(&mut self, w: usize, row: u32, remainder: u64, tile: &mut [Line]) -> usize {
        let lead = remainder.trailing_zeros() as usize;
        let present = self.pivots.present.0[w];
        let before = present & ((1 << lead) - 1);
        let line = &mut tile[row as usize];
        let mut exact = 0;
        while let Some(k) = SetBits(line.0[w] & before).next() {
            line.xor(&self.raw[64 * w + k]);
            exact |= 1 << k;
        }
        let place = 64 * w + lead;
        self.raw[place] = *line;
        let mut reduced = *line;
        for k in SetBits(line.0[w] & present) {
            reduced.xor(&self.reduced[64 * w + k]);
        }
        for k in SetBits(present) {
            let other = &mut self.reduced[64 * w + k];
            if other.bit(place) {
                other.xor(&reduced);
            }
        }
        self.reduced[place] = reduced;
        self.pivots.present.flip(place);
        self.pivots.new_pivots.push(NewPivot { row, place, exact });
        place
    }

    fn note_coefficients(&mut self, w: usize) {
        let present = self.pivots.present.0[w];
        for k in SetBits(present) {
            self.pivots.coefficients[64 * w + k] = self.raw[64 * w + k].0[w] & present & !(1 << k);
        }
    }

    /// Records the multipliers of word `w` and adds the pivots that they name.
    fn update(&self, w: usize, rows: &mut Rows<'_>, context: RunContext<'_>) {
        let present = self.pivots.present.0[w];
        let reduced = &self.reduced[64 * w..64 * w + 64];
        if rows.all.is_some() {
            for new_pivot in self.pivots.new_pivots.iter().filter(|new_pivot| new_pivot.place / 64 == w) {
                rows.tile[new_pivot.row as usize] = self.reduced[new_pivot.place];
            }
        }
        let word = (8 * self.pivots.index + w) as u32;
        let leads = &*rows.leads;
        let updated = rows.all.unwrap_or(rows.candidates);
        let chunks = rows.tile.par_chunks_mut(CHUNK).zip(rows.multipliers.par_chunks_mut(CHUNK));
        chunks.enumerate().for_each(|(k, (tile, multipliers))| {
            let _task = context.task("panel");
            let first = k * CHUNK;
            let updated = between(updated, first, first + tile.len());
            for &row in updated {
                let at = row as usize - first;
                let own = leads[row as usize] / 64 == word;
                multipliers[at].0[w] = if own { 0 } else { tile[at].0[w] & present };
            }
            let selection = Selection { first, rows: updated, multipliers, word: w };
            Tables::with(|tables| add_selected(context.simd, tile, &selection, reduced, tables));
        });
    }
}

/// The part of an ascending list that lies in `first..end`.
pub fn between(rows: &[u32], first: usize, end: usize) -> &[u32] {
    let from = rows.partition_point(|&row| (row as usize) < first);
    let to = rows.partition_point(|&row| (row as usize) < end);
    &rows[from..to]
}

/// The first of `rows` whose word `w` does not map to zero.
fn first_remaining(map: &WordMap, tile: &[Line], rows: &[u32], w: usize) -> Option<usize> {
    let remains = |&row: &u32| map.apply(tile[row as usize].0[w]) != 0;
    let (near, far) = rows.split_at(rows.len().min(CHUNK));
    let found = near.iter().position(remains);
    found.or_else(|| Some(near.len() + far.par_iter().with_min_len(CHUNK).position_first(remains)?))
}
