//! Which method is fastest on the CPU: a model of the lines that each adds.
//!
//! In nanoseconds of one thread of a Zen 5 with AVX-512; only the ratios count, and they hold
//! roughly for other processors since all of it is additions of lines out of the caches.

use std::time::Duration;

use super::two_stage::{missing_columns, narrowing_lines};
use crate::gf2::bit_matrix::LINE_BITS;
use crate::gf2::{Method, System};

/// A line added in a sweep or gathered from a table of columns.
const SPARSE_LINE: f64 = 1.2;
/// A line updated by 64 pivots through tables.
const TABLE_LINE: f64 = 3.0;
/// A row's share of the panel step for 64 columns.
const PANEL_WORD: f64 = 10.0;

/// The method that [`Method::Auto`] stands for on the CPU.
pub(super) fn choose(system: &System) -> Method {
    let blocked = blocked_time(system.row_count(), system.width());
    match two_stage_time(system) < blocked {
        true => Method::TwoStage,
        false => Method::Blocked,
    }
}

/// What eliminating a system takes on one thread, roughly.
pub(in crate::gf2) fn elimination_time(system: &System) -> Duration {
    let blocked = blocked_time(system.row_count(), system.width());
    nanoseconds(blocked.min(two_stage_time(system)))
}

/// What bringing a dense matrix to echelon form takes on one thread, roughly.
pub(in crate::gf2) fn echelon_time(rows: usize, columns: usize) -> Duration {
    nanoseconds(blocked_time(rows, columns) * (rows.min(columns) as f64 / columns.max(1) as f64))
}

fn nanoseconds(count: f64) -> Duration {
    Duration::from_nanos(count as u64)
}

/// Bytes of host memory that a method takes on the CPU.
pub(in crate::gf2) fn elimination_bytes(system: &System, method: Method) -> u64 {
    let (rows, width) = (system.row_count() as u64, system.width() as u64);
    let matrix = |rows: u64, columns: u64| rows.saturating_mul(columns.div_ceil(LINE_BITS as u64) * 64);
    match method {
        Method::TwoStage => {
            let missing = missing_columns(system).len() as u64;
            let promoted = rows.min(missing);
            let tables = (rayon::current_num_threads() as u64 * 64).saturating_mul(width);
            matrix(2 * rows, missing)
                .saturating_add(matrix(2 * promoted, promoted))
                .saturating_add(matrix(promoted, width))
                .saturating_add(tables)
        }
        Method::Blocked | Method::Auto => matrix(2 * rows + 1024, width),
        Method::Bands | Method::Rounds | Method::XorThreads => {
            matrix(3 * rows + system.eliminators().len() as u64, width)
        }
    }
}

/// A matrix eliminated in blocks: every row takes part in the panels, and in half of the updates
/// since a block's tiles are those after it.
fn blocked_time(rows: usize, columns: usize) -> f64 {
    let words = columns.div_ceil(64);
    let tiles = columns.div_ceil(LINE_BITS) as f64;
    rows as f64 * words as f64 * (PANEL_WORD + TABLE_LINE * tiles / 2.0)
}

/// As many rows are promoted as can be: the number is not known before.
fn two_stage_time(system: &System) -> f64 {
    let missing = missing_columns(system).len();
    let promoted = missing.min(system.row_count());
    let widening = promoted.div_ceil(LINE_BITS) * (system.eliminators().ones() + system.width());
    let lines = narrowing_lines(system, missing) + widening;
    SPARSE_LINE * lines as f64 + blocked_time(system.row_count(), missing)
}
