//! Ranks, echelon forms and kernels.

use crate::gf2::{BitMatrix, Echelon};
use crate::verify::Guarantee;
use crate::{Device, Result};

use super::carried::Proof;
use super::structure::{check_rank, check_reduced, check_structure};
use super::vectors::{random_vectors, times, transposed_times};
use super::{MISS_BITS, failed, first_nonzero, wrong_shape};

/// Checks that a form has the rank of the matrix `a`. Only the form's columns that `a` has are
/// considered: right sides may follow them.
///
/// *Not too large:* the [`Proof`] shows that many sums of rows of `a` that begin in different
/// columns. *Not too small:* every row of `a` is a sum of the form's rows with a pivot. If one is
/// not, it takes a random vector on which they vanish to 1 with probability 1/2, and 64 vectors
/// are drawn. A wrong rank fails one of the two checks, and so is missed with a chance of at most
/// 2^-64.
///
/// # Errors
/// [`crate::Error::Check`] with what is wrong.
pub fn rank(a: &BitMatrix, form: &Echelon, proof: &Proof) -> Result<Guarantee> {
    if form.rank() != proof.rank() {
        return failed(format!("the form has rank {}, the matrix {}", form.rank(), proof.rank()));
    }
    check_structure(form, a.columns())?;
    check_rank(a, form)?;
    Ok(Guarantee::probable(format!("the rank is {}", form.rank()), MISS_BITS))
}

/// Checks a rank by a separate elimination ([`Proof::determine`]): a wrong rank is missed with a chance
/// of at most 2^-64.
///
/// # Errors
/// [`crate::Error::Check`] for another rank; those of [`Proof::determine`].
pub fn rank_alone(device: &Device, a: &BitMatrix, rank: usize) -> Result<Guarantee> {
    let proof = Proof::determine(device, a)?;
    match proof.rank() == rank {
        true => Ok(Guarantee::probable(format!("the rank is {rank}"), MISS_BITS)),
        false => failed(format!("the rank is {}", proof.rank())),
    }
}

/// Checks that `form` is a row echelon form of `a`, or the reduced one.
///
/// - Rows begin at their pivots, which ascend, and no row without a pivot has a one; in a reduced
///   form no row has a one at the pivot of another. This check is deterministic.
/// - There are as many pivots as the proven rank of `a`, no more and no less.
/// - Every row of `a` is a sum of the form's rows; see [`rank`].
///
/// So the form spans a space that contains the rows of `a` and has no larger dimension: the same
/// space. A form of another space is missed with a chance of at most 2^-64. The reduced form of a
/// space is unique, so every single bit of it is proven.
///
/// # Errors
/// [`crate::Error::Check`] with what is wrong.
pub fn echelon(a: &BitMatrix, form: &Echelon, reduced: bool, proof: &Proof) -> Result<Guarantee> {
    let matrix = &form.matrix;
    if (matrix.rows(), matrix.columns()) != (a.rows(), a.columns()) {
        return failed(wrong_shape(
            "an echelon form",
            (matrix.rows(), matrix.columns()),
            (a.rows(), a.columns()),
        ));
    }
    check_structure(form, a.columns())?;
    if let Some(row) = (form.rank()..matrix.rows()).find(|&row| matrix.ones(row).next().is_some()) {
        return failed(format!("row {row} has no pivot and is not zero"));
    }
    if reduced {
        check_reduced(form)?;
    }
    rank(a, form, proof)?;
    Ok(Guarantee::probable(
        match reduced {
            true => "this is the reduced row echelon form",
            false => "this is a row echelon form, and its rows span what those of the matrix span",
        },
        MISS_BITS,
    ))
}

/// Checks that the rows of `kernel` are a basis of { x : a x = 0 }.
///
/// - Their number is that of columns minus the proven rank of `a`.
/// - `a` takes all of them to zero: it takes 64 random sums of them to zero. If it did not take
///   one of them to zero, each such sum would show it with probability 1/2.
/// - They are independent: the last ones of the rows are in ascending columns, which is certain, or an
///   elimination of them on the engine proves that their rank is their number.
///
/// The dimension of the kernel is the number of columns minus the rank, so the three checks make the
/// rows a basis. The rank's proof is of a lower bound; with a higher rank the kernel could not contain
/// that many independent vectors. Rows that are not a basis fail one of the checks, and so are missed
/// with a chance of at most 2^-64.
///
/// # Errors
/// [`crate::Error::Check`] with what is wrong; if the vectors' last ones do not ascend, those of
/// [`Proof::determine`].
pub fn kernel(device: &Device, a: &BitMatrix, kernel: &BitMatrix, proof: &Proof) -> Result<Guarantee> {
    let dimension = a.columns().saturating_sub(proof.rank());
    if kernel.columns() != a.columns() || kernel.rows() != dimension {
        return failed(format!(
            "{} vectors of {} entries; the kernel has dimension {dimension} in a space of {}",
            kernel.rows(),
            kernel.columns(),
            a.columns()
        ));
    }
    if a.rows() > 0 && dimension > 0 {
        let sums = transposed_times(kernel, &random_vectors(kernel.rows())?)?;
        if let Some(row) = first_nonzero(times(a, &sums)) {
            return failed(format!("row {row} of the matrix is not zero on the kernel"));
        }
    }
    let last = |row: usize| kernel.ones(row).next_back();
    let ascend = dimension == 0 || last(0).is_some() && (0..dimension).map(last).is_sorted_by(|a, b| a < b);
    if !ascend && Proof::determine(device, kernel)?.rank() < dimension {
        return failed("the vectors of the kernel are not independent");
    }
    Ok(Guarantee::probable("the vectors are a basis of the kernel", MISS_BITS))
}
