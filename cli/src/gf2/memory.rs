//! Operations on matrices in memory.

use super::sentences::Claim;
use super::{Arguments, Asked, Files, Found, Operation, finish};
use crate::{Context, Demands};
use wgalois::gf2::{Answer, BitMatrix, Dense, DenseAnswer, Inverse, Matrices};
use wgalois::verify::Guarantee;
use wgalois::{Device, Error, Result};
use wgalois_io::Source;
use wgalois_io::bits::{self, Format, Rows};
use wgalois_io::text;

impl Operation {
    /// Does the operation and writes the answer.
    pub(super) fn run_in_memory(&self, context: &Context) -> Result<()> {
        match self.read_sparse(context) {
            Ok(Some(Rows::Lists(lists, columns))) => self.run_on_lists(context, &lists, columns),
            rows => rows
                .and_then(|rows| self.run_packed(context, rows))
                .map_err(|error| Files::explain(context, self, None, error)),
        }
    }

    /// Does the operation with packed matrices; A may have been read.
    fn run_packed(&self, context: &Context, a: Option<Rows>) -> Result<()> {
        let (a, b) = match a {
            Some(Rows::Matrix(a)) => (a, self.read_b(context)?),
            _ => self.read(context)?,
        };
        self.compute(context, (&a, b.as_ref())).map_err(|error| self.naming(error))
    }

    fn compute(&self, context: &Context, (a, b): Matrices<'_>) -> Result<()> {
        let workers = &self.common().workers;
        let format = self.common().output.of(context, &self.common().input, Format::Text);
        let matrix = match (self.asked((a, b))?, b) {
            (Asked::Dense(dense), _) => {
                let Some(answer) = self.answer(context, dense, (a, b))? else { return Ok(()) };
                let found = Found::from(answer);
                return finish(context, self, a.rows(), found, |out, matrix| {
                    bits::write_matrix(out, format, matrix)
                });
            }
            (Asked::Product(problem), Some(b)) => {
                let demands = Demands { check: problem.check_bytes_of_run(), ..Demands::default() };
                let planned = workers.plan_with(context, &problem, demands)?;
                let Some((device, plan)) = planned else { return Ok(()) };
                let product = context.compute("multiply", (&device, plan), (a, b).into())?;
                context.verify_if_asked(|| problem.check(a, b, &product))?;
                product
            }
            (Asked::Product(_), None) => return Err(one_factor()),
            (Asked::Transpose(problem), _) => {
                let demands = Demands { check: problem.check_bytes_of_run(), ..Demands::default() };
                let planned = workers.plan_with(context, &problem, demands)?;
                let Some((device, plan)) = planned else { return Ok(()) };
                let transposed = context.compute("transpose", (&device, plan), a)?;
                context.verify_if_asked(|| problem.check(a, &transposed))?;
                transposed
            }
        };
        context.write(|out| bits::write_matrix(out, format, &matrix))
    }

    /// Reads the matrices A and, if there is one, B.
    fn read(&self, context: &Context) -> Result<(BitMatrix, Option<BitMatrix>)> {
        let input = &self.common().input;
        let a = match self.arguments() {
            Arguments::One(one) => &one.file,
            Arguments::Two(two) => &two.a,
        };
        Ok((input.read_matrix(context, a, input.columns())?, self.read_b(context)?))
    }

    /// Reads the matrix B, if there is one.
    pub(super) fn read_b(&self, context: &Context) -> Result<Option<BitMatrix>> {
        let Arguments::Two(two) = self.arguments() else { return Ok(None) };
        two.common.input.read_matrix(context, &two.b, two.columns_of_b()).map(Some)
    }

    fn asked(&self, (a, b): Matrices<'_>) -> Result<Asked> {
        let shape = |matrix: &BitMatrix| (matrix.rows(), matrix.columns());
        Asked::new(self, shape(a), b.map(shape))
    }

    /// Adds the files' names to an error about the shapes of two matrices.
    pub(super) fn naming(&self, error: Error) -> Error {
        match (self.arguments(), error) {
            (
                Arguments::Two(two),
                error @ (Error::WrongShape { .. } | Error::ShapeMismatch { .. } | Error::TooMany { .. }),
            ) => error.of(format!("{}, {}", text::name(&two.a), text::name(&two.b))),
            (_, error) => error,
        }
    }

    /// Answers a question, and verifies the answer with `--verify`; `None` if only its plan was asked for.
    fn answer(&self, context: &Context, dense: Dense, matrices: Matrices<'_>) -> Result<Option<DenseAnswer>> {
        let workers = &self.common().workers;
        let name = match self {
            Operation::Solve(_) => "solve",
            Operation::Inverse(_) => "invert",
            _ => "eliminate",
        };
        if !context.verifies() {
            let Some((device, plan)) = workers.plan(context, &dense)? else { return Ok(None) };
            return context.compute(name, (&device, plan), matrices).map(Some);
        }
        let Some((device, plan)) = workers.plan(context, &dense.carrying()?)? else { return Ok(None) };
        let (answer, evidence) = context.compute(name, (&device, plan), matrices)?;
        let (a, b) = matrices;
        context.verify(|| dense.check_carried(&device, a, b, answer.as_answer(), &evidence))?;
        Ok(Some(answer))
    }

