//! Blocked elimination of an F4 matrix: its sparse reducers are the given pivots.

use super::blocked::BlockedElimination;
use super::panel::{Given, NONE};
use super::run_context::RunContext;
use super::shape::Shape;
use super::storage::Kept;
use super::tiled::TiledMatrix;
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line};
use crate::gf2::{Elimination, F4Matrix, RowReduction};

pub fn blocked(f4: &F4Matrix, context: RunContext<'_>) -> Result<Elimination> {
    let mut tiles = TiledMatrix::from_lists_reversed(f4.rows(), f4.width())?;
    let given = Reducers { f4, last_place: tiles.last_place() };
    let limit = LINE_BITS * tiles.count();
    let reduction = RowReduction { limit, ..RowReduction::whole(f4.row_count(), f4.width()) };
    let shape = Shape::in_memory(&reduction);
    let elimination = BlockedElimination { shape: &shape, given: Some(&given), peers: None, context };
    let leads = elimination.eliminate(&mut tiles, &mut Kept::default())?;
    let is_new_pivot = |&row: &u32| leads[row as usize] != NONE;
    let rows: Vec<u32> = (0..f4.row_count() as u32).filter(is_new_pivot).collect();
    Ok(Elimination::new(f4, &rows, tiles.to_matrix_reversed(&rows)?))
}

/// The reducers of an F4 matrix whose columns are reversed: column c at place `last_place - c`.
pub struct Reducers<'a> {
    pub f4: &'a F4Matrix,
    pub last_place: usize,
}

impl Reducers<'_> {
    /// The reducers of a block, with their places in it.
    fn of_block(&self, index: usize) -> impl Iterator<Item = (usize, &[u32])> {
        (0..LINE_BITS).filter_map(move |k| {
            let lead = self.last_place - (LINE_BITS * index + k);
            let reducer = (lead < self.f4.width()).then(|| self.f4.reducer_of(lead)).flatten()?;
            Some((k, self.f4.reducers().row(reducer)))
        })
    }
}

impl Given for Reducers<'_> {
    fn expand(&self, index: usize, tile: usize, lines: &mut [Line]) {
        lines.fill(Line::ZERO);
        let places = LINE_BITS * tile..LINE_BITS * (tile + 1);
        for (k, reducer) in self.of_block(index) {
            // Columns descend, so places ascend.
            let place = |column: &u32| self.last_place - *column as usize;
            let from = reducer.partition_point(|column| place(column) < places.start);
            for at in reducer[from..].iter().map(place).take_while(|&at| at < places.end) {
                lines[k].flip(at - places.start);
            }
        }
    }

    fn present(&self, index: usize) -> Line {
        let mut present = Line::ZERO;
        self.of_block(index).for_each(|(k, _)| present.flip(k));
        present
    }
}
