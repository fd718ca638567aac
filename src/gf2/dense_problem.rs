//! The questions about a matrix as one type, for callers that choose the operation at run time.

use std::time::Duration;

use super::answer::Answer;
use super::bit_matrix::expect_sides;
use super::dense::{beside, other_rows};
use super::{BitMatrix, Echelon, Inverse, RowReduction, Solution, Wanted, cost};
use crate::device::{COPIED, FRESH};
use crate::task::{CpuProfile, Planned, Prepared};
use crate::{Error, Result};

/// The matrices of a question: A and, if it has right sides, B.
pub type Matrices<'a> = (&'a BitMatrix, Option<&'a BitMatrix>);

/// An operation on a matrix over GF(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The rank of A.
    Rank,
    /// A row echelon form of A.
    Echelon,
    /// The reduced row echelon form of A.
    Rref,
    /// X with A X = B.
    Solve,
    /// A basis of { x : A x = 0 }.
    Kernel,
    /// The inverse of A.
    Inverse,
}

/// A question about a matrix over GF(2) that is chosen at run time.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{Dense, BitMatrix}, task::Problem};
///
/// let device = Device::Cpu(Cpu::default());
/// let plan = Dense::rref(2, 3)?.plan(&device)?;
/// assert!(plan.cost().host_bytes > 0);
/// let form = plan.prepare(&device)?.run((&BitMatrix::zeros(2, 3)?, None))?.into_form()?;
/// assert_eq!(form.rank(), 0);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    operation: Operation,
    /// The elimination of A alone.
    pub(super) a: RowReduction,
    /// The columns of B, or of the identity for an inverse; 0 if there is no B.
    sides: usize,
}

/// The plan of a question that is chosen at run time.
pub type DensePlan = Planned<Dense>;

/// A question that was chosen at run time, ready to run.
pub type PreparedDense = Prepared<'static, Dense>;

impl Dense {
    fn new(operation: Operation, (rows, columns): (usize, usize), sides: usize) -> Result<Self> {
        let wanted = match operation {
            Operation::Rank => Wanted::Pivots,
            Operation::Echelon => Wanted::Echelon { from: 0 },
            Operation::Rref | Operation::Solve | Operation::Kernel | Operation::Inverse => Wanted::Reduced,
        };
        let a = RowReduction::new(rows, columns, wanted)?;
        expect_sides([sides])?;
        Ok(Dense { operation, a, sides })
    }

    /// The rank of a matrix of `rows` x `columns`.
    pub fn rank(rows: usize, columns: usize) -> Result<Self> {
        Dense::new(Operation::Rank, (rows, columns), 0)
    }

    /// A row echelon form of a matrix of `rows` x `columns`.
    pub fn echelon(rows: usize, columns: usize) -> Result<Self> {
        Dense::new(Operation::Echelon, (rows, columns), 0)
    }

    /// The reduced row echelon form of a matrix of `rows` x `columns`.
    pub fn rref(rows: usize, columns: usize) -> Result<Self> {
        Dense::new(Operation::Rref, (rows, columns), 0)
    }

    /// Solutions of A X = B with A of `rows` x `columns` and B of `rows` x `sides`.
    pub fn solve(rows: usize, columns: usize, sides: usize) -> Result<Self> {
        Dense::new(Operation::Solve, (rows, columns), sides)
    }

    /// A basis of the kernel of a matrix of `rows` x `columns`.
    pub fn kernel(rows: usize, columns: usize) -> Result<Self> {
        Dense::new(Operation::Kernel, (rows, columns), 0)
    }

    /// The inverse of a matrix of `n` x `n`.
    pub fn inverse(n: usize) -> Result<Self> {
        Dense::new(Operation::Inverse, (n, n), n)
    }

    /// Restricts the pivots of a form to the first `limit` columns; other questions stay as they are.
    #[must_use]
    pub fn with_pivots_within(self, limit: usize) -> Self {
        match self.operation {
            Operation::Echelon | Operation::Rref => Dense { a: self.a.with_pivots_within(limit), ..self },
            _ => self,
        }
    }

