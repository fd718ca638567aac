//! Checks of the vectors of a kernel.

use super::super::stored::StoredMatrix;
use super::add;
use crate::Result;
use crate::gf2::BitView;
use crate::gf2::verify::vectors::{random_vectors, times_view, transposed_times};
use crate::gf2::verify::{failed, first_nonzero};

/// Checks that the rows of `kernel`, as many as the kernel's dimension, are in the kernel of `a`. Returns true if their
/// last ones ascend, which shows that they are independent.
pub(super) fn check_kernel(a: BitView<'_>, kernel: &StoredMatrix<'_>, rank: usize) -> Result<bool> {
    let dimension = a.columns().saturating_sub(rank);
    if (kernel.rows(), kernel.columns()) != (dimension, a.columns()) {
        let (rows, columns) = (kernel.rows(), kernel.columns());
        return failed(format!(
            "{rows} vectors of {columns} entries; the kernel has dimension {dimension} in a space of {}",
            a.columns()
        ));
    }
    let vectors = random_vectors(dimension)?;
    let mut sums = vec![0; a.columns().next_multiple_of(64)];
    let (mut row, mut last, mut ascend) = (0, None, true);
    kernel.bands(|band| {
        add(&mut sums, &transposed_times(band, &vectors[row..row + band.rows()])?);
        for k in 0..band.rows() {
            let next = band.ones(k).next_back();
            ascend &= last < next;
            last = next;
        }
        row += band.rows();
        Ok(())
    })?;
    match first_nonzero(times_view(&a, &sums)) {
        Some(row) => failed(format!("row {row} of the matrix is not zero on the kernel")),
        None => Ok(ascend),
    }
}
