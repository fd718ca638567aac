//! Answers to dense problems, as checks take them.

use super::verify::Bands;
use super::{Echelon, Inverse, Solution};

/// An answer to a [`Dense`](super::Dense) problem that a check refers to; [`DenseAnswer::as_answer`](super::DenseAnswer::as_answer)
/// gives that of a run. Matrices may be in memory or in files.
#[derive(Clone, Copy, Debug)]
pub enum Answer<'a> {
    /// The rank; of an inverse, that there is none.
    Rank(usize),
    /// The form with its pivots, to [`Operation::Echelon`](super::Operation::Echelon) and
    /// [`Operation::Rref`](super::Operation::Rref).
    Form(&'a Echelon),
    /// The solutions, to [`Operation::Solve`](super::Operation::Solve).
    Solution(&'a Solution),
    /// The matrix of the operation: a form, a basis, the inverse, or the solutions of all right sides that have one.
    Matrix(&'a dyn Bands),
    /// The right sides without a solution, ascending, without the solutions of the others, to
    /// [`Operation::Solve`](super::Operation::Solve).
    Unsolvable(&'a [u32]),
}

impl Inverse {
    /// The answer as a check takes it.
    pub fn as_answer(&self) -> Answer<'_> {
        match self {
            Inverse::Regular(inverse) => Answer::Matrix(inverse),
            Inverse::Singular { rank } => Answer::Rank(*rank),
        }
    }
}