    /// Leaves out of a form that is not reduced the rows whose pivots come before this column: the others are a basis of all
    /// combinations of rows that are zero before it. Of a large form on a GPU only they are copied to the host. No check takes
    /// such a form. Other questions stay as they are.
    ///
    /// ```
    /// use wgalois::{Cpu, Device, gf2::{self, BitMatrix, Dense}};
    ///
    /// let device = Device::Cpu(Cpu::default());
    /// let problem = Dense::echelon(3, 3)?.with_form_from(1);
    /// let form = gf2::compute(&device, &problem, &BitMatrix::identity(3)?, None)?.into_form()?;
    /// assert_eq!((form.matrix.rows(), &form.pivots[..]), (2, &[1, 2][..]));
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    #[must_use]
    pub fn with_form_from(self, from: usize) -> Self {
        match self.operation {
            Operation::Echelon => {
                Dense { a: RowReduction { wanted: Wanted::Echelon { from }, ..self.a }, ..self }
            }
            _ => self,
        }
    }

    /// [`RowReduction::with_sharing`] of the elimination.
    #[must_use]
    pub fn with_sharing(self, always: bool) -> Self {
        Dense { a: self.a.with_sharing(always), ..self }
    }

    /// The operation.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The rows and columns of A.
    pub fn shape(&self) -> (usize, usize) {
        self.a.shape()
    }

    /// The columns of B, or of the identity for an inverse; 0 if there is no B.
    pub fn other_columns(&self) -> usize {
        self.sides
    }

    /// The elimination of A alone.
    pub(super) fn of_a(&self) -> &RowReduction {
        &self.a
    }

    /// The elimination that answers it. Right sides begin at the first whole 64-bit word after the columns of A.
    pub(super) fn reduction(&self) -> RowReduction {
        match self.operation {
            Operation::Solve | Operation::Inverse => {
                self.a.widened(64 * self.a.columns.div_ceil(64) + self.sides)
            }
            _ => self.a,
        }
    }

    /// Returns A and the right sides side by side, if there are right sides.
    pub(super) fn right_sides(&self, (a, b): Matrices<'_>) -> Result<Option<BitMatrix>> {
        match (self.operation, b) {
            (Operation::Solve, Some(b)) => beside(a, b).map(Some),
            (Operation::Inverse, _) => beside(a, &BitMatrix::identity(a.rows())?).map(Some),
            _ => Ok(None),
        }
    }

    /// Reads the answer from the form. Also returns the form, unless that is the answer.
    pub(super) fn read(&self, form: Echelon) -> Result<(DenseAnswer, Option<Echelon>)> {
        let (_, columns) = self.shape();
        let solution = || Solution::from_reduced(&form, columns, self.sides);
        let answer = match self.operation {
            Operation::Echelon | Operation::Rref => return Ok((DenseAnswer::Form(form), None)),
            Operation::Rank => DenseAnswer::Pivots(form.pivots.clone()),
            Operation::Kernel => DenseAnswer::Kernel { basis: form.kernel()?, pivots: form.pivots.clone() },
            Operation::Solve => DenseAnswer::Solution(solution()?),
            Operation::Inverse => DenseAnswer::Inverse(Inverse::from_solution(solution()?, columns)),
        };
        Ok((answer, Some(form)))
    }

    /// Bytes of the answer, unless that is the form, and of A and B side by side; `eliminated` are those of the matrix that is
    /// eliminated.
    pub(super) fn bytes(&self, eliminated: u64) -> [u64; 2] {
        let (columns, sides) = (self.a.columns, self.sides);
        let solution = || cost::matrix_bytes(columns, sides) + cost::matrix_bytes(1, sides);
        match self.operation {
            Operation::Rank | Operation::Echelon | Operation::Rref => [0, 0],
            Operation::Kernel => [cost::matrix_bytes(columns, columns) + 16 * columns as u64, 0],
            Operation::Solve => [solution(), eliminated],
            Operation::Inverse => [solution(), eliminated.saturating_add(cost::matrix_bytes(columns, sides))],
        }
    }

