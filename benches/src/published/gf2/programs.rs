//! The programs that eliminate an F4 matrix, and their measurement on one F4 matrix.

use std::sync::Arc;
use std::time::Duration;

use web_time::Instant;

use super::super::Lab;
use super::estimate::{self, Estimate};
use crate::{Fields, Row, Timing};
use wgalois::gf2::{self, Elimination, F4Matrix, F4Method, Grid, IndexLists, RowSchedule, verify};
use wgalois::processes::{self, Threads, Transport};
use wgalois::task::Problem as _;
use wgalois::{Cpu, Device, Processes, Result, Simd, Wrong, serve};

/// A program that eliminates an F4 matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name in tables.
    pub name: &'static str,
    /// Its name in the published table; empty if it is not there.
    published_as: &'static str,
    method: F4Method,
    place: Place,
}

/// The place in which a program runs, with the settings that exist there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// One thread with these vector instructions.
    Thread(Simd),
    /// Several threads with the widest vector instructions.
    Threads(RowSchedule),
    /// The GPU; by default a thread a row.
    Gpu(Option<Grid>),
    /// Several processes.
    Processes,
}

/// An F4 matrix to eliminate.
pub struct Problem {
    /// Its name and shape, for the rows.
    pub fields: Fields,
    /// The F4 matrix.
    pub f4: F4Matrix,
    /// The rows of the result in file order, if they are known.
    pub expected: Option<IndexLists>,
    /// The number of threads of programs with several.
    pub threads: usize,
}

impl Problem {
    /// An F4 matrix with the fields of `fields` and those of its shape.
    pub fn new(fields: Fields, f4: F4Matrix, expected: Option<IndexLists>, threads: usize) -> Self {
        let fields = fields
            .with("columns", f4.columns())
            .with("eliminators", f4.reducer_count())
            .with("rows", f4.row_count());
        Problem { fields, f4, expected, threads }
    }
}

/// The name of the baseline of every speed-up.
pub const BASELINE: &str = "serial algorithm 1";

/// The fast method, and that without a GPU.
const FAST: Program =
    Program { name: "two-stage", published_as: "", method: F4Method::TwoStage, place: Place::Gpu(None) };
const FAST_ON_CPU: Program = Program { place: Place::Threads(RowSchedule::Stealing), ..FAST };

/// The baseline.
const SERIAL: Program = Program {
    name: BASELINE,
    published_as: "algorithm 1 serial",
    method: F4Method::Bands,
    place: Place::Thread(Simd::Scalar),
};

/// Rows of each thread in the first sample by which a time is estimated.
const FIRST_ROWS: usize = 64;

/// The processes that run where `mpirun` has started none: as many as were published.
const PROCESSES: usize = 4;

