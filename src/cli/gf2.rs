//! `wgalois gf2`: linear algebra with any matrix over GF(2).

use super::bits::{InputFormat, OutputFormat, Workers};
use super::engine::Task;
use super::outputs::Outputs;
use super::{Check, Context, Run};
use std::path::{Path, PathBuf};
use wgalois::gf2::{BitMatrix, Echelon, Engine, Inverse, Solution, verify};
use wgalois::io::bits::{self, Format};
use wgalois::io::text::{self, write_integers};
use wgalois::timeline::Phase;
use wgalois::verify::Guarantee;
use wgalois::{Error, Result};

/// Ranks, echelon forms, solutions, kernels, inverses and products over GF(2)
///
/// Files hold matrices: 0/1 text, .mtx (pattern), .npy, .gf2 (packed), or with --format lists
/// the columns of each row's ones.
#[derive(clap::Args)]
pub struct Gf2 {
    #[command(subcommand)]
    operation: Operation,
}

#[derive(clap::Subcommand)]
enum Operation {
    /// The rank, as a number
    Rank(OneMatrix),
    /// A row echelon form: each row begins to the right of the one above
    Echelon(OneMatrix),
    /// The reduced row echelon form
    Rref(OneMatrix),
    /// x with A x = B, a column for each column of B
    Solve(TwoMatrices),
    /// A basis of { x : A x = 0 }, a vector a row
    Kernel(OneMatrix),
    /// The inverse
    Inverse(OneMatrix),
    /// The product A B
    Mul(TwoMatrices),
    /// The transpose
    Transpose(OneMatrix),
}

#[derive(clap::Args)]
struct OneMatrix {
    /// The matrix; `-` is stdin
    file: PathBuf,
    /// Write the pivots' columns here, one a line; `-` is stdout, where -o FILE leaves it free
    #[arg(long, value_name = "FILE")]
    pivots: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
struct TwoMatrices {
    /// The matrix A; `-` is stdin
    a: PathBuf,
    /// The matrix B
    b: PathBuf,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
struct Common {
    /// auto, or what it stands for: dense (or blocked), narrow panels and tables of sums
    #[arg(long, value_name = "METHOD", default_value = "auto", value_parser = ["auto", "dense", "blocked"])]
    method: String,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    input: InputFormat,
    #[command(flatten)]
    output: OutputFormat,
}

/// What an operation comes to.
enum Answer {
    Number(usize),
    Matrix(BitMatrix),
    /// A sentence: there is no such matrix.
    None(String),
}

impl Run for Gf2 {
    fn run(&self, context: &Context) -> Result<()> {
        let common = self.operation.common();
        let answer = match &self.operation {
            Operation::Rank(one) => {
                one.echelon(context, Engine::echelon, false).map(|form| Answer::Number(form.rank()))
            }
            Operation::Echelon(one) => {
                one.echelon(context, Engine::echelon, false).map(|form| Answer::Matrix(form.matrix))
            }
            Operation::Rref(one) => {
                one.echelon(context, Engine::rref, true).map(|form| Answer::Matrix(form.matrix))
            }
            Operation::Solve(two) => two.solve(context),
            Operation::Kernel(one) => one.kernel(context),
            Operation::Inverse(one) => one.inverse(context),
            Operation::Mul(two) => two.multiply(context),
            Operation::Transpose(one) => one.transpose(context),
        }?;
        match answer {
            Answer::Number(number) => context.write(|out| writeln!(out, "{number}")),
            Answer::None(sentence) => {
                context.report("answer", sentence.as_str());
                // There is no matrix for a file to hold.
                match context.output_path() {
                    None => context.write(|out| writeln!(out, "{sentence}")),
                    Some(_) => {
                        context.note(&sentence);
                        Ok(())
                    }
                }
            }
            Answer::Matrix(matrix) => {
                let format = common.output.of(context, Format::Text);
                context.write(|out| bits::write_matrix(out, format, &matrix))
            }
        }
    }

