//! Matrices with ones anywhere: echelon forms and products on the CPU.

use super::blocked::BlockedElimination;
use super::kernels::{Selection, Tables, add_selected};
use super::panel::{CHUNK, by_lead};
use super::run_context::RunContext;
use super::shape::Shape;
use super::storage::Kept;
use super::tiled::TiledMatrix;
#[cfg(not(target_arch = "wasm32"))]
use super::tiled::copy_tile;
use crate::Result;
#[cfg(not(target_arch = "wasm32"))]
use crate::gf2::BitView;
use crate::gf2::bit_matrix::LINE_BITS;
#[cfg(not(target_arch = "wasm32"))]
use crate::gf2::bit_matrix::zero_lines;
use crate::gf2::{BitMatrix, Echelon, RowReduction};
use crate::parallel::*;
#[cfg(not(target_arch = "wasm32"))]
use crate::timeline::Meter;

/// The echelon form of a matrix with all rows, or only the pivots.
pub fn echelon(matrix: &BitMatrix, reduction: &RowReduction, context: RunContext<'_>) -> Result<Echelon> {
    if matrix.rows() == 0 || matrix.columns() == 0 {
        return Ok(Echelon { matrix: matrix.clone(), pivots: Vec::new() });
    }
    let mut tiles = TiledMatrix::from_view(matrix.view())?;
    let shape = Shape::in_memory(reduction);
    let elimination = BlockedElimination { shape: &shape, given: None, peers: None, context };
    let leads = elimination.eliminate(&mut tiles, &mut Kept::default())?;
    if reduction.has_no_form() {
        drop(tiles);
        return Ok(Echelon { matrix: BitMatrix::zeros(0, 0)?, pivots: by_lead(&leads).1 });
    }
    let (order, pivots) = by_lead(&leads);
    Ok(Echelon { pivots, matrix: tiles.to_matrix(&order)? })
}

/// The product a * b; a has as many columns as b has rows.
pub fn multiply(a: &BitMatrix, b: &BitMatrix, context: RunContext<'_>) -> Result<BitMatrix> {
    let (left, right) = (TiledMatrix::from_view(a.view())?, TiledMatrix::from_view(b.view())?);
    let mut product = TiledMatrix::zeros(a.rows(), b.columns())?;
    let all: Vec<u32> = (0..a.rows() as u32).collect();
    if a.rows() > 0 {
        let meter = context.meter((product.count() * a.rows()) as u64);
        let tiles = product.tiles_from_mut(0).par_chunks_mut(a.rows()).enumerate();
        tiles.try_for_each(|(t, tile)| {
            tile.par_chunks_mut(CHUNK).enumerate().try_for_each(|(k, lines)| {
                context.timeline().check_stop()?;
                let _task = context.task("product");
                let first = k * CHUNK;
                let rows = &all[first..first + lines.len()];
                for (word, addends) in right.tile(t).chunks(64).enumerate() {
                    let multipliers = &left.tile(word * 64 / LINE_BITS)[first..first + lines.len()];
                    let selection = Selection { first, rows, multipliers, word: word % 8 };
                    Tables::with(|tables| add_selected(context.simd, lines, &selection, addends, tables));
                }
                meter.add(lines.len() as u64);
                Ok(())
            })
        })?;
    }
    drop((left, right));
    product.to_matrix(&all)
}

/// Rows `rows` of the product a * b in tiles; 512 rows of b are in memory at a time. For each 512 rows of b, the meter
/// counts the rows of the product.
#[cfg(not(target_arch = "wasm32"))]
pub fn multiply_rows(
    a: BitView<'_>,
    b: BitView<'_>,
    rows: std::ops::Range<usize>,
    context: RunContext<'_>,
    meter: &Meter,
) -> Result<TiledMatrix> {
    let mut product = TiledMatrix::zeros(rows.len(), b.columns())?;
    let mut left = zero_lines(rows.len())?;
    let mut right = zero_lines(LINE_BITS * product.count())?;
    let all: Vec<u32> = (0..rows.len() as u32).collect();
    for block in 0..a.columns().div_ceil(LINE_BITS) {
        copy_tile(a, block, rows.start, &mut left);
        let inner = LINE_BITS * block..b.rows().min(LINE_BITS * (block + 1));
        right.par_chunks_mut(LINE_BITS).enumerate().for_each(|(t, lines)| {
            b.copy_columns(t, inner.start, &mut lines[..inner.len()]);
        });
        let tiles = product.tiles_from_mut(0).par_chunks_mut(rows.len()).zip(right.par_chunks(LINE_BITS));
        tiles.for_each(|(tile, right)| {
            let chunks = tile.par_chunks_mut(CHUNK).zip(left.par_chunks(CHUNK));
            chunks.enumerate().for_each(|(k, (lines, multipliers))| {
                let _task = context.task("product");
                let first = CHUNK * k;
                let rows = &all[first..first + lines.len()];
                for (word, addends) in right[..inner.len()].chunks(64).enumerate() {
                    let selection = Selection { first, rows, multipliers, word };
                    Tables::with(|tables| add_selected(context.simd, lines, &selection, addends, tables));
                }
            });
        });
        meter.add(rows.len() as u64);
    }
    Ok(product)
}

/// Gives all rows of some tiles to `take`, about a mebibyte at a time.
#[cfg(not(target_arch = "wasm32"))]
pub fn rows_in_bands(tiles: &TiledMatrix, take: &mut dyn FnMut(&BitMatrix) -> Result<()>) -> Result<()> {
    const BAND: usize = 1 << 20;
    let at_a_time = (BAND / (64 * tiles.count().max(1))).max(1);
    let all: Vec<u32> = (0..tiles.rows() as u32).collect();
    all.chunks(at_a_time).try_for_each(|rows| take(&tiles.to_matrix(rows)?))
}
