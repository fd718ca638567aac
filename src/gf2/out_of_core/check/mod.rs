//! Checks of answers on files. They are those of [`verify`](crate::gf2::verify), with the same derivations; every
//! matrix streams past, a band of rows at a time, and in memory are only vectors of 64 bits for each row and column.
//!
//! An elimination that carries columns has one more tile, after those of A. It begins as `[A | A u]`, or `[A | A u + B w |
//! B]` for right sides, with uniform random u and w of 64 columns, and ends as `[R | s | S]`.
//!
//! | pass | reads | shows |
//! |---|---|---|
//! | 1, before the run | A, B | the words A u + B w of the carried tile |
//! | 2, forwards | R, S, s | rows begin at ascending pivots, others are zero (certain); R u + S w = s: every row of R and S is a sum of rows of A and B |
//! | 3, backwards | R | vectors v, uniform among those on which the rows with a pivot vanish; R is reduced (certain) |
//! | 4 | A, B | A v = 0: every row of A is a sum of the rows with a pivot |
//!
//! Pass 2 fails with a chance of at least 1 - 2^-64 if a row is no such sum; see [`Carried`](crate::gf2::verify::Carried).
//! So the rank is at least the number of pivots. Pass 4 fails with that chance if a row of A is not in the span of R, since
//! v then takes this row to 64 uniform bits. So the rank is at most the number of pivots, and the spans are equal.
//!
//! Right sides with a solution take part in passes 3 and 4: v is random in their columns, and R v + S v = 0. Then every
//! row of `[A | B]` is, in these columns, a sum of rows with a pivot, whose equations have a solution since they begin in
//! different columns of A. For any other side a row without a pivot has a one there: a sum of rows that is zero in A and one
//! in B.
//!
//! A wrong answer passes the particular pass that should refuse it with a chance of at most 2^-64.

mod evidence;
mod form;
mod kernel;
mod product;
mod solution;

pub(super) use evidence::{Carried, Evidence};
pub use product::ProductCheck;

use evidence::Proof;
use form::{check_rank, read_form};
use kernel::check_kernel;
use solution::check_solution;

use super::dense::{Asked, OutOfCore};
use super::plan::PreparedOutOfCore;
use super::run::OutOfCoreAnswer;
use super::stored::StoredMatrix;
use crate::gf2::verify::{MISS_BITS, failed, of_engine, wrong_shape};
use crate::gf2::{BitView, Dense, Operation};
use crate::task::Problem;
use crate::verify::Guarantee;
use crate::{Error, Result};

fn guarantee(claim: impl Into<std::borrow::Cow<'static, str>>) -> Result<Guarantee> {
    Ok(Guarantee::probable(claim, MISS_BITS))
}

const IS_FORM: &str = "this is a row echelon form, and its rows span what those of the matrix span";
const IS_REDUCED: &str = "this is the reduced row echelon form";
const IS_KERNEL: &str = "the vectors are a basis of the kernel";
const IS_INVERSE: &str = "this is the inverse";
const SOLVES: &str = "every column of x solves its equations";
const SOLVES_OTHERS: &str =
    "every column of x solves its equations, and the columns of B without one in x have no solution";
const UNSOLVABLE: &str = "these columns have no solution, and all others have one";
const IS_PRODUCT: &str = "the product is right";

fn add(sums: &mut [u64], others: &[u64]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum ^= other);
}

/// The claim of an answer.
#[derive(Clone, Copy)]
enum Claim<'m> {
    /// The rank; of an inverse, that there is none.
    Rank(usize),
    Matrix(&'m StoredMatrix<'m>),
    /// The echelon form of which the elimination itself left the proof.
    ProvenForm,
    /// The right sides without a solution, ascending.
    Unsolvable(&'m [u32]),
}

