//! Blocked elimination of a system: its sparse eliminators are the given pivots.

use super::blocked::{BlockedElimination, Kept, Shape};
use super::panel::{Given, NONE};
use super::run_context::RunContext;
use super::tiled::TiledMatrix;
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line};
use crate::gf2::{Elimination, System};

pub fn blocked(system: &System, context: RunContext<'_>) -> Result<Elimination> {
    let mut tiles = TiledMatrix::from_lists_reversed(system.rows(), system.width())?;
    let given = Eliminators { system, last_place: tiles.last_place() };
    let limit = LINE_BITS * tiles.count();
    let shape = Shape::in_memory(system.row_count(), system.width(), limit, false);
    let elimination = BlockedElimination { shape: &shape, given: Some(&given), peers: None, context };
    let leads = elimination.eliminate(&mut tiles, &mut Kept::default())?;
    let promoted = |&row: &u32| leads[row as usize] != NONE;
    let rows: Vec<u32> = (0..system.row_count() as u32).filter(promoted).collect();
    Ok(Elimination::new(system, &rows, tiles.to_matrix_reversed(&rows)?))
}

/// The eliminators of a system whose columns are reversed: column c at place `last_place - c`.
pub struct Eliminators<'a> {
    pub system: &'a System,
    pub last_place: usize,
}

impl Eliminators<'_> {
    /// The eliminators of a block, with their places in it.
    fn of_block(&self, index: usize) -> impl Iterator<Item = (usize, &[u32])> {
        (0..LINE_BITS).filter_map(move |k| {
            let lead = self.last_place - (LINE_BITS * index + k);
            let eliminator =
                (lead < self.system.width()).then(|| self.system.eliminator_of(lead)).flatten()?;
            Some((k, self.system.eliminators().row(eliminator)))
        })
    }
}

impl Given for Eliminators<'_> {
    fn expand(&self, index: usize, tile: usize, lines: &mut [Line]) {
        lines.fill(Line::ZERO);
        let places = LINE_BITS * tile..LINE_BITS * (tile + 1);
        for (k, eliminator) in self.of_block(index) {
            // Columns descend, so places ascend.
            let place = |column: &u32| self.last_place - *column as usize;
            let from = eliminator.partition_point(|column| place(column) < places.start);
            for at in eliminator[from..].iter().map(place).take_while(|&at| at < places.end) {
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
