//! Operations on packed files that do not fit into memory.

use super::{Operation, two};
use crate::{Context, Demands};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use wgalois::files::destination;
use wgalois::gf2::{
    self, Asked, BitMatrix, BitView, Dense, OutOfCore, OutOfCoreAnswer, Product, ProductCheck, StoredAnswer,
    StoredMatrix,
};
use wgalois::task::{Engine, Plan, Problem, Profile};
use wgalois::timeline::Phase;
use wgalois::{Error, Result};
use wgalois_io::Source;
use wgalois_io::bits::{self, Format, packed};

/// The files of an operation whose matrices stay on the disk.
pub(super) struct Files<'o> {
    operation: &'o Operation,
    sources: Vec<Source>,
    problem: Asked,
}

impl<'o> Files<'o> {
    /// Returns the files of an operation, or of the check of its `result`; `None` if it takes place in memory. Files stay
    /// on the disk if all are packed and mapped, the work in memory does not fit, and no GPU is asked for. A result that is
    /// no matrix is text.
    ///
    /// # Errors
    /// [`Error::File`] for a file that cannot be opened.
    pub(super) fn of(
        context: &Context,
        operation: &'o Operation,
        result: Option<&Source>,
    ) -> Result<Option<Self>> {
        let (common, paths) = (operation.common(), operation.stored_inputs());
        // A pipe can be read only once.
        let is_file = |path: &&Path| std::fs::metadata(path).is_ok_and(|found| found.is_file());
        if context.names_gpu() || context.processes().is_some() {
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
        let told = operation.columns();
        if views.iter().zip(told).any(|(view, told)| told.is_some_and(|told| told != view.columns())) {
            return Ok(None);
        }
        let Some(problem) = operation.problem(&views) else { return Ok(None) };
        let profile = Profile { engine: Engine::Cpu { threads: 1 }, host_memory: u64::MAX, device_memory: 0 };
        let host_bytes = |asked: &Asked, carries: bool| {
            let cost = match asked {
                Asked::Product(product) => product.plan_for(&profile)?.cost(),
                Asked::Dense(dense) if carries => dense.carrying()?.plan_for(&profile)?.cost(),
                Asked::Dense(dense) => dense.plan_for(&profile)?.cost(),
            };
            Ok::<_, Error>(cost.host_bytes)
        };
        let bytes = |view: &BitView| BitMatrix::bytes_of(view.rows() as u64, view.columns().max(1) as u64);
        let mut held = views.iter().map(bytes).fold(0, u64::saturating_add);
        let work = match result {
            None if context.verifies() => {
                let of_check = match problem {
                    Asked::Product(product) => product.check_bytes_of_run(),
                    Asked::Dense(_) => 0,
                };
                host_bytes(&problem, true)?.max(of_check)
            }
            None => host_bytes(&problem, false)?,
            Some(result) => {
                let Some(answer) = StoredResult::of(operation, result, &problem) else { return Ok(None) };
                if let StoredResult::Matrix(view) = &answer {
                    held = held.saturating_add(bytes(view));
                }
                match OutOfCore::new(problem).elimination_of_check(answer.as_answer()) {
                    Some(elimination) => {
                        let asked = elimination.dense();
                        let (rows, columns) = asked.shape();
                        // In memory the form is kept, too.
                        match asked.operation() {
                            gf2::Operation::Rank => host_bytes(&Dense::echelon(rows, columns)?.into(), true)?,
                            _ => host_bytes(asked, true)?,
                        }
                    }
                    None => match problem {
                        Asked::Product(product) => product.check_bytes(),
                        Asked::Dense(dense) => dense.check_bytes(),
                    },
                }
            }
        };
        drop(views);
        match held.saturating_add(work) <= context.free() {
            true => Ok(None),
            false => Ok(Some(Files { operation, sources, problem })),
        }
    }

    /// Adds to a refusal for want of memory that packed files would be read in parts, if the format of a file is the
    /// reason that they are not.
    pub(super) fn explain(
        context: &Context,
        operation: &Operation,
        result: Option<&Path>,
        error: Error,
    ) -> Error {
        // A rank is no matrix.
        let result = result.filter(|_| !matches!(operation, Operation::Rank(_)));
        let paths: Vec<&Path> = operation.stored_inputs().into_iter().chain(result).collect();
        operation.common().input.explain(context, &paths, (Format::Packed, Format::Text), error)
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
        let problem = OutOfCore::new(self.problem).with_carried_columns(context.verifies());
        let Some((device, plan)) = common.workers.plan_with(context, &problem, demands)? else {
            return Ok(());
        };
        context.report("parts", plan.parts());
        context.report("read_bytes", plan.read_bytes());
        context.report("written_bytes", plan.written_bytes());
        let views = self.views(context)?;
        let [a, rest @ ..] = &views[..] else { return Ok(()) };
        let prepared = plan.prepare(&device, &scratch_folder(context, common.scratch.as_deref())?)?;
        let answer = context.watch("eliminate", || prepared.run(*a, rest.first().copied()))?;
        let b = rest.first().copied();
        match (self.problem.operation(), b) {
            (gf2::Operation::Multiply, Some(b)) if context.verifies() => {
                self.write_verified(context, format, (*a, b), &answer)
            }
            _ => {
                context.verify_if_asked(|| prepared.check(*a, b, &answer))?;
                self.finish(context, format, &answer)
            }
        }
    }

    /// Verifies the result of this operation in a file.
    pub(super) fn check(&self, context: &Context, result: &Source) -> Result<()> {
        let common = self.operation.common();
        let problem = OutOfCore::new(self.problem);
        let Some(stored) = StoredResult::of(self.operation, result, &self.problem) else { return Ok(()) };
        let device = match problem.elimination_of_check(stored.as_answer()) {
            Some(elimination) => {
                match common.workers.plan_with(context, &elimination, Demands::default())? {
                    Some((device, _)) => device,
                    None => return Ok(()),
                }
            }
            None => {
                context.need(problem.check_bytes(), "the check")?;
                let Some(host) = context.host_alone("this check")? else { return Ok(()) };
                host
            }
        };
        let views = self.views(context)?;
        if matches!(stored, StoredResult::Matrix(_)) {
            packed::checked_view(result)?;
        }
        let [a, rest @ ..] = &views[..] else { return Ok(()) };
        let scratch = scratch_folder(context, common.scratch.as_deref())?;
        let b = rest.first().copied();
        context.verify(|| problem.check(&device, &scratch, *a, b, stored.as_answer()))
    }

    /// The matrices of the files, whose padding is checked.
    fn views(&self, context: &Context) -> Result<Vec<BitView<'_>>> {
        let views = self.sources.iter().map(|source| {
            let check = || packed::checked_view(source);
            context.step(Phase::Reading, &format!("check {}", source.path().display()), check)
        });
        views.collect()
    }

