//! Which method is fastest on the GPU.

use super::shape::{BLOCK, TILE};
use crate::gf2::{Method, System};

/// Bytes of host memory that the fast methods take: a copy of the lists, and the promoted rows.
pub(in crate::gf2) fn host_bytes(system: &System) -> u64 {
    let promoted = (system.width() - system.eliminator_count()).min(system.row_count());
    let lists = 4 * (system.eliminators().ones() + system.rows().ones()) as u64;
    lists + 2 * promoted as u64 * (system.width() as u64 / 8 + 64)
}

/// What the steps of a block that follow each other take on an H200 beside the work on the rows, in
/// the vectors that it moves or looks up in that time: 60 us at 1.5 * 10^12 a second.
const BLOCK_LATENCY: f64 = 9e7;
/// The same of a block of eliminators in the first of two stages, 20 us.
const SUBSTITUTION_LATENCY: f64 = 3e7;

/// The method that [`Method::Auto`] stands for on a GPU.
///
/// In vectors of 128 bits moved or looked up. Blocked: every row takes 32 look-ups a block in all
/// tiles after it. Two stages: a vector for every one of rows and eliminators and every tile of the
/// columns without an eliminator, then the blocked method on the narrow matrix and on the rows
/// promoted. What a block takes however few rows there are counts on a GPU proper only: a software
/// driver has no idle units to fill.
pub(super) fn choose(system: &System, is_software: bool) -> Method {
    let missing = (0..system.width()).filter(|&column| system.eliminator_of(column).is_none()).count();
    let tiles = |columns: usize| columns.div_ceil(TILE) as f64;
    let latency = |columns: usize, block: f64| match is_software {
        true => 0.0,
        false => block * columns.div_ceil(BLOCK) as f64,
    };
    let blocked = |rows: usize, columns: usize| {
        8.0 * rows as f64 * tiles(columns) * tiles(columns) + latency(columns, BLOCK_LATENCY)
    };
    let ones = (system.rows().ones() + system.eliminators().ones()) as f64;
    let promoted = missing.min(system.row_count());
    let two_stage = ones * tiles(missing)
        + latency(system.width(), SUBSTITUTION_LATENCY)
        + blocked(system.row_count(), missing)
        + blocked(promoted, system.width());
    match two_stage < blocked(system.row_count(), system.width()) {
        true => Method::TwoStage,
        false => Method::Blocked,
    }
}
