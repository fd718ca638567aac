//! Checks of answers whose matrices are in files. They are those in memory, with the same derivations; `evidence` derives
//! those of eliminations.

use std::path::Path;

use super::dense::OnFiles;
use super::run::OnFilesAnswer;
use crate::gf2::verify::{self, Bands, of_engine};
use crate::gf2::{Answer, BitView, Dense, Operation};
use crate::task::Problem;
use crate::verify::Guarantee;
use crate::{Device, Error, Result, Wrong};

impl OnFiles {
    /// Checks the answer of a run [with carried columns](Self::with_carried_columns), for the same matrices. A wrong answer is
    /// missed with a chance of at most 2^-64.
    pub fn check_carried(
        &self,
        a: BitView<'_>,
        b: Option<BitView<'_>>,
        answer: &OnFilesAnswer,
    ) -> Result<Guarantee> {
        let (dense, operation) = (self.dense(), self.dense().operation());
        let claim = match &answer.matrix {
            Some(matrix) => Answer::Matrix(matrix),
            None if operation == Operation::Solve => Answer::Unsolvable(&answer.inconsistent),
            None => Answer::Rank(answer.rank()),
        };
        let b = b.filter(|_| operation == Operation::Solve);
        if answer.evidence.is_none() {
            return Err(no_evidence());
        }
        let proof = match (operation, claim, &answer.evidence) {
            (Operation::Inverse, Answer::Matrix(_), _) | (.., None) => None,
            (.., Some(evidence)) => {
                let proof = evidence.prove(a, b, dense.of_a().is_reduced())?;
                let ranks = format!("the rank is {}, not {}", proof.rank, answer.rank());
                Wrong::unless(proof.rank == answer.rank(), ranks)?;
                let sides = "other columns have no solution than those that are named";
                Wrong::unless(proof.unsolvable == answer.inconsistent, sides)?;
                Some(proof)
            }
        };
        if let Operation::Echelon | Operation::Rref = operation {
            // The evidence is the form itself.
            return Ok(verify::is_form(operation == Operation::Rref));
        }
        // The last ones of a kernel's vectors ascend as they are written.
        dense.judge(&a, b.as_ref().map(|b| b as &dyn Bands), claim, proof.as_ref(), |_| Ok(0))
    }

    /// The elimination that [`check`](Self::check) does, to be planned as any problem; `None` if the check only reads the
    /// matrices.
    pub fn elimination_of_check(&self, answer: Answer<'_>) -> Option<OnFiles> {
        let dense = self.dense();
        let ((rows, columns), others) = (dense.shape(), dense.other_columns());
        if !dense.check_eliminates(answer) {
            return None;
        }
        let elimination = match dense.operation() {
            Operation::Solve => *dense,
            _ => Dense::rank(rows, columns).ok()?,
        };
        let bytes = |rows: usize, columns: usize| rows as u64 * 4 * columns.div_ceil(32) as u64;
        let beside = match (dense.operation(), answer) {
            // A form is read forwards and backwards, a kernel and solutions once; then the matrices once more.
            (Operation::Echelon | Operation::Rref, Answer::Matrix(form)) => {
                2 * bytes(form.rows(), form.columns()) + bytes(rows, columns)
            }
            (Operation::Kernel | Operation::Solve, Answer::Matrix(answer)) => {
                bytes(answer.rows(), answer.columns()) + bytes(rows, columns) + bytes(rows, others)
            }
            _ => 0,
        };
        Some(OnFiles { dense: elimination, carries: true, beside })
    }

    /// Checks an answer, of which a matrix is in a file, for the matrix `a` and, if the problem has two, `b`. It does an
    /// elimination where [`elimination_of_check`](Self::elimination_of_check) says so, with scratch files in `scratch`, and a
    /// second one for the vectors of a kernel whose last ones do not ascend. A wrong answer is missed with a chance of at most
    /// 2^-64.
    pub fn check(
        &self,
        device: &Device,
        scratch: &Path,
        (a, b): (BitView<'_>, Option<BitView<'_>>),
        answer: Answer<'_>,
    ) -> Result<Guarantee> {
        let dense = self.dense();
        self.check_input(&(a, b))?;
        let b = b.filter(|_| dense.operation() == Operation::Solve);
        dense.expect_answer(answer)?;
        let prove = |problem: &OnFiles, a: BitView<'_>, b: Option<BitView<'_>>| {
            let answer = problem.plan(device)?.prepare_with(device, scratch)?.run((a, b))?;
            let evidence = answer.evidence.as_ref().ok_or_else(no_evidence)?;
            of_engine(evidence.prove(a, b, problem.dense().of_a().is_reduced()))
        };
        let proof =
            self.elimination_of_check(answer).map(|elimination| prove(&elimination, a, b)).transpose()?;
        dense.judge(&a, b.as_ref().map(|b| b as &dyn Bands), answer, proof.as_ref(), |kernel| {
            let rank = OnFiles::new(Dense::rank(kernel.rows(), kernel.columns())?);
            let view = kernel.as_view().ok_or_else(|| Error::needs("this check", "a basis in a file"))?;
            Ok(prove(&rank.with_carried_columns(true), view, None)?.rank)
        })
    }
}

fn no_evidence() -> Error {
    Error::needs("this check", "an elimination that was planned with carried columns")
}
