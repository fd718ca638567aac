//! `wgalois gf2`: linear algebra with arbitrary matrices over GF(2).

mod files;
mod one;
mod two;

use super::bits::{InputFormat, OutputFormat, Workers};
use super::outputs::{Outputs, TEXT};
use super::processes::Member;
use super::{Check, Context, Demands, Run};
use files::Files;
pub(super) use files::scratch_folder;
use one::OneMatrix;
use std::path::{Path, PathBuf};
use two::TwoMatrices;
use wgalois::gf2::{self, BitMatrix, Carrying, Dense, Product, Question, Transpose};
use wgalois::verify::Guarantee;
use wgalois::{Device, Result};
use wgalois_io::Source;
use wgalois_io::bits::{self, Format};

/// Ranks, echelon forms, solutions, kernels, inverses and products over GF(2)
///
/// The lead of a row is its lowest column with a one, by which pivots and echelon forms are meant; in `eliminate` it is
/// the highest.
///
/// Files hold matrices: 0/1 text, .mtx, .npy, .npz, .gf2 (packed), or with --format lists
/// the columns of each row's ones; `wgalois help formats` describes them. On the CPU engine, packed files may be larger than memory or --memory: the
/// work then reads them in parts and keeps scratch files; --plan tells how much.
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
    /// If some columns of B have no solution, x has the columns of the others, in their order; stderr and --json name
    /// those without, and the exit code is 7. If none has one, there is no x, and an older file of -o is removed.
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
    /// If there is none, the exit code is 7, stderr and --json tell the rank, and an older file of -o is removed.
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
struct Common {
    /// Folder for scratch files if packed matrices do not fit into memory [default: that of -o FILE, or the
    /// system's for temporary files]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
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
    /// No such matrix exists, as the sentence says.
    None(String),
    /// The solutions of some right sides, and a sentence that names the others.
    Partial(BitMatrix, String),
}

impl Run for Gf2 {
    fn run(&self, context: &Context) -> Result<()> {
        if let Some(files) = Files::of(context, &self.operation, None)? {
            return files.run(context);
        }
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
        };
        let answer = answer.map_err(|error| Files::explain(context, &self.operation, None, error))?;
        // With --plan there is no answer.
        let Some(answer) = answer else { return Ok(()) };
        let format = common.output.of(context, &common.input, Format::Text);
        match answer {
            Answer::Number(number) => write_number(context, number),
            Answer::None(sentence) => write_none(context, &self.operation, &sentence),
            Answer::Matrix(matrix) => context.write(|out| bits::write_matrix(out, format, &matrix)),
            Answer::Partial(matrix, sentence) => {
                context.lack_answer(&sentence);
                context.write(|out| bits::write_matrix(out, format, &matrix))
            }
        }
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.operation.inputs().into_iter().map(Path::to_owned).collect()
    }

    fn outputs(&self) -> Outputs {
        let pivots = self.operation.pivots().map(|path| ("--pivots", path.to_owned()));
        let endings = match &self.operation {
            Operation::Rank(_) => Some(TEXT),
            other => other.common().output.endings(),
        };
        Outputs { files: pivots.into_iter().collect(), endings, ..Outputs::default() }
    }

    fn member(&self) -> Result<Option<Member>> {
        self.operation.common().workers.member()
    }
}

impl Check for Gf2 {
    fn check(&self, context: &Context, result: &Path) -> Result<()> {
        let source = context.source(result)?;
        if let Some(files) = Files::of(context, &self.operation, Some(&source))? {
            return files.check(context, &source);
        }
        context.hold(source.owned_bytes());
        let checked = self.check_in_memory(context, source);
        checked.map_err(|error| Files::explain(context, &self.operation, Some(result), error))
    }
}

impl Gf2 {
    fn check_in_memory(&self, context: &Context, source: Source) -> Result<()> {
        match &self.operation {
            Operation::Rank(one) => one.check_rank(context, source),
            Operation::Echelon(one) => one.check_echelon(context, source, false),
            Operation::Rref(one) => one.check_echelon(context, source, true),
            Operation::Solve(two) => two.check_solution(context, source),
            Operation::Kernel(one) => one.check_kernel(context, source),
            Operation::Inverse(one) => one.check_inverse(context, source),
            Operation::Mul(two) => {
                let [a, b] = two.read(context)?;
                let product = two.common.input.read_result(context, source, (a.rows(), b.columns()))?;
                let problem = Product::new(a.rows(), a.columns(), b.columns())?;
                let check = || problem.check(&a, &b, &product);
                check_by_reading(context, problem.check_bytes(), check).map_err(|e| two.naming(e))
            }
            Operation::Transpose(one) => {
                let a = one.read(context)?;
                let transposed = one.common.input.read_result(context, source, (a.columns(), a.rows()))?;
                let problem = Transpose::new(a.rows(), a.columns())?;
                check_by_reading(context, problem.check_bytes(), || problem.check(&a, &transposed))
            }
        }
    }
}

