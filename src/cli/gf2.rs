//! `wgalois gf2`: linear algebra with arbitrary matrices over GF(2).

use super::bits::{InputFormat, OutputFormat, Workers};
use super::outputs::Outputs;
use super::{Check, Context, Run};
use std::path::{Path, PathBuf};
use wgalois::gf2::verify::{self, Carried, Proof};
use wgalois::gf2::{self, BitMatrix, Dense, Echelon, Inverse, Solution};
use wgalois::io::Source;
use wgalois::io::bits::{self, Format};
use wgalois::io::text::{self, write_integers};
use wgalois::timeline::Phase;
use wgalois::{Device, Error, Result};

/// Ranks, echelon forms, solutions, kernels, inverses and products over GF(2)
///
/// Files hold matrices: 0/1 text, .mtx (pattern), .npy, .gf2 (packed), or with --format lists
/// the columns of each row's ones.
///
/// The --help of each operation states the guarantee of --verify and check. A wrong result is missed
/// with a chance of at most 2^-64 over the random vectors that the check draws; a right result always
/// passes.
#[derive(clap::Args)]
pub struct Gf2 {
    #[command(subcommand)]
    operation: Operation,
}

#[derive(clap::Subcommand)]
enum Operation {
    /// The rank, as a number
    ///
    /// Guarantee of --verify and check: the rank is right, neither too high nor too low; a wrong one is
    /// missed with a chance of at most 2^-64. --verify carries 64 random columns through the
    /// elimination, which costs little. check does an elimination of its own, which costs as much as
    /// computing the rank.
    Rank(OneMatrix),
    /// A row echelon form: the first one of each row is to the right of the one above
    ///
    /// Guarantee of --verify and check: the result is in row echelon form and has the row space of the
    /// matrix. The form is certain; another rank or row space is missed with a chance of at most 2^-64.
    /// --verify carries 64 random columns through the elimination. check does an elimination of its
    /// own to determine the rank.
    Echelon(OneMatrix),
    /// The reduced row echelon form
    ///
    /// Guarantee of --verify and check: every bit of the reduced row echelon form is right; a wrong one
    /// is missed with a chance of at most 2^-64. --verify carries 64 random columns through the
    /// elimination. check does an elimination of its own to determine the rank.
    Rref(OneMatrix),
    /// Solutions x of A x = B, one column for each column of B
    ///
    /// Guarantee of --verify and check: every column of x solves its equations. If the answer is that
    /// some columns have no solution, these have none and the others have one. A wrong answer is missed
    /// with a chance of at most 2^-64. check takes time linear in the matrices; only for an answer
    /// without x it solves the equations again.
    Solve(TwoMatrices),
    /// A basis of { x : A x = 0 }, one vector per row
    ///
    /// Guarantee of --verify and check: the vectors are a basis of the kernel. Other vectors, including
    /// too few or dependent ones, are missed with a chance of at most 2^-64. --verify carries 64 random
    /// columns through the elimination. check accepts any basis. It does an elimination of its own to
    /// determine the rank, and a second one if the last ones of the vectors do not show that they are
    /// independent.
    Kernel(OneMatrix),
    /// The inverse
    ///
    /// Guarantee of --verify and check: the inverse is right. If the answer is that there is none, the
    /// rank is the one that the answer states. A wrong answer is missed with a chance of at most 2^-64.
    /// check takes time linear in the matrices; only for an answer without an inverse it does an
    /// elimination of its own.
    Inverse(OneMatrix),
    /// The product A B
    ///
    /// Guarantee of --verify and check: the product is right; a wrong one is missed with a chance
    /// of at most 2^-64, in time linear in the matrices.
    Mul(TwoMatrices),
    /// The transpose
    ///
    /// Guarantee of --verify and check: the transpose is right; a wrong one is missed with a chance of at
    /// most 2^-64, in time linear in the matrix.
    Transpose(OneMatrix),
}