    fn outputs(&self) -> Outputs {
        let pivots = self.operation.pivots().map(|path| ("--pivots", path.to_owned()));
        Outputs { files: pivots.into_iter().collect(), ..Outputs::default() }
    }
}

impl Check for Gf2 {
    fn check(&self, context: &Context, result: &Path) -> Result<()> {
        match &self.operation {
            Operation::Rank(_) => Err(Error::Usage("a rank cannot be verified without redoing it".into())),
            Operation::Echelon(one) => one.check_echelon(context, result, false),
            Operation::Rref(one) => one.check_echelon(context, result, true),
            Operation::Solve(two) => {
                let ([a, b], x) = (two.read(context)?, two.common.read(context, result)?);
                let solution = Solution { x, inconsistent: Vec::new(), rank: 0 };
                context.verify(|| verify::solution(&a, &b, &solution).map(|()| solves()))
            }
            Operation::Kernel(one) => {
                let (a, kernel) = (one.read(context)?, one.common.read(context, result)?);
                let rank = a.columns().saturating_sub(kernel.rows());
                context.verify(|| verify::kernel(&a, &kernel, rank).map(|()| in_kernel()))
            }
            Operation::Inverse(one) => {
                let (a, inverse) = (one.read(context)?, one.common.read(context, result)?);
                context.verify(|| verify::inverse(&a, &inverse).map(|()| inverts()))
            }
            Operation::Mul(two) => {
                let ([a, b], product) = (two.read(context)?, two.common.read(context, result)?);
                context.verify(|| verify::product(&a, &b, &product).map(|()| multiplies()))
            }
            Operation::Transpose(one) => {
                let (a, transposed) = (one.read(context)?, one.common.read(context, result)?);
                context.verify(|| verify::transposed(&a, &transposed).map(|()| transposes()))
            }
        }
    }
}

impl Operation {
    fn common(&self) -> &Common {
        match self {
            Operation::Rank(one)
            | Operation::Echelon(one)
            | Operation::Rref(one)
            | Operation::Kernel(one)
            | Operation::Inverse(one)
            | Operation::Transpose(one) => &one.common,
            Operation::Solve(two) | Operation::Mul(two) => &two.common,
        }
    }

    /// The file of `--pivots`.
    fn pivots(&self) -> Option<&Path> {
        match self {
            Operation::Rank(one)
            | Operation::Echelon(one)
            | Operation::Rref(one)
            | Operation::Kernel(one)
            | Operation::Inverse(one)
            | Operation::Transpose(one) => one.pivots.as_deref(),
            Operation::Solve(_) | Operation::Mul(_) => None,
        }
    }
}

impl Common {
    fn read(&self, context: &Context, path: &Path) -> Result<BitMatrix> {
        self.input.read_matrix(context, path)
    }

    /// The engine for work on a matrix of `rows` x `columns`, and twice its memory granted.
    fn engine(&self, context: &Context, rows: usize, columns: usize) -> Result<Engine> {
        let bytes = (columns as u64).div_ceil(512).saturating_mul(64).saturating_mul(rows as u64);
        context.need(bytes.saturating_mul(3), "this matrix")?;
        self.workers.engine(context, Task::Gf2(Engine::echelon_time(rows, columns)))
    }
}

impl OneMatrix {
    fn read(&self, context: &Context) -> Result<BitMatrix> {
        self.common.read(context, &self.file)
    }

    fn echelon(
        &self,
        context: &Context,
        bring: impl FnOnce(&Engine, &BitMatrix) -> Result<Echelon>,
        reduced: bool,
    ) -> Result<Echelon> {
        let a = self.read(context)?;
        let engine = self.common.engine(context, a.rows(), a.columns())?;
        let form = context.watch("eliminate", || bring(&engine, &a))?;
        context.report("rank", form.rank());
        context.verify_if_asked(|| verify::echelon(&a, &form, reduced).map(|()| spans()))?;
        self.write_pivots(context, &form.pivots)?;
        Ok(form)
    }

    fn write_pivots(&self, context: &Context, pivots: &[u32]) -> Result<()> {
        match &self.pivots {
            Some(path) => context
                .step(Phase::Writing, "pivots", || context.write_to(path, |out| write_integers(out, pivots))),
            None => Ok(()),
        }
    }

    fn kernel(&self, context: &Context) -> Result<Answer> {
        let a = self.read(context)?;
        let engine = self.common.engine(context, a.rows().max(a.columns()), a.columns())?;
        let (kernel, pivots) = context.watch("eliminate", || engine.kernel_and_pivots(&a))?;
        context.report("rank", pivots.len());
        context.verify_if_asked(|| verify::kernel(&a, &kernel, pivots.len()).map(|()| in_kernel()))?;
        self.write_pivots(context, &pivots)?;
        Ok(Answer::Matrix(kernel))
    }

