//! `wgalois gf2`: linear algebra with arbitrary matrices over GF(2).

mod files;
mod memory;
mod sentences;
mod sparse;

use super::bits::{InputFormat, OutputFormat, Workers};
use super::outputs::{Outputs, TEXT};
use super::processes::Member;
use super::{Check, Context, Run};
use crate::counts::count;
use files::Files;
pub(super) use files::{report_parts, scratch_folder};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use wgalois::Result;
use wgalois::gf2::{Dense, MAX_COLUMNS, Product, Transpose};
use wgalois::timeline::Phase;
use wgalois_io::text::write_integers;

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
    /// A large sparse matrix that the file holds as lists has another basis than the packed one; vectors are written as they are
    /// computed.
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
    /// Number of columns of B, as --columns is that of A
    #[arg(long, value_name = "N", value_parser = count::<u64>(..=MAX_COLUMNS))]
    columns_of_b: Option<u64>,
    #[command(flatten)]
    common: Common,
}

impl TwoMatrices {
    fn columns_of_b(&self) -> Option<usize> {
        self.columns_of_b.map(|columns| usize::try_from(columns).unwrap_or(usize::MAX))
    }
}

/// What an operation asks of its matrices.
#[derive(Clone, Copy)]
enum Asked {
    Dense(Dense),
    Product(Product),
    Transpose(Transpose),
}

impl Asked {
    /// The problem for matrices with these rows and columns.
    fn new(
        operation: &Operation,
        (rows, columns): (usize, usize),
        b: Option<(usize, usize)>,
    ) -> Result<Self> {
        let sides = b.map_or(0, |(_, sides)| sides);
        let dense = match operation {
            Operation::Mul(_) => return Product::new(rows, columns, sides).map(Asked::Product),
            Operation::Transpose(_) => return Transpose::new(rows, columns).map(Asked::Transpose),
            Operation::Rank(_) => Dense::rank(rows, columns),
            Operation::Echelon(_) => Dense::echelon(rows, columns),
            Operation::Rref(_) => Dense::rref(rows, columns),
            Operation::Solve(_) => Dense::solve(rows, columns, sides),
            Operation::Kernel(_) => Dense::kernel(rows, columns),
            Operation::Inverse(_) => Dense::inverse(rows),
        };
        dense.map(Asked::Dense)
    }
}

/// The answer to a question about a matrix.
struct Found<M> {
    rank: usize,
    pivots: Vec<u32>,
    /// The right sides without a solution.
    inconsistent: Vec<u32>,
    /// `None` if only the rank was asked for, or no such matrix exists.
    matrix: Option<M>,
}

impl Run for Gf2 {
    fn run(&self, context: &Context) -> Result<()> {
        let operation = &self.operation;
        match Files::of(context, operation, None)? {
            Some(files) => files.run(context),
            None => operation.run_in_memory(context),
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
        let checked = self.operation.check_in_memory(context, source);
        checked.map_err(|error| Files::explain(context, &self.operation, Some(result), error))
    }
}

/// Reports the answer for a matrix of `rows` rows, writes the columns of the pivots, and the matrix by `write`. A rank is in
/// the object of `--json`, too. If there is no such matrix, older outputs are removed, so that none passes for the answer.
fn finish<M>(
    context: &Context,
    operation: &Operation,
    rows: usize,
    found: Found<M>,
    write: impl FnOnce(&mut dyn Write, &M) -> io::Result<()>,
) -> Result<()> {
    let Found { rank, pivots, inconsistent, matrix } = found;
    let mut lacking = None;
    match operation {
        Operation::Inverse(_) if matrix.is_none() => lacking = Some(sentences::singular(rank, rows)),
        Operation::Inverse(_) => {}
        _ => context.report("rank", rank),
    }
    if let Operation::Solve(_) = operation {
        lacking = (!inconsistent.is_empty()).then(|| sentences::inconsistent(&inconsistent));
        context.report("inconsistent", inconsistent);
    }
    if let (Some(path), None) = (operation.pivots(), &lacking) {
        context
            .step(Phase::Writing, "pivots", || context.write_to(path, |out| write_integers(out, &pivots)))?;
    }
    if let Some(sentence) = &lacking {
        context.lack_answer(sentence);
    }
    match (matrix, lacking) {
        (Some(matrix), _) => context.write(|out| write(out, &matrix)),
        (None, Some(_)) => {
            let removed = context.remove_stale(context.output_path())?;
            context.report("output_removed", removed);
            context.remove_stale(operation.pivots()).map(drop)
        }
        (None, None) if context.has_output() => context.write(|out| writeln!(out, "{rank}")),
        (None, None) => Ok(()),
    }
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
