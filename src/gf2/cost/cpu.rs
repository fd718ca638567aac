//! Host memory of the CPU engine in bytes, and the lines of 512 bits that its methods add.

use super::{FIXED, answer_bytes, matrix_bytes, sum, tiles_bytes};
use crate::gf2::bit_matrix::LINE_BITS;
use crate::gf2::tiles::GROUP;
use crate::gf2::{F4Method, F4Shape};

/// Bytes of a blocked elimination's state in addition to its tiles: the multipliers of a block, the pivots of
/// a group of tiles (twice if some are given: a bound), and lists of rows.
fn blocked_state(rows: usize, columns: usize, given: bool) -> u64 {
    let group = 64 * (LINE_BITS * columns.div_ceil(LINE_BITS).min(GROUP)) as u64;
    sum([(64 + 32) * rows as u64, if given { 2 * group } else { group }, 128 << 10])
}

/// Bytes of the pivots of a matrix on the CPU engine.
pub fn pivots_bytes(rows: usize, columns: usize) -> u64 {
    sum([tiles_bytes(rows, columns), blocked_state(rows, columns, false), FIXED])
}

/// Bytes of an echelon form on the CPU engine, the form included.
pub fn echelon_bytes(rows: usize, columns: usize) -> u64 {
    let answer = matrix_bytes(rows, columns) + 16 * rows as u64;
    let beside = blocked_state(rows, columns, false).max(answer);
    sum([tiles_bytes(rows, columns), beside, FIXED])
}

/// Bytes of a product on the CPU engine, the product included.
pub fn product_bytes(rows: usize, inner: usize, columns: usize) -> u64 {
    let factors = tiles_bytes(rows, inner).saturating_add(tiles_bytes(inner, columns));
    let beside = factors.max(matrix_bytes(rows, columns));
    sum([tiles_bytes(rows, columns), beside, 4 * rows as u64, FIXED])
}

/// The maximum number of lines added in stage 4 of the two-stage method.
pub fn widened_lines(shape: &F4Shape) -> usize {
    shape.most_new_pivots().div_ceil(LINE_BITS) * (shape.reducer_ones + shape.columns)
}

/// Lines added in stage 1 of the two-stage method by columns: a table for 512 missing columns at a
/// time, from which each row gathers.
pub fn gathered_lines(shape: &F4Shape) -> usize {
    let ones = shape.reducer_ones + shape.row_ones;
    shape.missing().div_ceil(LINE_BITS) * (ones + shape.columns)
}

/// Lines added in stage 1 of the two-stage method by rows: a sweep for 512 rows at a time. A sweep
/// scatters, which reads and writes; hence the factor 3 / 2.
pub fn swept_lines(shape: &F4Shape) -> usize {
    let sweep = shape.reducer_ones * 3 / 2 + shape.columns;
    shape.rows.div_ceil(LINE_BITS) * sweep + shape.row_ones
}

/// Bytes of a method on the CPU engine for an F4 matrix with `lists` reducers (empty ones included);
/// the new pivots are included.
pub fn f4_bytes(shape: &F4Shape, lists: usize, method: F4Method, threads: usize) -> u64 {
    let &F4Shape { columns, rows, .. } = shape;
    let (missing, new_pivots) = (shape.missing(), shape.most_new_pivots());
    let answer = answer_bytes(shape);
    let lines = 64 * columns as u64;
    let at_once = match method {
        F4Method::TwoStage => {
            let narrow = tiles_bytes(rows, missing);
            let combined = tiles_bytes(new_pivots, new_pivots);
            let coefficients = 8 * missing.next_multiple_of(LINE_BITS) as u64;
            let record = sum([narrow, 8 * rows as u64, coefficients]);
            let tables = threads.min(missing.div_ceil(LINE_BITS)).max(1) as u64;
            let sweeps = threads.min(new_pivots.div_ceil(LINE_BITS)) as u64;
            let stages = [
                sum([narrow, tables.saturating_mul(lines), 64 << 10]),
                sum([narrow, record, blocked_state(rows, missing, false)]),
                sum([record, combined, combined, 4 * rows as u64]),
                sum([combined, answer, sweeps.saturating_mul(lines + (64 << 10))]),
            ];
            stages.into_iter().max().unwrap_or(0) + 4 * missing as u64 + 16 * rows as u64
        }
        F4Method::Blocked | F4Method::Auto => {
            sum([tiles_bytes(rows, columns), blocked_state(rows, columns, true).max(answer)])
        }
        F4Method::Bands | F4Method::XorThreads | F4Method::Rounds => sum([
            matrix_bytes(lists + rows, columns),
            matrix_bytes(rows, columns),
            4 * columns as u64 + 64 * rows as u64,
            answer,
        ]),
    };
    at_once.saturating_add(FIXED)
}

/// Bytes of a check of all rows in file order, the result included: for each thread a line for every column;
/// the pivots, and a random vector, by column.
pub fn f4_check_bytes(shape: &F4Shape, threads: usize) -> u64 {
    let &F4Shape { columns, rows, .. } = shape;
    let groups = threads.min(rows.div_ceil(LINE_BITS)).max(1) as u64;
    let lines = (64 * columns as u64).saturating_mul(groups);
    sum([answer_bytes(shape), lines, 24 * columns as u64, 4 * rows as u64, FIXED])
}
