//! The programs that eliminate a system, and their measurement on one system.

use std::time::Duration;

use web_time::Instant;

use super::super::Lab;
use crate::bench::{Fields, Row, Timing};
use crate::gf2::{self, Elimination, Grid, IndexLists, Method, RowSchedule, System, verify};
use crate::processes::Shared;
use crate::task::Problem as _;
use crate::{Cpu, Device, Error, Result, Simd};

/// A program that eliminates a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name in tables.
    pub name: &'static str,
    method: Method,
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

/// A system to eliminate.
pub struct Problem {
    /// Its name and shape, for the rows.
    pub fields: Fields,
    /// The system.
    pub system: System,
    /// The rows of the result in file order, if they are known.
    pub expected: Option<IndexLists>,
    /// The number of threads of programs with several.
    pub threads: usize,
}

impl Problem {
    /// A system with the fields of `fields` and those of its shape.
    pub fn new(fields: Fields, system: System, expected: Option<IndexLists>, threads: usize) -> Self {
        let fields = fields
            .with("columns", system.columns())
            .with("eliminators", system.eliminator_count())
            .with("rows", system.row_count());
        Problem { fields, system, expected, threads }
    }
}

/// The name of the baseline of every speed-up.
pub const BASELINE: &str = "serial algorithm 1";

/// The fast method.
const FAST: Program = Program { name: "two-stage", method: Method::TwoStage, place: Place::Gpu(None) };

/// The baseline.
const SERIAL: Program = Program { name: BASELINE, method: Method::Bands, place: Place::Thread(Simd::Scalar) };

/// Rows of each thread in the first of the two runs that estimate a time.
const FIRST_ROWS: usize = 64;

/// Returns all programs in the order of the tables.
pub fn programs() -> Vec<Program> {
    let program = |name, method, place| Program { name, method, place };
    let rows = |name, schedule| program(name, Method::Rounds, Place::Threads(schedule));
    let cuda = |name, grid| program(name, Method::Rounds, Place::Gpu(grid));
    let mut programs = vec![SERIAL];
    let vectors = Simd::ALL.into_iter().filter(|&simd| simd != Simd::Scalar);
    programs.extend(vectors.map(|simd| program("algorithm 1, SIMD", Method::Bands, Place::Thread(simd))));
    let stealing = Place::Threads(RowSchedule::Stealing);
    programs.extend([
        program("serial algorithm 2", Method::Rounds, Place::Thread(Simd::Scalar)),
        program("threads over the words of an addition", Method::XorThreads, stealing),
        rows("threads over rows, static blocks", RowSchedule::Static),
        rows("threads over rows, dynamic chunks", RowSchedule::Dynamic),
        rows("threads over rows", RowSchedule::Stealing),
        program("processes, with threads and SIMD inside", Method::Rounds, Place::Processes),
        cuda("CUDA form: a thread a row, promotion on the host", None),
        cuda("CUDA form, 256 threads x 32 blocks", Some(Grid { threads: 256, blocks: 32 })),
        cuda("CUDA form, 10 threads x 1024 blocks", Some(Grid { threads: 10, blocks: 1024 })),
    ]);
    for method in [Method::Blocked, Method::TwoStage] {
        let name = if method == Method::Blocked { "blocked" } else { FAST.name };
        for place in [Place::Thread(Simd::best()), stealing, Place::Gpu(None)] {
            programs.push(program(name, method, place));
        }
    }
    programs
}

