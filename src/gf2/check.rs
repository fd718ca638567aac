//! Checks of answers by their problems, each with its guarantee.

use super::answer::Answer;
use super::question::Evidence;
use super::verify::{self, Bands, Depth, MISS_BITS, Proof, SpanProof, failed};
use super::{BitMatrix, Carrying, Dense, Elimination, F4Matrix, F4Method, Operation, Solution};
use crate::verify::Guarantee;
use crate::{Device, Error, Result, Wrong};

impl Dense {
    /// The bytes of host memory that a [`check`](Self::check) in linear time takes beside the matrices and the
    /// answer. A check that [eliminates](Self::elimination_of_check) takes what the plan of its elimination says.
    pub fn check_bytes(&self) -> u64 {
        let (rows, columns) = self.shape();
        verify::linear_bytes(rows, columns, self.other_columns())
    }

    /// True if the check of an answer takes an elimination, and not only time linear in the matrices.
    pub(super) fn check_eliminates(&self, answer: Answer<'_>) -> bool {
        match (self.operation(), answer) {
            (Operation::Solve, Answer::Matrix(x)) => x.columns() < self.other_columns(),
            (Operation::Solve, Answer::Solution(solution)) => !solution.inconsistent.is_empty(),
            (Operation::Inverse, Answer::Matrix(_)) => false,
            _ => true,
        }
    }

    /// The elimination that the [`check`](Self::check) of an answer does on its device, to be planned like any
    /// problem; `None` if the check takes time linear in the matrices and uses no device.
    pub fn elimination_of_check(&self, answer: Answer<'_>) -> Option<Carrying> {
        let (rows, columns) = self.shape();
        let elimination = match self.operation() {
            Operation::Solve => *self,
            _ => Dense::echelon(rows, columns).ok()?,
        };
        self.check_eliminates(answer).then_some(Carrying(elimination))
    }

    /// Checks an answer to this problem for the matrix `a` and, if the problem has two matrices, `b`. A
    /// wrong answer is missed with a chance of at most 2^-64; of a [`Solution`] the rank is not checked.
    ///
    /// Ranks, forms, kernels and answers that there is no solution or inverse take an elimination of `a` on
    /// `device` ([`elimination_of_check`](Self::elimination_of_check)), all others time linear in the matrices.
    /// [`check_carried`](Self::check_carried) needs no elimination, where the run carried columns. Forms with pivots
    /// in the first columns only, and those from a column on, are refused.
    ///
    /// ```
    /// use wgalois::{Cpu, Device, gf2::{self, Answer, BitMatrix, Dense}};
    ///
    /// let device = Device::Cpu(Cpu::default());
    /// let a = BitMatrix::identity(70)?;
    /// let (problem, rank) = (Dense::rank(70, 70)?, gf2::rank(&device, &a)?);
    /// let guarantee = problem.check(&device, &a, None, Answer::Rank(rank))?;
    /// assert_eq!(guarantee.to_string(), "the rank is 70; a wrong one is missed with a chance of at most 2^-64");
    /// assert!(problem.check(&device, &a, None, Answer::Rank(69)).is_err());
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    pub fn check(
        &self,
        device: &Device,
        a: &BitMatrix,
        b: Option<&BitMatrix>,
        answer: Answer<'_>,
    ) -> Result<Guarantee> {
        self.expect_input(a, b)?;
        self.expect_answer(answer)?;
        let proof = match (self.operation(), b) {
            _ if !self.check_eliminates(answer) => None,
            (Operation::Solve, Some(b)) => Some(Proof::of_sides(device, a, b)?),
            _ => Some(Proof::determine(device, a)?),
        };
        self.judge(a, b.map(|b| b as &dyn Bands), answer, proof.as_ref(), rank_on(device))
    }

    /// [`check`](Self::check) of the answer of a run that carried columns ([`Carrying`], which has an example). It eliminates
    /// nothing; of a [`Solution`] the rank is checked too.
    pub fn check_carried(
        &self,
        device: &Device,
        a: &BitMatrix,
        b: Option<&BitMatrix>,
        answer: Answer<'_>,
        evidence: &Evidence,
    ) -> Result<Guarantee> {
        self.expect_input(a, b)?;
        self.expect_answer(answer)?;
        // The form itself is the answer, or the answer was read from it.
        let form = match (answer, &evidence.form) {
            (Answer::Form(form), _) => form,
            (_, Some(form)) => form,
            (_, None) => return Err(Error::needs("this check", "the evidence of this answer")),
        };
        let stated = match (self.operation(), answer) {
            (Operation::Solve, Answer::Matrix(_) | Answer::Unsolvable(_))
            | (Operation::Inverse, Answer::Matrix(_)) => {
                return self.check(device, a, b, answer);
            }
            (_, Answer::Rank(rank) | Answer::Solution(&Solution { rank, .. })) => Some(rank),
            _ => None,
        };
        let proof = evidence.carried.prove(form)?;
        if let Some(rank) = stated {
            verify::rank(a, form, &proof)?;
            Wrong::unless(proof.rank() == rank, format!("the rank is {}, not {rank}", proof.rank()))?;
        }
        self.judge(a, b.map(|b| b as &dyn Bands), answer, Some(&proof), rank_on(device))
    }

