//! Checks of solutions and inverses.

use super::super::stored::StoredMatrix;
use crate::Result;
use crate::gf2::BitView;
use crate::gf2::verify::vectors::{padded, random_vectors, times, times_view};
use crate::gf2::verify::{failed, first_difference};

/// The product of a stored matrix with 64 vectors, padded to whole words.
pub(super) fn product_with(matrix: &StoredMatrix<'_>, vectors: &[u64]) -> Result<Vec<u64>> {
    let mut products = Vec::new();
    matrix.bands(|band| {
        products.extend(times(band, vectors));
        Ok(())
    })?;
    Ok(padded(products))
}

/// Checks that a x = b in the columns of b that are not among the `lacking`, ascending, of which x has none; or that x is the
/// inverse of a if there is no b: a (x v) = b v.
pub(super) fn check_solution(
    a: BitView<'_>,
    b: Option<(BitView<'_>, &[u32])>,
    x: &StoredMatrix<'_>,
) -> Result<()> {
    let sides = b.map_or(a.rows(), |(b, lacking)| b.columns().saturating_sub(lacking.len()));
    if (x.rows(), x.columns()) != (a.columns(), sides) {
        return failed(format!(
            "solutions of {} x {}, where {} x {sides} were expected",
            x.rows(),
            x.columns(),
            a.columns()
        ));
    }
    let vectors = random_vectors(sides)?;
    let products = times_view(&a, &product_with(x, &vectors)?);
    let expected = b.map(|(b, lacking)| {
        let solvable = (0..b.columns()).filter(|&side| lacking.binary_search(&(side as u32)).is_err());
        let mut of_b = padded(vec![0; b.columns()]);
        solvable.zip(&vectors).for_each(|(side, vector)| of_b[side] = *vector);
        times_view(&b, &of_b)
    });
    match first_difference(&products, expected.as_deref().unwrap_or(&vectors)) {
        Some(row) if b.is_some() => failed(format!("equation {row} does not hold")),
        Some(row) => failed(format!("row {row} of the product with the inverse is not the identity's")),
        None => Ok(()),
    }
}