/// Returns the program by which a line of the published table is run here; `None` for an unknown one.
pub fn published(system: &str) -> Option<Program> {
    let (name, simd) = match system {
        "algorithm 1 serial" => (BASELINE, None),
        "algorithm 1 NEON" => ("algorithm 1, SIMD", Some(Simd::Neon)),
        "algorithm 1 SSE" => ("algorithm 1, SIMD", Some(Simd::Sse2)),
        "algorithm 1 AVX-256" => ("algorithm 1, SIMD", Some(Simd::Avx2)),
        "algorithm 1 AVX-512" => ("algorithm 1, SIMD", Some(Simd::Avx512)),
        "algorithm 2 serial" => ("serial algorithm 2", None),
        "algorithm 2 pthread" => ("threads over rows, static blocks", None),
        "algorithm 1 OpenMP (one addition)" => ("threads over the words of an addition", None),
        "algorithm 2 OpenMP (rows)" => ("threads over rows, dynamic chunks", None),
        "algorithm 2 MPI + OpenMP + SIMD" => ("processes, with threads and SIMD inside", None),
        "algorithm 2 CUDA (256 threads x 32 blocks)" => ("CUDA form, 256 threads x 32 blocks", None),
        "algorithm 2 DPC++ ported from CUDA" => ("CUDA form: a thread a row, promotion on the host", None),
        _ => return None,
    };
    let same = |program: &Program| {
        program.name == name && simd.is_none_or(|simd| program.place == Place::Thread(simd))
    };
    programs().into_iter().find(same)
}

/// Measures every program on one system; each result is compared with the fast method's. The rows are those
/// of [`programs`], in order.
///
/// # Errors
/// [`Error::DeviceLost`]; other faults are the outcome of their row.
pub fn measure(lab: &mut Lab, problem: Problem) -> Result<Vec<Row>> {
    let mut measured = Measured::new(lab, problem)?;
    let row = |program| measured.row(lab, program).map(|row| lab.show(row));
    programs().into_iter().map(row).collect()
}

/// A system and the programs that were measured on it.
pub(super) struct Measured {
    problem: Problem,
    right: Right,
    rows: Vec<(Program, Row)>,
    /// The seconds of the fast method and of the baseline.
    fast: Option<f64>,
    baseline: Option<f64>,
}

impl Measured {
    /// Measures the fast method and the baseline.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn new(lab: &mut Lab, problem: Problem) -> Result<Self> {
        let (right, rows) = (Right::default(), Vec::new());
        let mut measured = Measured { problem, right, rows, fast: None, baseline: None };
        measured.fast = measured.once(lab, FAST)?.seconds();
        measured.baseline = measured.once(lab, SERIAL)?.seconds();
        Ok(measured)
    }

    /// Returns the row of a program, which runs only the first time.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
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
        if let Some(why) = self.takes_too_long(lab, problem, right.in_order.as_ref()) {
            return Ok(Row::not_run(fields, self.name, why));
        }
        lab.row(fields, self.name, |lab| self.run(lab, problem, right))
    }

    fn engine(self, lab: &Lab, threads: usize) -> String {
        match self.place {
            Place::Thread(simd) => format!("CPU, {simd}, 1 thread"),
            Place::Threads(_) => format!("CPU, {}, {threads} threads", Simd::best()),
            Place::Gpu(_) => lab.gpu.adapter().name.clone(),
            Place::Processes => lab.processes.map_or_else(String::new, |processes| {
                let (size, cores) = (processes.size(), processes.cores());
                format!("CPU, {}, {size} processes, {cores} threads in process 0", Simd::best())
            }),
        }
    }

    /// Returns the reason for leaving the program out: it would take longer than the lab's limit. The time for all
    /// rows follows from those for the first R and the first 2R, with the rows of the `result` as pivots, since the
    /// first rows meet few pivots otherwise. Programs with tables and on the GPU are never left out.
    fn takes_too_long(self, lab: &Lab, problem: &Problem, result: Option<&IndexLists>) -> Option<String> {
        let first = match (self.place, self.method) {
            (_, Method::Auto | Method::Blocked | Method::TwoStage) => return None,
            (Place::Gpu(_) | Place::Processes, _) => return None,
            // Every thread gets rows.
            (Place::Threads(_), Method::Rounds) => FIRST_ROWS * problem.threads,
            (Place::Threads(_) | Place::Thread(_), _) => FIRST_ROWS,
        };
        let rows = problem.system.row_count();
        if !lab.limit.is_finite() || 4 * first > rows {
            return None;
        }
        // A fault is told by the run itself.
        let time = |rows| {
            let part = problem.system.sample(result?, rows).ok()??;
            let (device, system) = self.place(lab, part, problem.threads)?;
            let begin = Instant::now();
            gf2::eliminate(&device, &system).ok()?;
            Some(begin.elapsed().as_secs_f64())
        };
        let once = time(first)?;
        if once * rows as f64 / first as f64 <= lab.limit {
            return None;
        }
        let a_row = (time(2 * first)? - once) / first as f64;
        let whole = once + a_row.max(0.0) * (rows - first) as f64;
        let seconds = if whole < 10.0 { format!("{whole:.2}") } else { format!("{whole:.0}") };
        (whole > lab.limit)
            .then(|| format!("would take about {seconds} s (measured on the first {} rows)", 2 * first))
    }

    /// Returns the device and the system with the program's settings; `None` for processes.
    fn place(self, lab: &Lab, system: System, threads: usize) -> Option<(Device, System)> {
        let cpu = |simd, threads| Device::Cpu(Cpu { threads, simd, ..Cpu::default() });
        let system = system.with_method(self.method);
        Some(match self.place {
            Place::Thread(simd) => (cpu(simd, 1), system),
            Place::Threads(schedule) => (cpu(Simd::best(), threads), system.with_schedule(schedule)),
            Place::Gpu(None) => (Device::Gpu(lab.gpu.clone()), system),
            Place::Gpu(Some(grid)) => (Device::Gpu(lab.gpu.clone()), system.with_grid(grid)),
            Place::Processes => return None,
        })
    }

    /// Checks and times whole calls, from the lists of the system to those of the result.
    fn run(self, lab: &Lab, problem: &Problem, right: &mut Right) -> Result<Timing> {
        let (result, seconds) = match self.place(lab, problem.system.clone(), problem.threads) {
            Some((device, system)) => timed(lab.samples, || gf2::eliminate(&device, &system))?,
            None => on_processes(lab, &problem.system)?,
        };
        right.check(problem, &result, self.method)?;
        Ok(Timing::of_calls(seconds))
    }
}

