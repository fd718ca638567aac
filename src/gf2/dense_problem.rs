//! The questions about a matrix as one type, for callers that choose the operation at run time.

use super::answer::Answer;
use super::question::{Carrying, Matrices, Question};
use super::questions::{EchelonForm, Invert, Kernel, Rank, Solve};
use super::reduction::ReadyOnGpu;
use super::{BitMatrix, Echelon, Inverse, RowReduction, Solution, Wanted};
use crate::task::{Planned, Prepared};
use crate::{Error, Result};

/// An operation on matrices over GF(2).
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
    /// The product A B.
    Multiply,
}

impl Operation {
    /// True if the answer is the form, or its pivots.
    pub(super) fn is_form(self) -> bool {
        matches!(self, Operation::Rank | Operation::Echelon | Operation::Rref)
    }
}

/// A question about a matrix over GF(2) that is chosen at run time.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{Dense, BitMatrix}, task::{Plan, Problem}};
///
/// let device = Device::Cpu(Cpu::default());
/// let plan = Dense::rref(2, 3)?.plan(&device)?;
/// assert!(plan.cost().host_bytes > 0);
/// let form = plan.prepare(&device)?.run((&BitMatrix::zeros(2, 3)?, None))?.into_form()?;
/// assert_eq!(form.rank(), 0);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dense {
    /// The rank.
    Rank(Rank),
    /// An echelon form.
    Echelon(EchelonForm),
    /// Solutions of equations.
    Solve(Solve),
    /// A basis of the kernel.
    Kernel(Kernel),
    /// The inverse.
    Inverse(Invert),
}

/// The plan of a question that is chosen at run time.
pub type DensePlan = Planned<Dense>;

/// A question that was chosen at run time, ready to run.
pub type PreparedDense = Prepared<'static, Dense>;

/// Does the same with whichever question it is.
macro_rules! each {
    ($dense:expr, $question:ident => $value:expr) => {
        match $dense {
            Dense::Rank($question) => $value,
            Dense::Echelon($question) => $value,
            Dense::Solve($question) => $value,
            Dense::Kernel($question) => $value,
            Dense::Inverse($question) => $value,
        }
    };
}

impl Dense {
    /// The rank of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// [`Error::Input`] for more than [`MAX_SIDE`](super::MAX_SIDE) rows or columns; so for every question here.
    pub fn rank(rows: usize, columns: usize) -> Result<Self> {
        Rank::new(rows, columns).map(Dense::Rank)
    }

