//! Checks of answers by their problems, each with its guarantee.

use super::answer::Answer;
use super::verify::{self, Depth, Proof, SpanProof};
use super::{BitMatrix, Carrying, Dense, Elimination, Evidence, Inverse, Method, Operation, System};
use crate::verify::Guarantee;
use crate::{Device, Error, Result};

impl Dense {
    /// The bytes of host memory that a [`check`](Self::check) in linear time takes beside the matrices and the
    /// answer. A check that [eliminates](Self::elimination_of_check) takes what the plan of its elimination says.
    pub fn check_bytes(&self) -> u64 {
        let (rows, columns) = self.shape();
        verify::linear_bytes(rows, columns, self.other_columns())
    }

    /// The elimination that the [`check`](Self::check) of an answer does on its device, to be planned like any
    /// problem; `None` if the check takes time linear in the matrices and uses no device.
    pub fn elimination_of_check(&self, answer: Answer<'_>) -> Option<Carrying<Dense>> {
        let eliminates = match answer {
            Answer::Rank(_) | Answer::Form(_) | Answer::Matrix(_) | Answer::Unsolvable(_) => true,
            Answer::Inverse(inverse) => matches!(inverse, Inverse::Singular { .. }),
            Answer::Solution(solution) => !solution.inconsistent.is_empty(),
        };
        let elimination = match self {
            Dense::Solve(_) => *self,
            _ => self.echelon_of_same(),
        };
        eliminates.then_some(Carrying(elimination))
    }

    /// Checks an answer to this problem for the matrix `a` and, if the problem has two matrices, `b`. A
    /// wrong answer is missed with a chance of at most 2^-64; of a [`Solution`](super::Solution) the rank is not checked.
    ///
    /// Ranks, forms, kernels and answers that there is no solution or inverse take an elimination of `a` on
    /// `device` ([`elimination_of_check`](Self::elimination_of_check)), all others time linear in the matrices.
    /// [`check_carried`](Self::check_carried) needs no elimination, where the run carried columns.
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
    ///
    /// # Errors
    /// [`Error::Check`] for a wrong answer; [`Error::Input`] for matrices of other shapes than the
    /// problem's; [`Error::Usage`] for an answer to another operation, for forms with pivots in the first
    /// columns only and for those from a column on; those of the device.
    pub fn check(
        &self,
        device: &Device,
        a: &BitMatrix,
        b: Option<&BitMatrix>,
        answer: Answer<'_>,
    ) -> Result<Guarantee> {
        self.expect_input(a, b)?;
        let operation = self.operation();
        match (operation, answer, b) {
            (Operation::Rank, Answer::Rank(rank), _) => verify::rank_alone(device, a, rank),
            (Operation::Echelon | Operation::Rref, Answer::Form(form), _) if self.of_a().has_whole_form() => {
                let is_reduced = operation == Operation::Rref;
                verify::echelon(a, form, is_reduced, &Proof::determine(device, a)?)
            }
            (Operation::Solve, Answer::Solution(solution), Some(b)) => {
                verify::solution_alone(device, a, b, solution)
            }
            (Operation::Solve, Answer::Unsolvable(sides), Some(b)) => {
                verify::inconsistent(device, a, b, sides)
            }
            (Operation::Kernel, Answer::Matrix(kernel), _) => {
                verify::kernel(device, a, kernel, &Proof::determine(device, a)?)
            }
            (Operation::Inverse, Answer::Inverse(Inverse::Regular(inverse)), _) => {
                verify::inverse(a, inverse)
            }
            (Operation::Inverse, Answer::Inverse(&Inverse::Singular { rank }), _) => {
                verify::singular(device, a, rank)
            }
            _ => Err(Error::Usage(format!("this is no answer that a check of {operation:?} takes"))),
        }
    }

