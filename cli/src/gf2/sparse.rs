//! Operations on matrices that stay index lists.

use super::{Found, Operation, files, finish, sentences};
use crate::Demands;
use crate::prelude::*;
use wgalois::gf2::verify::Bands;
use wgalois::gf2::{
    BitMatrix, DenseAnswer, IndexLists, KernelVectors, Sparse, SparseAnswer, SparseInput, SparseRank,
    SparseRankAnswer, Triangle,
};
use wgalois_io::bits::{self, Format, Rows};

impl Operation {
    /// Reads the matrix of a rank, a kernel or equations: as lists, if the file has them and they pay. `None` for other operations,
    /// for several processes, and if the columns of the pivots are asked for, which are those of an elimination by ascending columns.
    pub(super) fn read_sparse(&self, context: &Context) -> Result<Option<Rows>> {
        let file = match self {
            Operation::Rank(one) | Operation::Kernel(one) if one.pivots.is_none() => &one.file,
            Operation::Solve(two) => &two.a,
            _ => return Ok(None),
        };
        if context.processes().is_some() {
            return Ok(None);
        }
        let pays = |lists: &IndexLists, columns| SparseRank::pays(lists.len(), columns, lists.ones());
        self.common().input.read_rows(context, file, pays).map(Some)
    }

    /// Does the operation with lists.
    pub(super) fn run_on_lists(&self, context: &Context, lists: &IndexLists, columns: usize) -> Result<()> {
        let b = self.read_b(context)?;
        let triangle = found_triangle(context, lists, columns)?;
        match (self, b) {
            (Operation::Solve(_), Some(b)) => self.solve_lists(context, (lists, &triangle), &b),
            (Operation::Kernel(_), _) => self.kernel_of_lists(context, (lists, &triangle)),
            _ => self.rank_of_lists(context, (lists, &triangle)),
        }
    }

    fn rank_of_lists(&self, context: &Context, (lists, triangle): (&IndexLists, &Triangle)) -> Result<()> {
        let plain = SparseRank::new(triangle);
        let problem = if context.verifies() { plain.carrying() } else { plain };
        let Some(answer) = self.eliminated(context, problem, (lists, triangle))? else { return Ok(()) };
        report_pivots(context, answer.sparse_pivots, answer.remainder);
        context.verify_if_asked(|| problem.check_carried(lists, &answer))?;
        finish(context, self, lists.len(), found(answer.rank, None::<BitMatrix>), |_, _| Ok(()))
    }

    /// Verifies the rank that a file states for lists, by an elimination of its own.
    pub(super) fn check_rank_of_lists(
        &self,
        context: &Context,
        lists: &IndexLists,
        columns: usize,
        source: &Source,
    ) -> Result<()> {
        let rank = sentences::rank_of(source)?;
        let triangle = found_triangle(context, lists, columns)?;
        let problem = SparseRank::new(&triangle).carrying();
        let Some(own) = self.eliminated(context, problem, (lists, &triangle))? else { return Ok(()) };
        context.verify(|| problem.check_carried(lists, &SparseRankAnswer { rank, ..own }))
    }

    /// The answer to the question for a rank; `None` if only its plan was asked for.
    fn eliminated(
        &self,
        context: &Context,
        problem: SparseRank,
        input: (&IndexLists, &Triangle),
    ) -> Result<Option<SparseRankAnswer>> {
        let demands = Demands { check: problem.check_bytes(), ..Demands::default() };
        let planned = self.common().workers.plan_with(context, &problem, demands)?;
        let Some((device, plan)) = planned else { return Ok(None) };
        context.compute("eliminate", (&device, plan), input).map(Some)
    }

    /// The answer to another question, which is verified if that is asked for; `None` if only its plan was asked for.
    fn answered(
        &self,
        context: &Context,
        name: &str,
        plain: Sparse,
        input: SparseInput<'_>,
    ) -> Result<Option<SparseAnswer>> {
        let problem = if context.verifies() { plain.carrying() } else { plain };
        let demands = Demands { check: problem.check_bytes(), ..Demands::default() };
        let planned = self.common().workers.plan_with(context, &problem, demands)?;
        let Some((device, plan)) = planned else { return Ok(None) };
        let answer = context.compute(name, (&device, plan), input)?;
        report_pivots(context, input.1.pivots(), input.1.remainder());
        context.verify_if_asked(|| problem.check_carried(&device, input, &answer))?;
        Ok(Some(answer.0))
    }

    /// Writes the vectors in bands as they are computed, if the format does not begin with numbers of ones.
    fn kernel_of_lists(&self, context: &Context, (lists, triangle): (&IndexLists, &Triangle)) -> Result<()> {
        let columns = triangle.shape().1;
        let input = (lists, triangle, None);
        let answer = self.answered(context, "eliminate", Sparse::kernel(triangle), input)?;
        let Some(answer) = answer else { return Ok(()) };
        let kernel = answer.into_kernel()?;
        context.hold(kernel.bytes());
        let vectors = kernel.vectors(lists, triangle)?;
        let (rank, shape) = (columns - kernel.dimension(), (kernel.dimension(), columns));
        let format = self.common().output.of(context, &self.common().input, Format::Text);
        if let Format::Market | Format::Npz | Format::Alist = format {
            context
                .need(BitMatrix::bytes_of(shape.0 as u64, shape.1 as u64), "this kernel in this format")?;
            let mut matrix = BitMatrix::zeros(shape.0, shape.1)?;
            let mut rows = 0..shape.0;
            vectors.bands(&mut |band| {
                let places = rows.by_ref().take(band.rows()).enumerate();
                places.for_each(|(k, row)| matrix.row64_mut(row).copy_from_slice(band.row64(k)));
                Ok(())
            })?;
            let found = found(rank, Some(matrix));
            return finish(context, self, lists.len(), found, |out, matrix| {
                bits::write_matrix(out, format, matrix)
            });
        }
        context.need(KernelVectors::bytes_of(columns), "the vectors of this kernel")?;
        finish(context, self, lists.len(), found(rank, Some(vectors)), |out, vectors| {
            files::write(out, format, shape, |take| vectors.bands(take))
        })
    }

    fn solve_lists(
        &self,
        context: &Context,
        (lists, triangle): (&IndexLists, &Triangle),
        b: &BitMatrix,
    ) -> Result<()> {
        let (problem, input) = (Sparse::solve(triangle, b.columns())?, (lists, triangle, Some(b)));
        problem.check_input(&input).map_err(|error| self.naming(error))?;
        let answer = self.answered(context, "solve", problem, input)?;
        let Some(answer) = answer else { return Ok(()) };
        let solution = answer.into_solution()?;
        let format = self.common().output.of(context, &self.common().input, Format::Text);
        let found = Found::from(DenseAnswer::Solution(solution));
        finish(context, self, lists.len(), found, |out, matrix| bits::write_matrix(out, format, matrix))
    }
}

/// The triangle of lists, which is held to the end.
fn found_triangle(context: &Context, lists: &IndexLists, columns: usize) -> Result<Triangle> {
    let triangle = context.step(Phase::Host, "find a triangle", || Triangle::find(lists, columns))?;
    context.hold(triangle.bytes());
    Ok(triangle)
}

fn report_pivots(context: &Context, pivots: usize, (rows, columns): (usize, usize)) {
    context.report("sparse_pivots", pivots);
    context.report("remainder_rows", rows);
    context.report("remainder_columns", columns);
}

fn found<M>(rank: usize, matrix: Option<M>) -> Found<M> {
    Found { rank, pivots: Vec::new(), inconsistent: Vec::new(), matrix }
}
