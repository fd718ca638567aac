//! Echelon forms that are read in bands: their structure, and the span of their rows.

use super::bands::Bands;
use super::vectors::{extend_vanishing, random_vectors, times};
use super::{add, failed, first_nonzero};
use crate::gf2::Echelon;
use crate::{Result, Wrong};

/// Reads an echelon form with pivots in the first `limit` columns: the pivots and, if `vectors` are given, its products
/// with them. Rows begin in ascending columns, and those that have no one there come last. Deterministic.
pub(in crate::gf2) fn read_form(
    form: &dyn Bands,
    limit: usize,
    vectors: Option<&[u64]>,
) -> Result<(Vec<u32>, Vec<u64>)> {
    let (mut pivots, mut products) = (Vec::new(), Vec::new());
    let mut row = 0;
    form.bands(&mut |band| {
        for k in 0..band.rows() {
            match band.ones(k).next().filter(|&column| column < limit).map(|column| column as u32) {
                Some(column)
                    if pivots.len() == row + k && pivots.last().is_none_or(|&last| last < column) =>
                {
                    pivots.push(column);
                }
                None => {}
                Some(_) => return failed(Wrong::at("row", row + k, "does not begin at its pivot")),
            }
        }
        row += band.rows();
        products.extend(vectors.map_or_else(Vec::new, |vectors| times(band, vectors)));
        Ok(())
    })?;
    Ok((pivots, products))
}

/// What is wrong with a form that names other pivots than it has.
pub(in crate::gf2) const OTHER_PIVOTS: &str = "the pivots are not those of the echelon form";

/// Checks that a form has the pivots that it names; as [`read_form`].
pub(super) fn check_structure(form: &Echelon, limit: usize, vectors: Option<&[u64]>) -> Result<Vec<u64>> {
    let columns = form.matrix.columns();
    Wrong::unless(limit <= columns, format!("a form of {columns} columns, of {limit}"))?;
    let (pivots, products) = read_form(&form.matrix, limit, vectors)?;
    Wrong::unless(pivots == form.pivots, OTHER_PIVOTS)?;
    Ok(products)
}

/// Checks that every row of `a`, and of `b` in the columns in which its vectors are not zero, is a sum of the form's rows
/// with a pivot, and that no row has a one at the pivot of another, if the form is to be reduced, which is certain. `sums`
/// has for each row with a pivot what its columns of `b` contribute. The form's structure, with pivots in the first `limit`
/// columns, must have been checked. See [`rank`](super::rank).
pub(in crate::gf2) fn check_rank(
    a: &dyn Bands,
    b: Option<(&dyn Bands, &[u64])>,
    (form, limit): (&dyn Bands, usize),
    (pivots, sums): (&[u32], &[u64]),
    is_reduced: bool,
) -> Result<()> {
    let width = form.columns().div_ceil(64);
    let mut is_pivot = vec![0u64; width];
    pivots.iter().for_each(|&c| is_pivot[c as usize / 64] |= 1 << (c % 64));
    let mut vectors = random_vectors(limit)?;
    vectors.resize(64 * width, 0);
    let at_a_time = form.rows_of_a_band();
    for first in (0..pivots.len()).step_by(at_a_time).rev() {
        let rows = first..pivots.len().min(first + at_a_time);
        let band = form.band(rows.clone())?;
        let at_pivots = |k: &usize| {
            let words = band.row64(*k).iter().zip(&is_pivot);
            words.map(|(word, is_pivot)| (word & is_pivot).count_ones()).sum::<u32>() != 1
        };
        if is_reduced && let Some(k) = (0..rows.len()).find(at_pivots) {
            return failed(Wrong::at("row", first + k, "has ones at pivots of others"));
        }
        extend_vanishing(&band, &pivots[rows.clone()], &mut vectors, sums[rows].to_vec());
    }
    let mut products = a.times(&vectors)?;
    if let Some((b, vectors)) = b {
        add(&mut products, &b.times(vectors)?);
    }
    Wrong::none("row", first_nonzero(products), "is not a sum of rows of the echelon form")
}