/// Returns all programs in the order of the tables.
pub fn programs() -> Vec<Program> {
    use F4Method::{Bands, Blocked, Rounds, TwoStage, XorThreads};
    use Place::{Gpu, Processes, Thread, Threads};
    let (best, stealing) = (Thread(Simd::best()), Threads(RowSchedule::Stealing));
    let grid = |threads, blocks| Gpu(Some(Grid { threads, blocks }));
    let rows = [
        ("algorithm 1, SIMD", "algorithm 1 SSE", Bands, Thread(Simd::Sse2)),
        ("algorithm 1, SIMD", "algorithm 1 AVX-256", Bands, Thread(Simd::Avx2)),
        ("algorithm 1, SIMD", "algorithm 1 AVX-512", Bands, Thread(Simd::Avx512)),
        ("algorithm 1, SIMD", "algorithm 1 NEON", Bands, Thread(Simd::Neon)),
        ("serial algorithm 2", "algorithm 2 serial", Rounds, Thread(Simd::Scalar)),
        ("threads over the words of an addition", "algorithm 1 OpenMP (one addition)", XorThreads, stealing),
        ("threads over rows, static blocks", "algorithm 2 pthread", Rounds, Threads(RowSchedule::Static)),
        (
            "threads over rows, dynamic chunks",
            "algorithm 2 OpenMP (rows)",
            Rounds,
            Threads(RowSchedule::Dynamic),
        ),
        ("threads over rows", "", Rounds, stealing),
        ("processes, with threads and SIMD inside", "algorithm 2 MPI + OpenMP + SIMD", Rounds, Processes),
        (
            "CUDA form: a thread a row, promotion on the host",
            "algorithm 2 DPC++ ported from CUDA",
            Rounds,
            Gpu(None),
        ),
        (
            "CUDA form, 256 threads x 32 blocks",
            "algorithm 2 CUDA (256 threads x 32 blocks)",
            Rounds,
            grid(256, 32),
        ),
        ("CUDA form, 10 threads x 1024 blocks", "", Rounds, grid(10, 1024)),
        ("blocked", "", Blocked, best),
        ("blocked", "", Blocked, stealing),
        ("blocked", "", Blocked, Gpu(None)),
        (FAST.name, "", TwoStage, best),
        (FAST.name, "", TwoStage, stealing),
        (FAST.name, "", TwoStage, Gpu(None)),
    ];
    let program = |(name, published_as, method, place)| Program { name, published_as, method, place };
    [SERIAL].into_iter().chain(rows.map(program)).collect()
}

/// Returns the program by which a line of the published table is run here; `None` for an unknown one.
pub fn published(system: &str) -> Option<Program> {
    programs().into_iter().find(|program| program.published_as == system)
}

/// Measures every program on one F4 matrix; each result is compared with the fast method's. The rows are those
/// of [`programs`], in order.
pub fn measure(lab: &mut Lab, problem: Problem) -> Result<Vec<Row>> {
    let mut measured = Measured::new(lab, problem)?;
    let row = |program| measured.row(lab, program).map(|row| lab.show(row));
    programs().into_iter().map(row).collect()
}

/// An F4 matrix and the programs that were measured on it.
pub(super) struct Measured {
    problem: Problem,
    right: Right,
    rows: Vec<(Program, Row)>,
    /// The seconds of the fast method and of the baseline; the estimate of the baseline if it was left out.
    fast: Option<f64>,
    baseline: Option<f64>,
}

impl Measured {
    /// Measures the fast method and the baseline.
    pub fn new(lab: &mut Lab, problem: Problem) -> Result<Self> {
        let (right, rows) = (Right::default(), Vec::new());
        let mut measured = Measured { problem, right, rows, fast: None, baseline: None };
        let fast = if lab.has_gpu() { FAST } else { FAST_ON_CPU };
        measured.fast = measured.once(lab, fast)?.seconds();
        let serial = measured.once(lab, SERIAL)?;
        let estimate = || serial.fields.get("estimate")?.as_f64();
        measured.baseline = serial.seconds().or_else(estimate);
        Ok(measured)
    }

    /// Returns the row of a program, which runs only the first time.
    pub fn row(&mut self, lab: &mut Lab, program: Program) -> Result<Row> {
        let row = self.once(lab, program)?;
        Ok(row.with_fast(self.fast).over(self.baseline))
    }

    fn once(&mut self, lab: &mut Lab, program: Program) -> Result<Row> {
        if let Some((_, row)) = self.rows.iter().find(|(own, _)| *own == program) {
            return Ok(row.clone());
        }
        let row = program.row(lab, &self.problem, &mut self.right)?;
        self.rows.push((program, row.clone()));
        Ok(row)
    }
}

impl Program {
    fn row(self, lab: &mut Lab, problem: &Problem, right: &mut Right) -> Result<Row> {
        let fields = problem.fields.clone().with("engine", self.engine(lab, problem.threads));
        if let (Place::Gpu(_), Err(why)) = (self.place, lab.gpu()) {
            return Row::new(fields, self.name, Err(why));
        }
        if let Some(estimate) = self.beyond_limit(lab, problem, right.in_order.as_ref())? {
            let fields = fields.with("estimate", estimate.seconds);
            return Ok(Row::not_run(fields, self.name, estimate.to_string()));
        }
        lab.row(fields, self.name, |lab| self.run(lab, problem, right))
    }

