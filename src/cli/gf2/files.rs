//! Operations on packed files that do not fit into memory.

use super::{Operation, two};
use crate::cli::{Context, Demands};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use wgalois::gf2::{BitMatrix, BitView, Dense, OutOfCore, OutOfCoreAnswer, StoredMatrix};
use wgalois::io::bits::{self, Format, packed};
use wgalois::io::{Source, destination};
use wgalois::task::{Engine, Plan, Problem, Profile};
use wgalois::timeline::Phase;
use wgalois::{Error, Result};

/// The files of an operation whose matrices stay on the disk.
pub(super) struct Files<'o> {
    operation: &'o Operation,
    sources: Vec<Source>,
    problem: Dense,
}

impl<'o> Files<'o> {
    /// Returns the files of an operation; `None` if it takes place in memory. Files stay on the disk if all are packed
    /// and mapped, the work in memory does not fit, and neither a GPU nor a proof is asked for.
    ///
    /// # Errors
    /// [`Error::File`] for a file that cannot be opened.
    pub(super) fn of(context: &Context, operation: &'o Operation) -> Result<Option<Self>> {
        let (common, paths) = (operation.common(), operation.inputs());
        // A pipe can be read only once.
        let is_file = |path: &&Path| std::fs::metadata(path).is_ok_and(|found| found.is_file());
        if context.verifies() || context.names_gpu() || context.processes().is_some() {
            return Ok(None);
        }
        if paths.is_empty() || !paths.iter().all(is_file) {
            return Ok(None);
        }
        let sources: Vec<Source> = paths.iter().map(|path| context.source(path)).collect::<Result<_>>()?;
        let stays = |source: &Source| {
            source.owned_bytes() == 0 && common.input.of(source, Format::Text) == Format::Packed
        };
        if !sources.iter().all(stays) {
            return Ok(None);
        }
        // The reader in memory has better messages for files with faults.
        let Ok(views) = sources.iter().map(packed::view).collect::<Result<Vec<_>>>() else { return Ok(None) };
        let Some(problem) = operation.problem(&views) else { return Ok(None) };
        let profile = Profile { engine: Engine::Cpu { threads: 1 }, host_memory: u64::MAX, device_memory: 0 };
        let bytes = |view: &BitView| BitMatrix::bytes_of(view.rows() as u64, view.columns().max(1) as u64);
        let inputs = views.iter().map(bytes).fold(0, u64::saturating_add);
        let work = problem.plan_for(&profile)?.cost().host_bytes;
        drop(views);
        match inputs.saturating_add(work) <= context.free() {
            true => Ok(None),
            false => Ok(Some(Files { operation, sources, problem })),
        }
    }

    /// Does the operation and writes the answer.
    pub(super) fn run(&self, context: &Context) -> Result<()> {
        let common = self.operation.common();
        let format = common.output.of(context, &common.input, Format::Text);
        if matches!(format, Format::Market | Format::Npz) && !matches!(self.operation, Operation::Rank(_)) {
            let message = "the number of ones comes first in .mtx and .npz, and the answer does not fit into memory: write \
                           .gf2 or another format";
            return Err(Error::Usage(message.into()));
        }
        let demands = Demands::default();
        let problem = OutOfCore::new(self.problem)?;
        let Some((device, plan)) = common.workers.plan_with(context, &problem, demands)? else {
            return Ok(());
        };
        context.report("parts", plan.parts());
        context.report("read_bytes", plan.read_bytes());
        context.report("written_bytes", plan.written_bytes());
        let views = self.sources.iter().map(|source| {
            let check = || packed::checked_view(source);
            context.step(Phase::Reading, &format!("check {}", source.path().display()), check)
        });
        let views: Vec<BitView> = views.collect::<Result<_>>()?;
        let [a, rest @ ..] = &views[..] else { return Ok(()) };
        let prepared = plan.prepare(&device, &scratch_folder(context, common.scratch.as_deref())?)?;
        let answer = context.watch("eliminate", || prepared.run(*a, rest.first().copied()))?;
        self.finish(context, format, &answer)
    }