impl Claim<'_> {
    /// Judges the claim for the matrix `a` and, if the problem has two, `b`. An elimination of the same matrices left the
    /// `proof`, which claims need that cannot be checked by reading alone. `rank_of` returns the rank of a kernel's vectors,
    /// which is asked for if their last ones do not ascend.
    fn judge(
        self,
        dense: &Asked,
        a: BitView<'_>,
        b: Option<BitView<'_>>,
        proof: Option<&Proof>,
        rank_of: impl FnOnce() -> Result<usize>,
    ) -> Result<Guarantee> {
        let operation = dense.operation();
        let is_reduced = operation == Operation::Rref;
        match (operation, self, proof, b) {
            (Operation::Rank | Operation::Inverse, Claim::Rank(rank), Some(proof), _) => {
                let is_possible = operation == Operation::Rank || rank < a.rows();
                match proof.rank == rank && is_possible {
                    true => guarantee(format!("the rank is {rank}")),
                    false => failed(format!("the rank is {}", proof.rank)),
                }
            }
            (Operation::Echelon | Operation::Rref, Claim::ProvenForm, Some(_), _) => {
                guarantee(if is_reduced { IS_REDUCED } else { IS_FORM })
            }
            (Operation::Echelon | Operation::Rref, Claim::Matrix(form), Some(proof), _) => {
                if (form.rows(), form.columns()) != (a.rows(), a.columns()) {
                    return failed(wrong_shape(
                        "an echelon form",
                        (form.rows(), form.columns()),
                        (a.rows(), a.columns()),
                    ));
                }
                let (pivots, _) = read_form(form, None)?;
                if pivots.len() != proof.rank {
                    return failed(format!("the form has rank {}, the matrix {}", pivots.len(), proof.rank));
                }
                check_rank(a, None, form, &pivots, vec![0; pivots.len()], is_reduced)?;
                guarantee(if is_reduced { IS_REDUCED } else { IS_FORM })
            }
            (Operation::Kernel, Claim::Matrix(kernel), Some(proof), _) => {
                let ascend = check_kernel(a, kernel, proof.rank)?;
                match ascend || rank_of()? == kernel.rows() {
                    true => guarantee(IS_KERNEL),
                    false => failed("the vectors of the kernel are not independent"),
                }
            }
            (Operation::Solve, Claim::Unsolvable(sides), Some(proof), _) => {
                let is_proven = |side: &&u32| proof.inconsistent.binary_search(side).is_ok();
                match (
                    proof.inconsistent.iter().find(|side| sides.binary_search(side).is_err()),
                    sides.iter().find(|side| !is_proven(side)),
                ) {
                    (Some(side), _) => failed(format!("column {side} has no solution either")),
                    (_, Some(side)) => failed(format!("column {side} has a solution")),
                    (None, None) => guarantee(UNSOLVABLE),
                }
            }
            (Operation::Solve, Claim::Matrix(x), proof, Some(b)) => {
                let lacking = proof.map_or(&[][..], |proof| &proof.inconsistent[..]);
                check_solution(a, Some((b, lacking)), x)?;
                guarantee(if lacking.is_empty() { SOLVES } else { SOLVES_OTHERS })
            }
            (Operation::Inverse, Claim::Matrix(x), ..) => {
                check_solution(a, None, x)?;
                guarantee(IS_INVERSE)
            }
            (Operation::Multiply, Claim::Matrix(product), _, Some(b)) => {
                let mut check = ProductCheck::new(a, b)?;
                product.bands(|band| check.take(band))?;
                check.finish()
            }
            _ => Err(Error::Usage(format!("this is no answer that a check of {operation:?} takes"))),
        }
    }
}

impl PreparedOutOfCore<OutOfCore> {
    /// Checks the answer of a [`run`](Self::run) of a problem
    /// [with carried columns](OutOfCore::with_carried_columns), for the same matrices. A wrong answer is missed
    /// with a chance of at most 2^-64; the module's documentation derives it. A product is computed once more; see
    /// [`ProductCheck`].
    ///
    /// # Errors
    /// [`Error::Check`] for a wrong answer; [`Error::Usage`] for a problem without carried columns; those of
    /// [`run`](Self::run).
    pub fn check(
        &self,
        a: BitView<'_>,
        b: Option<BitView<'_>>,
        answer: &OutOfCoreAnswer<'_>,
    ) -> Result<Guarantee> {
        let dense = self.plan().problem().dense();
        let operation = dense.operation();
        let claim = match (operation, &answer.matrix) {
            (Operation::Echelon | Operation::Rref, _) => Claim::ProvenForm,
            (_, Some(matrix)) => Claim::Matrix(matrix),
            (Operation::Solve, None) => Claim::Unsolvable(&answer.inconsistent),
            (_, None) => Claim::Rank(answer.rank()),
        };
        let proof = match (operation, claim, &answer.evidence) {
            (Operation::Multiply, ..) => None,
            (_, _, None) => {
                return Err(Error::Usage("the elimination was planned without carried columns".into()));
            }
            (Operation::Inverse, Claim::Matrix(_), _) => None,
            (_, _, Some(evidence)) => {
                let b = b.filter(|_| operation == Operation::Solve);
                let proof = evidence.prove(a, b, dense.is_reduced())?;
                if proof.rank != answer.rank() {
                    return failed(format!("the rank is {}, not {}", proof.rank, answer.rank()));
                }
                if proof.inconsistent != answer.inconsistent {
                    return failed("other columns have no solution than those that are named");
                }
                Some(proof)
            }
        };
        // The last ones of a kernel's vectors ascend as they are written.
        claim.judge(dense, a, b, proof.as_ref(), || Ok(0))
    }
}

