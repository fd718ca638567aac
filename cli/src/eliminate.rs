//! `wgalois eliminate`: the special elimination of Boolean Groebner bases.

mod files;

use super::bits::{InputFormat, OutputFormat, Workers, load};
use super::outputs::Outputs;
use super::processes::Member;
use super::{Check, Context, Demands, Run};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wgalois::gf2::verify::{self, CarriedF4Matrix, Depth};
use wgalois::gf2::{Elimination, F4Matrix, F4Method, F4Plan, IndexLists, duplicate_lead};
use wgalois::timeline::Phase;
use wgalois::{Device, Error, Result};
use wgalois_io::Source;
use wgalois_io::bits::{self, Format, lists};

const GUARANTEE: &str = "Guarantee of --verify and check: every row follows from the definition. All rows are \
                         checked, and no wrong one is missed, if that takes at most 2^33 additions of 512 bits \
                         (rows / 512, rounded up, times the ones of eliminators and promoted rows) or with \
                         --full. Otherwise 512 random rows are checked in this way, and the message says so. \
                         For the other rows, a lost row is missed with a chance of at most 2^-64; with --verify \
                         this holds for wrong leads and a wrong span of the promoted rows, too. For --method \
                         rounds the guarantee is that leads and span are right; a fault is missed with a chance \
                         of at most 2^-64, and check needs an elimination of its own.";

/// Reduce rows over GF(2) by eliminators, and promote those whose lead has none
///
/// The lead of a row is its highest column with a one (in `gf2` it is the lowest). Rows are processed in the order of the file. The result has
/// one line per row: the columns of its ones, descending, each followed by a space. The line of a row
/// that was reduced to zero is empty. Input files hold such lists as well, or .mtx, .npy, .npz or .gf2.
#[derive(clap::Args)]
#[command(after_long_help = GUARANTEE)]
pub struct Eliminate {
    /// The eliminators, with distinct leads; `-` is stdin
    #[arg(long, value_name = "FILE")]
    eliminators: PathBuf,
    /// The rows to reduce; `-` is stdin
    #[arg(long, value_name = "FILE")]
    rows: PathBuf,
    /// Method of elimination: auto, bands, rounds, xor-threads, blocked or two-stage; rounds promotes
    /// other rows than the file's order demands. Several processes (mpirun) share rounds, blocked and
    /// two-stage on either engine; the GPUs of one process share the last two
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    method: String,
    /// With --method rounds on the CPU engine, how rows are divided among threads: stealing, static
    /// (equal blocks, as in programs with pthreads) or dynamic (16 rows at a time, as under OpenMP)
    #[arg(long, value_name = "SCHEDULE", default_value = "stealing")]
    schedule: String,
    /// With --method rounds on a GPU, threads of a workgroup and number of workgroups, as 256x32
    /// [default: 64 threads, a thread a row]
    #[arg(long, value_name = "THREADSxBLOCKS")]
    grid: Option<String>,
    /// Folder for scratch files if index lists do not fit into memory [default: that of -o FILE, or the system's for
    /// temporary files]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// With --verify or check: check every row, however long that takes
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    input: InputFormat,
    #[command(flatten)]
    output: OutputFormat,
}

/// The times of the steps.
#[derive(Default)]
struct Times {
    /// Time to bring the files into memory.
    read: Duration,
    parse: Duration,
    /// Time of the engine, including transfers.
    engine: Duration,
}

/// An F4 matrix in memory, the one that is eliminated in its place for `--verify`, and the plan of that elimination, which fits
/// beside them.
type Planned = (F4Matrix, Option<CarriedF4Matrix>, (Device, F4Plan));

impl Run for Eliminate {
    /// Eliminates in memory. If the lists or the plan are refused because they take more memory than there is,
    /// eliminates on files. A failure of the elimination itself is an error.
    fn run(&self, context: &Context) -> Result<()> {
        if self.full && !context.verifies() {
            return Err(Error::needs("--full, which checks every row,", "--verify, or the verb check"));
        }
        let held = context.held();
        let mut times = Times::default();
        match self.plan_in_memory(context, &mut times) {
            Ok(Some(planned)) => self.run_in_memory(context, planned, times),
            Ok(None) => Ok(()),
            Err(error @ (Error::TooLarge(_) | Error::OutOfMemory(_))) => {
                self.on_files(context, held, error, |files| files.run(context))
            }
            Err(error) => Err(error),
        }
    }

    fn inputs(&self) -> Vec<PathBuf> {
        vec![self.eliminators.clone(), self.rows.clone()]
    }

    fn outputs(&self) -> Outputs {
        Outputs { endings: self.output.endings(), ..Outputs::default() }
    }

    fn member(&self) -> Result<Option<Member>> {
        self.workers.member()
    }
}

