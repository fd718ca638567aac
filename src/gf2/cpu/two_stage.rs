//! Two-stage elimination (after Faugere and Lachartre, "Parallel Gaussian elimination for
//! Groebner bases computations in finite fields", 2010). The result equals that of elimination in
//! file order exactly.
//!
//! 1. *Narrow*: reduce every row by all reducers, but only in the columns that have none.
//! 2. *Choose*: eliminate the narrow matrix in file order. This yields the new pivots, their
//!    leads, and the new pivots by which each of them was reduced.
//! 3. *Combine*: from these, express each new pivot as a sum of rows of the file.
//! 4. *Widen*: compute those sums in all columns, each reduced by the reducers above its lead.

use super::blocked::BlockedElimination;
use super::kernels::{Selection, Tables, add_selected, gather};
use super::panel::Panel;
use super::run_context::RunContext;
use super::shape::Shape;
use super::storage::Kept;
use super::sweep::Sweep;
use super::tiled::TiledMatrix;
use super::update::word_range;
use crate::Result;
use crate::gf2::bit_matrix::{LINE_BITS, Line, SetBits};
use crate::gf2::cost;
use crate::gf2::transpose::{transpose_64, transpose_lines};
use crate::gf2::word_map::WordMap;
use crate::gf2::{BitMatrix, Elimination, F4Matrix, F4Shape, IndexLists, RowReduction};
use crate::parallel::*;

pub fn two_stage(f4: &F4Matrix, context: RunContext<'_>) -> Result<Elimination> {
    let missing = missing_columns(f4);
    let mut stages = context.stages(&super::times::stages(&F4Shape::of(f4)));
    stages.next();
    let mut narrow = narrow(f4, &missing, context)?;
    stages.next();
    let shape = Shape::in_memory(&RowReduction::whole(f4.row_count(), missing.len()));
    let mut kept = Kept { panels: Vec::new(), all: true };
    BlockedElimination { shape: &shape, given: None, peers: None, context }
        .eliminate(&mut narrow, &mut kept)?;
    drop(narrow);

    let new_pivots = kept.panels.iter().flat_map(|panel| panel.pivots.rows_with_leads());
    let (rows, leads): (Vec<u32>, Vec<u32>) =
        new_pivots.map(|(row, place)| (row, missing[place as usize])).unzip();
    let sums = combine(&kept.panels, rows.len(), context)?;
    drop(kept);
    stages.next();
    let matrix = widen(f4, &rows, &leads, &sums, context)?;
    Ok(Elimination::new(f4, &rows, matrix))
}

/// The columns without a reducer, descending: the order in which they are eliminated.
pub fn missing_columns(f4: &F4Matrix) -> Vec<u32> {
    (0..f4.width()).rev().filter(|&c| f4.reducer_of(c).is_none()).map(|c| c as u32).collect()
}

/// Stage 1: column k of the result is column `missing[k]` of the rows reduced by all reducers.
fn narrow(f4: &F4Matrix, missing: &[u32], context: RunContext<'_>) -> Result<TiledMatrix> {
    let mut narrow = TiledMatrix::zeros(f4.row_count(), missing.len())?;
    let shape = F4Shape::of(f4);
    if cost::cpu::swept_lines(&shape) < cost::cpu::gathered_lines(&shape) {
        narrow_by_rows(f4, missing, &mut narrow, context);
    } else {
        narrow_by_columns(f4, missing, &mut narrow, context);
    }
    Ok(narrow)
}

/// Computes the narrow matrix by tables of [`reduced_columns`], one per 512 missing columns; as many
/// tables at a time as there are threads.
fn narrow_by_columns(f4: &F4Matrix, missing: &[u32], narrow: &mut TiledMatrix, context: RunContext<'_>) {
    let rows = f4.row_count();
    if rows == 0 {
        return;
    }
    let at_a_time = threads();
    let meter = context.meter(missing.len().div_ceil(LINE_BITS) as u64);
    let groups = narrow.tiles_from_mut(0).chunks_mut(rows * at_a_time);
    for (tiles, missing) in groups.zip(missing.chunks(LINE_BITS * at_a_time)) {
        let tables: Vec<Vec<Line>> =
            missing.par_chunks(LINE_BITS).map(|missing| reduced_columns(f4, missing, context)).collect();
        tiles.par_chunks_mut(rows).zip(&tables).for_each(|(tile, table)| {
            tile.par_chunks_mut(1024).enumerate().for_each(|(k, lines)| {
                let _task = context.task("narrow rows");
                for (line, row) in lines.iter_mut().zip(1024 * k..) {
                    gather(context.simd, line, table, f4.rows().row(row));
                }
            });
        });
        meter.add(tables.len() as u64);
    }
}