    /// Writes a product and verifies it in one pass: it is computed as it is read. A wrong one is not put in place.
    fn write_verified(
        &self,
        context: &Context,
        format: Format,
        (a, b): (BitView<'_>, BitView<'_>),
        answer: &OutOfCoreAnswer<'_>,
    ) -> Result<()> {
        let Some(matrix) = &answer.matrix else { return Ok(()) };
        context.report("verified", false);
        let mut check = context.step(Phase::Checking, "verify", || ProductCheck::new(a, b))?;
        let written = context.write(|out| write(out, format, matrix, |band| check.take(band)));
        if check.is_complete() || check.has_fault() {
            context.verify(|| check.finish())?;
            return written;
        }
        // Without an output nothing was computed.
        written?;
        context.verify(|| {
            matrix.bands(|band| check.take(band))?;
            check.finish()
        })
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
            Some(matrix) => {
                if !answer.inconsistent.is_empty() {
                    context.lack_answer(&two::inconsistent(&answer.inconsistent));
                }
                context.write(|out| write(out, format, matrix, |_| Ok(())))
            }
            None => super::write_none(
                context,
                self.operation,
                &match self.operation {
                    Operation::Inverse(_) => super::one::singular(rank, self.problem.shape().0),
                    _ => two::inconsistent(&answer.inconsistent),
                },
            ),
        }
    }
}

/// A result to check.
enum StoredResult<'s> {
    Rank(usize),
    Matrix(BitView<'s>),
    Unsolvable(Vec<u32>),
}