    fn engine(self, lab: &Lab, threads: usize) -> String {
        match self.place {
            Place::Thread(simd) => format!("CPU, {simd}, 1 thread"),
            Place::Threads(_) => format!("CPU, {}, {threads} threads", Simd::best()),
            Place::Gpu(_) if !lab.has_gpu() => "GPU".to_owned(),
            Place::Gpu(_) => lab.device_name().to_owned(),
            Place::Processes => {
                let all = std::thread::available_parallelism().map_or(1, usize::from);
                let (what, cores) = match lab.processes {
                    Some(processes) => {
                        (format!("{} processes by MPI", processes.size()), processes.identity().cores)
                    }
                    None => (format!("{PROCESSES} processes as threads of one"), (all / PROCESSES).max(1)),
                };
                format!("CPU, {}, {what}, {cores} threads each", Simd::best())
            }
        }
    }

    /// Estimates the program, if it would take longer than the lab's limit. A sample of the rows has those of the
    /// `result` as reducers. The fast method is never left out, whose stages depend on all rows.
    fn beyond_limit(
        self,
        lab: &Lab,
        problem: &Problem,
        result: Option<&IndexLists>,
    ) -> Result<Option<Estimate>> {
        let Some(result) = result.filter(|_| lab.limit.is_finite()) else { return Ok(None) };
        let rows = problem.f4.row_count();
        let time = |count| {
            let sample = problem.f4.sample(result, count).ok()??;
            match self.place(lab, sample.clone(), problem.threads) {
                Some((device, sample)) => estimate::seconds(&device, &sample),
                None => on_processes(lab, 1, &sample).ok().map(|(_, timing)| timing.seconds())?,
            }
        };
        let first = FIRST_ROWS
            * match (self.place, self.method) {
                (_, F4Method::Auto | F4Method::TwoStage) => return Ok(None),
                (Place::Gpu(_), F4Method::Rounds) => {
                    let new_pivots = result.iter().filter(|row| !row.is_empty()).count();
                    return match self.place(lab, problem.f4.clone(), problem.threads) {
                        Some((_, f4)) => estimate::by_rounds(&lab.gpu()?, &f4, new_pivots, lab.limit),
                        None => Ok(None),
                    };
                }
                // Every thread gets rows.
                (Place::Threads(_), F4Method::Rounds) => problem.threads,
                (Place::Processes, _) => std::thread::available_parallelism().map_or(1, usize::from),
                (Place::Threads(_) | Place::Thread(_) | Place::Gpu(_), _) => 1,
            };
        Ok(estimate::by_rows(rows, first, lab.limit, time))
    }

    /// Returns the device and the F4 matrix with the program's settings; `None` for processes.
    fn place(self, lab: &Lab, f4: F4Matrix, threads: usize) -> Option<(Device, F4Matrix)> {
        let cpu = |simd, threads| Device::Cpu(Cpu { threads, simd, ..Cpu::default() });
        let f4 = f4.with_method(self.method);
        Some(match self.place {
            Place::Thread(simd) => (cpu(simd, 1), f4),
            Place::Threads(schedule) => (cpu(Simd::best(), threads), f4.with_schedule(schedule)),
            Place::Gpu(None) => (lab.device(), f4),
            Place::Gpu(Some(grid)) => (lab.device(), f4.with_grid(grid)),
            Place::Processes => return None,
        })
    }