    fn inverse(&self, context: &Context) -> Result<Answer> {
        let a = self.read(context)?;
        let engine = self.common.engine(context, a.rows(), 2 * a.columns())?;
        match context.watch("invert", || engine.inverse(&a))? {
            Inverse::Regular(inverse) => {
                context.verify_if_asked(|| verify::inverse(&a, &inverse).map(|()| inverts()))?;
                self.write_pivots(context, &(0..a.rows() as u32).collect::<Vec<_>>())?;
                Ok(Answer::Matrix(inverse))
            }
            Inverse::Singular { rank } => {
                Ok(Answer::None(format!("singular: the rank is {rank} of {}", a.rows())))
            }
        }
    }

    fn transpose(&self, context: &Context) -> Result<Answer> {
        let a = self.read(context)?;
        let transposed = context.step(Phase::Host, "transpose", || a.transposed())?;
        context.verify_if_asked(|| verify::transposed(&a, &transposed).map(|()| transposes()))?;
        Ok(Answer::Matrix(transposed))
    }

    fn check_echelon(&self, context: &Context, result: &Path, reduced: bool) -> Result<()> {
        let (a, matrix) = (self.read(context)?, self.common.read(context, result)?);
        let pivots = (0..matrix.rows()).filter_map(|row| matrix.ones(row).next()).map(|c| c as u32).collect();
        context.verify(|| verify::echelon(&a, &Echelon { matrix, pivots }, reduced).map(|()| spans()))
    }
}

impl TwoMatrices {
    fn read(&self, context: &Context) -> Result<[BitMatrix; 2]> {
        Ok([self.common.read(context, &self.a)?, self.common.read(context, &self.b)?])
    }

    /// Says of which files shapes do not go together.
    fn naming(&self, error: Error) -> Error {
        match error {
            Error::Input(what) => {
                Error::Input(format!("{}, {}: {what}", text::name(&self.a), text::name(&self.b)))
            }
            other => other,
        }
    }

    fn solve(&self, context: &Context) -> Result<Answer> {
        let [a, b] = self.read(context)?;
        let engine = self.common.engine(context, a.rows(), a.columns() + b.columns())?;
        let solution = context.watch("solve", || engine.solve(&a, &b)).map_err(|e| self.naming(e))?;
        context.report("rank", solution.rank);
        context.report("inconsistent", solution.inconsistent.clone());
        context.verify_if_asked(|| verify::solution(&a, &b, &solution).map(|()| solves()))?;
        match &solution.inconsistent[..] {
            [] => Ok(Answer::Matrix(solution.x)),
            sides => {
                let sides: Vec<_> = sides.iter().map(u32::to_string).collect();
                Ok(Answer::None(format!("inconsistent: no solution for column {} of B", sides.join(", "))))
            }
        }
    }

    fn multiply(&self, context: &Context) -> Result<Answer> {
        let [a, b] = self.read(context)?;
        let engine = self.common.engine(context, a.rows().max(b.rows()), a.columns().max(b.columns()))?;
        let product = context.watch("multiply", || engine.mul(&a, &b)).map_err(|e| self.naming(e))?;
        context.verify_if_asked(|| verify::product(&a, &b, &product).map(|()| multiplies()))?;
        Ok(Answer::Matrix(product))
    }
}

/// The guarantee of an echelon form that passed its check: the rows of A reduce to zero, but
/// rows of the form may be no sums of rows of A.
fn spans() -> Guarantee {
    Guarantee::probable("the form is in echelon form and every row of the matrix is a sum of its rows", 64)
}

fn solves() -> Guarantee {
    Guarantee::probable("A x = B for the columns that have a solution", 64)
}

fn in_kernel() -> Guarantee {
    Guarantee::probable("the vectors are independent and A takes each to zero", 64)
}

fn inverts() -> Guarantee {
    Guarantee::probable("A times the inverse is the identity", 64)
}

fn multiplies() -> Guarantee {
    Guarantee::probable("the product is A B", 64)
}

fn transposes() -> Guarantee {
    Guarantee::probable("the result is the transpose", 64)
}
