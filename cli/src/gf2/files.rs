//! Operations on packed files that do not fit into memory.

use super::{Answer, Operation, finish, two};
use crate::{Context, Demands};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use wgalois::files::destination;
use wgalois::gf2::verify;
use wgalois::gf2::{
    self, BitMatrix, BitView, Dense, FromFiles, OnFiles, OnFilesAnswer, Product, ProductCheck,
    ProductOnFiles, StoredMatrix,
};
use wgalois::task::{Engine, Plan, Problem, Profile};
use wgalois::timeline::Phase;
use wgalois::{Error, Result};
use wgalois_io::Source;
use wgalois_io::bits::{self, Format, packed};

/// What is asked of the matrices.
#[derive(Clone, Copy)]
enum Asked {
    Dense(Dense),
    Product(Product),
}

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
        let bytes = |view: &BitView| BitMatrix::bytes_of(view.rows() as u64, view.columns().max(1) as u64);
        let mut held = views.iter().map(bytes).fold(0, u64::saturating_add);
        let work = match (result, problem) {
            (None, Asked::Product(product)) => {
                let check = if context.verifies() { product.check_bytes_of_run() } else { 0 };
                bytes_in_memory(&product)?.max(check)
            }
            (None, Asked::Dense(dense)) if context.verifies() => bytes_in_memory(&dense.carrying()?)?,
            (None, Asked::Dense(dense)) => bytes_in_memory(&dense)?,
            (Some(result), _) => {
                let Some(answer) = StoredResult::of(operation, result, problem) else { return Ok(None) };
                if let StoredResult::Matrix(view) = &answer {
                    held = held.saturating_add(bytes(view));
                }
                match problem {
                    Asked::Product(product) => product.check_bytes(),
                    Asked::Dense(dense) => match dense.elimination_of_check(answer.as_answer()) {
                        Some(elimination) => bytes_in_memory(&elimination)?,
                        None => dense.check_bytes(),
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
        match self.problem {
            Asked::Dense(dense) => self.eliminate(context, format, dense),
            Asked::Product(product) => self.multiply(context, format, product),
        }
    }

    fn eliminate(&self, context: &Context, format: Format, dense: Dense) -> Result<()> {
        let common = self.operation.common();
        let problem = OnFiles::new(dense).with_carried_columns(context.verifies());
        let planned = common.workers.plan_with(context, &problem, Demands::default())?;
        let Some((device, plan)) = planned else { return Ok(()) };
        report_parts(context, plan.way());
        let views = self.views(context)?;
        let [a, rest @ ..] = &views[..] else { return Ok(()) };
        let (a, b) = (*a, rest.first().copied());
        let folder = scratch_folder(context, common.scratch.as_deref())?;
        let prepared = plan.prepare_with(&device, &folder)?;
        let answer = context.watch("eliminate", || prepared.run((a, b)))?;
        context.verify_if_asked(|| problem.check_carried(a, b, &answer))?;
        let answer = self.answer(context, dense, answer)?;
        finish(context, self.operation, answer, |out, matrix| {
            write(out, format, (matrix.rows(), matrix.columns()), |take| matrix.bands(take))
        })
    }

    /// Writes a product as it is computed, and verifies it in the same pass: a wrong one is not put in place.
    fn multiply(&self, context: &Context, format: Format, product: Product) -> Result<()> {
        let common = self.operation.common();
        let problem = ProductOnFiles::new(product).with_check(context.verifies());
        let planned = common.workers.plan_with(context, &problem, Demands::default())?;
        let Some((device, plan)) = planned else { return Ok(()) };
        report_parts(context, plan.way());
        let views = self.views(context)?;
        let &[a, b] = &views[..] else { return Ok(()) };
        let folder = scratch_folder(context, common.scratch.as_deref())?;
        let prepared = plan.prepare_with(&device, &folder)?;
        let shape = (a.rows(), b.columns());
        if !context.verifies() {
            return context.write(|out| write(out, format, shape, |take| prepared.run((a, b, take))));
        }
        context.report("verified", false);
        let mut check = context.step(Phase::Checking, "verify", || ProductCheck::new(&a, &b))?;
        let written = context.write(|out| {
            write(out, format, shape, |take| {
                prepared.run((a, b, &mut |band: &BitMatrix| {
                    check.take(band)?;
                    take(band)
                }))
            })
        });
        if check.is_complete() || check.has_fault() {
            context.verify(|| check.finish())?;
            return written;
        }
        // Without an output nothing was computed.
        written?;
        context.verify(|| {
            prepared.run((a, b, &mut |band: &BitMatrix| check.take(band)))?;
            check.finish()
        })
    }

    /// Verifies the result of this operation in a file.
    pub(super) fn check(&self, context: &Context, result: &Source) -> Result<()> {
        let common = self.operation.common();
        let Some(stored) = StoredResult::of(self.operation, result, self.problem) else { return Ok(()) };
        let answer = stored.as_answer();
        let (elimination, bytes) = match self.problem {
            Asked::Product(product) => (None, ProductOnFiles::new(product).check_bytes()),
            Asked::Dense(dense) => {
                let problem = OnFiles::new(dense);
                (problem.elimination_of_check(answer), problem.check_bytes())
            }
        };
        let device = match elimination {
            Some(elimination) => common.workers.device(context, &elimination)?,
            None => {
                context.need(bytes, "the check")?;
                context.host_alone("this check")?
            }
        };
        let Some(device) = device else { return Ok(()) };
        let views = self.views(context)?;
        if matches!(stored, StoredResult::Matrix(_)) {
            packed::checked_view(result)?;
        }
        let [a, rest @ ..] = &views[..] else { return Ok(()) };
        let scratch = scratch_folder(context, common.scratch.as_deref())?;
        let b = rest.first().copied();
        context.verify(|| match (self.problem, answer, &b) {
            (Asked::Dense(dense), ..) => OnFiles::new(dense).check(&device, &scratch, (*a, b), answer),
            (Asked::Product(_), gf2::Answer::Matrix(product), Some(b)) => verify::product(a, b, product),
            _ => Err(Error::Usage("a product is a matrix".into())),
        })
    }

    /// The matrices of the files, whose padding is checked.
    fn views(&self, context: &Context) -> Result<Vec<BitView<'_>>> {
        let views = self.sources.iter().map(|source| {
            let check = || packed::checked_view(source);
            context.step(Phase::Reading, &format!("check {}", source.path().display()), check)
        });
        views.collect()
    }

    /// Reports the answer, and writes the columns of the pivots.
    fn answer(&self, context: &Context, dense: Dense, answer: OnFilesAnswer) -> Result<Answer<StoredMatrix>> {
        let (rank, rows) = (answer.rank(), dense.shape().0);
        if !matches!(self.operation, Operation::Inverse(_)) {
            context.report("rank", rank);
        }
        match self.operation {
            Operation::Solve(_) => {
                context.report("inconsistent", answer.inconsistent.clone());
                let sentence = two::inconsistent(&answer.inconsistent);
                return Ok(match answer.matrix {
                    None => Answer::None(sentence),
                    Some(x) if answer.inconsistent.is_empty() => Answer::Matrix(x),
                    Some(x) => Answer::Partial(x, sentence),
                });
            }
            Operation::Inverse(_) if answer.matrix.is_none() => {
                return Ok(Answer::None(super::one::singular(rank, rows)));
            }
            Operation::Mul(_) => {}
            Operation::Rank(one)
            | Operation::Echelon(one)
            | Operation::Rref(one)
            | Operation::Kernel(one)
            | Operation::Inverse(one)
            | Operation::Transpose(one) => one.write_pivots(context, &answer.pivots)?,
        }
        Ok(answer.matrix.map_or(Answer::Number(rank), Answer::Matrix))
    }
}

/// The bytes that a problem takes in memory beside its matrices.
fn bytes_in_memory<P: Problem>(problem: &P) -> Result<u64> {
    let profile = Profile { engine: Engine::Cpu { threads: 1 }, host_memory: u64::MAX, device_memory: 0 };
    Ok(problem.plan_for(&profile)?.cost().host_bytes)
}

/// Reports the parts in which files are read.
pub(crate) fn report_parts(context: &Context, way: Option<&FromFiles>) {
    if let Some(files) = way {
        context.report("parts", files.parts);
        context.report("read_bytes", files.read_bytes);
        context.report("written_bytes", files.written_bytes);
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
    fn of(operation: &Operation, result: &'s Source, problem: Asked) -> Option<Self> {
        match operation {
            Operation::Rank(_) => return super::one::rank_of(result).ok().map(StoredResult::Rank),
            Operation::Inverse(_) => {
                let Asked::Dense(dense) = problem else { return None };
                if let Some(rank) = super::one::singular_rank(result, dense.shape().0) {
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

    fn as_answer(&self) -> gf2::Answer<'_> {
        match self {
            StoredResult::Rank(rank) => gf2::Answer::Rank(*rank),
            StoredResult::Matrix(view) => gf2::Answer::Matrix(view),
            StoredResult::Unsolvable(sides) => gf2::Answer::Unsolvable(sides),
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

/// Writes a matrix of which `bands` gives a band of rows at a time.
fn write(
    out: &mut dyn Write,
    format: Format,
    shape: (usize, usize),
    bands: impl FnOnce(&mut dyn FnMut(&BitMatrix) -> Result<()>) -> Result<()>,
) -> io::Result<()> {
    bits::write_bands(out, format, shape, |take| {
        let mut band = |band: &BitMatrix| take(band).map_err(|error| Error::file("", error));
        bands(&mut band).map_err(|error| match error {
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
                return Product::new(rows, columns, sides).ok().map(Asked::Product);
            }
            _ => return None,
        };
        dense.ok().map(Asked::Dense)
    }
}
