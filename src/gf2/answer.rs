//! Answers to dense problems, as checks take them.

use super::{BitMatrix, Echelon, Inverse, Solution};

/// An answer to a [`Dense`](super::Dense) problem that a check refers to; [`DenseAnswer::as_answer`](super::DenseAnswer::as_answer)
/// gives that of a run.
#[derive(Clone, Copy, Debug)]
pub enum Answer<'a> {
    /// The rank, to [`Operation::Rank`](super::Operation::Rank).
    Rank(usize),
    /// The form, to [`Operation::Echelon`](super::Operation::Echelon) and [`Operation::Rref`](super::Operation::Rref).
    Form(&'a Echelon),
    /// The solutions, to [`Operation::Solve`](super::Operation::Solve).
    Solution(&'a Solution),
    /// The inverse, or that there is none, to [`Operation::Inverse`](super::Operation::Inverse).
    Inverse(&'a Inverse),
    /// The basis, to [`Operation::Kernel`](super::Operation::Kernel).
    Matrix(&'a BitMatrix),
    /// The right sides without a solution, ascending, without the solutions of the others, to
    /// [`Operation::Solve`](super::Operation::Solve).
    Unsolvable(&'a [u32]),
}
