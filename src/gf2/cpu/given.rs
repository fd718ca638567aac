//! Sparse eliminators as the given pivots of a blocked elimination.

use super::blocked::Given;
use crate::gf2::System;
use crate::gf2::bit_matrix::{LINE_BITS, Line};

/// The eliminators of a system whose columns are reversed: column c at place `last_place - c`.
pub(super) struct Eliminators<'a> {
    pub system: &'a System,
    pub last_place: usize,
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