    /// Returns an error for an answer that no check of this operation takes.
    pub(super) fn expect_answer(&self, answer: Answer<'_>) -> Result<()> {
        let operation = self.operation();
        let is_taken = match answer {
            Answer::Rank(_) => matches!(operation, Operation::Rank | Operation::Inverse),
            Answer::Form(_) => matches!(operation, Operation::Echelon | Operation::Rref),
            Answer::Matrix(_) => operation != Operation::Rank,
            Answer::Solution(_) | Answer::Unsolvable(_) => operation == Operation::Solve,
        };
        match is_taken && self.of_a().has_whole_form() {
            true => Ok(()),
            false => Err(Error::only_for("this answer", format!("other operations than {operation:?}"))),
        }
    }

    /// Judges an answer that the operation has, for the matrix `a` and, if the problem has two, `b`. An elimination of the same
    /// matrices left the `proof`, which answers need that cannot be checked by reading alone. `rank_of` returns the rank of a
    /// kernel's vectors, which is asked for if their last ones do not ascend.
    pub(super) fn judge(
        &self,
        a: &dyn Bands,
        b: Option<&dyn Bands>,
        answer: Answer<'_>,
        proof: Option<&Proof>,
        rank_of: impl FnOnce(&dyn Bands) -> Result<usize>,
    ) -> Result<Guarantee> {
        let operation = self.operation();
        let is_reduced = operation == Operation::Rref;
        match (operation, answer, proof, b) {
            (Operation::Inverse, Answer::Rank(rank), ..) if rank >= a.rows() => {
                failed(format!("a matrix of rank {rank} has an inverse"))
            }
            (_, Answer::Rank(rank), Some(proof), _) if rank == proof.rank() => {
                Ok(Guarantee::probable(format!("the rank is {rank}"), MISS_BITS))
            }
            (_, Answer::Rank(_), Some(proof), _) => failed(format!("the rank is {}", proof.rank())),
            (_, Answer::Form(form), Some(proof), _) => verify::echelon(a, form, is_reduced, proof),
            (Operation::Echelon | Operation::Rref, Answer::Matrix(form), Some(proof), _) => {
                verify::form_of(a, form, is_reduced, proof.rank())
            }
            (Operation::Kernel, Answer::Matrix(kernel), Some(proof), _) => {
                verify::kernel_of(a, kernel, proof.rank(), || rank_of(kernel))
            }
            (_, Answer::Solution(solution), proof, Some(b)) => verify::solution(a, b, solution, proof),
            (_, Answer::Unsolvable(sides), Some(proof), Some(b)) => {
                verify::same_sides(&proof.unsolvable, sides, b.columns())
            }
            (Operation::Solve, Answer::Matrix(x), proof, Some(b)) => {
                let lacking = proof.map_or(&[][..], |proof| &proof.unsolvable[..]);
                verify::solutions(a, b, x, lacking)
            }
            (Operation::Inverse, Answer::Matrix(x), ..) => verify::inverse(a, x),
            _ => Err(Error::needs(format!("a check of {operation:?}"), "an elimination and its matrices")),
        }
    }
}

/// Returns the proven rank of the vectors of a kernel.
fn rank_on(device: &Device) -> impl FnOnce(&dyn Bands) -> Result<usize> {
    move |kernel| Ok(Proof::determine(device, &*kernel.band(0..kernel.rows())?)?.rank())
}

impl F4Matrix {
    /// The bytes of host memory that a [`check`](Self::check) takes beside the F4 matrix, the result included. The
    /// check of [`F4Method::Rounds`](super::F4Method::Rounds) also takes the plan's.
    pub fn check_bytes(&self) -> u64 {
        verify::check_bytes(self)
    }

    /// True if a [`check`](Self::check) eliminates the F4 matrix once more.
    pub fn check_eliminates(&self) -> bool {
        self.method() == F4Method::Rounds
    }

    /// True if a check proves more, or the same at less cost, with columns that the run carried
    /// ([`verify::CarriedF4Matrix`]): it eliminates without them, or checks a sample of the rows.
    pub fn check_gains_from_proof(&self, depth: Depth) -> bool {
        self.check_eliminates() || depth == Depth::Bounded && !verify::is_cheap(self)
    }

    /// [`check`](Self::check) with a proof from columns that the run carried. It does no elimination.
    pub fn check_proven(&self, result: &Elimination, proof: &SpanProof, depth: Depth) -> Result<Guarantee> {
        match self.method() {
            F4Method::Rounds => verify::same_span(self, result, proof),
            _ => verify::file_order(self, result, depth, Some(proof)),
        }
    }

    /// Checks the result of eliminating this F4 matrix by its [method](F4Matrix::method).
    ///
    /// For [`F4Method::Rounds`](super::F4Method::Rounds) this takes an elimination on `device`, and a wrong lead
    /// or span is missed with a chance of at most 2^-64. For all other methods every row is checked against
    /// the definition, and no wrong one is missed, if `depth` allows that; otherwise a sample of the rows is
    /// checked, and the guarantee says so. See [`verify::file_order`].
    ///
    /// ```
    /// use wgalois::{Cpu, Device, gf2::{self, IndexLists, F4Matrix, verify::Depth}};
    ///
    /// let device = Device::Cpu(Cpu::default());
    /// let rows = IndexLists::new(vec![0, 2, 4], vec![7, 1, 7, 0])?;
    /// let f4 = F4Matrix::new(IndexLists::default(), rows, None)?;
    /// let result = gf2::eliminate(&device, &f4)?;
    /// println!("{}", f4.check(&device, &result, Depth::Full)?);
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    pub fn check(&self, device: &Device, result: &Elimination, depth: Depth) -> Result<Guarantee> {
        verify::elimination(device, self, result, self.method(), depth)
    }
}
