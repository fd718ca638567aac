//! Matrices with ones anywhere: echelon forms and products on the CPU.

use rayon::prelude::*;

use super::blocked::{self, Plan};
use super::kernels::{Selection, Tables, add_selected};
use super::panel::{CHUNK, NONE};
use super::tiles::Tiles;
use super::work::Work;
use crate::Result;
use crate::gf2::bit_matrix::LINE_BITS;
use crate::gf2::{BitMatrix, Echelon};

/// The echelon form of a matrix, reduced if `full`, with pivots in the first `limit` columns only.
pub(super) fn echelon(matrix: &BitMatrix, limit: usize, full: bool, work: Work<'_>) -> Result<Echelon> {
    if matrix.rows() == 0 || matrix.columns() == 0 {
        return Ok(Echelon { matrix: matrix.clone(), pivots: Vec::new() });
    }
    let mut tiles = Tiles::from_view(matrix.view())?;
    let leads = leads(&mut tiles, limit, full, work)?;
    // Rows without a lead are last: the sort is stable, and the mark of no lead is the largest.
    let mut order: Vec<u32> = (0..matrix.rows() as u32).collect();
    order.sort_by_key(|&row| leads[row as usize]);
    let pivots = order.iter().map(|&row| leads[row as usize]).take_while(|&lead| lead != NONE);
    Ok(Echelon { pivots: pivots.collect(), matrix: tiles.to_matrix(&order)? })
}

/// The columns of the pivots of a matrix, ascending.
pub(super) fn pivots(matrix: &BitMatrix, work: Work<'_>) -> Result<Vec<u32>> {
    if matrix.rows() == 0 || matrix.columns() == 0 {
        return Ok(Vec::new());
    }
    let mut pivots = leads(&mut Tiles::from_view(matrix.view())?, matrix.columns(), false, work)?;
    pivots.retain(|&lead| lead != NONE);
    pivots.sort_unstable();
    Ok(pivots)
}

/// Eliminates `tiles` in place. Returns by row the column of its lead, or [`NONE`].
fn leads(tiles: &mut Tiles, limit: usize, full: bool, work: Work<'_>) -> Result<Vec<u32>> {
    Ok(blocked::eliminate(tiles, &Plan { given: None, limit, full, record: false, work })?.leads)
}

/// The product a * b; a has as many columns as b has rows.
pub(super) fn multiply(a: &BitMatrix, b: &BitMatrix, work: Work<'_>) -> Result<BitMatrix> {
    let (left, right) = (Tiles::from_view(a.view())?, Tiles::from_view(b.view())?);
    let mut product = Tiles::zeros(a.rows(), b.columns())?;
    let all: Vec<u32> = (0..a.rows() as u32).collect();
    if a.rows() > 0 {
        let tiles = product.tiles_from_mut(0).par_chunks_mut(a.rows()).enumerate();
        tiles.for_each(|(t, tile)| {
            tile.par_chunks_mut(CHUNK).enumerate().for_each(|(k, lines)| {
                let _task = work.task("product");
                let first = k * CHUNK;
                let rows = &all[first..first + lines.len()];
                for (word, acting) in right.tile(t).chunks(64).enumerate() {
                    let multipliers = &left.tile(word * 64 / LINE_BITS)[first..first + lines.len()];
                    let selection = Selection { first, rows, multipliers, word: word % 8 };
                    Tables::with(|tables| add_selected(work.simd, lines, &selection, acting, tables));
                }
            });
        });
    }
    drop((left, right));
    product.to_matrix(&all)
}
