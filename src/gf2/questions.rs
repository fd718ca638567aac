//! The questions that echelon forms answer, one type each.

use super::answer::Answer;
use super::dense::beside;
use super::question::{Matrices, Question};
use super::reduction::{ReadyOnGpu, expect_sides};
use super::{BitMatrix, Dense, Echelon, Inverse, RowReduction, Solution, Wanted, cost};
use crate::Result;

/// The rank of a matrix. The answer is the columns of the pivots, ascending: as many as the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank(pub(super) RowReduction);

impl Rank {
    /// The rank of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// [`Error::Input`](crate::Error::Input) for more than [`MAX_SIDE`](super::MAX_SIDE) rows or columns; so for every
    /// question here.
    pub fn new(rows: usize, columns: usize) -> Result<Self> {
        RowReduction::new(rows, columns, Wanted::Pivots).map(Rank)
    }
}

impl Question for Rank {
    type Answer = Vec<u32>;

    fn dense(&self) -> Dense {
        Dense::Rank(*self)
    }

    fn reduction(&self) -> RowReduction {
        self.0
    }

    fn right_sides(&self, _: Matrices<'_>) -> Result<Option<BitMatrix>> {
        Ok(None)
    }

    fn read(&self, form: Echelon) -> Result<(Vec<u32>, Option<Echelon>)> {
        Ok((form.pivots.clone(), Some(form)))
    }

    fn bytes(&self, _: u64) -> [u64; 2] {
        [0, 0]
    }

    fn as_answer(pivots: &Vec<u32>) -> Answer<'_> {
        Answer::Rank(pivots.len())
    }
}

/// A row echelon form of a matrix, or the reduced one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EchelonForm(pub(super) RowReduction);

impl EchelonForm {
    /// A row echelon form of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// As for [`Rank::new`].
    pub fn new(rows: usize, columns: usize) -> Result<Self> {
        RowReduction::new(rows, columns, Wanted::Echelon { from: 0 }).map(EchelonForm)
    }

    /// The reduced row echelon form of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// As for [`Rank::new`].
    pub fn reduced(rows: usize, columns: usize) -> Result<Self> {
        RowReduction::new(rows, columns, Wanted::Reduced).map(EchelonForm)
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
        match self.0.wanted {
            Wanted::Echelon { .. } => {
                EchelonForm(RowReduction { wanted: Wanted::Echelon { from }, ..self.0 })
            }
            Wanted::Pivots | Wanted::Reduced => self,
        }
    }
}

impl Question for EchelonForm {
    type Answer = Echelon;

    fn dense(&self) -> Dense {
        Dense::Echelon(*self)
    }

    fn reduction(&self) -> RowReduction {
        self.0
    }

    fn right_sides(&self, _: Matrices<'_>) -> Result<Option<BitMatrix>> {
        Ok(None)
    }

    fn read(&self, form: Echelon) -> Result<(Echelon, Option<Echelon>)> {
        Ok((form, None))
    }

    fn bytes(&self, _: u64) -> [u64; 2] {
        [0, 0]
    }

    fn as_answer(form: &Echelon) -> Answer<'_> {
        Answer::Form(form)
    }
}

/// A basis of the kernel { x : A x = 0 }. The answer is the basis, one vector per row, see [`kernel`](super::kernel()), and the
/// columns of the pivots of A, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(pub(super) RowReduction);

impl Kernel {
    /// A basis of the kernel of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// As for [`Rank::new`].
    pub fn new(rows: usize, columns: usize) -> Result<Self> {
        RowReduction::new(rows, columns, Wanted::Reduced).map(Kernel)
    }
}

impl Question for Kernel {
    type Answer = (BitMatrix, Vec<u32>);

    fn dense(&self) -> Dense {
        Dense::Kernel(*self)
    }

    fn reduction(&self) -> RowReduction {
        self.0
    }

    fn right_sides(&self, _: Matrices<'_>) -> Result<Option<BitMatrix>> {
        Ok(None)
    }