/// Returns, by column of the F4 matrix, the missing columns (up to 512) to which a one in that column
/// reduces. A missing column reduces to itself; any other column reduces to the sum over its
/// reducer's other ones.
pub fn reduced_columns(f4: &F4Matrix, missing: &[u32], context: RunContext<'_>) -> Vec<Line> {
    let _task = context.task("reduced columns");
    let mut table = vec![Line::ZERO; f4.width()];
    for (k, &column) in missing.iter().enumerate() {
        table[column as usize].flip(k);
    }
    for lead in 0..f4.width() {
        if let Some(reducer) = f4.reducer_of(lead) {
            let (lower, rest) = table.split_at_mut(lead);
            gather(context.simd, &mut rest[0], lower, &f4.reducers().row(reducer)[1..]);
        }
    }
    table
}

/// Computes the narrow matrix by a [`Sweep`] per 512 rows.
fn narrow_by_rows(f4: &F4Matrix, missing: &[u32], narrow: &mut TiledMatrix, context: RunContext<'_>) {
    let meter = context.meter(f4.row_count() as u64);
    for first in (0..f4.row_count()).step_by(LINE_BITS) {
        let count = LINE_BITS.min(f4.row_count() - first);
        let rows = (first..first + count).map(|row| f4.rows().row(row));
        narrow_rows(f4, missing, rows, context, |t, columns| {
            transpose_lines(columns, &mut narrow.tile_mut(t)[first..first + count]);
        });
        meter.add(count as u64);
    }
}

/// Computes up to 512 rows of the narrow matrix, those of `rows`, and calls `write` with each tile and its
/// columns: bit k of a line belongs to row k.
pub fn narrow_rows<'r>(
    f4: &F4Matrix,
    missing: &[u32],
    rows: impl Iterator<Item = &'r [u32]>,
    context: RunContext<'_>,
    mut write: impl FnMut(usize, &[Line]),
) {
    let _task = context.task("narrow rows");
    let mut sweep = Sweep::new(f4, context.simd);
    sweep.add_each(rows);
    sweep.eliminate(0, |_| Line::ones(LINE_BITS));
    for (t, missing) in missing.chunks(LINE_BITS).enumerate() {
        let columns: Vec<Line> = missing.iter().map(|&c| sweep.columns()[c as usize]).collect();
        write(t, &columns);
    }
}

/// Stage 3: row k of the result names the new pivots of the panels, by their numbers in order, whose original
/// contents add up, with reducers, to the reduced form of new pivot k of `rows`.
///
/// With row k of L naming the new pivots by which new pivot k was reduced (strictly lower triangular
/// in this order), the result is (1 + L)^-1.
pub fn combine(panels: &[Panel], rows: usize, context: RunContext<'_>) -> Result<TiledMatrix> {
    let reductions = reductions(panels, rows)?;
    let mut sums = TiledMatrix::zeros(rows, rows)?;
    (0..rows).for_each(|k| sums.flip(k, k));
    let all: Vec<u32> = (0..rows as u32).collect();
    if rows == 0 {
        return Ok(sums);
    }
    let tiles = sums.tiles_from_mut(0).par_chunks_mut(rows).enumerate();
    tiles.for_each(|(t, tile)| {
        let _task = context.task("combine");
        for first in (LINE_BITS * t..rows).step_by(64) {
            let (lines, word) = (reductions.tile(first / LINE_BITS), first / 64 % 8);
            let end = rows.min(first + 64);
            for k in first..end {
                let mut line = tile[k];
                SetBits(lines[k].0[word]).for_each(|other| line.xor(&tile[first + other]));
                tile[k] = line;
            }
            if end < rows {
                let addends: [Line; 64] = std::array::from_fn(|k| tile[first + k]);
                let selection = Selection { first: end, rows: &all[end..], multipliers: &lines[end..], word };
                Tables::with(|tables| {
                    add_selected(context.simd, &mut tile[end..], &selection, &addends, tables)
                });
            }
        }
    });
    Ok(sums)
}

