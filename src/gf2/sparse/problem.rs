//! Questions about a sparse matrix whose answer is more than a number.
//!
//! ```text
//! question    asked of the remainder S            answer
//! rows        an echelon form of S transposed     the rows of the triangle's pivots and those of the form's
//! kernel      the reduced form of S               the form; its vectors go through the triangle when they are read
//! solve       S y = c - C P^-1 b                  y, and the triangle's unknowns
//! ```

use std::fmt;

use super::kernel::SparseKernel;
use super::on_remainder::{Asked, OnRemainder, on_host};
use super::proof::SparseProof;
use super::remainder::remainder;
use super::right_sides;
use super::triangle::{Numbers, Triangle};
use crate::gf2::bit_matrix::expect_sides;
use crate::gf2::dense::other_rows;
use crate::gf2::{BitMatrix, Carrying, Dense, DenseAnswer, IndexLists, Solution};
use crate::task::{Cost, Done, Prepared, Problem, Profile, Ready, Traffic, Way, Ways};
use crate::{Device, Error, Result};

/// What is asked about a sparse matrix; [`SparseRank`](super::SparseRank) asks for its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SparseOperation {
    /// Rows that are a basis of the row space.
    Rows,
    /// A basis of { x : A x = 0 }.
    Kernel,
    /// X with A X = B.
    Solve,
}

/// A question about a sparse matrix: the pivots of its [`Triangle`], and the elimination of the remainder, which the device does.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{BitMatrix, IndexLists, Sparse, Triangle, verify::Bands}, task::Problem};
///
/// let device = Device::Cpu(Cpu::default());
/// let mut rows = IndexLists::default(); // 110, 011, 101
/// [[1, 0], [2, 1], [2, 0]].iter().try_for_each(|row| rows.push(row))?;
/// let triangle = Triangle::find(&rows, 3)?;
/// let problem = Sparse::kernel(&triangle);
/// let (answer, _) = problem.plan(&device)?.compute(&device, (&rows, &triangle, None))?;
/// let kernel = answer.0.into_kernel()?;
/// let vectors = kernel.vectors(&rows, &triangle)?;
/// assert_eq!((vectors.rows(), vectors.band(0..1)?.ones(0).collect()), (1, vec![0, 1, 2]));
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sparse {
    operation: SparseOperation,
    pub(super) triangle: Numbers,
    /// The columns of B.
    sides: usize,
    carries: bool,
}

/// A sparse matrix, its triangle and, for [`SparseOperation::Solve`], the right sides.
pub type SparseInput<'a> = (&'a IndexLists, &'a Triangle, Option<&'a BitMatrix>);

/// The answer to a question about a sparse matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SparseAnswer {
    /// The rows, ascending, to [`SparseOperation::Rows`].
    Rows(Vec<u32>),
    /// The kernel, to [`SparseOperation::Kernel`].
    Kernel(SparseKernel),
    /// The solutions, to [`SparseOperation::Solve`]: those whose unknowns without a pivot are zero. The pivots are others than
    /// those of a [`Dense`] question.
    Solution(Solution),
}

impl SparseAnswer {
    /// The rows, to [`SparseOperation::Rows`].
    pub fn into_rows(self) -> Result<Vec<u32>> {
        if let SparseAnswer::Rows(rows) = self { Ok(rows) } else { Err(other_operation()) }
    }

    /// The kernel, to [`SparseOperation::Kernel`].
    pub fn into_kernel(self) -> Result<SparseKernel> {
        if let SparseAnswer::Kernel(kernel) = self { Ok(kernel) } else { Err(other_operation()) }
    }

    /// The solutions, to [`SparseOperation::Solve`].
    pub fn into_solution(self) -> Result<Solution> {
        if let SparseAnswer::Solution(solution) = self { Ok(solution) } else { Err(other_operation()) }
    }
}

fn other_operation() -> Error {
    Error::OtherPlan { what: "operation" }
}

impl Sparse {
    fn new(operation: SparseOperation, triangle: &Triangle, sides: usize) -> Self {
        Sparse { operation, triangle: triangle.numbers(), sides, carries: false }
    }

    /// Rows of the matrix of a triangle that are a basis of its row space.
    pub fn rows(triangle: &Triangle) -> Self {
        Sparse::new(SparseOperation::Rows, triangle, 0)
    }