/// An answer from a file, to be checked by [`OutOfCore::check`].
#[derive(Clone, Copy, Debug)]
pub enum StoredAnswer<'a> {
    /// A rank; of an inverse, that there is none.
    Rank(usize),
    /// The matrix of the operation; of equations, the solutions of all right sides that have one.
    Matrix(BitView<'a>),
    /// The right sides without a solution, ascending.
    Unsolvable(&'a [u32]),
}

impl OutOfCore {
    /// The elimination that [`check`](Self::check) does, to be planned as any problem; `None` if the check only reads the
    /// matrices.
    pub fn elimination_of_check(&self, answer: StoredAnswer<'_>) -> Option<OutOfCore> {
        let dense = self.dense();
        let ((rows, columns), others) = (dense.shape(), dense.other_columns());
        let elimination = match (dense.operation(), answer) {
            (Operation::Solve, StoredAnswer::Unsolvable(_)) => *dense,
            (Operation::Solve, StoredAnswer::Matrix(x)) if x.columns() < dense.other_columns() => *dense,
            (Operation::Solve | Operation::Inverse | Operation::Multiply, StoredAnswer::Matrix(_)) => {
                return None;
            }
            _ => Dense::rank(rows, columns).ok()?.into(),
        };
        let bytes = |rows: usize, columns: usize| rows as u64 * 4 * columns.div_ceil(32) as u64;
        let beside = match (dense.operation(), answer) {
            // A form is read forwards and backwards, a kernel and solutions once; then the matrices once more.
            (Operation::Echelon | Operation::Rref, StoredAnswer::Matrix(form)) => {
                2 * bytes(form.rows(), form.columns()) + bytes(rows, columns)
            }
            (Operation::Kernel | Operation::Solve, StoredAnswer::Matrix(answer)) => {
                bytes(answer.rows(), answer.columns()) + bytes(rows, columns) + bytes(rows, others)
            }
            _ => 0,
        };
        Some(OutOfCore { dense: elimination, carries: true, beside })
    }

    /// Checks an answer from a file for the matrix `a` and, if the problem has two, `b`. It does an elimination where
    /// [`elimination_of_check`](Self::elimination_of_check) says so, with scratch files in `scratch`, and a second one for
    /// the vectors of a kernel whose last ones do not ascend. A wrong answer is missed with a chance of at most 2^-64.
    ///
    /// # Errors
    /// [`Error::Check`] for a wrong answer; [`Error::Usage`] for an answer to another operation;
    /// [`Error::Device`] if the own elimination does not pass; those of planning and running it.
    pub fn check(
        &self,
        device: &crate::Device,
        scratch: &std::path::Path,
        a: BitView<'_>,
        b: Option<BitView<'_>>,
        answer: StoredAnswer<'_>,
    ) -> Result<Guarantee> {
        let shape = |view: &BitView| (view.rows(), view.columns());
        let dense = self.dense();
        dense.expect_shapes(shape(&a), b.as_ref().map(shape))?;
        let prove = |problem: &OutOfCore, a: BitView<'_>, b: Option<BitView<'_>>| {
            let answer = problem.plan(device)?.prepare(device, scratch)?.run(a, b)?;
            let evidence = answer.evidence.as_ref().ok_or_else(|| Error::Usage("no evidence".into()))?;
            of_engine(evidence.prove(a, b, problem.dense().is_reduced()))
        };
        let proof = match self.elimination_of_check(answer) {
            Some(elimination) => {
                let b = b.filter(|_| elimination.dense().operation() == Operation::Solve);
                Some(prove(&elimination, a, b)?)
            }
            None => None,
        };
        let matrix;
        let claim = match answer {
            StoredAnswer::Rank(rank) => Claim::Rank(rank),
            StoredAnswer::Unsolvable(sides) => Claim::Unsolvable(sides),
            StoredAnswer::Matrix(view) => {
                matrix = StoredMatrix::of_file(view);
                Claim::Matrix(&matrix)
            }
        };
        claim.judge(dense, a, b, proof.as_ref(), || match answer {
            StoredAnswer::Matrix(kernel) => {
                let rank = OutOfCore::new(Dense::rank(kernel.rows(), kernel.columns())?);
                Ok(prove(&rank.with_carried_columns(true), kernel, None)?.rank)
            }
            _ => Ok(0),
        })
    }
}
