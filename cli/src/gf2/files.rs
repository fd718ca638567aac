//! Operations on packed files that do not fit into memory.

use super::sentences::Claim;
use super::{Asked, Found, Operation, finish};
use crate::{Context, Demands};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use wgalois::files::destination;
use wgalois::gf2::verify;
use wgalois::gf2::{
    Answer, BitMatrix, BitView, Dense, FromFiles, OnFiles, Product, ProductCheck, ProductOnFiles,
};
use wgalois::task::{Budget, CpuProfile, Engine, Problem, Profile};
use wgalois::timeline::Phase;
use wgalois::{Error, Result};
use wgalois_io::Source;
use wgalois_io::bits::{self, Format, packed};

/// The files of an operation whose matrices stay on the disk.
pub(super) struct Files<'o> {
    operation: &'o Operation,
    sources: Vec<Source>,
    problem: Asked,
    /// The result to check.
    claim: Option<Claim<BitView<'o>>>,
}

impl<'o> Files<'o> {
    /// Returns the files of an operation, or of the check of its `result`; `None` if it takes place in memory. Files stay
    /// on the disk if all are packed and mapped, the work in memory does not fit, and no GPU is asked for. A result that is
    /// no matrix is text.
    pub(super) fn of(
        context: &Context,
        operation: &'o Operation,
        result: Option<&'o Source>,
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
        let shape = |view: &BitView| (view.rows(), view.columns());
        let [a, rest @ ..] = &views[..] else { return Ok(None) };
        let ((rows, columns), b) = (shape(a), rest.first().map(shape));
        let fits = match operation {
            Operation::Inverse(_) => rows == columns,
            Operation::Solve(_) => b.is_some_and(|(others, _)| others == rows),
            Operation::Mul(_) => b.is_some_and(|(others, _)| others == columns),
            _ => true,
        };
        let (true, Ok(problem)) = (fits, Asked::new(operation, (rows, columns), b)) else { return Ok(None) };
        let bytes = |view: &BitView| BitMatrix::bytes_of(view.rows() as u64, view.columns().max(1) as u64);
        let mut held = views.iter().map(bytes).fold(0, u64::saturating_add);
        let claim = match result {
            None => None,
            Some(result) => match claim(operation, result, rows) {
                Some(claim) => Some(claim),
                None => return Ok(None),
            },
        };
        if let Some(Claim::Matrix(view)) = &claim {
            held = held.saturating_add(bytes(view));
        }
        let work = match (problem, &claim) {
            (Asked::Transpose(_), _) => return Ok(None),
            (Asked::Product(product), Some(_)) => product.check_bytes(),
            (Asked::Product(product), None) => {
                let check = if context.verifies() { product.check_bytes_of_run() } else { 0 };
                bytes_in_memory(&product)?.max(check)
            }
            (Asked::Dense(dense), Some(claim)) => match dense.elimination_of_check(claim.as_answer()) {
                Some(elimination) => bytes_in_memory(&elimination)?,
                None => dense.check_bytes(),
            },
            (Asked::Dense(dense), None) if context.verifies() => bytes_in_memory(&dense.carrying()?)?,
            (Asked::Dense(dense), None) => bytes_in_memory(&dense)?,
        };
        drop(views);
        match held.saturating_add(work) <= context.free() {
            true => Ok(None),
            false => Ok(Some(Files { operation, sources, problem, claim })),
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
        if matches!(format, Format::Market | Format::Npz | Format::Alist)
            && !matches!(self.operation, Operation::Rank(_))
        {
            let scope = "answers that fit into memory, since the number of ones comes first: write .gf2 or another format";
            return Err(Error::only_for(".mtx, .npz and .alist", scope));
        }
        match self.problem {
            Asked::Dense(dense) => self.eliminate(context, format, dense),
            Asked::Product(product) => self.multiply(context, format, product),
            Asked::Transpose(_) => Ok(()),
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
        let rank = answer.rank();
        let found =
            Found { rank, pivots: answer.pivots, inconsistent: answer.inconsistent, matrix: answer.matrix };
        finish(context, self.operation, a.rows(), found, |out, matrix| {
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
        let Some(answer) = self.claim.as_ref().map(Claim::as_answer) else { return Ok(()) };
        let (elimination, bytes) = match self.problem {
            Asked::Dense(dense) => {
                let problem = OnFiles::new(dense);
                (problem.elimination_of_check(answer), problem.check_bytes())
            }
            Asked::Product(product) => (None, ProductOnFiles::new(product).check_bytes()),
            Asked::Transpose(_) => return Ok(()),
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
        if matches!(answer, Answer::Matrix(_)) {
            packed::checked_view(result)?;
        }
        let [a, rest @ ..] = &views[..] else { return Ok(()) };
        let scratch = scratch_folder(context, common.scratch.as_deref())?;
        context.verify(|| match (self.problem, answer, rest.first()) {
            (Asked::Product(_), Answer::Matrix(product), Some(b)) => verify::product(a, b, product),
            (Asked::Dense(dense), _, b) => {
                OnFiles::new(dense).check(&device, &scratch, (*a, b.copied()), answer)
            }
            _ => Err(Error::only_for("this answer", "other operations than a product")),
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
}

/// The bytes that a problem takes in memory beside its matrices.
fn bytes_in_memory<P: Problem>(problem: &P) -> Result<u64> {
    let profile = Profile {
        engine: Engine::Cpu(CpuProfile::of_threads(1)),
        host_memory: u64::MAX,
        device_memory: 0,
        budget: Budget::default(),
    };
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

/// Returns the result in a file, a packed and mapped matrix or a sentence; `None` for all others, and for what the reader in
/// memory has messages for.
fn claim<'s>(operation: &Operation, result: &'s Source, rows: usize) -> Option<Claim<BitView<'s>>> {
    if let Some(stated) = Claim::stated(operation, result, rows) {
        return stated.ok();
    }
    let format = operation.common().input.of(result, Format::Text);
    let is_mapped = format == Format::Packed && result.owned_bytes() == 0;
    packed::view(result).ok().filter(|_| is_mapped).map(Claim::Matrix)
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
pub(super) fn write(
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
}