    /// A basis of the kernel of the matrix of a triangle.
    pub fn kernel(triangle: &Triangle) -> Self {
        Sparse::new(SparseOperation::Kernel, triangle, 0)
    }

    /// Solutions of A X = B, with the matrix A of a triangle and B of so many columns.
    pub fn solve(triangle: &Triangle, sides: usize) -> Result<Self> {
        expect_sides([sides])?;
        Ok(Sparse::new(SparseOperation::Solve, triangle, sides))
    }

    /// Carries 64 random columns along, which are evidence for [`check_carried`](Self::check_carried).
    #[must_use]
    pub fn carrying(self) -> Self {
        Sparse { carries: true, ..self }
    }

    /// The operation.
    pub fn operation(&self) -> SparseOperation {
        self.operation
    }

    /// What is asked about the remainder.
    pub(super) fn of_remainder(&self) -> Result<Dense> {
        let (rows, columns) = self.triangle.left;
        match self.operation {
            SparseOperation::Rows => Dense::echelon(columns, rows),
            SparseOperation::Kernel => Dense::rref(rows, columns),
            SparseOperation::Solve => Dense::solve(rows, columns, self.sides),
        }
    }

    /// Returns an error for another matrix or other right sides than the problem's.
    pub(super) fn expect_input(&self, (matrix, triangle, b): SparseInput<'_>) -> Result<()> {
        self.triangle.expect(matrix, triangle)?;
        let rows = matrix.len();
        match b.map(|b| (b.rows(), b.columns())) {
            _ if self.operation != SparseOperation::Solve => Ok(()),
            Some((others, _)) if others != rows => Err(other_rows(rows, others)),
            b => Error::expect_shape("a second matrix", (rows, self.sides), b.unwrap_or_default()),
        }
    }
}

impl Problem for Sparse {
    const NAME: &'static str = "this matrix";

    type Resident<'a> = ();
    type Input<'a> = SparseInput<'a>;
    type Answer = (SparseAnswer, Option<SparseProof>);
    type Kernels = ();

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        const NAME: &str = "by a triangle of lists";
        Ok(match self.carries {
            true => Ways::default().with(NAME, ByRemainder::<Carrying>::new(self, profile)),
            false => Ways::default().with(NAME, ByRemainder::<Dense>::new(self, profile)),
        })
    }

    fn check_input(&self, &input: &SparseInput<'_>) -> Result<()> {
        self.expect_input(input)
    }

    fn reborrow<'s>(input: &'s mut SparseInput<'_>) -> SparseInput<'s> {
        *input
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "operation      {}", format!("{:?}", self.operation).to_lowercase())?;
        self.triangle.write_matrix(f)?;
        if self.sides > 0 { writeln!(f, "second matrix  {} columns", self.sides) } else { Ok(()) }
    }
}

/// The pivots of the triangle, then the elimination of the remainder.
#[derive(Debug)]
struct ByRemainder<Q: Asked>(OnRemainder<Q>);

impl<Q: Asked> ByRemainder<Q> {
    fn new(problem: &Sparse, profile: &Profile) -> Result<Self> {
        let Numbers { shape: (rows, columns), ones, left, .. } = problem.triangle;
        let beside = match problem.operation {
            // The transposed lists and triangle.
            SparseOperation::Rows => IndexLists::bytes_of(columns, ones) + 12 * (rows + columns) as u64,
            // The entries of the form beside its pivots; lines with ones, and the columns of vectors.
            SparseOperation::Kernel => {
                BitMatrix::bytes_of(left.0.min(left.1) as u64, left.1 as u64) + 9 * columns as u64
            }
            SparseOperation::Solve => BitMatrix::bytes_of(left.0 as u64, problem.sides as u64)
                .saturating_add(BitMatrix::bytes_of(columns as u64, problem.sides as u64))
                .saturating_add(right_sides::bytes_of(columns)),
        };
        let across = if problem.operation == SparseOperation::Rows { rows } else { columns };
        let blocks = 2 * problem.sides.div_ceil(512);
        OnRemainder::new(problem.of_remainder()?, profile, (across, ones), blocks, beside).map(ByRemainder)
    }
}

impl<Q: Asked> Way<Sparse> for ByRemainder<Q> {
    type Device = Device;
    type Ready<'p> = Reducing<Q>;

    fn cost(&self) -> Cost {
        self.0.cost
    }

