//! Problems of dense linear algebra.

use super::{BitMatrix, Inverse, MAX_SIDE, cost};
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
    /// The transpose of A.
    Transpose,
}

/// A problem of dense linear algebra over GF(2): an operation and the shapes of its matrices.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{Dense, BitMatrix}, task::{Plan, Problem}};
///
/// let device = Device::Cpu(Cpu::default());
/// let plan = Dense::rref(2, 3)?.plan(&device)?;
/// assert!(plan.cost().host_bytes > 0);
/// let form = plan.prepare(&device)?.run(&BitMatrix::zeros(2, 3)?, None)?.into_form()?;
/// assert_eq!(form.rank(), 0);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    pub(super) operation: Operation,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Columns of B.
    pub(super) others: usize,
    /// Columns in which pivots are sought.
    pub(super) limit: usize,
    /// The column from which the form is wanted.
    pub(super) from: usize,
    pub(super) carries: bool,
    /// True if a group shares an elimination whatever that costs.
    pub(super) always_shares: bool,
}

impl Dense {
    fn new(operation: Operation, rows: usize, columns: usize, others: usize) -> Result<Self> {
        if let Some(side) = [rows, columns, others].into_iter().find(|&side| side > MAX_SIDE) {
            return Err(Error::Input(format!("{side} rows or columns: at most {MAX_SIDE} are allowed")));
        }
        let limit = columns;
        Ok(Dense { operation, rows, columns, others, limit, from: 0, carries: false, always_shares: false })
    }

    /// The rank of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// [`Error::Input`] for more than [`MAX_SIDE`] rows or columns; so for every problem here.
    pub fn rank(rows: usize, columns: usize) -> Result<Self> {
        Self::new(Operation::Rank, rows, columns, 0)
    }

