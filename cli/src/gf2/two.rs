//! Operations on two matrices.

use std::path::PathBuf;

use super::{Answer, Common, as_text};
use crate::counts::count;
use crate::{Context, Demands};
use wgalois::gf2::{self, BitMatrix, Dense, MAX_COLUMNS, Product, Solution, Solve};
use wgalois::{Error, Result};
use wgalois_io::Source;
use wgalois_io::bits::{self, Format};
use wgalois_io::text;

#[derive(clap::Args)]
pub(super) struct TwoMatrices {
    /// The matrix A; `-` is stdin
    pub(super) a: PathBuf,
    /// The matrix B; `-` is stdin
    pub(super) b: PathBuf,
    /// Number of columns of B, as --columns is that of A
    #[arg(long, value_name = "N", value_parser = count::<u64>(..=MAX_COLUMNS))]
    pub(super) columns_of_b: Option<u64>,
    #[command(flatten)]
    pub(super) common: Common,
}

impl TwoMatrices {
    pub(super) fn read(&self, context: &Context) -> Result<[BitMatrix; 2]> {
        let input = &self.common.input;
        let a = input.read_matrix(context, &self.a, input.columns())?;
        Ok([a, input.read_matrix(context, &self.b, self.columns_of_b())?])
    }

    pub(super) fn columns_of_b(&self) -> Option<usize> {
        self.columns_of_b.map(|columns| usize::try_from(columns).unwrap_or(usize::MAX))
    }

    /// Adds the files' names to an error about their shapes.
    pub(super) fn naming(&self, error: Error) -> Error {
        match error {
            Error::Input(_) | Error::ShapeMismatch { .. } | Error::TooMany { .. } => {
                error.of(format!("{}, {}", text::name(&self.a), text::name(&self.b)))
            }
            other => other,
        }
    }

    pub(super) fn solve(&self, context: &Context) -> Result<Option<Answer>> {
        let [a, b] = self.read(context)?;
        let Some(solution) = self.solution(context, &a, &b)? else { return Ok(None) };
        context.report("rank", solution.rank);
        context.report("inconsistent", solution.inconsistent.clone());
        let sentence = inconsistent(&solution.inconsistent);
        Ok(Some(match solution.inconsistent.len() {
            0 => Answer::Matrix(solution.x),
            lacking if lacking == b.columns() => Answer::None(sentence),
            _ => Answer::Partial(solution.into_solvable(), sentence),
        }))
    }

    /// Solves for all right sides; `None` with `--plan`.
    fn solution(&self, context: &Context, a: &BitMatrix, b: &BitMatrix) -> Result<Option<Solution>> {
        let question = Solve::new(a.rows(), a.columns(), b.columns())?;
        self.common.answer(context, question, "solve", (a, Some(b))).map_err(|e| self.naming(e))
    }

    pub(super) fn check_solution(&self, context: &Context, source: Source) -> Result<()> {
        let [a, b] = self.read(context)?;
        let check = |answer: gf2::Answer<'_>| {
            let problem = Dense::solve(a.rows(), a.columns(), b.columns())?;
            self.common.check(context, problem, (&a, Some(&b)), answer).map_err(|e| self.naming(e))
        };
        if let Some(sides) = unsolvable_sides(&source) {
            return check(gf2::Answer::Unsolvable(&sides?));
        }
        let states_width = self.common.input.of(&source, Format::Text) != Format::Lists
            || bits::stated_shape(&source)?.is_some();
        let x = self.common.input.read_result(context, source, (a.columns(), b.columns()))?;
        if x.rows() == a.columns() && (1..b.columns()).contains(&x.columns()) {
            return check(gf2::Answer::Matrix(&x));
        }
        let whole = Solution { x, inconsistent: Vec::new(), rank: 0 };
        match check(gf2::Answer::Solution(&whole)) {
            // Lists do not state their width: these may be the solutions of some columns of B.
            Err(Error::Check(fault)) if !states_width && b.columns() > 1 => {
                match self.narrowed(context, &a, &b, &whole.x)? {
                    Some(x) => check(gf2::Answer::Matrix(&x)),
                    None => Err(Error::Check(fault)),
                }
            }
            checked => checked,
        }
    }

    /// Returns the first columns of `x`, as many as B has columns with a solution; `None` if all have one, or none has,
    /// or if `x` has ones in other columns.
    fn narrowed(
        &self,
        context: &Context,
        a: &BitMatrix,
        b: &BitMatrix,
        x: &BitMatrix,
    ) -> Result<Option<BitMatrix>> {
        let Some(solution) = self.solution(context, a, b)? else { return Ok(None) };
        let width = b.columns() - solution.inconsistent.len();
        if !(1..b.columns()).contains(&width) {
            return Ok(None);
        }
        let mut narrow = BitMatrix::zeros(x.rows(), width)?;
        for row in 0..x.rows() {
            for column in (0..x.columns()).filter(|&column| x.get(row, column)) {
                if column >= width {
                    return Ok(None);
                }
                narrow.set(row, column, true);
            }
        }
        Ok(Some(narrow))
    }

    pub(super) fn multiply(&self, context: &Context) -> Result<Option<Answer>> {
        let [a, b] = self.read(context)?;
        let problem = Product::new(a.rows(), a.columns(), b.columns())?;
        let demands = Demands { check: problem.check_bytes_of_run(), ..Demands::default() };
        let planned = self.common.workers.plan_with(context, &problem, demands)?;
        let Some((device, plan)) = planned else { return Ok(None) };
        let product = context.compute("multiply", (&device, plan), (&a, &b).into());
        let product = product.map_err(|e| self.naming(e))?;
        context.verify_if_asked(|| problem.check(&a, &b, &product))?;
        Ok(Some(Answer::Matrix(product)))
    }
}

// The sentence of an answer without solutions.
const INCONSISTENT: &str = "inconsistent: no solution for column ";
const OF_B: &str = " of B";

/// The right sides that a file names if its answer is that these have no solution.
pub(super) fn unsolvable_sides(source: &Source) -> Option<Result<Vec<u32>>> {
    let sides = as_text(source).trim().strip_prefix(INCONSISTENT)?;
    let sides =
        sides.strip_suffix(OF_B).and_then(|sides| sides.split(", ").map(|side| side.parse().ok()).collect());
    Some(sides.ok_or_else(|| source.error(format!("`{INCONSISTENT}0, 1{OF_B}` was expected"))))
}

/// The answer that some right sides have no solution.
pub(super) fn inconsistent(sides: &[u32]) -> String {
    let sides: Vec<_> = sides.iter().map(u32::to_string).collect();
    format!("{INCONSISTENT}{}{OF_B}", sides.join(", "))
}
