//! The questions that echelon forms answer, one type each.

use super::answer::Answer;
use super::question::Question;
use super::{BitMatrix, Dense, DenseAnswer, Echelon, Inverse, Solution};
use crate::Result;

/// The rank of a matrix. The answer is the columns of the pivots, ascending: as many as the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank(Dense);

impl Rank {
    /// The rank of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// [`Error::Input`](crate::Error::Input) for more than [`MAX_SIDE`](super::MAX_SIDE) rows or columns; so for every
    /// question here.
    pub fn new(rows: usize, columns: usize) -> Result<Self> {
        Dense::rank(rows, columns).map(Rank)
    }
}

impl Question for Rank {
    type Answer = Vec<u32>;

    fn dense(&self) -> Dense {
        self.0
    }

    fn take(answer: DenseAnswer) -> Result<Vec<u32>> {
        answer.into_pivots()
    }

    fn as_answer(pivots: &Vec<u32>) -> Answer<'_> {
        Answer::Rank(pivots.len())
    }
}

/// A row echelon form of a matrix, or the reduced one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EchelonForm(Dense);

impl EchelonForm {
    /// A row echelon form of a matrix of `rows` x `columns`.
    pub fn new(rows: usize, columns: usize) -> Result<Self> {
        Dense::echelon(rows, columns).map(EchelonForm)
    }

    /// The reduced row echelon form of a matrix of `rows` x `columns`.
    pub fn reduced(rows: usize, columns: usize) -> Result<Self> {
        Dense::rref(rows, columns).map(EchelonForm)
    }

    /// Restricts the pivots to the first `limit` columns.
    #[must_use]
    pub fn with_pivots_within(self, limit: usize) -> Self {
        EchelonForm(self.0.with_pivots_within(limit))
    }

    /// Leaves out of a form that is not reduced the rows whose pivots come before this column: the others are a basis of all
    /// combinations of rows that are zero before it. Of a large form on a GPU only they are copied to the host. No check takes
    /// such a form.
    ///
    /// ```
    /// use wgalois::{Cpu, Device, gf2::{self, BitMatrix, EchelonForm}};
    ///
    /// let device = Device::Cpu(Cpu::default());
    /// let problem = EchelonForm::new(3, 3)?.with_form_from(1);
    /// let form = gf2::compute(&device, &problem, &BitMatrix::identity(3)?, None)?;
    /// assert_eq!((form.matrix.rows(), &form.pivots[..]), (2, &[1, 2][..]));
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    #[must_use]
    pub fn with_form_from(self, from: usize) -> Self {
        EchelonForm(self.0.with_form_from(from))
    }
}

impl Question for EchelonForm {
    type Answer = Echelon;

    fn dense(&self) -> Dense {
        self.0
    }

    fn take(answer: DenseAnswer) -> Result<Echelon> {
        answer.into_form()
    }

    fn as_answer(form: &Echelon) -> Answer<'_> {
        Answer::Form(form)
    }
}

/// A basis of the kernel { x : A x = 0 }. The answer is the basis, one vector per row, see [`kernel`](super::kernel()), and the
/// columns of the pivots of A, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Dense);

impl Kernel {
    /// A basis of the kernel of a matrix of `rows` x `columns`.
    pub fn new(rows: usize, columns: usize) -> Result<Self> {
        Dense::kernel(rows, columns).map(Kernel)
    }
}

impl Question for Kernel {
    type Answer = (BitMatrix, Vec<u32>);

    fn dense(&self) -> Dense {
        self.0
    }

    fn take(answer: DenseAnswer) -> Result<Self::Answer> {
        answer.into_kernel()
    }

    fn as_answer((basis, _): &Self::Answer) -> Answer<'_> {
        Answer::Matrix(basis)
    }
}

/// Solutions of A X = B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solve(Dense);

impl Solve {
    /// Solutions of A X = B with A of `rows` x `columns` and B of `rows` x `sides`.
    pub fn new(rows: usize, columns: usize, sides: usize) -> Result<Self> {
        Dense::solve(rows, columns, sides).map(Solve)
    }
}

impl Question for Solve {
    type Answer = Solution;

    fn dense(&self) -> Dense {
        self.0
    }

    fn take(answer: DenseAnswer) -> Result<Solution> {
        answer.into_solution()
    }

    fn as_answer(solution: &Solution) -> Answer<'_> {
        Answer::Solution(solution)
    }
}

/// The inverse of a square matrix: the elimination of A and the identity side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invert(Dense);

impl Invert {
    /// The inverse of a matrix of `n` x `n`.
    pub fn new(n: usize) -> Result<Self> {
        Dense::inverse(n).map(Invert)
    }
}

impl Question for Invert {
    type Answer = Inverse;

    fn dense(&self) -> Dense {
        self.0
    }

    fn take(answer: DenseAnswer) -> Result<Inverse> {
        answer.into_inverse()
    }

    fn as_answer(inverse: &Inverse) -> Answer<'_> {
        inverse.as_answer()
    }
}