    fn finish(&self, context: &Context, format: Format, answer: &OutOfCoreAnswer<'_>) -> Result<()> {
        let rank = answer.rank();
        if !matches!(self.operation, Operation::Mul(_) | Operation::Inverse(_)) {
            context.report("rank", rank);
        }
        match self.operation {
            Operation::Rank(one) => {
                one.write_pivots(context, &answer.pivots)?;
                return super::write_number(context, rank);
            }
            Operation::Solve(_) => context.report("inconsistent", answer.inconsistent.clone()),
            Operation::Echelon(one) | Operation::Rref(one) | Operation::Kernel(one) => {
                one.write_pivots(context, &answer.pivots)?;
            }
            Operation::Inverse(one) if answer.matrix.is_some() => {
                one.write_pivots(context, &answer.pivots)?
            }
            _ => {}
        }
        match &answer.matrix {
            Some(matrix) => context.write(|out| write(out, format, matrix)),
            None => super::write_none(
                context,
                self.operation,
                &match self.operation {
                    Operation::Inverse(_) => super::one::singular(rank, self.problem.shape().0),
                    _ => {
                        let mut sentence = two::inconsistent(&answer.inconsistent);
                        if answer.inconsistent.len() < self.problem.other_columns() {
                            sentence +=
                                "; work on files writes no solutions for the others: leave these columns out";
                        }
                        sentence
                    }
                },
            ),
        }
    }
}

/// The folder of `--scratch`; by default that of the output, or that for temporary files.
pub(in crate::cli) fn scratch_folder(context: &Context, chosen: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = chosen {
        return Ok(folder.to_owned());
    }
    let output = context.output_path().map(destination).transpose()?.flatten();
    let folder = output.and_then(|path| path.parent().map(Path::to_owned));
    Ok(folder.unwrap_or_else(std::env::temp_dir))
}

/// Writes a matrix a band of rows at a time.
fn write(out: &mut dyn Write, format: Format, matrix: &StoredMatrix<'_>) -> io::Result<()> {
    let shape = (matrix.rows(), matrix.columns());
    bits::write_bands(out, format, shape, |take| {
        let band = |band: &BitMatrix| take(band).map_err(|error| Error::file("", error));
        matrix.bands(band).map_err(|error| match error {
            Error::File { path, source } if path.as_os_str().is_empty() => source,
            other => io::Error::other(other),
        })
    })
}

impl Operation {
    /// The files of the operation's matrices.
    fn inputs(&self) -> Vec<&Path> {
        match self {
            Operation::Rank(one)
            | Operation::Echelon(one)
            | Operation::Rref(one)
            | Operation::Kernel(one)
            | Operation::Inverse(one) => vec![&one.file],
            Operation::Transpose(_) => Vec::new(),
            Operation::Solve(two) | Operation::Mul(two) => vec![&two.a, &two.b],
        }
    }

    /// The problem for these matrices; `None` if their shapes do not fit it.
    fn problem(&self, views: &[BitView<'_>]) -> Option<Dense> {
        let (rows, columns) = (views.first()?.rows(), views.first()?.columns());
        let b = views.get(1).map(|b| (b.rows(), b.columns()));
        let problem = match (self, b) {
            (Operation::Rank(_), _) => Dense::rank(rows, columns),
            (Operation::Echelon(_), _) => Dense::echelon(rows, columns),
            (Operation::Rref(_), _) => Dense::rref(rows, columns),
            (Operation::Kernel(_), _) => Dense::kernel(rows, columns),
            (Operation::Inverse(_), _) if rows == columns => Dense::inverse(rows),
            (Operation::Solve(_), Some((others, sides))) if others == rows => {
                Dense::solve(rows, columns, sides)
            }
            (Operation::Mul(_), Some((others, sides))) if others == columns => {
                Dense::multiply(rows, columns, sides)
            }
            _ => return None,
        };
        problem.ok()
    }
}