    fn read(&self, form: Echelon) -> Result<(Self::Answer, Option<Echelon>)> {
        Ok(((form.kernel()?, form.pivots.clone()), Some(form)))
    }

    fn bytes(&self, _: u64) -> [u64; 2] {
        let columns = self.0.columns;
        [cost::matrix_bytes(columns, columns) + 16 * columns as u64, 0]
    }

    fn as_answer((basis, _): &Self::Answer) -> Answer<'_> {
        Answer::Matrix(basis)
    }

    async fn on_gpu(&self, gpu: &ReadyOnGpu, (a, _): Matrices<'_>) -> Option<Result<Self::Answer>> {
        Some(gpu.kernel(a).await)
    }
}

/// The elimination of a matrix with right sides, which begin at the first whole 64-bit word after its columns.
fn with_sides(a: RowReduction, sides: usize) -> RowReduction {
    a.widened(64 * a.columns.div_ceil(64) + sides)
}

/// Bytes of solutions of `sides` right sides.
fn solution_bytes(columns: usize, sides: usize) -> u64 {
    cost::matrix_bytes(columns, sides) + cost::matrix_bytes(1, sides)
}

/// Solutions of A X = B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solve {
    pub(super) a: RowReduction,
    pub(super) sides: usize,
}

impl Solve {
    /// Solutions of A X = B with A of `rows` x `columns` and B of `rows` x `sides`.
    ///
    /// # Errors
    /// As for [`Rank::new`].
    pub fn new(rows: usize, columns: usize, sides: usize) -> Result<Self> {
        expect_sides([rows, columns, sides])?;
        Ok(Solve { a: RowReduction::new(rows, columns, Wanted::Reduced)?, sides })
    }
}

impl Question for Solve {
    type Answer = Solution;

    fn dense(&self) -> Dense {
        Dense::Solve(*self)
    }

    fn reduction(&self) -> RowReduction {
        with_sides(self.a, self.sides)
    }

    fn right_sides(&self, (a, b): Matrices<'_>) -> Result<Option<BitMatrix>> {
        b.map(|b| beside(a, b)).transpose()
    }

    fn read(&self, form: Echelon) -> Result<(Solution, Option<Echelon>)> {
        Ok((Solution::from_reduced(&form, self.a.columns, self.sides)?, Some(form)))
    }

    fn bytes(&self, eliminated: u64) -> [u64; 2] {
        [solution_bytes(self.a.columns, self.sides), eliminated]
    }

    fn as_answer(solution: &Solution) -> Answer<'_> {
        Answer::Solution(solution)
    }
}

/// The inverse of a square matrix: the elimination of A and the identity side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invert(pub(super) RowReduction);

impl Invert {
    /// The inverse of a matrix of `n` x `n`.
    ///
    /// # Errors
    /// As for [`Rank::new`].
    pub fn new(n: usize) -> Result<Self> {
        RowReduction::new(n, n, Wanted::Reduced).map(Invert)
    }
}

impl Question for Invert {
    type Answer = Inverse;

    fn dense(&self) -> Dense {
        Dense::Inverse(*self)
    }

    fn reduction(&self) -> RowReduction {
        with_sides(self.0, self.0.rows)
    }

    fn right_sides(&self, (a, _): Matrices<'_>) -> Result<Option<BitMatrix>> {
        beside(a, &BitMatrix::identity(a.rows())?).map(Some)
    }

    fn read(&self, form: Echelon) -> Result<(Inverse, Option<Echelon>)> {
        let n = self.0.rows;
        let solution = Solution::from_reduced(&form, n, n)?;
        Ok((Inverse::from_solution(solution, n), Some(form)))
    }

    fn bytes(&self, eliminated: u64) -> [u64; 2] {
        let n = self.0.rows;
        [solution_bytes(n, n), eliminated.saturating_add(cost::matrix_bytes(n, n))]
    }

    fn as_answer(inverse: &Inverse) -> Answer<'_> {
        Answer::Inverse(inverse)
    }
}