#[derive(clap::Args)]
struct OneMatrix {
    /// The matrix; `-` is stdin
    file: PathBuf,
    /// Write the columns of the pivots to this file, one per line; `-` is stdout if -o FILE takes
    /// the data
    #[arg(long, value_name = "FILE")]
    pivots: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
struct TwoMatrices {
    /// The matrix A; `-` is stdin
    a: PathBuf,
    /// The matrix B; `-` is stdin
    b: PathBuf,
    #[command(flatten)]
    common: Common,
}

#[derive(clap::Args)]
struct Common {
    /// Method of elimination; all names mean the same one: narrow panels and tables of sums
    #[arg(long, value_name = "METHOD", default_value = "auto", value_parser = ["auto", "dense", "blocked"])]
    method: String,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    input: InputFormat,
    #[command(flatten)]
    output: OutputFormat,
}

/// The answer of an operation.
enum Answer {
    Number(usize),
    Matrix(BitMatrix),
    /// A sentence that says that no such matrix exists.
    None(String),
}

impl Run for Gf2 {
    fn run(&self, context: &Context) -> Result<()> {
        let common = self.operation.common();
        let answer = match &self.operation {
            Operation::Rank(one) => one.rank(context),
            Operation::Echelon(one) => one.echelon(context, false),
            Operation::Rref(one) => one.echelon(context, true),
            Operation::Solve(two) => two.solve(context),
            Operation::Kernel(one) => one.kernel(context),
            Operation::Inverse(one) => one.inverse(context),
            Operation::Mul(two) => two.multiply(context),
            Operation::Transpose(one) => one.transpose(context),
        }?;
        // With --plan there is no answer.
        let Some(answer) = answer else { return Ok(()) };
        match answer {
            Answer::Number(number) => context.write(|out| writeln!(out, "{number}")),
            Answer::None(sentence) => {
                context.report("answer", sentence.as_str());
                // The answer has no matrix to write to a file.
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
        let source = context.source(result)?;
        context.hold(source.owned_bytes());
        match &self.operation {
            Operation::Rank(one) => one.check_rank(context, &source),
            Operation::Echelon(one) => one.check_echelon(context, &source, false),
            Operation::Rref(one) => one.check_echelon(context, &source, true),
            Operation::Solve(two) => two.check_solution(context, &source),
            Operation::Kernel(one) => one.check_kernel(context, &source),
            Operation::Inverse(one) => one.check_inverse(context, &source),
            Operation::Mul(two) => {
                let [a, b] = two.read(context)?;
                let product = two.common.input.read_result(context, &source, (a.rows(), b.columns()))?;
                context.verify(|| verify::product(&a, &b, &product))
            }
            Operation::Transpose(one) => {
                let a = one.read(context)?;
                let transposed = one.common.input.read_result(context, &source, (a.columns(), a.rows()))?;
                context.verify(|| verify::transposed(&a, &transposed))
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

    /// Returns the file of `--pivots`.
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

    /// Returns the device for a problem, or `None` if only its plan was asked for.
    fn device(&self, context: &Context, problem: Result<Dense>) -> Result<Option<Device>> {
        self.workers.device(context, &problem?)
    }
}

impl OneMatrix {
    fn read(&self, context: &Context) -> Result<BitMatrix> {
        self.common.read(context, &self.file)
    }

    fn rank(&self, context: &Context) -> Result<Option<Answer>> {
        let a = self.read(context)?;
        let problem = Dense::rank(a.rows(), a.columns())?.with_carried_columns(context.verifies());
        let Some(device) = self.common.device(context, Ok(problem))? else { return Ok(None) };
        let pivots = match context.verifies() {
            false => context.watch("eliminate", || gf2::pivots(&device, &a))?,
            true => {
                let carried = || Carried::eliminate(&device, &a, a.columns(), false);
                let (form, carried) = context.watch("eliminate", carried)?;
                context.verify(|| verify::rank(&a, &form, &carried.prove(&form)?))?;
                form.pivots
            }
        };
        context.report("rank", pivots.len());
        self.write_pivots(context, &pivots)?;
        Ok(Some(Answer::Number(pivots.len())))
    }

    fn echelon(&self, context: &Context, reduced: bool) -> Result<Option<Answer>> {
        let a = self.read(context)?;
        let problem = match reduced {
            true => Dense::rref(a.rows(), a.columns()),
            false => Dense::echelon(a.rows(), a.columns()),
        }?;
        let problem = problem.with_carried_columns(context.verifies());
        let Some(device) = self.common.device(context, Ok(problem))? else { return Ok(None) };
        let (form, carried) = self.eliminate(context, &device, &a, reduced)?;
        if let Some(carried) = carried {
            context.verify(|| verify::echelon(&a, &form, reduced, &carried.prove(&form)?))?;
        }
        self.write_pivots(context, &form.pivots)?;
        Ok(Some(Answer::Matrix(form.matrix)))
    }

    /// Computes an echelon form. If it is to be verified, random columns are carried along.
    fn eliminate(
        &self,
        context: &Context,
        device: &Device,
        a: &BitMatrix,
        full: bool,
    ) -> Result<(Echelon, Option<Carried>)> {
        let (form, carried) = context.watch("eliminate", || match context.verifies() {
            true => Carried::eliminate(device, a, a.columns(), full).map(|(form, c)| (form, Some(c))),
            false => gf2::echelon_within(device, a, a.columns(), full).map(|form| (form, None)),
        })?;
        context.report("rank", form.rank());
        Ok((form, carried))
    }

    fn write_pivots(&self, context: &Context, pivots: &[u32]) -> Result<()> {
        match &self.pivots {
            Some(path) => context
                .step(Phase::Writing, "pivots", || context.write_to(path, |out| write_integers(out, pivots))),
            None => Ok(()),
        }
    }

    fn kernel(&self, context: &Context) -> Result<Option<Answer>> {
        let a = self.read(context)?;
        let problem = Dense::kernel(a.rows(), a.columns())?.with_carried_columns(context.verifies());
        let Some(device) = self.common.device(context, Ok(problem))? else { return Ok(None) };
        let (form, carried) = self.eliminate(context, &device, &a, true)?;
        let kernel = context.watch("eliminate", || form.kernel())?;
        if let Some(carried) = carried {
            context.verify(|| verify::kernel(&device, &a, &kernel, &carried.prove(&form)?))?;
        }
        self.write_pivots(context, &form.pivots)?;
        Ok(Some(Answer::Matrix(kernel)))
    }

    fn inverse(&self, context: &Context) -> Result<Option<Answer>> {
        let a = self.read(context)?;
        let problem = Dense::inverse(a.rows())?.with_carried_columns(context.verifies());
        let Some(device) = self.common.device(context, Ok(problem))? else { return Ok(None) };
        let inverse = match context.verifies() {
            false => context.watch("invert", || gf2::inverse(&device, &a))?,
            true => {
                let (inverse, form, carried) = context.watch("invert", || Carried::invert(&device, &a))?;
                context.verify(|| match &inverse {
                    Inverse::Regular(x) => verify::inverse(&a, x),
                    Inverse::Singular { .. } => verify::rank(&a, &form, &carried.prove(&form)?),
                })?;
                inverse
            }
        };
        match inverse {
            Inverse::Regular(inverse) => {
                self.write_pivots(context, &(0..a.rows() as u32).collect::<Vec<_>>())?;
                Ok(Some(Answer::Matrix(inverse)))
            }
            Inverse::Singular { rank } => Ok(Some(Answer::None(format!("{SINGULAR}{rank}{OF}{}", a.rows())))),
        }
    }

    fn transpose(&self, context: &Context) -> Result<Option<Answer>> {
        let a = self.read(context)?;
        let Some(device) = self.common.device(context, Dense::transpose(a.rows(), a.columns()))? else {
            return Ok(None);
        };
        let transposed = context.step(Phase::Host, "transpose", || gf2::transpose(&device, &a))?;
        context.verify_if_asked(|| verify::transposed(&a, &transposed))?;
        Ok(Some(Answer::Matrix(transposed)))
    }

    /// Returns the device for an elimination that the check does itself.
    fn checking_device(&self, context: &Context, a: &BitMatrix) -> Result<Option<Device>> {
        let problem = Dense::echelon(a.rows(), a.columns())?.with_carried_columns(true);
        self.common.device(context, Ok(problem))
    }

    fn check_rank(&self, context: &Context, source: &Source) -> Result<()> {
        let rank =
            as_text(source).trim().parse().map_err(|_| source.error("a rank was expected, a number"))?;
        let a = self.read(context)?;
        let Some(device) = self.checking_device(context, &a)? else { return Ok(()) };
        context.verify(|| verify::rank_alone(&device, &a, rank))
    }

    fn check_echelon(&self, context: &Context, source: &Source, reduced: bool) -> Result<()> {
        let a = self.read(context)?;
        let matrix = self.common.input.read_result(context, source, (a.rows(), a.columns()))?;
        let Some(device) = self.checking_device(context, &a)? else { return Ok(()) };
        let pivots = (0..matrix.rows()).filter_map(|row| matrix.ones(row).next()).map(|c| c as u32).collect();
        let form = Echelon { matrix, pivots };
        context.verify(|| verify::echelon(&a, &form, reduced, &Proof::determine(&device, &a)?))
    }

    fn check_kernel(&self, context: &Context, source: &Source) -> Result<()> {
        let a = self.read(context)?;
        // An empty text holds a basis without vectors.
        let kernel = self.common.input.read_result(context, source, (0, a.columns()))?;
        let Some(device) = self.checking_device(context, &a)? else { return Ok(()) };
        context.verify(|| verify::kernel(&device, &a, &kernel, &Proof::determine(&device, &a)?))
    }

    fn check_inverse(&self, context: &Context, source: &Source) -> Result<()> {
        let a = self.read(context)?;
        if let Some(numbers) = as_text(source).trim().strip_prefix(SINGULAR) {
            let rank = numbers.split_once(OF).and_then(|(rank, rows)| {
                let rows: usize = rows.parse().ok()?;
                rank.parse().ok().filter(|_| rows == a.rows())
            });
            let rank =
                rank.ok_or_else(|| source.error(format!("`{SINGULAR}N{OF}{}` was expected", a.rows())))?;
            let Some(device) = self.checking_device(context, &a)? else { return Ok(()) };
            return context.verify(|| verify::singular(&device, &a, rank));
        }
        let inverse = self.common.input.read_result(context, source, (a.rows(), a.rows()))?;
        context.verify(|| verify::inverse(&a, &inverse))
    }
}

impl TwoMatrices {
    fn read(&self, context: &Context) -> Result<[BitMatrix; 2]> {
        Ok([self.common.read(context, &self.a)?, self.common.read(context, &self.b)?])
    }

    /// Adds the files' names to an error about their shapes.
    fn naming(&self, error: Error) -> Error {
        match error {
            Error::Input(what) => {
                Error::Input(format!("{}, {}: {what}", text::name(&self.a), text::name(&self.b)))
            }
            other => other,
        }
    }

    fn solve(&self, context: &Context) -> Result<Option<Answer>> {
        let [a, b] = self.read(context)?;
        let problem =
            Dense::solve(a.rows(), a.columns(), b.columns())?.with_carried_columns(context.verifies());
        let Some(device) = self.common.device(context, Ok(problem))? else { return Ok(None) };
        let solution = match context.verifies() {
            false => context.watch("solve", || gf2::solve(&device, &a, &b)).map_err(|e| self.naming(e))?,
            true => {
                let solved = context.watch("solve", || Carried::solve(&device, &a, &b));
                let (solution, form, carried) = solved.map_err(|e| self.naming(e))?;
                context.verify(|| {
                    let proof = carried.prove(&form)?;
                    verify::rank(&a, &form, &proof)?;
                    verify::solution(&a, &b, &solution, Some(&proof))
                })?;
                solution
            }
        };
        context.report("rank", solution.rank);
        context.report("inconsistent", solution.inconsistent.clone());
        match &solution.inconsistent[..] {
            [] => Ok(Some(Answer::Matrix(solution.x))),
            sides => {
                let sides: Vec<_> = sides.iter().map(u32::to_string).collect();
                Ok(Some(Answer::None(format!("{INCONSISTENT}{}{OF_B}", sides.join(", ")))))
            }
        }
    }

    fn check_solution(&self, context: &Context, source: &Source) -> Result<()> {
        let [a, b] = self.read(context)?;
        if let Some(sides) = as_text(source).trim().strip_prefix(INCONSISTENT) {
            let sides = sides.strip_suffix(OF_B).map(|sides| sides.split(", ").map(str::parse).collect());
            let Some(Ok(sides)) = sides else {
                return Err(source.error(format!("`{INCONSISTENT}0, 1{OF_B}` was expected")));
            };
            let sides: Vec<u32> = sides;
            let problem = Dense::solve(a.rows(), a.columns(), b.columns())?.with_carried_columns(true);
            let Some(device) = self.common.device(context, Ok(problem))? else { return Ok(()) };
            return context
                .verify(|| verify::inconsistent(&device, &a, &b, &sides))
                .map_err(|e| self.naming(e));
        }
        let x = self.common.input.read_result(context, source, (a.columns(), b.columns()))?;
        let solution = Solution { x, inconsistent: Vec::new(), rank: 0 };
        context.verify(|| verify::solution(&a, &b, &solution, None))
    }

    fn multiply(&self, context: &Context) -> Result<Option<Answer>> {
        let [a, b] = self.read(context)?;
        let problem = Dense::multiply(a.rows(), a.columns(), b.columns());
        let Some(device) = self.common.device(context, problem)? else { return Ok(None) };
        let product =
            context.watch("multiply", || gf2::multiply(&device, &a, &b)).map_err(|e| self.naming(e))?;
        context.verify_if_asked(|| verify::product(&a, &b, &product))?;
        Ok(Some(Answer::Matrix(product)))
    }
}

// The sentences of answers that have no matrix.
const SINGULAR: &str = "singular: the rank is ";
const OF: &str = " of ";
const INCONSISTENT: &str = "inconsistent: no solution for column ";
const OF_B: &str = " of B";

/// Returns a file as text, or an empty string if it is not UTF-8, as for a matrix in binary.
fn as_text(source: &Source) -> &str {
    std::str::from_utf8(source.bytes()).unwrap_or_default()
}
