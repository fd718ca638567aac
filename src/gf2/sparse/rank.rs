//! The rank of a sparse matrix as a problem.

use std::borrow::Cow;
use std::fmt;

use super::evidence::{SparseEvidence, has_all_rows};
use super::on_remainder::{Asked, OnRemainder, on_host};
use super::remainder::{self, remainder};
use super::triangle::{Numbers, Triangle};
use crate::gf2::verify::Carried;
use crate::gf2::{BitMatrix, Carrying, Dense, DenseAnswer, Echelon, Evidence, IndexLists};
use crate::task::{Cost, Done, Prepared, Problem, Profile, Ready, Traffic, Way, Ways};
use crate::verify::Guarantee;
use crate::{Device, Error, Result};

/// A matrix of fewer bytes is as fast packed.
const SMALL: u64 = 4 << 20;

/// The places for each one from which lists pay.
const SPARSE: u64 = 64;

/// Rows and columns for each one up to which lists pay.
const LINES: u64 = 8;

/// The rank of a sparse matrix: the pivots of a [`Triangle`], and the rank of its remainder, which the device eliminates.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{IndexLists, SparseRank, Triangle}, task::Problem};
///
/// let device = Device::Cpu(Cpu::default());
/// let mut rows = IndexLists::default(); // 110, 011, 101
/// [[1, 0], [2, 1], [2, 0]].iter().try_for_each(|row| rows.push(row))?;
/// let triangle = Triangle::find(&rows, 3)?;
/// let problem = SparseRank::new(&triangle).carrying();
/// let (answer, _) = problem.plan(&device)?.compute(&device, (&rows, &triangle))?;
/// assert_eq!(answer.rank, 2);
/// let guarantee = problem.check_carried(&rows, &answer)?;
/// assert_eq!(guarantee.claim(), "the rank is 2");
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparseRank {
    triangle: Numbers,
    carries: bool,
}

/// The rank of a sparse matrix.
#[derive(Clone, Debug)]
pub struct SparseRankAnswer {
    /// The rank.
    pub rank: usize,
    /// How many of the pivots are those of the triangle.
    pub sparse_pivots: usize,
    /// The rows and columns of the matrix that was eliminated.
    pub remainder: (usize, usize),
    /// The evidence, of a problem that [carries](SparseRank::carrying) columns.
    pub evidence: Option<SparseEvidence>,
}

impl SparseRank {
    /// The rank of the matrix of a triangle.
    pub fn new(triangle: &Triangle) -> Self {
        SparseRank { triangle: triangle.numbers(), carries: false }
    }

    /// Carries 64 random columns along, which are evidence for [`check_carried`](Self::check_carried).
    #[must_use]
    pub fn carrying(self) -> Self {
        SparseRank { carries: true, ..self }
    }

    /// True if a matrix is so large and has so few ones that a triangle pays: it takes 4 MiB or more packed, has a one for 64
    /// places or fewer, and at most 8 rows and 8 columns for each one.
    pub fn pays(rows: usize, columns: usize, ones: usize) -> bool {
        let [rows, columns, ones] = [rows, columns, ones].map(|count| count as u64);
        BitMatrix::bytes_of(rows, columns) >= SMALL
            && rows.saturating_mul(columns) / SPARSE >= ones
            && rows.max(columns) <= ones.saturating_mul(LINES)
    }

    /// The bytes of host memory that [`check_carried`](Self::check_carried) takes beside the matrix and the evidence.
    pub fn check_bytes(&self) -> u64 {
        let Numbers { shape: (rows, columns), ones, .. } = self.triangle;
        let lines = (rows as u64).saturating_add(columns as u64);
        IndexLists::bytes_of(rows.max(columns), ones).saturating_add(32 * lines).saturating_add(1 << 16)
    }

    /// Checks the rank of the matrix by the evidence, in time linear in the ones of the matrix and in the remainder. A wrong one,
    /// too high or too low, is missed with a chance of at most 2^-64.
    pub fn check_carried(&self, matrix: &IndexLists, answer: &SparseRankAnswer) -> Result<Guarantee> {
        self.triangle.expect_matrix(matrix)?;
        match &answer.evidence {
            Some(evidence) => evidence.check(matrix, self.triangle.shape.1, answer.rank),
            None => Err(Error::needs("this check", "the evidence of this answer")),
        }
    }
}