    /// Verifies the result of this operation in a file.
    pub(super) fn check_in_memory(&self, context: &Context, source: Source) -> Result<()> {
        // Other answers than a rank are checked with packed matrices.
        let rows = if let Operation::Rank(_) = self { self.read_sparse(context)? } else { None };
        let (a, b) = match rows {
            Some(Rows::Lists(lists, columns)) => {
                return self.check_rank_of_lists(context, &lists, columns, &source);
            }
            Some(Rows::Matrix(a)) => (a, None),
            None => self.read(context)?,
        };
        self.check(context, (&a, b.as_ref()), source).map_err(|error| self.naming(error))
    }

    fn check(&self, context: &Context, (a, b): Matrices<'_>, source: Source) -> Result<()> {
        let input = &self.common().input;
        match (self.asked((a, b))?, b) {
            (Asked::Dense(dense), _) => self.check_dense(context, dense, (a, b), source),
            (Asked::Product(problem), Some(b)) => {
                let product = input.read_result(context, source, (a.rows(), b.columns()))?;
                check_by_reading(context, problem.check_bytes(), || problem.check(a, b, &product))
            }
            (Asked::Product(_), None) => Err(one_factor()),
            (Asked::Transpose(problem), _) => {
                let transposed = input.read_result(context, source, (a.columns(), a.rows()))?;
                check_by_reading(context, problem.check_bytes(), || problem.check(a, &transposed))
            }
        }
    }

    fn check_dense(
        &self,
        context: &Context,
        dense: Dense,
        (a, b): Matrices<'_>,
        source: Source,
    ) -> Result<()> {
        let input = &self.common().input;
        let sides = dense.other_columns();
        let states_width = !matches!(self, Operation::Solve(_))
            || input.of(&source, Format::Text) != Format::Lists
            || bits::stated_shape(&source)?.is_some();
        let expected = match self {
            // An empty text holds a basis without vectors.
            Operation::Kernel(_) => (0, a.columns()),
            Operation::Solve(_) => (a.columns(), sides),
            _ => (a.rows(), a.columns()),
        };
        let claim = match Claim::stated(self, &source, a.rows()) {
            Some(stated) => stated?,
            None => Claim::Matrix(input.read_result(context, source, expected)?),
        };
        let check = |answer: Answer<'_>| {
            let check = |device: &Device| dense.check(device, a, b, answer);
            match dense.elimination_of_check(answer) {
                // The device is used only if that takes an elimination.
                Some(elimination) => match self.common().workers.device(context, &elimination)? {
                    Some(device) => context.verify(|| check(&device)),
                    None => Ok(()),
                },
                None => check_by_reading(context, dense.check_bytes(), || check(&context.host())),
            }
        };
        match (check(claim.as_answer()), &claim) {
            // Lists do not state their width: these may be the solutions of some columns of B.
            (Err(Error::Check(fault)), Claim::Matrix(x))
                if !states_width && sides > 1 && x.columns() == sides =>
            {
                let Some(DenseAnswer::Solution(own)) = self.answer(context, dense, (a, b))? else {
                    return Ok(());
                };
                match first_columns(x, sides - own.inconsistent.len())? {
                    Some(x) => check(Answer::Matrix(&x)),
                    None => Err(Error::Check(fault)),
                }
            }
            (checked, _) => checked,
        }
    }
}

/// The first `width` columns of `x`; `None` if these are none or all, or if `x` has ones in other columns.
fn first_columns(x: &BitMatrix, width: usize) -> Result<Option<BitMatrix>> {
    if !(1..x.columns()).contains(&width) {
        return Ok(None);
    }
    let mut narrow = BitMatrix::zeros(x.rows(), width)?;
    for (row, column) in (0..x.rows()).flat_map(|row| x.ones(row).map(move |column| (row, column))) {
        if column >= width {
            return Ok(None);
        }
        narrow.set(row, column, true);
    }
    Ok(Some(narrow))
}

/// Runs a check that takes so many bytes and no device.
fn check_by_reading(context: &Context, bytes: u64, check: impl FnOnce() -> Result<Guarantee>) -> Result<()> {
    context.need(bytes, "the check")?;
    match context.host_alone("this check")? {
        Some(_) => context.verify(check),
        None => Ok(()),
    }
}

fn one_factor() -> Error {
    Error::needs("a product", "two matrices")
}

impl From<DenseAnswer> for Found<BitMatrix> {
    fn from(answer: DenseAnswer) -> Self {
        let none = Vec::new;
        let of =
            |pivots: Vec<u32>, matrix| Found { rank: pivots.len(), pivots, inconsistent: none(), matrix };
        match answer {
            DenseAnswer::Pivots(pivots) => of(pivots, None),
            DenseAnswer::Form(form) => of(form.pivots, Some(form.matrix)),
            DenseAnswer::Kernel { basis, pivots } => of(pivots, Some(basis)),
            DenseAnswer::Inverse(Inverse::Regular(matrix)) => {
                of((0..matrix.rows() as u32).collect(), Some(matrix))
            }
            DenseAnswer::Inverse(Inverse::Singular { rank }) => Found { rank, ..of(none(), None) },
            DenseAnswer::Solution(solution) => {
                let (rank, inconsistent) = (solution.rank, solution.inconsistent.clone());
                let has_any = inconsistent.is_empty() || inconsistent.len() < solution.x.columns();
                let matrix = has_any.then(|| solution.into_solvable());
                Found { rank, pivots: none(), inconsistent, matrix }
            }
        }
    }
}