    fn traffic(&self) -> Traffic {
        self.0.planned.traffic()
    }

    fn write(&self, problem: &Sparse, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Numbers { pivots, left: (rows, columns), .. } = problem.triangle;
        writeln!(f, "triangle       {pivots} pivots, {rows} x {columns} left")?;
        self.0.planned.write_way(f)
    }

    fn compile(&self, _: &Sparse, device: &Device) -> Result<()> {
        self.0.planned.compile(device)
    }

    fn prepare<'p>(&self, _: &Sparse, device: &Device, (): ()) -> Result<Self::Ready<'p>> {
        Ok(Reducing { prepared: self.0.planned.prepare(device)?, device: device.clone() })
    }
}

/// Ready to run.
#[derive(Debug)]
struct Reducing<Q: Asked> {
    prepared: Prepared<'static, Q>,
    device: Device,
}

impl<Q: Asked> Ready<Sparse> for Reducing<Q> {
    async fn run<'i: 'i>(
        &self,
        problem: &Sparse,
        (matrix, triangle, b): SparseInput<'i>,
        _: &Done,
    ) -> Result<(SparseAnswer, Option<SparseProof>)> {
        let (reduced, sides) = on_host(&self.device, "reduce the remainder", || {
            let reduced = remainder_of(problem, matrix, triangle)?;
            let sides = b.map(|b| right_sides::reduced(matrix, triangle, b)).transpose()?;
            Ok((reduced, sides))
        })?;
        let answer = self.prepared.run_async((&reduced, sides.as_ref())).await?;
        let (of_remainder, evidence) = Q::split(answer);
        let answer = on_host(&self.device, "substitute", || match (&of_remainder, b) {
            (DenseAnswer::Form(form), _) if problem.operation == SparseOperation::Rows => {
                Ok(SparseAnswer::Rows(chosen_rows(triangle, &form.pivots)))
            }
            (DenseAnswer::Form(form), _) => {
                SparseKernel::new(matrix, triangle, form).map(SparseAnswer::Kernel)
            }
            (DenseAnswer::Solution(solution), Some(b)) => {
                let x = right_sides::substituted(matrix, triangle, b, &solution.x)?;
                let inconsistent = with_empty_rows(matrix, b, &solution.inconsistent)?;
                let rank = triangle.pivots() + solution.rank;
                Ok(SparseAnswer::Solution(Solution { x, inconsistent, rank }))
            }
            _ => Err(other_operation()),
        })?;
        let proof = evidence.map(|evidence| SparseProof {
            remainder: reduced,
            sides,
            answer: of_remainder,
            evidence,
        });
        Ok((answer, proof))
    }
}

/// The remainder that a question is asked about: transposed, if rows are asked for.
fn remainder_of(problem: &Sparse, matrix: &IndexLists, triangle: &Triangle) -> Result<BitMatrix> {
    if problem.operation != SparseOperation::Rows {
        return remainder(matrix, triangle, triangle.left_rows().len());
    }
    let (matrix, triangle) = (matrix.transposed(triangle.shape().1)?, triangle.transposed());
    remainder(&matrix, &triangle, triangle.left_rows().len())
}

/// The rows of the triangle's pivots and, of those without, the ones with these numbers; ascending.
pub(super) fn chosen_rows(triangle: &Triangle, of_remainder: &[u32]) -> Vec<u32> {
    let left = triangle.left_rows();
    let mut rows: Vec<u32> = triangle.pivot_rows().collect();
    rows.extend(of_remainder.iter().map(|&k| left[k as usize]));
    rows.sort_unstable();
    rows
}

/// Right sides without a solution, ascending: these, and those that are 1 where the matrix has a row without ones.
pub(super) fn with_empty_rows(matrix: &IndexLists, b: &BitMatrix, inconsistent: &[u32]) -> Result<Vec<u32>> {
    let mut any = BitMatrix::zeros(1, b.columns())?;
    for (row, _) in matrix.iter().enumerate().filter(|(_, ones)| ones.is_empty()) {
        any.row64_mut(0).iter_mut().zip(b.row64(row)).for_each(|(any, word)| *any |= word);
    }
    let mut inconsistent = inconsistent.to_vec();
    inconsistent.extend(any.ones(0).map(|side| side as u32));
    inconsistent.sort_unstable();
    inconsistent.dedup();
    Ok(inconsistent)
}