/// Runs a check that takes so many bytes and no device.
fn check_by_reading(context: &Context, bytes: u64, check: impl FnOnce() -> Result<Guarantee>) -> Result<()> {
    context.need(bytes, "the check")?;
    match context.host_alone("this check")? {
        Some(_) => context.verify(check),
        None => Ok(()),
    }
}

/// Writes a rank. It is in the object of `--json`, too.
fn write_number(context: &Context, number: usize) -> Result<()> {
    if context.has_output() { context.write(|out| writeln!(out, "{number}")) } else { Ok(()) }
}

/// Says that there is no such matrix. Older outputs are removed, so that none passes for the answer.
fn write_none(context: &Context, operation: &Operation, sentence: &str) -> Result<()> {
    context.lack_answer(sentence);
    let removed = context.remove_stale(context.output_path())?;
    context.report("output_removed", removed);
    context.remove_stale(operation.pivots()).map(drop)
}

/// The arguments of an operation.
enum Arguments<'o> {
    /// Of one matrix.
    One(&'o OneMatrix),
    /// Of two.
    Two(&'o TwoMatrices),
}

impl Operation {
    fn arguments(&self) -> Arguments<'_> {
        match self {
            Operation::Rank(one)
            | Operation::Echelon(one)
            | Operation::Rref(one)
            | Operation::Kernel(one)
            | Operation::Inverse(one)
            | Operation::Transpose(one) => Arguments::One(one),
            Operation::Solve(two) | Operation::Mul(two) => Arguments::Two(two),
        }
    }

    fn common(&self) -> &Common {
        match self.arguments() {
            Arguments::One(one) => &one.common,
            Arguments::Two(two) => &two.common,
        }
    }

    /// Returns the files of the operation's matrices.
    fn inputs(&self) -> Vec<&Path> {
        match self.arguments() {
            Arguments::One(one) => vec![&one.file],
            Arguments::Two(two) => vec![&two.a, &two.b],
        }
    }

    /// Returns the file of `--pivots`.
    fn pivots(&self) -> Option<&Path> {
        match self.arguments() {
            Arguments::One(one) => one.pivots.as_deref(),
            Arguments::Two(_) => None,
        }
    }
}

impl Common {
    /// Answers a question, timed under this name, and verifies the answer with `--verify`; `None` if only its plan was asked
    /// for.
    fn answer<Q: Question>(
        &self,
        context: &Context,
        question: Q,
        name: &str,
        (a, b): (&BitMatrix, Option<&BitMatrix>),
    ) -> Result<Option<Q::Answer>> {
        if !context.verifies() {
            let planned = self.workers.plan_with(context, &question, Demands::default())?;
            let Some((device, plan)) = planned else { return Ok(None) };
            return context.compute(name, (&device, plan), (a, b)).map(Some);
        }
        let carrying = Carrying::new(question)?;
        let planned = self.workers.plan_with(context, &carrying, Demands::default())?;
        let Some((device, plan)) = planned else { return Ok(None) };
        let (answer, evidence) = context.compute(name, (&device, plan), (a, b))?;
        let answered = Q::as_answer(&answer);
        context.verify(|| question.dense().check_carried(&device, a, b, answered, &evidence))?;
        Ok(Some(answer))
    }

    /// Checks an answer to a problem, on the device only if that takes an elimination.
    fn check(
        &self,
        context: &Context,
        problem: Dense,
        (a, b): (&BitMatrix, Option<&BitMatrix>),
        answer: gf2::Answer<'_>,
    ) -> Result<()> {
        let check = |device: &Device| problem.check(device, a, b, answer);
        match problem.elimination_of_check(answer) {
            Some(elimination) => match self.workers.device(context, &elimination)? {
                Some(device) => context.verify(|| check(&device)),
                None => Ok(()),
            },
            None => check_by_reading(context, problem.check_bytes(), || check(&context.host())),
        }
    }
}

/// Returns a file as text, or an empty string if it is not UTF-8, as for a matrix in binary.
fn as_text(source: &Source) -> &str {
    std::str::from_utf8(source.bytes()).unwrap_or_default()
}