impl Problem for SparseRank {
    const NAME: &'static str = "this matrix";

    type Resident<'a> = ();
    type Input<'a> = (&'a IndexLists, &'a Triangle);
    type Answer = SparseRankAnswer;
    type Kernels = ();

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        Ok(if self.carries { self.ways_of::<Carrying>(profile) } else { self.ways_of::<Dense>(profile) })
    }

    fn check_input(&self, &(matrix, triangle): &Self::Input<'_>) -> Result<()> {
        self.triangle.expect(matrix, triangle)
    }

    fn reborrow<'s>(input: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        *input
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "operation      rank")?;
        self.triangle.write_matrix(f)
    }
}

impl SparseRank {
    fn ways_of<Q: Asked>(&self, profile: &Profile) -> Ways<Self> {
        let Numbers { pivots, left, .. } = self.triangle;
        let all = (left.0 + pivots, left.1 + pivots);
        Ways::default()
            .with("by a triangle of lists", ByTriangle::<Q>::new(self, profile, pivots, left))
            .with("packed", ByTriangle::<Q>::new(self, profile, 0, all))
    }
}

/// The echelon form of a remainder, and the evidence.
fn form((answer, evidence): (DenseAnswer, Option<Evidence>)) -> Result<(Echelon, Option<Carried>)> {
    Ok((answer.into_form()?, evidence.map(|evidence| evidence.carried)))
}

/// Pivots of a triangle first, or none; then the elimination of what is left.
#[derive(Debug)]
struct ByTriangle<Q: Asked> {
    pivots: usize,
    /// The rows and columns that are left.
    left: (usize, usize),
    on_remainder: OnRemainder<Q>,
}

impl<Q: Asked> ByTriangle<Q> {
    fn new(rank: &SparseRank, profile: &Profile, pivots: usize, left: (usize, usize)) -> Result<Self> {
        let Numbers { shape: (rows, columns), ones, .. } = rank.triangle;
        // Those of the matrix that the remainder is computed of.
        let columns = if is_transposed(left) { rows } else { columns };
        let (most, least) = (left.0.max(left.1), left.0.min(left.1));
        let question = Dense::echelon(remainder::rows_of((most, least)), least)?;
        let lists = IndexLists::bytes_of(columns, ones) + 8 * pivots as u64 + 4 * (left.0 + left.1) as u64;
        // The check that sums of rows suffice has a word a column and a row.
        let words = 8 * (columns + 2 * least + most) as u64;
        let on_remainder =
            OnRemainder::new(question, profile, (columns, ones), 0, lists.saturating_add(words))?;
        Ok(ByTriangle { pivots, left, on_remainder })
    }
}

/// True if the transposed matrix has fewer columns left.
fn is_transposed(left: (usize, usize)) -> bool {
    left.0 < left.1
}

impl<Q: Asked> Way<SparseRank> for ByTriangle<Q> {
    type Device = Device;
    type Ready<'p> = OnTriangle<Q>;

    fn cost(&self) -> Cost {
        self.on_remainder.cost
    }

    fn traffic(&self) -> Traffic {
        self.on_remainder.planned.traffic()
    }

    fn write(&self, _: &SparseRank, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "triangle       {} pivots, {} x {} left", self.pivots, self.left.0, self.left.1)?;
        let planned = &self.on_remainder.planned;
        let (rows, columns) = planned.problem().asked().shape();
        let sums = if rows == self.left.0.max(self.left.1) { "" } else { ", sums of lines" };
        writeln!(f, "remainder      {rows} x {columns}{sums}")?;
        planned.write_way(f)
    }

    fn compile(&self, _: &SparseRank, device: &Device) -> Result<()> {
        self.on_remainder.planned.compile(device)
    }

    fn prepare<'p>(&self, _: &SparseRank, device: &Device, (): ()) -> Result<Self::Ready<'p>> {
        let OnRemainder { held, planned, .. } = &self.on_remainder;
        let prepared = planned.prepare(device)?;
        Ok(OnTriangle { has_pivots: self.pivots > 0, held: *held, prepared, device: device.clone() })
    }
}

