//! Which method is fastest on the CPU: a model of the lines that each adds.
//!
//! In nanoseconds of one thread of a Zen 5 with AVX-512; only the ratios count, and they hold
//! roughly for other processors since all of it is additions of lines out of the caches.

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