impl<'s> StoredResult<'s> {
    /// Returns the result in a file, a packed and mapped matrix or a sentence; `None` for all others, and for what the
    /// reader in memory has messages for.
    fn of(operation: &Operation, result: &'s Source, problem: &Asked) -> Option<Self> {
        match operation {
            Operation::Rank(_) => return super::one::rank_of(result).ok().map(StoredResult::Rank),
            Operation::Inverse(_) => {
                if let Some(rank) = super::one::singular_rank(result, problem.shape().0) {
                    return rank.ok().map(StoredResult::Rank);
                }
            }
            Operation::Solve(_) => {
                if let Some(sides) = two::unsolvable_sides(result) {
                    return sides.ok().map(StoredResult::Unsolvable);
                }
            }
            _ => {}
        }
        let format = operation.common().input.of(result, Format::Text);
        let view =
            packed::view(result).ok().filter(|_| format == Format::Packed && result.owned_bytes() == 0)?;
        Some(StoredResult::Matrix(view))
    }

    fn as_answer(&self) -> StoredAnswer<'_> {
        match self {
            StoredResult::Rank(rank) => StoredAnswer::Rank(*rank),
            StoredResult::Matrix(view) => StoredAnswer::Matrix(*view),
            StoredResult::Unsolvable(sides) => StoredAnswer::Unsolvable(sides),
        }
    }
}

/// The folder of `--scratch`; by default that of the output, or that for temporary files.
pub(crate) fn scratch_folder(context: &Context, chosen: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = chosen {
        return Ok(folder.to_owned());
    }
    let output = context.output_path().map(destination).transpose()?.flatten();
    let folder = output.and_then(|path| path.parent().map(Path::to_owned));
    Ok(folder.unwrap_or_else(std::env::temp_dir))
}

/// Writes a matrix a band of rows at a time, after `check` of each.
fn write(
    out: &mut dyn Write,
    format: Format,
    matrix: &StoredMatrix<'_>,
    mut check: impl FnMut(&BitMatrix) -> Result<()>,
) -> io::Result<()> {
    let shape = (matrix.rows(), matrix.columns());
    bits::write_bands(out, format, shape, |take| {
        let band = |band: &BitMatrix| {
            check(band)?;
            take(band).map_err(|error| Error::file("", error))
        };
        matrix.bands(band).map_err(|error| match error {
            Error::File { path, source } if path.as_os_str().is_empty() => source,
            other => io::Error::other(other),
        })
    })
}

impl Operation {
    /// The files of the matrices that may stay on the disk.
    fn stored_inputs(&self) -> Vec<&Path> {
        match self {
            Operation::Transpose(_) => Vec::new(),
            other => other.inputs(),
        }
    }

    /// The numbers of columns that were told of these matrices.
    fn columns(&self) -> [Option<usize>; 2] {
        let columns_of_b = match self {
            Operation::Solve(two) | Operation::Mul(two) => two.columns_of_b(),
            _ => None,
        };
        [self.common().input.columns(), columns_of_b]
    }

    /// The problem for these matrices; `None` if their shapes do not fit it.
    fn problem(&self, views: &[BitView<'_>]) -> Option<Asked> {
        let (rows, columns) = (views.first()?.rows(), views.first()?.columns());
        let b = views.get(1).map(|b| (b.rows(), b.columns()));
        let dense = match (self, b) {
            (Operation::Rank(_), _) => Dense::rank(rows, columns),
            (Operation::Echelon(_), _) => Dense::echelon(rows, columns),
            (Operation::Rref(_), _) => Dense::rref(rows, columns),
            (Operation::Kernel(_), _) => Dense::kernel(rows, columns),
            (Operation::Inverse(_), _) if rows == columns => Dense::inverse(rows),
            (Operation::Solve(_), Some((others, sides))) if others == rows => {
                Dense::solve(rows, columns, sides)
            }
            (Operation::Mul(_), Some((others, sides))) if others == columns => {
                return Product::new(rows, columns, sides).ok().map(Asked::from);
            }
            _ => return None,
        };
        dense.ok().map(Asked::from)
    }
}