/// Ready to run.
#[derive(Debug)]
struct OnTriangle<Q: Asked> {
    has_pivots: bool,
    held: u64,
    prepared: Prepared<'static, Q>,
    device: Device,
}

impl<Q: Asked> Ready<SparseRank> for OnTriangle<Q> {
    async fn run<'i: 'i>(
        &self,
        problem: &SparseRank,
        (matrix, triangle): (&'i IndexLists, &'i Triangle),
        _: &Done,
    ) -> Result<SparseRankAnswer> {
        let columns = problem.triangle.shape.1;
        let triangle = match self.has_pivots {
            true => Cow::Borrowed(triangle),
            false => Cow::Owned(Triangle::without_pivots(matrix, columns)),
        };
        let is_transposed = is_transposed(triangle.remainder());
        let (matrix, triangle) = match is_transposed {
            true => (Cow::Owned(matrix.transposed(columns)?), Cow::Owned(triangle.transposed())),
            false => (Cow::Borrowed(matrix), triangle),
        };
        let (rows, columns) = triangle.remainder();
        let mut reduced = self.remainder(&matrix, &triangle, remainder::rows_of((rows, columns)))?;
        let mut answer = self.prepared.run_async((&reduced, None)).await?;
        let (mut form, mut carried) = self::form(Q::split(answer))?;
        if reduced.rows() < rows && form.rank() < columns && !has_all_rows(&matrix, &triangle, &form)? {
            // Sums of rows that have a smaller rank than the rows.
            drop((form, carried, reduced));
            reduced = self.remainder(&matrix, &triangle, rows)?;
            let planned =
                Q::of(Dense::echelon(rows, columns)?)?.plan_for(&self.device.profile().beside(self.held))?;
            (answer, _) = planned.compute_async(&self.device, (&reduced, None)).await?;
            (form, carried) = self::form(Q::split(answer))?;
        }
        let (shape, pivots) = ((reduced.rows(), reduced.columns()), triangle.pivots());
        let rank = pivots + form.rank();
        let evidence = carried.map(|carried| {
            let triangle = triangle.into_owned();
            SparseEvidence { is_transposed, triangle, remainder: reduced, form, carried }
        });
        Ok(SparseRankAnswer { rank, sparse_pivots: pivots, remainder: shape, evidence })
    }
}

impl<Q: Asked> OnTriangle<Q> {
    fn remainder(&self, matrix: &IndexLists, triangle: &Triangle, rows: usize) -> Result<BitMatrix> {
        on_host(&self.device, "reduce the remainder", || remainder(matrix, triangle, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cpu;

    #[test]
    fn rows_are_eliminated_if_their_sums_have_a_smaller_rank() {
        let (rows, columns) = (400, 40);
        let count = remainder::rows_of((rows, columns));
        assert!(count < rows);
        let mut members = vec![0; count];
        (0..rows).for_each(|row| members[remainder::place(row, rows, count)] += 1);
        // Equal rows at a place vanish, if their number is even.
        let even: Vec<usize> = (0..count).filter(|&place| members[place] % 2 == 0).collect();
        assert!(even.len() >= columns);
        let mut lists = IndexLists::default();
        for row in 0..rows {
            let place = remainder::place(row, rows, count);
            let column = even.iter().position(|&even| even == place).map_or(0, |k| k % columns);
            lists.push(&[column as u32]).unwrap();
        }
        let triangle = Triangle::without_pivots(&lists, columns);
        assert!(remainder(&lists, &triangle, count).unwrap().rows() < rows);
        let device = Device::Cpu(Cpu::default());
        for problem in [SparseRank::new(&triangle), SparseRank::new(&triangle).carrying()] {
            let (answer, _) = problem.plan(&device).unwrap().compute(&device, (&lists, &triangle)).unwrap();
            assert_eq!((answer.rank, answer.sparse_pivots, answer.remainder), (columns, 0, (rows, columns)));
            if let Some(evidence) = answer.evidence {
                evidence.check(&lists, columns, columns).unwrap();
            }
        }
    }
}