    /// A row echelon form of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn echelon(rows: usize, columns: usize) -> Result<Self> {
        Self::new(Operation::Echelon, rows, columns, 0)
    }

    /// The reduced row echelon form of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn rref(rows: usize, columns: usize) -> Result<Self> {
        Self::new(Operation::Rref, rows, columns, 0)
    }

    /// Solutions of A X = B with A of `rows` x `columns` and B of `rows` x `sides`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn solve(rows: usize, columns: usize, sides: usize) -> Result<Self> {
        Self::new(Operation::Solve, rows, columns, sides)
    }

    /// A basis of the kernel of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn kernel(rows: usize, columns: usize) -> Result<Self> {
        Self::new(Operation::Kernel, rows, columns, 0)
    }

    /// The inverse of a matrix of `n` x `n`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn inverse(n: usize) -> Result<Self> {
        Self::new(Operation::Inverse, n, n, n)
    }

    /// The product of a matrix of `rows` x `inner` and one of `inner` x `columns`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn multiply(rows: usize, inner: usize, columns: usize) -> Result<Self> {
        Self::new(Operation::Multiply, rows, inner, columns)
    }

    /// The transpose of a matrix of `rows` x `columns`. The host computes it.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn transpose(rows: usize, columns: usize) -> Result<Self> {
        Self::new(Operation::Transpose, rows, columns, 0)
    }

    /// Restricts the pivots to the first `limit` columns, for [`echelon`](Self::echelon) and
    /// [`rref`](Self::rref).
    #[must_use]
    pub fn with_pivots_within(self, limit: usize) -> Self {
        Dense { limit: limit.min(self.columns), ..self }
    }

    /// Leaves out of an [`echelon`](Self::echelon) form the rows whose pivots come before this column: the others are a
    /// basis of all combinations of rows that are zero before it. Of a large form on a GPU only they are copied to the
    /// host. No check takes such a form.
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
    pub fn with_form_from(self, column: usize) -> Self {
        Dense { from: column, ..self }
    }

    /// Includes, if `carries`, the memory and time of carrying 64 random columns through an elimination:
    /// [`PreparedDense::run_carrying`](super::PreparedDense::run_carrying) does so, and [`check_carried`](Self::check_carried) proves the answer with
    /// them.
    #[must_use]
    pub fn with_carried_columns(self, carries: bool) -> Self {
        Dense { carries, ..self }
    }

    /// Lets a group of GPUs share an elimination even if the plan expects one of them to be faster alone, if
    /// `always`. By default the plan decides.
    #[must_use]
    pub fn with_sharing(self, always: bool) -> Self {
        Dense { always_shares: always, ..self }
    }

    /// The operation.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The rows and columns of A.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The columns of B, 0 if there is no B.
    pub fn other_columns(&self) -> usize {
        self.others
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
        let (rows, columns) = (self.rows, self.columns);
        if a != (rows, columns) {
            return Err(Error::Input(format!("the plan is for a matrix of {rows} x {columns}")));
        }
        let other_rows = match self.operation {
            Operation::Solve => rows,
            Operation::Multiply => columns,
            _ => return Ok(()),
        };
        match b {
            Some(shape) if shape == (other_rows, self.others) => Ok(()),
            Some((others, _)) if self.operation == Operation::Solve && others != rows => {
                Err(Error::Input(format!("the matrix has {rows} rows, the right sides {others}")))
            }
            Some((others, _)) if self.operation == Operation::Multiply && others != columns => {
                Err(Error::Input(format!("a factor of {columns} columns and one of {others} rows")))
            }
            _ => {
                let others = self.others;
                Err(Error::Input(format!("the plan is for a second matrix of {other_rows} x {others}")))
            }
        }
    }

    /// The echelon form of a matrix of the same shape.
    pub(super) fn echelon_of_same(&self) -> Dense {
        Dense {
            operation: Operation::Echelon,
            others: 0,
            limit: self.columns,
            from: 0,
            carries: false,
            ..*self
        }
    }

    /// True if the form has all rows, and pivots in all columns.
    pub(super) fn has_whole_form(&self) -> bool {
        self.limit == self.columns && self.from == 0
    }

    /// True if the operation eliminates.
    pub(super) fn eliminates(&self) -> bool {
        !matches!(self.operation, Operation::Multiply | Operation::Transpose)
    }

    /// Returns an error for an elimination that was planned without carried columns.
    pub(super) fn expect_carried(&self) -> Result<()> {
        match self.carries && self.from == 0 {
            true => Ok(()),
            false => Err(Error::Usage("the elimination was planned without carried columns".into())),
        }
    }

    /// The columns in which pivots are sought.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// True if a reduced form is needed.
    pub(super) fn is_reduced(&self) -> bool {
        matches!(self.operation, Operation::Rref | Operation::Solve | Operation::Kernel | Operation::Inverse)
    }

    /// The columns of the matrix that is eliminated.
    pub(super) fn eliminated_columns(&self) -> usize {
        let both = match self.operation {
            Operation::Solve | Operation::Inverse => 64 * self.columns.div_ceil(64) + self.others,
            _ => self.columns,
        };
        if self.carries { both.next_multiple_of(64) + 64 } else { both }
    }

    /// The host bytes of the problem if its elimination takes `elimination` bytes, the form included.
    pub(super) fn host_bytes(&self, elimination: u64) -> u64 {
        let matrix = |columns| cost::matrix_bytes(self.rows, columns);
        let eliminated = self.eliminated_columns();
        let answer = match self.operation {
            Operation::Solve | Operation::Inverse => {
                cost::matrix_bytes(self.columns, self.others) + cost::matrix_bytes(1, self.others)
            }
            Operation::Kernel => cost::matrix_bytes(self.columns, self.columns) + 16 * self.columns as u64,
            _ => 0,
        };
        let side = match self.operation {
            Operation::Solve => matrix(eliminated),
            Operation::Inverse => matrix(eliminated).saturating_add(matrix(self.others)),
            _ => 0,
        };
        let carried = match self.carries {
            // The wider matrix, the form without the carried columns, the carried columns and products.
            true => (2 * matrix(eliminated)).saturating_add(24 * (self.rows + eliminated) as u64),
            false => 0,
        };
        // A result is made after the elimination's own memory, larger than the form, is freed.
        let last = matrix(eliminated).saturating_add(answer);
        [elimination.max(last), side, carried].into_iter().fold(0, u64::saturating_add)
    }
}