    /// The time in which the host's threads put A and B side by side and copy the answer out of the form.
    pub(super) fn copies_time(&self, host: CpuProfile) -> Duration {
        if let Operation::Solve | Operation::Inverse = self.operation {
            let RowReduction { rows, columns, .. } = self.reduction();
            let copied: u64 = self.bytes(cost::matrix_bytes(rows, columns)).iter().sum();
            let fresh = host.record.seconds(&FRESH) / host.threads.max(1) as f64;
            return Duration::from_secs_f64(copied as f64 * (host.record.seconds(&COPIED) + fresh));
        }
        Duration::ZERO
    }

    /// Returns an error for matrices of other shapes than the problem's.
    pub(super) fn expect_input(&self, a: &BitMatrix, b: Option<&BitMatrix>) -> Result<()> {
        if self.operation == Operation::Inverse {
            Inverse::expect_square(a)?;
        }
        let shape = |matrix: &BitMatrix| (matrix.rows(), matrix.columns());
        self.expect_shapes(shape(a), b.map(shape))
    }

    /// Returns an error for other rows and columns of matrices than the problem's.
    pub(super) fn expect_shapes(&self, a: (usize, usize), b: Option<(usize, usize)>) -> Result<()> {
        let ((rows, columns), sides) = (self.shape(), self.sides);
        Error::expect_shape("a matrix", (rows, columns), a)?;
        match b {
            _ if self.operation != Operation::Solve => Ok(()),
            Some((others, _)) if others != rows => Err(other_rows(rows, others)),
            b => Error::expect_shape("a second matrix", (rows, sides), b.unwrap_or_default()),
        }
    }
}

/// The answer to a question that was chosen at run time.
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
}

impl DenseAnswer {
    /// The columns of the pivots, to [`Operation::Rank`].
    pub fn into_pivots(self) -> Result<Vec<u32>> {
        if let DenseAnswer::Pivots(pivots) = self { Ok(pivots) } else { Err(other_operation()) }
    }

    /// The form, to [`Operation::Echelon`] and [`Operation::Rref`].
    pub fn into_form(self) -> Result<Echelon> {
        if let DenseAnswer::Form(form) = self { Ok(form) } else { Err(other_operation()) }
    }

    /// The solutions, to [`Operation::Solve`].
    pub fn into_solution(self) -> Result<Solution> {
        if let DenseAnswer::Solution(solution) = self { Ok(solution) } else { Err(other_operation()) }
    }

    /// The basis and the columns of the pivots, to [`Operation::Kernel`].
    pub fn into_kernel(self) -> Result<(BitMatrix, Vec<u32>)> {
        if let DenseAnswer::Kernel { basis, pivots } = self {
            Ok((basis, pivots))
        } else {
            Err(other_operation())
        }
    }

    /// The inverse, or that there is none, to [`Operation::Inverse`].
    pub fn into_inverse(self) -> Result<Inverse> {
        if let DenseAnswer::Inverse(inverse) = self { Ok(inverse) } else { Err(other_operation()) }
    }

    /// The answer as a check takes it.
    pub fn as_answer(&self) -> Answer<'_> {
        match self {
            DenseAnswer::Pivots(pivots) => Answer::Rank(pivots.len()),
            DenseAnswer::Form(form) => Answer::Form(form),
            DenseAnswer::Solution(solution) => Answer::Solution(solution),
            DenseAnswer::Inverse(inverse) => inverse.as_answer(),
            DenseAnswer::Kernel { basis, .. } => Answer::Matrix(basis),
        }
    }
}

fn other_operation() -> Error {
    Error::OtherPlan { what: "operation" }
}
