//! Checks that a matrix is an echelon form, and that its rows span what those of another span.

use super::super::stored::StoredMatrix;
use super::add;
use crate::Result;
use crate::gf2::BitView;
use crate::gf2::verify::vectors::{extend_vanishing, random_vectors, times, times_view};
use crate::gf2::verify::{failed, first_nonzero};

/// Reads an echelon form: its pivots and, if `vectors` are given, its products with them. Rows begin in ascending
/// columns, and those that have no one come last.
pub(super) fn read_form(form: &StoredMatrix<'_>, vectors: Option<&[u64]>) -> Result<(Vec<u32>, Vec<u64>)> {
    let (mut pivots, mut products) = (Vec::new(), Vec::new());
    let mut row = 0;
    form.bands(|band| {
        for k in 0..band.rows() {
            match band.ones(k).next().map(|column| column as u32) {
                Some(column)
                    if pivots.len() == row + k && pivots.last().is_none_or(|&last| last < column) =>
                {
                    pivots.push(column);
                }
                None => {}
                Some(_) => return failed(format!("row {} does not begin at its pivot", row + k)),
            }
        }
        row += band.rows();
        products.extend(vectors.map_or_else(Vec::new, |vectors| times(band, vectors)));
        Ok(())
    })?;
    Ok((pivots, products))
}

/// Checks that every row of `a`, and of `b` in the columns in which its vectors are not zero, is a sum of the form's rows
/// with a pivot: passes 3 and 4. `sums` has for each of these rows what its columns of `b` contribute.
pub(super) fn check_rank(
    a: BitView<'_>,
    b: Option<(BitView<'_>, &[u64])>,
    form: &StoredMatrix<'_>,
    pivots: &[u32],
    sums: Vec<u64>,
    is_reduced: bool,
) -> Result<()> {
    let mut is_pivot = vec![0u64; form.columns().div_ceil(64)];
    pivots.iter().for_each(|&c| is_pivot[c as usize / 64] |= 1 << (c % 64));
    let mut vectors = random_vectors(form.columns())?;
    form.bands_in_reverse(pivots.len(), |first, band| {
        let rows = first..first + band.rows();
        let at_pivots = |k: &usize| {
            let words = band.row64(*k).iter().zip(&is_pivot);
            words.map(|(word, is_pivot)| (word & is_pivot).count_ones()).sum::<u32>() != 1
        };
        if let Some(k) = (0..band.rows()).find(at_pivots).filter(|_| is_reduced) {
            return failed(format!("row {} has ones at pivots of others", first + k));
        }
        extend_vanishing(band, &pivots[rows.clone()], &mut vectors, sums[rows].to_vec());
        Ok(())
    })?;
    let mut products = times_view(&a, &vectors);
    if let Some((b, vectors)) = b {
        add(&mut products, &times_view(&b, vectors));
    }
    match first_nonzero(products) {
        Some(row) => failed(format!("row {row} is not a sum of rows of the echelon form")),
        None => Ok(()),
    }
}