    /// A row echelon form of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn echelon(rows: usize, columns: usize) -> Result<Self> {
        EchelonForm::new(rows, columns).map(Dense::Echelon)
    }

    /// The reduced row echelon form of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn rref(rows: usize, columns: usize) -> Result<Self> {
        EchelonForm::reduced(rows, columns).map(Dense::Echelon)
    }

    /// Solutions of A X = B with A of `rows` x `columns` and B of `rows` x `sides`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn solve(rows: usize, columns: usize, sides: usize) -> Result<Self> {
        Solve::new(rows, columns, sides).map(Dense::Solve)
    }

    /// A basis of the kernel of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn kernel(rows: usize, columns: usize) -> Result<Self> {
        Kernel::new(rows, columns).map(Dense::Kernel)
    }

    /// The inverse of a matrix of `n` x `n`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn inverse(n: usize) -> Result<Self> {
        Invert::new(n).map(Dense::Inverse)
    }

    /// [`EchelonForm::with_pivots_within`]; other questions stay as they are.
    #[must_use]
    pub fn with_pivots_within(self, limit: usize) -> Self {
        match self {
            Dense::Echelon(form) => Dense::Echelon(form.with_pivots_within(limit)),
            other => other,
        }
    }

    /// [`EchelonForm::with_form_from`]; other questions stay as they are.
    #[must_use]
    pub fn with_form_from(self, column: usize) -> Self {
        match self {
            Dense::Echelon(form) => Dense::Echelon(form.with_form_from(column)),
            other => other,
        }
    }

    /// [`RowReduction::with_sharing`] of the elimination.
    #[must_use]
    pub fn with_sharing(mut self, always: bool) -> Self {
        let matrix = self.matrix();
        *matrix = matrix.with_sharing(always);
        self
    }

    /// The elimination of A alone.
    pub(super) fn of_a(mut self) -> RowReduction {
        *self.matrix()
    }

    fn matrix(&mut self) -> &mut RowReduction {
        match self {
            Dense::Rank(Rank(matrix))
            | Dense::Echelon(EchelonForm(matrix))
            | Dense::Solve(Solve { a: matrix, .. })
            | Dense::Kernel(Kernel(matrix))
            | Dense::Inverse(Invert(matrix)) => matrix,
        }
    }

    /// The question with columns that prove the answer.
    ///
    /// # Errors
    /// Those of [`Carrying::new`].
    pub fn carrying(self) -> Result<Carrying<Self>> {
        Carrying::new(self)
    }

    /// The operation.
    pub fn operation(&self) -> Operation {
        match self {
            Dense::Rank(_) => Operation::Rank,
            Dense::Echelon(form) if form.0.is_reduced() => Operation::Rref,
            Dense::Echelon(_) => Operation::Echelon,
            Dense::Solve(_) => Operation::Solve,
            Dense::Kernel(_) => Operation::Kernel,
            Dense::Inverse(_) => Operation::Inverse,
        }
    }

    /// The rows and columns of A.
    pub fn shape(&self) -> (usize, usize) {
        self.of_a().shape()
    }

    /// The columns of B, or of the identity for an inverse; 0 if there is no B.
    pub fn other_columns(&self) -> usize {
        match self {
            Dense::Solve(solve) => solve.sides,
            Dense::Inverse(invert) => invert.0.rows,
            Dense::Rank(_) | Dense::Echelon(_) | Dense::Kernel(_) => 0,
        }
    }

    /// Returns an error for matrices of other shapes than the problem's.
    pub(super) fn expect_input(&self, a: &BitMatrix, b: Option<&BitMatrix>) -> Result<()> {
        if self.operation() == Operation::Inverse {
            Inverse::expect_square(a)?;
        }
        let shape = |matrix: &BitMatrix| (matrix.rows(), matrix.columns());
        self.expect_shapes(shape(a), b.map(shape))
    }

    /// Returns an error for other rows and columns of matrices than the problem's.
    pub(super) fn expect_shapes(&self, a: (usize, usize), b: Option<(usize, usize)>) -> Result<()> {
        let (rows, columns) = self.shape();
        if a != (rows, columns) {
            return Err(Error::Input(format!("the plan is for a matrix of {rows} x {columns}")));
        }
        let Dense::Solve(Solve { sides, .. }) = *self else { return Ok(()) };
        match b {
            Some(shape) if shape == (rows, sides) => Ok(()),
            Some((others, _)) if others != rows => {
                Err(Error::Input(format!("the matrix has {rows} rows, the right sides {others}")))
            }
            _ => Err(Error::Input(format!("the plan is for a second matrix of {rows} x {sides}"))),
        }
    }

    /// The echelon form of a matrix of the same shape.
    pub(super) fn echelon_of_same(&self) -> Dense {
        let a = self.of_a();
        let wanted = Wanted::Echelon { from: 0 };
        Dense::Echelon(EchelonForm(RowReduction { limit: a.columns, wanted, ..a }))
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

/// Makes the common type of the answer to one question.
macro_rules! from {
    ($answer:ty, $value:pat => $common:expr) => {
        impl From<$answer> for DenseAnswer {
            fn from($value: $answer) -> Self {
                $common
            }
        }
    };
}

from!(Vec<u32>, pivots => DenseAnswer::Pivots(pivots));
from!(Echelon, form => DenseAnswer::Form(form));
from!(Solution, solution => DenseAnswer::Solution(solution));
from!((BitMatrix, Vec<u32>), (basis, pivots) => DenseAnswer::Kernel { basis, pivots });
from!(Inverse, inverse => DenseAnswer::Inverse(inverse));

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
        /// The basis, to [`Operation::Kernel`].
        into_matrix, DenseAnswer::Kernel { basis, .. } => basis, BitMatrix
    }

    /// The answer as a check takes it.
    pub fn as_answer(&self) -> Answer<'_> {
        match self {
            DenseAnswer::Pivots(pivots) => Answer::Rank(pivots.len()),
            DenseAnswer::Form(form) => Answer::Form(form),
            DenseAnswer::Solution(solution) => Answer::Solution(solution),
            DenseAnswer::Inverse(inverse) => Answer::Inverse(inverse),
            DenseAnswer::Kernel { basis, .. } => Answer::Matrix(basis),
        }
    }
}

impl Question for Dense {
    type Answer = DenseAnswer;

    fn dense(&self) -> Dense {
        *self
    }

    fn reduction(&self) -> RowReduction {
        each!(self, question => question.reduction())
    }

    fn right_sides(&self, matrices: Matrices<'_>) -> Result<Option<BitMatrix>> {
        each!(self, question => question.right_sides(matrices))
    }

    fn read(&self, form: Echelon) -> Result<(DenseAnswer, Option<Echelon>)> {
        each!(self, question => question.read(form).map(|(answer, form)| (answer.into(), form)))
    }

    fn bytes(&self, eliminated: u64) -> [u64; 2] {
        each!(self, question => question.bytes(eliminated))
    }

    fn as_answer(answer: &DenseAnswer) -> Answer<'_> {
        answer.as_answer()
    }

    async fn on_gpu(&self, gpu: &ReadyOnGpu, matrices: Matrices<'_>) -> Option<Result<DenseAnswer>> {
        each!(self, question => Some(question.on_gpu(gpu, matrices).await?.map(DenseAnswer::from)))
    }
}