    /// [`check`](Self::check) of the answer of a run that carried columns ([`Carrying`], which has an example). It eliminates
    /// nothing; of a [`Solution`](super::Solution) the rank is checked too.
    ///
    /// # Errors
    /// Those of [`check`](Self::check).
    pub fn check_carried(
        &self,
        device: &Device,
        a: &BitMatrix,
        b: Option<&BitMatrix>,
        answer: Answer<'_>,
        evidence: &Evidence,
    ) -> Result<Guarantee> {
        let (carried, operation) = (&evidence.carried, self.operation());
        self.expect_input(a, b)?;
        // The form itself is the answer, or the answer was read from it.
        let form = match (answer, &evidence.form) {
            (Answer::Form(form), _) => form,
            (_, Some(form)) => form,
            (_, None) => return Err(Error::Usage("the evidence is that of another answer".into())),
        };
        let rank_is = |rank: usize, proof: &Proof| match verify::rank(a, form, proof)? {
            _ if proof.rank() != rank => {
                Err(Error::Check(format!("the rank is {}, not {rank}", proof.rank())))
            }
            guarantee => Ok(guarantee),
        };
        match (operation, answer, b) {
            (Operation::Rank, Answer::Rank(rank), _) => rank_is(rank, &carried.prove(form)?),
            (Operation::Echelon | Operation::Rref, Answer::Form(form), _) if self.of_a().has_whole_form() => {
                verify::echelon(a, form, operation == Operation::Rref, &carried.prove(form)?)
            }
            (Operation::Solve, Answer::Solution(solution), Some(b)) => {
                let proof = carried.prove(form)?;
                rank_is(solution.rank, &proof)?;
                verify::solution(a, b, solution, Some(&proof))
            }
            (Operation::Kernel, Answer::Matrix(kernel), _) => {
                verify::kernel(device, a, kernel, &carried.prove(form)?)
            }
            (Operation::Inverse, Answer::Inverse(Inverse::Regular(inverse)), _) => {
                verify::inverse(a, inverse)
            }
            (Operation::Inverse, Answer::Inverse(&Inverse::Singular { rank }), _) if rank < a.rows() => {
                rank_is(rank, &carried.prove(form)?)
            }
            (Operation::Inverse, Answer::Inverse(&Inverse::Singular { rank }), _) => {
                Err(Error::Check(format!("a matrix of rank {rank} has an inverse")))
            }
            _ => self.check(device, a, b, answer),
        }
    }
}

impl System {
    /// The bytes of host memory that a [`check`](Self::check) takes beside the system, the result included. The
    /// check of [`Method::Rounds`](super::Method::Rounds) also takes the plan's.
    pub fn check_bytes(&self) -> u64 {
        verify::check_bytes(self)
    }

    /// True if a [`check`](Self::check) eliminates the system once more.
    pub fn check_eliminates(&self) -> bool {
        self.method() == Method::Rounds
    }

    /// True if a check proves more, or the same at less cost, with columns that the run carried
    /// ([`verify::CarriedSystem`]): it eliminates without them, or checks a sample of the rows.
    pub fn check_gains_from_proof(&self, depth: Depth) -> bool {
        self.check_eliminates() || depth == Depth::Bounded && !verify::is_cheap(self)
    }

    /// [`check`](Self::check) with a proof from columns that the run carried. It does no elimination.
    ///
    /// # Errors
    /// [`Error::Check`] for a wrong result.
    pub fn check_proven(&self, result: &Elimination, proof: &SpanProof, depth: Depth) -> Result<Guarantee> {
        match self.method() {
            Method::Rounds => verify::same_span(self, result, proof),
            _ => verify::file_order(self, result, depth, Some(proof)),
        }
    }

    /// Checks the result of eliminating this system by its [method](System::method).
    ///
    /// For [`Method::Rounds`](super::Method::Rounds) this takes an elimination on `device`, and a wrong lead
    /// or span is missed with a chance of at most 2^-64. For all other methods every row is checked against
    /// the definition, and no wrong one is missed, if `depth` allows that; otherwise a sample of the rows is
    /// checked, and the guarantee says so. See [`verify::file_order`].
    ///
    /// ```
    /// use wgalois::{Cpu, Device, gf2::{self, IndexLists, System, verify::Depth}};
    ///
    /// let device = Device::Cpu(Cpu::default());
    /// let rows = IndexLists::new(vec![0, 2, 4], vec![7, 1, 7, 0])?;
    /// let system = System::new(IndexLists::default(), rows, None)?;
    /// let result = gf2::eliminate(&device, &system)?;
    /// println!("{}", system.check(&device, &result, Depth::Full)?);
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Check`] for a wrong result; those of the device.
    pub fn check(&self, device: &Device, result: &Elimination, depth: Depth) -> Result<Guarantee> {
        verify::elimination(device, self, result, self.method(), depth)
    }
}
