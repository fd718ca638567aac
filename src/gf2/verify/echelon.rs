//! Ranks, echelon forms and kernels.

use crate::gf2::{BitMatrix, Echelon};
use crate::verify::Guarantee;
use crate::{Device, Result, Wrong};

use super::bands::Bands;
use super::carried::Proof;
use super::form::{check_rank, check_structure, read_form};
use super::vectors::{random_vectors, transposed_times};
use super::{MISS_BITS, add, first_nonzero};

/// Checks that a form has the rank of the matrix `a`. Only the form's columns that `a` has are
/// considered: right sides may follow them.
///
/// *Not too large:* the [`Proof`] shows that many sums of rows of `a` that begin in different
/// columns. *Not too small:* every row of `a` is a sum of the form's rows with a pivot. If one is
/// not, it takes a random vector on which they vanish to 1 with probability 1/2, and 64 vectors
/// are drawn. A wrong rank fails one of the two checks, and so is missed with a chance of at most
/// 2^-64.
pub fn rank(a: &dyn Bands, form: &Echelon, proof: &Proof) -> Result<Guarantee> {
    expect_rank(proof.rank(), form.rank())?;
    check_structure(form, a.columns(), None)?;
    let sums = vec![0; form.rank()];
    check_rank(a, None, (&form.matrix, a.columns()), (&form.pivots, &sums), false)?;
    Ok(Guarantee::probable(format!("the rank is {}", form.rank()), MISS_BITS))
}

/// Checks the rank of a form by that of its matrix.
fn expect_rank(of_a: usize, of_form: usize) -> Result<()> {
    Wrong::unless(of_form == of_a, format!("the form has rank {of_form}, the matrix {of_a}"))
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
pub fn echelon(a: &dyn Bands, form: &Echelon, reduced: bool, proof: &Proof) -> Result<Guarantee> {
    check_structure(form, form.matrix.columns(), None)?;
    form_of(a, &form.matrix, reduced, proof.rank())
}

/// As [`echelon`], for a form whose pivots are not stated, of a matrix whose rank is proven to be at least `rank`.
pub(in crate::gf2) fn form_of(
    a: &dyn Bands,
    form: &dyn Bands,
    reduced: bool,
    rank: usize,
) -> Result<Guarantee> {
    let [of_form, of_a] = [form, a].map(|matrix| (matrix.rows(), matrix.columns()));
    Wrong::expect_shape("an echelon form", of_a, of_form)?;
    let (pivots, _) = read_form(form, a.columns(), None)?;
    expect_rank(rank, pivots.len())?;
    check_rank(a, None, (form, a.columns()), (&pivots, &vec![0; rank]), reduced)?;
    Ok(is_form(reduced))
}

/// The guarantee of a proven form.
pub(in crate::gf2) fn is_form(reduced: bool) -> Guarantee {
    let claim = match reduced {
        true => "this is the reduced row echelon form",
        false => "this is a row echelon form, and its rows span what those of the matrix span",
    };
    Guarantee::probable(claim, MISS_BITS)
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
pub fn kernel(device: &Device, a: &dyn Bands, kernel: &BitMatrix, proof: &Proof) -> Result<Guarantee> {
    kernel_of(a, kernel, proof.rank(), || Ok(Proof::determine(device, kernel)?.rank()))
}

/// As [`kernel`], of a matrix whose rank is proven to be at least `rank`. `rank_of` returns the proven rank of the vectors,
/// which is asked for if their last ones do not ascend.
pub(in crate::gf2) fn kernel_of(
    a: &dyn Bands,
    kernel: &dyn Bands,
    rank: usize,
    rank_of: impl FnOnce() -> Result<usize>,
) -> Result<Guarantee> {
    let dimension = a.columns().saturating_sub(rank);
    Wrong::expect_shape(
        "a basis of the kernel",
        (dimension, a.columns()),
        (kernel.rows(), kernel.columns()),
    )?;
    let vectors = random_vectors(dimension)?;
    let mut sums = vec![0; a.columns().next_multiple_of(64)];
    let (mut row, mut last, mut ascend) = (0, None, true);
    kernel.bands(&mut |band| {
        add(&mut sums, &transposed_times(band, &vectors[row..row + band.rows()])?);
        for k in 0..band.rows() {
            let next = band.ones(k).next_back();
            ascend &= last < next;
            last = next;
        }
        row += band.rows();
        Ok(())
    })?;
    Wrong::none("row", first_nonzero(a.times(&sums)?), "of the matrix is not zero on the kernel")?;
    Wrong::unless(ascend || rank_of()? >= dimension, "the vectors of the kernel are not independent")?;
    Ok(Guarantee::probable("the vectors are a basis of the kernel", MISS_BITS))
}
