//! `wgalois eliminate`: the special elimination of Boolean Groebner bases.

mod files;

use super::bits::{InputFormat, OutputFormat, Workers, load};
use super::outputs::Outputs;
use super::processes::Member;
use super::{Check, Context, Demands, Run};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wgalois::gf2::verify::{self, CarriedSystem, Depth};
use wgalois::gf2::{Elimination, IndexLists, Method, System, SystemPlan, duplicate_lead};
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

/// A system in memory, the one that is eliminated in its place for `--verify`, and the plan of that elimination, which fits
/// beside them.
type Planned = (System, Option<CarriedSystem>, (Device, SystemPlan));

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
        let method: Method = self.method.parse()?;
        let (schedule, grid) = (self.schedule.parse()?, self.grid.as_deref().map(str::parse).transpose()?);
        let system = self.read_system(context, times)?.with_method(method).with_schedule(schedule);
        let system = match grid {
            Some(grid) => system.with_grid(grid),
            None => system,
        };
        let carried = self.carried(context, &system)?;
        let eliminated = carried.as_ref().map_or(&system, CarriedSystem::system);
        let demands = Demands { check: system.check_bytes(), ..Demands::default() };
        let planned = self.workers.plan_with(context, eliminated, demands)?;
        Ok(planned.map(|planned| (system, carried, planned)))
    }

    /// Eliminates, verifies with `--verify`, and writes the result.
    fn run_in_memory(&self, context: &Context, planned: Planned, mut times: Times) -> Result<()> {
        let (system, carried, (device, plan)) = planned;
        let method = plan.method();
        context.report("method", method.to_string());
        if method == Method::Rounds {
            context.report("schedule", system.schedule().to_string());
            context.report("grid", system.grid().map(|grid| grid.to_string()));
        }
        let begin = Instant::now();
        let eliminated = carried.as_ref().map_or(&system, CarriedSystem::system);
        let result = context.compute("eliminate", (&device, plan), eliminated)?;
        times.engine = begin.elapsed();
        context.report("promoted", result.promoted().len());
        let result = match carried {
            None => {
                context.verify_if_asked(|| verify::file_order(&system, &result, self.depth(), None))?;
                result
            }
            Some(carried) => {
                let mut taken = None;
                context.verify(|| {
                    let (result, proof) = carried.take(&system, &result)?;
                    let result = taken.insert(result);
                    system.check_proven(result, &proof, self.depth())
                })?;
                taken.unwrap_or(result)
            }
        };
        let begin = Instant::now();
        self.write(context, &system, &result)?;
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
            Ok(Some((system, lists, device))) => {
                let check =
                    || system.check(&device, &Elimination::from_lists(&system, &lists)?, self.depth());
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
    /// is the one in memory: a small system takes less there.
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

    /// Reads the system and a result, and opens the device of the check; `None` with `--plan`.
    fn plan_check(&self, context: &Context, result: &Path) -> Result<Option<(System, IndexLists, Device)>> {
        let method: Method = self.method.parse()?;
        let mut times = Times::default();
        let system = self.read_system(context, &mut times)?.with_method(method);
        let (_, lists, _) = self.read_lists(context, result, &mut times)?;
        context.need(system.check_bytes(), "the check")?;
        if !system.check_eliminates() {
            return Ok(context.host_alone("this check")?.map(|host| (system, lists, host)));
        }
        let demands = Demands { beside: CarriedSystem::bytes_of(&system), ..Demands::default() };
        let planned = self.workers.plan_with(context, &system, demands)?;
        Ok(planned.map(|(device, _)| (system, lists, device)))
    }
}

impl Eliminate {
    fn depth(&self) -> Depth {
        if self.full { Depth::Full } else { Depth::Bounded }
    }

    /// Returns the system with carried columns that prove the span of the promoted rows, if not all
    /// rows will be checked one by one.
    fn carried(&self, context: &Context, system: &System) -> Result<Option<CarriedSystem>> {
        match context.verifies() && system.check_gains_from_proof(self.depth()) {
            true => {
                let bytes = CarriedSystem::bytes_of(system);
                context.need(bytes, "the verification")?;
                context.hold(bytes);
                Ok(Some(CarriedSystem::new(system)?.with_options_of(system)))
            }
            false => Ok(None),
        }
    }

    fn read_system(&self, context: &Context, times: &mut Times) -> Result<System> {
        let (source, eliminators, width) = self.read_lists(context, &self.eliminators, times)?;
        if let Some((first, second, lead)) = duplicate_lead(&eliminators) {
            let message =
                format!("row {second} has the lead {lead}, and so has row {first} (rows count from 0)");
            return Err(match self.input.of(&source, Format::Lists) {
                Format::Lists => source.text_error(lists::place_of_row(&source, second), message),
                _ => source.error(message),
            });
        }
        let (_, rows, other_width) = self.read_lists(context, &self.rows, times)?;
        let columns = self.input.columns().or(width.max(other_width));
        context.need(System::bytes_to_index(&eliminators, &rows), "the index of this system")?;
        let lists = eliminators.bytes() + rows.bytes();
        let system = context.step(Phase::Reading, "index", || System::new(eliminators, rows, columns))?;
        context.hold(system.bytes().saturating_sub(lists));
        context.report("columns", system.columns());
        context.report("eliminators", system.eliminator_count());
        context.report("rows", system.row_count());
        Ok(system)
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

    fn write(&self, context: &Context, system: &System, result: &Elimination) -> Result<()> {
        match self.output.of(context, &self.input, Format::Lists) {
            Format::Lists => context.write(|out| lists::write_elimination(out, result)),
            dense => {
                let bytes = (system.columns() as u64 / 8 + 8).saturating_mul(system.row_count() as u64);
                context.need(bytes, "this result as a matrix")?;
                let matrix = result.to_matrix(system.columns())?;
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
