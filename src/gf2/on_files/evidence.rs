//! The columns that an elimination on files carries, and what they prove. The checks are those of [`verify`](crate::gf2::verify), with the same derivations; every
//! matrix streams past, a band of rows at a time, and in memory are only vectors of 64 bits for each row and column.
//!
//! An elimination that carries columns has one more tile, after those of A. It begins as `[A | A u]`, or `[A | A u + B w |
//! B]` for right sides, with uniform random u and w of 64 columns, and ends as `[R | s | S]`.
//!
//! | pass | reads | shows |
//! |---|---|---|
//! | 1, before the run | A, B | the words A u + B w of the carried tile |
//! | 2, forwards | R, S, s | rows begin at ascending pivots, others are zero (certain); R u + S w = s: every row of R and S is a sum of rows of A and B |
//! | 3, backwards | R | vectors v, uniform among those on which the rows with a pivot vanish; R is reduced (certain) |
//! | 4 | A, B | A v = 0: every row of A is a sum of the rows with a pivot |
//!
//! Pass 2 fails with a chance of at least 1 - 2^-64 if a row is no such sum; see [`Carried`](crate::gf2::verify::Carried).
//! So the rank is at least the number of pivots. Pass 4 fails with that chance if a row of A is not in the span of R, since
//! v then takes this row to 64 uniform bits. So the rank is at most the number of pivots, and the spans are equal.
//!
//! Right sides with a solution take part in passes 3 and 4: v is random in their columns, and R v + S v = 0. Then every
//! row of `[A | B]` is, in these columns, a sum of rows with a pivot, whose equations have a solution since they begin in
//! different columns of A. For any other side a row without a pivot has a one there: a sum of rows that is zero in A and one
//! in B.
//!
//! A wrong answer passes the particular pass that should refuse it with a chance of at most 2^-64.

use std::sync::Arc;

use super::stored::{Rows, StoredMatrix, StoredTiles};
use crate::gf2::BitView;
use crate::gf2::bit_matrix::zero_lines;
use crate::gf2::verify::vectors::{random_vectors, times, times_view};
use crate::gf2::verify::{Bands, NO_SUM, OTHER_PIVOTS, Proof};
use crate::gf2::verify::{add, check_rank, first_difference, places, read_form};
use crate::{Result, Wrong};

/// The random columns of a run.
#[derive(Debug)]
pub(super) struct Carried {
    /// u, by column of A.
    of_a: Vec<u64>,
    /// w, by column of B; for an inverse, zeros.
    of_b: Vec<u64>,
}

impl Carried {
    /// Draws the columns, and computes their words in every row.
    pub fn new(a: BitView<'_>, b: Option<BitView<'_>>) -> Result<(Self, Vec<u64>)> {
        let of_a = random_vectors(a.columns())?;
        let of_b = random_vectors(b.map_or(0, |b| b.columns()))?;
        let mut words = times_view(&a, &of_a);
        if let Some(b) = b {
            add(&mut words, &times_view(&b, &of_b));
        }
        Ok((Carried { of_a, of_b }, words))
    }
}

/// The evidence that a run with carried columns leaves: its form, with the carried words.
#[derive(Debug)]
pub(super) struct Evidence {
    pub carried: Carried,
    pub tiles: Arc<StoredTiles>,
    /// The rows of the form by their numbers in the tiles: those with a pivot, ascending, then the others.
    pub order: Arc<Vec<u32>>,
    pub pivots: Vec<u32>,
    pub tiles_of_a: usize,
    /// Bytes that a band may take.
    pub band: u64,
}

impl Evidence {
    /// A matrix of the form's columns from tile `first` on.
    fn stored(&self, first: usize, columns: usize) -> StoredMatrix {
        let (tiles, order) = (self.tiles.clone(), self.order.clone());
        let source = Rows::Ordered { tiles, first, order, omitted: Vec::new() };
        StoredMatrix { rows: self.order.len(), columns, source, band: self.band }
    }

    /// Does passes 2 to 4. The error has the row that is wrong.
    pub fn prove(&self, a: BitView<'_>, b: Option<BitView<'_>>, is_reduced: bool) -> Result<Proof> {
        let form = self.stored(0, a.columns());
        let right = self.stored(self.tiles_of_a + 1, b.map_or(0, |b| b.columns()));
        let (pivots, mut sums) = read_form(&form, a.columns(), Some(&self.carried.of_a))?;
        Wrong::unless(pivots == self.pivots, OTHER_PIVOTS)?;
        let mut any = vec![0; right.columns().div_ceil(64)];
        let mut sides = Vec::new();
        if b.is_some() {
            let mut row = 0;
            right.bands(|band| {
                sides.extend(times(band, &self.carried.of_b));
                for k in pivots.len().saturating_sub(row)..band.rows() {
                    any.iter_mut().zip(band.row64(k)).for_each(|(any, word)| *any |= word);
                }
                row += band.rows();
                Ok(())
            })?;
            add(&mut sums, &sides);
        }
        Wrong::none("row", first_difference(&self.words()?, &sums), NO_SUM)?;
        drop(sums);
        let mut of_sides = random_vectors(right.columns())?;
        let unsolvable = places(&any);
        unsolvable.iter().for_each(|&side| of_sides[side as usize] = 0);
        let mut initial = vec![0; pivots.len()];
        if b.is_some() {
            initial.copy_from_slice(&right.times(&of_sides)?[..pivots.len()]);
        }
        let sides = b.as_ref().map(|b| (b as &dyn Bands, &of_sides[..]));
        check_rank(&a, sides, (&form, a.columns()), (&pivots, &initial), is_reduced)?;
        Ok(Proof { rank: pivots.len(), unsolvable })
    }

    /// The carried words, in the order of the form's rows.
    fn words(&self) -> Result<Vec<u64>> {
        const CHUNK: usize = 4096;
        let mut words = Vec::with_capacity(self.order.len());
        let mut lines = zero_lines(CHUNK.min(self.tiles.rows))?;
        for first in (0..self.tiles.rows).step_by(CHUNK) {
            let lines = &mut lines[..CHUNK.min(self.tiles.rows - first)];
            self.tiles.read(self.tiles_of_a, first, lines)?;
            words.extend(lines.iter().map(|line| line.0[0]));
        }
        Ok(self.order.iter().map(|&row| words[row as usize]).collect())
    }
}
