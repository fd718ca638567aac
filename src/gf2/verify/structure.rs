//! Checks of echelon forms that proofs and checks of answers share.

use crate::Result;
use crate::gf2::{BitMatrix, Echelon};

use super::vectors::{times, vanishing};
use super::{failed, first_nonzero};

/// Checks that row i begins in column `pivots[i]`, that these ascend, and that rows without a pivot
/// have no one in the first `limit` columns. Deterministic.
pub(super) fn check_structure(form: &Echelon, limit: usize) -> Result<()> {
    let (matrix, pivots) = (&form.matrix, &form.pivots);
    if pivots.len() > matrix.rows() || limit > matrix.columns() {
        return failed(format!("{} pivots of {} rows", pivots.len(), matrix.rows()));
    }
    if !pivots.is_sorted_by(|a, b| a < b) {
        return failed("the pivots do not ascend");
    }
    let first = |row: usize| matrix.ones(row).next().filter(|&c| c < limit).map(|c| c as u32);
    match (0..matrix.rows()).find(|&row| first(row) != pivots.get(row).copied()) {
        Some(row) => failed(format!("row {row} does not begin at its pivot")),
        None => Ok(()),
    }
}

/// Checks that every row of `a` is a sum, in the columns of `a`, of the form's rows that have a pivot.
/// The form's structure must have been checked. See [`rank`](super::rank).
pub(super) fn check_rank(a: &BitMatrix, form: &Echelon) -> Result<()> {
    if a.rows() == 0 {
        return Ok(());
    }
    let vectors = vanishing(&form.matrix, &form.pivots, a.columns())?;
    match first_nonzero(times(a, &vectors)) {
        Some(row) => failed(format!("row {row} is not a sum of rows of the echelon form")),
        None => Ok(()),
    }
}

/// Checks that no row has a one at the pivot of another. Deterministic.
pub(super) fn check_reduced(form: &Echelon) -> Result<()> {
    let mut is_pivot = vec![0u64; form.matrix.columns().div_ceil(64)];
    form.pivots.iter().for_each(|&c| is_pivot[c as usize / 64] |= 1 << (c % 64));
    let at_pivots = |row: usize| {
        let words = form.matrix.row64(row).iter().zip(&is_pivot);
        words.map(|(word, is_pivot)| (word & is_pivot).count_ones()).sum::<u32>()
    };
    match (0..form.rank()).find(|&row| at_pivots(row) != 1) {
        Some(row) => failed(format!("row {row} has ones at pivots of others")),
        None => Ok(()),
    }
}
