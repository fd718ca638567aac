//! Blocked elimination of a system: its sparse eliminators are the given pivots.

use super::blocked::{self, Given, Plan};
use super::panel::NONE;
use super::simd::Simd;
use super::tiles::Tiles;
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line};
use crate::gf2::{Elimination, System};

pub(super) fn eliminate(system: &System, simd: Simd) -> Result<Elimination> {
    let mut tiles = Tiles::from_lists_reversed(system.rows(), system.width())?;
    let given = Eliminators { system, last_place: tiles.last_place() };
    let limit = LINE_BITS * tiles.count();
    let plan = Plan { given: Some(&given), limit, full: false, record: false, simd };
    let factors = blocked::eliminate(&mut tiles, &plan)?;
    let promoted = |&row: &u32| factors.leads[row as usize] != NONE;
    let rows: Vec<u32> = (0..system.row_count() as u32).filter(promoted).collect();
    Ok(Elimination::new(system, &rows, tiles.to_matrix_reversed(&rows)?))
}

/// The eliminators of a system whose columns are reversed: column c at place `last_place - c`.
struct Eliminators<'a> {
    system: &'a System,
    last_place: usize,
}

impl Given for Eliminators<'_> {
    fn expand(&self, index: usize, lines: &mut [Line]) -> Line {
        lines[LINE_BITS * index..].fill(Line::ZERO);
        let mut present = Line::ZERO;
        for k in 0..LINE_BITS {
            let lead = self.last_place - (LINE_BITS * index + k);
            let eliminator = (lead < self.system.width()).then(|| self.system.eliminator_of(lead)).flatten();
            if let Some(eliminator) = eliminator {
                present.flip(k);
                for &column in self.system.eliminators().row(eliminator) {
                    let place = self.last_place - column as usize;
                    lines[place / LINE_BITS * LINE_BITS + k].flip(place % LINE_BITS);
                }
            }
        }
        present
    }
}
