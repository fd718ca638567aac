//! The time and memory of every method over GF(2) on both engines, which plans compare.
//!
//! Times are models of the dominant work: lines of 512 bits added on the CPU, vectors of 128 bits moved
//! or looked up on the GPU. Only the ratios between methods need to be right; absolute times are good to
//! a factor of two on the machines named below. Bytes of host memory are upper bounds.

pub(super) mod cpu;
pub(super) mod gpu;

use std::time::Duration;

use super::bit_matrix::{LINE_BITS, words_of_a_row};
use crate::gf2::F4Shape;

/// Bytes that every run takes, however small its data. The stacks of worker threads and their tables
/// of sums, 26 KiB each, belong to the open device and are not counted.
const FIXED: u64 = 64 << 10;

/// Bytes of a [`BitMatrix`](super::BitMatrix).
pub(super) fn matrix_bytes(rows: usize, columns: usize) -> u64 {
    (8 * words_of_a_row(columns) as u64).saturating_mul(rows as u64).saturating_add(64)
}

/// Bytes of many reduced echelon forms with their pivots.
pub(super) fn forms_bytes(forms: usize, rows: usize, columns: usize) -> u64 {
    let one = matrix_bytes(rows, columns) + 4 * rows.min(columns) as u64 + 64;
    one.saturating_mul(forms as u64)
}

/// Bytes of a matrix in tiles of 512 columns.
fn tiles_bytes(rows: usize, columns: usize) -> u64 {
    (64 * columns.div_ceil(LINE_BITS) as u64).saturating_mul(rows as u64)
}

fn sum(bytes: impl IntoIterator<Item = u64>) -> u64 {
    bytes.into_iter().fold(0, u64::saturating_add)
}

/// Nanoseconds that it takes to transpose 64 by 64 bits, reading and writing memory.
const TRANSPOSED_BLOCK: f64 = 150.0;

/// The time of a transposition on the host.
pub(super) fn transposition_time(rows: usize, columns: usize) -> Duration {
    let blocks = rows.div_ceil(64) as f64 * columns.div_ceil(64) as f64;
    Duration::from_secs_f64(1e-9 * TRANSPOSED_BLOCK * blocks)
}

/// Bytes of a transposition, the transpose included.
pub(super) fn transposition_bytes(rows: usize, columns: usize) -> u64 {
    matrix_bytes(columns, rows).saturating_add(FIXED)
}

/// Bytes of the result of an F4 matrix: new pivots with their numbers and places, and the columns' labels.
pub(super) fn answer_bytes(shape: &F4Shape) -> u64 {
    let (new_pivots, columns) = (shape.most_new_pivots(), shape.columns);
    sum([matrix_bytes(new_pivots, columns), 16 * new_pivots as u64, 4 * columns as u64])
}
