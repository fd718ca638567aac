//! What a reader of matrices may do.

use crate::Source;
use crate::budget::Budget;
use wgalois::Result;
#[cfg(doc)]
use wgalois::gf2::MAX_COLUMNS;
use wgalois::gf2::{BitMatrix, MAX_SIDE};

/// Options and limits of a reader.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Number of columns, at most [`MAX_COLUMNS`]. A file that states another number, or has rows of another length, is
    /// refused. By default it is what the file states, and otherwise index lists have as many as occur.
    pub columns: Option<usize>,
    /// Sorts the indices of a row instead of refusing unsorted ones.
    pub sort: bool,
    /// Takes any integer modulo 2 in Matrix Market, NumPy's and SciPy's files, instead of refusing those other than 0
    /// and 1.
    pub wrap: bool,
    /// Memory limit in bytes.
    pub memory: u64,
}

impl Default for Limits {
    /// As many columns as occur, nothing mended, no limit of memory.
    fn default() -> Self {
        Limits { columns: None, sort: false, wrap: false, memory: u64::MAX }
    }
}

impl Limits {
    /// Compares the number of columns that a file states with the expected one.
    pub(super) fn expect_columns(&self, columns: u64) -> Result<(), String> {
        match self.columns {
            Some(expected) if expected as u64 != columns => {
                Err(format!("the file states {columns} columns, where {expected} were expected"))
            }
            _ => Ok(()),
        }
    }
}

/// The numbers that a file may hold, in words, for messages.
pub(super) fn expected_bit(wrap: bool) -> &'static str {
    match wrap {
        true => "an integer was expected",
        false => "0 or 1 was expected (--wrap takes integers modulo 2)",
    }
}

/// Returns the zero matrix if it fits the budget.
pub(super) fn zeros(budget: &mut Budget<'_>, source: &Source, rows: u64, columns: u64) -> Result<BitMatrix> {
    // Even an empty row costs a step of work.
    if rows.max(columns) > MAX_SIDE as u64 {
        let message = format!("{rows} x {columns}: at most {MAX_SIDE} rows and columns are allowed");
        return Err(source.error(message));
    }
    budget.take_bytes(BitMatrix::bytes_of(rows, columns.max(1)))?;
    // Sides below 2^32 fit `usize`.
    BitMatrix::zeros(rows as usize, columns as usize)
}