    /// Checks and times whole calls, from the lists of the F4 matrix to those of the result.
    fn run(self, lab: &Lab, problem: &Problem, right: &mut Right) -> Result<Timing> {
        let (result, timing) = match self.place(lab, problem.f4.clone(), problem.threads) {
            Some((device, f4)) => timed(lab.samples, || gf2::eliminate(&device, &f4))?,
            None => on_processes(lab, lab.samples, &problem.f4)?,
        };
        right.check(problem, &result, self.method)?;
        Ok(timing)
    }
}

/// Times elimination in rounds on the processes that `mpirun` has started; without them on [`PROCESSES`] processes
/// that are threads of this one and exchange the same messages. Each has its share of the cores.
fn on_processes(lab: &Lab, samples: usize, f4: &F4Matrix) -> Result<(Elimination, Timing)> {
    let f4 = f4.clone().with_method(F4Method::Rounds);
    if let Some(processes) = lab.processes {
        return in_rounds(processes, samples, &f4);
    }
    let results = Threads::run(PROCESSES, |processes| {
        if processes.rank() > 0 {
            serve(&**processes, |_| Ok(share_of_cores(&**processes)))?;
            return Ok(None);
        }
        let result = in_rounds(processes, samples, &f4)?;
        processes::end(&**processes)?;
        Ok(Some(result))
    })?;
    results.into_iter().flatten().next().ok_or_else(processes::no_result)
}

/// Times elimination in rounds as process 0.
fn in_rounds(processes: &Arc<dyn Transport>, samples: usize, f4: &F4Matrix) -> Result<(Elimination, Timing)> {
    let own = share_of_cores(&**processes);
    let device = Device::Processes(Processes::new(Arc::clone(processes), own)?);
    let ready = f4.plan(&device)?.prepare(&device)?;
    timed(samples, || ready.run(f4))
}

/// Returns the CPU engine on a process's share of its host's cores.
fn share_of_cores(processes: &dyn Transport) -> Device {
    Device::Cpu(Cpu { threads: processes.identity().cores, ..Cpu::default() })
}

/// The right results. The first of each kind is verified, the others are compared with it.
#[derive(Default)]
struct Right {
    in_order: Option<IndexLists>,
    /// That of rounds, in which other rows become pivots.
    in_rounds: Option<IndexLists>,
}

impl Right {
    fn check(&mut self, problem: &Problem, result: &Elimination, method: F4Method) -> Result<()> {
        let known = if method == F4Method::Rounds { &mut self.in_rounds } else { &mut self.in_order };
        let lists = result.to_lists();
        if let Some(known) = known {
            return same(&lists, known);
        }
        let cpu = Device::Cpu(Cpu::default());
        verify::elimination(&cpu, &problem.f4, result, method, verify::Depth::Bounded)?;
        if let (Some(expected), true) = (&problem.expected, method != F4Method::Rounds) {
            same(&lists, expected)?;
        }
        *known = Some(lists);
        Ok(())
    }
}

fn same(lists: &IndexLists, right: &IndexLists) -> Result<()> {
    Wrong::unless(lists == right, "the promoted rows differ")
}

/// The time of a call after which it is not repeated.
const PATIENCE: Duration = Duration::from_secs(1);

/// A result and the median time of `samples` calls, after one that builds pipelines; fewer if they take longer than
/// twice [`PATIENCE`] together. A call that takes longer than [`PATIENCE`] is made once.
fn timed<T>(samples: usize, mut work: impl FnMut() -> Result<T>) -> Result<(T, Timing)> {
    let begin = Instant::now();
    let mut result = work()?;
    let mut times = Vec::new();
    if begin.elapsed() > PATIENCE {
        times.push(begin.elapsed().as_secs_f64());
    }
    while times.is_empty() || (times.len() < samples && begin.elapsed() < 2 * PATIENCE) {
        let start = Instant::now();
        result = work()?;
        times.push(start.elapsed().as_secs_f64());
    }
    let timing = Timing::of_sorted_calls(&crate::sorted(times));
    Ok((result, Timing { spread: None, ..timing }))
}
