//! The answers to dense problems, read from echelon forms.
//!
//! ```text
//! operation     eliminated          answer
//! rank          A                   the columns of the pivots
//! echelon       A                   the form
//! rref, kernel  A, reduced          the form; a basis read from it
//! solve         A B, reduced        the columns of B at the pivots' rows
//! inverse       A I, reduced        the same, if the rank is full
//! ```

use super::answer::Answer;
use super::dense::beside;
use super::verify::Carried;
use super::{BitMatrix, Dense, Echelon, Inverse, Operation, Solution};
use crate::{Error, Result};

/// The answer of a run of a [`Dense`] problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DenseAnswer {
    /// The columns of the pivots, ascending, as many as the rank: to [`Operation::Rank`].
    Pivots(Vec<u32>),
    /// The form, to [`Operation::Echelon`] and [`Operation::Rref`].
    Form(Echelon),
    /// The solutions, to [`Operation::Solve`].
    Solution(Solution),
    /// The basis, to [`Operation::Kernel`].
    Kernel {
        /// One vector per row; see [`kernel`](super::kernel()).
        basis: BitMatrix,
        /// The columns of the matrix's pivots, ascending.
        pivots: Vec<u32>,
    },
    /// The inverse, or that there is none, to [`Operation::Inverse`].
    Inverse(Inverse),
    /// The matrix, to [`Operation::Multiply`] and [`Operation::Transpose`].
    Matrix(BitMatrix),
}

/// The evidence for an answer that a run collects on its way: random columns that the elimination carried,
/// and the form that the answer was read from. [`Dense::check_carried`] judges by it.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// `None` for an operation that eliminates nothing.
    pub(super) carried: Option<Carried>,
    /// `None` if the answer is the form itself.
    pub(super) form: Option<Echelon>,
}

/// Defines a method that takes one kind of answer apart.
macro_rules! into {
    ($(#[$doc:meta])* $name:ident, $pattern:pat => $value:expr, $type:ty) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// [`Error::Usage`] for the answer to another operation.
        pub fn $name(self) -> Result<$type> {
            match self {
                $pattern => Ok($value),
                _ => Err(Error::Usage("the plan is for another operation".into())),
            }
        }
    };
}

impl DenseAnswer {
    into! {
        /// The columns of the pivots, to [`Operation::Rank`].
        into_pivots, DenseAnswer::Pivots(pivots) => pivots, Vec<u32>
    }
    into! {
        /// The form, to [`Operation::Echelon`] and [`Operation::Rref`].
        into_form, DenseAnswer::Form(form) => form, Echelon
    }
    into! {
        /// The solutions, to [`Operation::Solve`].
        into_solution, DenseAnswer::Solution(solution) => solution, Solution
    }
    into! {
        /// The basis and the columns of the pivots, to [`Operation::Kernel`].
        into_kernel, DenseAnswer::Kernel { basis, pivots } => (basis, pivots), (BitMatrix, Vec<u32>)
    }
    into! {
        /// The inverse, or that there is none, to [`Operation::Inverse`].
        into_inverse, DenseAnswer::Inverse(inverse) => inverse, Inverse
    }
    into! {
        /// The matrix, to [`Operation::Kernel`], [`Operation::Multiply`] and [`Operation::Transpose`].
        into_matrix, DenseAnswer::Kernel { basis: matrix, .. } | DenseAnswer::Matrix(matrix) => matrix, BitMatrix
    }

    /// The answer as a check takes it.
    pub fn as_answer(&self) -> Answer<'_> {
        match self {
            DenseAnswer::Pivots(pivots) => Answer::Rank(pivots.len()),
            DenseAnswer::Form(form) => Answer::Form(form),
            DenseAnswer::Solution(solution) => Answer::Solution(solution),
            DenseAnswer::Inverse(inverse) => Answer::Inverse(inverse),
            DenseAnswer::Kernel { basis: matrix, .. } | DenseAnswer::Matrix(matrix) => Answer::Matrix(matrix),
        }
    }
}

/// An elimination of a matrix: an echelon form with pivots in the first `limit` columns, reduced if `full`.
pub(super) trait Eliminate: AsyncFn(&BitMatrix, usize, bool) -> Result<Echelon> {}

impl<F: AsyncFn(&BitMatrix, usize, bool) -> Result<Echelon>> Eliminate for F {}

/// The answer to a problem that takes an elimination, for matrices of its shapes.
pub(super) async fn by_elimination(
    problem: &Dense,
    a: &BitMatrix,
    b: Option<&BitMatrix>,
    eliminate: impl Eliminate,
) -> Result<DenseAnswer> {
    let side = right_sides(problem, a, b)?;
    let form = eliminate(side.as_ref().unwrap_or(a), problem.limit(), problem.is_reduced()).await?;
    // The memory of A and B side by side is freed before the answer is made.
    drop(side);
    read(problem, form)
}

/// [`by_elimination`] with random columns, which the elimination carries.
pub(super) async fn by_carrying_elimination(
    problem: &Dense,
    a: &BitMatrix,
    b: Option<&BitMatrix>,
    eliminate: impl Eliminate,
) -> Result<(DenseAnswer, Evidence)> {
    let side = right_sides(problem, a, b)?;
    let (limit, full) = (problem.limit(), problem.is_reduced());
    let wide = async |matrix: &BitMatrix| eliminate(matrix, limit, full).await;
    let (form, carried) = Carried::eliminate_by_async(side.as_ref().unwrap_or(a), limit, wide).await?;
    drop(side);
    let carried = Some(carried);
    match problem.operation() {
        Operation::Echelon | Operation::Rref => {
            Ok((DenseAnswer::Form(form), Evidence { carried, form: None }))
        }
        _ => Ok((read_others(problem, &form)?, Evidence { carried, form: Some(form) })),
    }
}

/// Returns A and the right sides side by side, for operations that have right sides.
pub(super) fn right_sides(
    problem: &Dense,
    a: &BitMatrix,
    b: Option<&BitMatrix>,
) -> Result<Option<BitMatrix>> {
    match (problem.operation(), b) {
        (Operation::Solve, Some(b)) => beside(a, b).map(Some),
        (Operation::Inverse, _) => beside(a, &BitMatrix::identity(a.rows())?).map(Some),
        _ => Ok(None),
    }
}

/// Reads the answer from the form that was computed for it.
pub(super) fn read(problem: &Dense, form: Echelon) -> Result<DenseAnswer> {
    match problem.operation() {
        Operation::Echelon | Operation::Rref => Ok(DenseAnswer::Form(form)),
        _ => read_others(problem, &form),
    }
}

/// Reads an answer that is not the form itself.
fn read_others(problem: &Dense, form: &Echelon) -> Result<DenseAnswer> {
    let ((rows, columns), sides) = (problem.shape(), problem.other_columns());
    match problem.operation() {
        Operation::Rank => Ok(DenseAnswer::Pivots(form.pivots.clone())),
        Operation::Kernel => Ok(DenseAnswer::Kernel { basis: form.kernel()?, pivots: form.pivots.clone() }),
        Operation::Solve => Solution::from_reduced(form, columns, sides).map(DenseAnswer::Solution),
        Operation::Inverse => {
            let solution = Solution::from_reduced(form, columns, rows)?;
            Ok(DenseAnswer::Inverse(Inverse::from_solution(solution, rows)))
        }
        operation => Err(Error::Usage(format!("{operation:?} takes no elimination"))),
    }
}