impl Eliminate {
    /// Reads and plans; `None` with `--plan`.
    fn plan_in_memory(&self, context: &Context, times: &mut Times) -> Result<Option<Planned>> {
        let method: F4Method = self.method.parse()?;
        let (schedule, grid) = (self.schedule.parse()?, self.grid.as_deref().map(str::parse).transpose()?);
        let f4 = self.read_matrix(context, times)?.with_method(method).with_schedule(schedule);
        let f4 = match grid {
            Some(grid) => f4.with_grid(grid),
            None => f4,
        };
        let carried = self.carried(context, &f4)?;
        let eliminated = carried.as_ref().map_or(&f4, CarriedF4Matrix::matrix);
        let demands = Demands { check: f4.check_bytes(), ..Demands::default() };
        let planned = self.workers.plan_with(context, eliminated, demands)?;
        Ok(planned.map(|planned| (f4, carried, planned)))
    }

    /// Eliminates, verifies with `--verify`, and writes the result.
    fn run_in_memory(&self, context: &Context, planned: Planned, mut times: Times) -> Result<()> {
        let (f4, carried, (device, plan)) = planned;
        let method = plan.method();
        context.report("method", method.to_string());
        if method == F4Method::Rounds {
            context.report("schedule", f4.schedule().to_string());
            context.report("grid", f4.grid().map(|grid| grid.to_string()));
        }
        let begin = Instant::now();
        let eliminated = carried.as_ref().map_or(&f4, CarriedF4Matrix::matrix);
        let result = context.compute("eliminate", (&device, plan), eliminated)?;
        times.engine = begin.elapsed();
        context.report("promoted", result.new_pivots().len());
        let result = match carried {
            None => {
                context.verify_if_asked(|| verify::file_order(&f4, &result, self.depth(), None))?;
                result
            }
            Some(carried) => {
                let mut taken = None;
                context.verify(|| {
                    let (result, proof) = carried.take(&f4, &result)?;
                    let result = taken.insert(result);
                    f4.check_proven(result, &proof, self.depth())
                })?;
                taken.unwrap_or(result)
            }
        };
        let begin = Instant::now();
        self.write(context, &f4, &result)?;
        self.report(context, &times, begin.elapsed());
        Ok(())
    }
}

/// The bytes that suffice after the refusal of a plan, where `held` bytes are held; `None` after other errors.
fn planned_bytes(error: &Error, held: u64) -> Option<u64> {
    match error {
        Error::OutOfMemory(shortage) => shortage.needed.map(|needed| needed.saturating_add(held)),
        _ => None,
    }
}

impl Check for Eliminate {
    /// Checks in memory, or on files if the lists are refused there, as [`run`](Run::run) does.
    fn check(&self, context: &Context, result: &Path) -> Result<()> {
        let held = context.held();
        match self.plan_check(context, result) {
            Ok(Some((f4, lists, device))) => {
                let check = || f4.check(&device, &Elimination::from_lists(&f4, &lists)?, self.depth());
                context.verify(check)
            }
            Ok(None) => Ok(()),
            Err(error @ (Error::TooLarge(_) | Error::OutOfMemory(_)))
                if std::fs::metadata(result).is_ok_and(|found| found.is_file()) =>
            {
                let source = context.source(result)?;
                let is_list = self.input.of(&source, Format::Lists) == Format::Lists;
                match is_list {
                    true => self.on_files(context, held, error, |files| files.check(context, &source)),
                    false => Err(error),
                }
            }
            Err(error) => Err(error),
        }
    }
}

impl Eliminate {
    /// Works on files after a refusal in memory, where `held` bytes were held before. If that needs more memory, the error
    /// is the one in memory: a small F4 matrix takes less there.
    fn on_files(
        &self,
        context: &Context,
        held: u64,
        error: Error,
        work: impl FnOnce(&files::Files<'_>) -> Result<()>,
    ) -> Result<()> {
        let in_memory = planned_bytes(&error, context.held());
        context.hold_only(held);
        let Some(files) = files::Files::of(context, self)? else {
            let paths = [&*self.eliminators, &*self.rows];
            return Err(self.input.explain(context, &paths, (Format::Lists, Format::Lists), error));
        };
        let done = work(&files);
        let on_files = done.as_ref().err().and_then(|refused| planned_bytes(refused, context.held()));
        match in_memory.zip(on_files).is_some_and(|(in_memory, on_files)| in_memory < on_files) {
            true => Err(error),
            false => done,
        }
    }

    /// Reads the F4 matrix and a result, and opens the device of the check; `None` with `--plan`.
    fn plan_check(&self, context: &Context, result: &Path) -> Result<Option<(F4Matrix, IndexLists, Device)>> {
        let method: F4Method = self.method.parse()?;
        let mut times = Times::default();
        let f4 = self.read_matrix(context, &mut times)?.with_method(method);
        let (_, lists, _) = self.read_lists(context, result, &mut times)?;
        context.need(f4.check_bytes(), "the check")?;
        if !f4.check_eliminates() {
            return Ok(context.host_alone("this check")?.map(|host| (f4, lists, host)));
        }
        let demands = Demands { beside: CarriedF4Matrix::bytes_of(&f4), ..Demands::default() };
        let planned = self.workers.plan_with(context, &f4, demands)?;
        Ok(planned.map(|(device, _)| (f4, lists, device)))
    }
}

impl Eliminate {
    fn depth(&self) -> Depth {
        if self.full { Depth::Full } else { Depth::Bounded }
    }