/// Times elimination in rounds on the processes that `mpirun` has started, each with its share of the cores.
fn on_processes(lab: &Lab, system: &System) -> Result<(Elimination, f64)> {
    let Some(processes) = lab.processes else {
        return Err(Error::Usage(
            "one process runs; with the feature mpi: mpirun -n K --bind-to none wgalois bench published gf2"
                .into(),
        ));
    };
    let (device, system) = (Device::Cpu(Cpu::default()), system.clone().with_method(Method::Rounds));
    let plan = Shared::new(&system, processes.size()).plan(&device)?;
    let ready = plan.prepare(&device, processes)?;
    timed(lab.samples, || ready.run(&system))
}

/// The right results. The first of each kind is verified, the others are compared with it.
#[derive(Default)]
struct Right {
    in_order: Option<IndexLists>,
    /// That of rounds, which promote other rows.
    in_rounds: Option<IndexLists>,
}

impl Right {
    fn check(&mut self, problem: &Problem, result: &Elimination, method: Method) -> Result<()> {
        let known = if method == Method::Rounds { &mut self.in_rounds } else { &mut self.in_order };
        let lists = result.to_lists();
        if let Some(known) = known {
            return same(&lists, known);
        }
        let cpu = Device::Cpu(Cpu::default());
        verify::elimination(&cpu, &problem.system, result, method, verify::Depth::Bounded)?;
        if let (Some(expected), true) = (&problem.expected, method != Method::Rounds) {
            same(&lists, expected)?;
        }
        *known = Some(lists);
        Ok(())
    }
}

fn same(lists: &IndexLists, right: &IndexLists) -> Result<()> {
    if lists == right { Ok(()) } else { Err(Error::Check("the promoted rows differ".into())) }
}

/// The time after which a measurement takes no further sample.
const PATIENCE: Duration = Duration::from_secs(1);

/// A result and the median of the seconds that it took: of `samples` runs, after one that builds pipelines.
/// Work that takes longer than [`PATIENCE`] is run once.
fn timed<T>(samples: usize, mut work: impl FnMut() -> Result<T>) -> Result<(T, f64)> {
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
    times.sort_by(f64::total_cmp);
    Ok((result, times[times.len() / 2]))
}