/// Returns the matrix L of [`combine`]: the multipliers of the panels expressed in raw pivots, with columns
/// only for the places that have a pivot.
fn reductions(panels: &[Panel], rows: usize) -> Result<TiledMatrix> {
    let mut reductions = TiledMatrix::zeros(rows, rows)?;
    let mut number = 0;
    for (p, Panel { pivots, multipliers }) in panels.iter().enumerate() {
        // From this panel on, new pivots are reduced by its pivots.
        let new_pivots: Vec<u32> =
            panels[p..].iter().flat_map(|panel| panel.pivots.rows_with_leads()).map(|(row, _)| row).collect();
        let first = number;
        for (w, coefficients) in pivots.coefficients.chunks(64).enumerate() {
            let own = &pivots.new_pivots[word_range(&pivots.new_pivots, w)];
            if own.is_empty() {
                continue;
            }
            let raw = raw_pivots(coefficients, pivots.present.0[w]);
            for (k, &row) in (first..).zip(&new_pivots).skip(number - first) {
                let by = match own.get(k - number) {
                    Some(own) => own.exact,
                    None => raw.apply(multipliers[row as usize].0[w]),
                };
                for bit in SetBits(by) {
                    let before = pivots.present.0[w] & ((1 << bit) - 1);
                    reductions.flip(k, number + before.count_ones() as usize);
                }
            }
            number += own.len();
        }
    }
    Ok(reductions)
}

/// Maps a set of reduced pivots of a word to the set of raw pivots with the same sum.
fn raw_pivots(coefficients: &[u64], present: u64) -> WordMap {
    let mut raw = [0; 64];
    for k in SetBits(present).rev() {
        raw[k] = SetBits(coefficients[k]).fold(1 << k, |sum, other| sum ^ raw[other]);
    }
    WordMap::new(|k| raw[k])
}

/// Stage 4: computes the new pivots in all columns.
fn widen(
    f4: &F4Matrix,
    rows: &[u32],
    leads: &[u32],
    sums: &TiledMatrix,
    context: RunContext<'_>,
) -> Result<BitMatrix> {
    let mut matrix = BitMatrix::zeros(rows.len(), f4.width())?;
    let stride = matrix.stride64();
    let meter = context.meter(rows.len() as u64);
    let slices = matrix.words64_mut().par_chunks_mut(LINE_BITS * stride.max(1));
    slices.zip(leads.par_chunks(LINE_BITS)).enumerate().for_each(|(slice, (target, leads))| {
        let first = LINE_BITS * slice;
        let sums = (0..=slice).map(|t| &sums.tile(t)[first..first + leads.len()]);
        widen_rows(f4, (f4.rows(), rows), leads, sums, context, target);
        meter.add(leads.len() as u64);
    });
    Ok(matrix)
}

/// Computes up to 512 new pivots, those with these `leads`, in all columns. Each tile of `sums`, line k for
/// row k, names by which of the 512 next of `rows`, which are rows of `lists`, the row was reduced.
pub fn widen_rows<'s>(
    f4: &F4Matrix,
    (lists, rows): (&IndexLists, &[u32]),
    leads: &[u32],
    sums: impl Iterator<Item = &'s [Line]>,
    context: RunContext<'_>,
    target: &mut [u64],
) {
    let _task = context.task("widen");
    let mut sweep = Sweep::new(f4, context.simd);
    for (sources, sums) in rows.chunks(LINE_BITS).zip(sums) {
        let mut targets = vec![Line::ZERO; sources.len()];
        transpose_lines(sums, &mut targets);
        for (&source, targets) in sources.iter().zip(&targets) {
            sweep.add(lists.row(source as usize), targets);
        }
    }
    // Leads descend, so the rows that are still above their lead are the last ones.
    let mut done = 0;
    let lowest = leads.last().map_or(0, |&lead| lead as usize);
    sweep.eliminate(lowest, |column| {
        done += leads[done..].iter().take_while(|&&lead| lead as usize > column).count();
        let done = Line::ones(done);
        Line(std::array::from_fn(|k| !done.0[k]))
    });
    transpose_into(sweep.columns(), target, target.len() / leads.len().max(1));
}

/// Writes bit k of line c to bit c of row k of `rows`, `stride` words a row.
fn transpose_into(columns: &[Line], rows: &mut [u64], stride: usize) {
    for (word, columns) in columns.chunks(64).enumerate() {
        for (group, rows) in rows.chunks_mut(64 * stride).enumerate() {
            let mut block = [0; 64];
            block.iter_mut().zip(columns).for_each(|(bits, line)| *bits = line.0[group]);
            transpose_64(&mut block);
            rows.chunks_mut(stride).zip(&block).for_each(|(row, bits)| row[word] = *bits);
        }
    }
}