    /// Returns the F4 matrix with carried columns that prove the span of the new pivots, if not all
    /// rows will be checked one by one.
    fn carried(&self, context: &Context, f4: &F4Matrix) -> Result<Option<CarriedF4Matrix>> {
        match context.verifies() && f4.check_gains_from_proof(self.depth()) {
            true => {
                let bytes = CarriedF4Matrix::bytes_of(f4);
                context.need(bytes, "the verification")?;
                context.hold(bytes);
                Ok(Some(CarriedF4Matrix::new(f4)?.with_options_of(f4)))
            }
            false => Ok(None),
        }
    }

    fn read_matrix(&self, context: &Context, times: &mut Times) -> Result<F4Matrix> {
        let (source, reducers, width) = self.read_lists(context, &self.eliminators, times)?;
        if let Some((first, second, lead)) = duplicate_lead(&reducers) {
            let message =
                format!("row {second} has the lead {lead}, and so has row {first} (rows count from 0)");
            return Err(match self.input.of(&source, Format::Lists) {
                Format::Lists => source.text_error(lists::place_of_row(&source, second), message),
                _ => source.error(message),
            });
        }
        let (_, rows, other_width) = self.read_lists(context, &self.rows, times)?;
        let columns = self.input.columns().or(width.max(other_width));
        context.need(F4Matrix::bytes_to_index(&reducers, &rows), "the index of this system")?;
        let lists = reducers.bytes() + rows.bytes();
        let f4 = context.step(Phase::Reading, "index", || F4Matrix::new(reducers, rows, columns))?;
        context.hold(f4.bytes().saturating_sub(lists));
        context.report("columns", f4.columns());
        context.report("eliminators", f4.reducer_count());
        context.report("rows", f4.row_count());
        Ok(f4)
    }

    /// Reads a file: its source, its rows, and the number of columns if the file states it.
    fn read_lists(
        &self,
        context: &Context,
        path: &Path,
        times: &mut Times,
    ) -> Result<(Source, IndexLists, Option<usize>)> {
        let (source, read) = load(context, path)?;
        let begin = Instant::now();
        let limits = self.input.limits(context);
        let format = self.input.of(&source, Format::Lists);
        context.hold(source.owned_bytes());
        let name = format!("parse {}", path.display());
        let (rows, columns) =
            context.step(Phase::Reading, &name, || bits::read_lists(&source, format, &limits))?;
        context.hold(rows.bytes());
        times.read += read;
        times.parse += begin.elapsed();
        Ok((source, rows, columns))
    }

    fn write(&self, context: &Context, f4: &F4Matrix, result: &Elimination) -> Result<()> {
        match self.output.of(context, &self.input, Format::Lists) {
            Format::Lists => context.write(|out| lists::write_elimination(out, result)),
            dense => {
                let bytes = (f4.columns() as u64 / 8 + 8).saturating_mul(f4.row_count() as u64);
                context.need(bytes, "this result as a matrix")?;
                let matrix = result.to_matrix(f4.columns())?;
                context.write(|out| bits::write_matrix(out, dense, &matrix))
            }
        }
    }

    /// Adds the times of the steps to the report, and logs them.
    fn report(&self, context: &Context, times: &Times, write: Duration) {
        let (upload, download) = (context.spent(Phase::Upload), context.spent(Phase::Download));
        let steps = [
            ("read", times.read),
            ("parse", times.parse),
            ("upload", upload),
            ("eliminate", times.engine.saturating_sub(upload + download)),
            ("download", download),
            ("write", write),
        ];
        let seconds: serde_json::Map<_, _> =
            steps.iter().map(|(name, time)| ((*name).to_owned(), time.as_secs_f64().into())).collect();
        context.report("steps", seconds);
        let text: Vec<_> =
            steps.iter().map(|(name, time)| format!("{name} {:.1} ms", time.as_secs_f64() * 1e3)).collect();
        log::info!("{}", text.join(", "));
    }
}
