//! Compiling many texts, in processes that end at a limit of the processor's time.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use wgalois::parallel::*;
use wgalois::{Error, Result, gpu};

use crate::clock;
use crate::driver::{Compiled, Driver};
use crate::reference;
use crate::statistics::Statistics;
use crate::table::{self, Row, Table};
use crate::texts::Name;

/// A text to compile.
pub struct Job {
    /// Its name in the table.
    pub name: Name,
    /// The file of its SPIR-V.
    pub spirv: PathBuf,
}

/// A short compile time is the least of several: a process pays for its first pages of memory within one of them. Seconds.
const SHORT: f64 = 0.1;
/// So many.
const TIMES: usize = 2;
/// So many where a kernel seemed slower than it was.
const TIMES_AGAIN: usize = 8;
/// The reference kernel is compiled so often before others: the first times of a process take longer.
const FIRST: usize = 4;
/// A kernel that seems slower than it was is measured so often again, alone.
const AGAIN: usize = 4;
/// Texts that a process compiles: to open a driver takes longer than most of them.
const IN_A_PROCESS: usize = 16;

/// Compiles, and again where that is short, `times` in all.
fn repeated(driver: &Driver, words: &[u32], times: usize) -> Result<Compiled> {
    let mut compiled = driver.compile(words)?;
    for _ in 1..times {
        if compiled.seconds < SHORT {
            compiled.seconds = compiled.seconds.min(driver.compile(words)?.seconds);
        }
    }
    Ok(compiled)
}

fn words(path: &Path) -> Result<Vec<u32>> {
    let bytes = std::fs::read(path).map_err(|error| Error::file(path, error))?;
    Ok(bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect())
}

/// Compiles texts on all processors, some in a process, and those of a process that fails each in one of its own. A text that takes longer than in the `known` table is then
/// measured again, with nothing beside it, and has the least of its times: other work on the machine makes no kernel slower.
pub fn all(jobs: &[Job], limit: u64, known: &Table) -> Result<Table> {
    let driver = Driver::open()?;
    let some: Vec<&[Job]> = jobs.chunks(IN_A_PROCESS).collect();
    let rows = some.par_iter().map(|jobs| in_a_process(jobs, limit)).try_collect::<Vec<_>, Error>()?;
    let (mut rows, units): (Vec<Row>, Vec<f64>) = rows.into_iter().flatten().unzip();
    for (job, row) in jobs.iter().zip(&mut rows) {
        for _ in 0..AGAIN {
            if !known.has_faster(row) {
                break;
            }
            row.time = row.time.min(alone(job, limit, TIMES_AGAIN)?.0.time);
        }
    }
    Ok(Table {
        driver: driver.name.clone(),
        unit: 1000.0 * units.into_iter().fold(f64::INFINITY, f64::min),
        rows,
    })
}

/// The version of Mesa.
pub fn version() -> Result<String> {
    Ok(table::version(&Driver::open()?.name).to_owned())
}

/// This program, also where there is no `/proc` that would know it.
fn this_program() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| std::env::args_os().next().unwrap_or_default().into())
}

/// A row, and the seconds of the reference kernel beside it.
type Measured = (Row, f64);

fn in_a_process(jobs: &[Job], limit: u64) -> Result<Vec<Measured>> {
    match rows_of_a_process(jobs, limit, TIMES)? {
        Ok(rows) => Ok(rows),
        Err(_) => jobs.iter().map(|job| alone(job, limit, TIMES)).collect(),
    }
}

fn alone(job: &Job, limit: u64, times: usize) -> Result<Measured> {
    match rows_of_a_process(std::slice::from_ref(job), limit, times)?.map(|mut rows| rows.pop()) {
        Ok(Some(row)) => Ok(row),
        Ok(None) => Err(Error::Device("a process that compiled nothing".into())),
        Err(failure) => {
            let (name, statistics) = (job.name.clone(), Statistics::default());
            Ok((Row { name, failure: Some(failure), statistics, time: 0.0 }, f64::INFINITY))
        }
    }
}

/// The rows of some texts, or why the process ended without them.
fn rows_of_a_process(jobs: &[Job], limit: u64, times: usize) -> Result<Result<Vec<Measured>, String>> {
    let of_program = |error| Error::file("this program", error);
    let mut command = Command::new(this_program());
    command.arg("some").args(["--limit", &limit.to_string(), "--times", &times.to_string()]);
    command.args(jobs.iter().map(|job| &job.spirv));
    let output = command.stderr(Stdio::null()).output().map_err(of_program)?;
    let (status, output) = (output.status, String::from_utf8_lossy(&output.stdout));
    if status.signal() == Some(libc::SIGXCPU) {
        return Ok(Err(format!("longer than {limit} s")));
    }
    let row = |(job, line): (&Job, &str)| {
        let (statistics, [seconds, unit]) = parse(line)?;
        Some((Row { name: job.name.clone(), failure: None, statistics, time: seconds / unit }, unit))
    };
    let rows: Option<Vec<Measured>> = jobs.iter().zip(output.lines()).map(row).collect();
    let complete = rows.filter(|rows| status.success() && rows.len() == jobs.len());
    Ok(complete.ok_or_else(|| format!("the compiler ended with {status}")))
}

/// Compiles texts and prints a line each for [`all`]: the columns, the seconds, and those of the reference kernel, the less of
/// before and after. So what slows the processor for a while slows both.
pub fn some(paths: &[PathBuf], limit: u64, times: usize) -> Result<()> {
    clock::end_after(limit);
    let driver = Driver::open()?;
    let reference = gpu::spirv(&reference::text())?;
    let mut before = f64::INFINITY;
    for _ in 0..FIRST {
        before = before.min(driver.compile(&reference)?.seconds);
    }
    for path in paths {
        let compiled = repeated(&driver, &words(path)?, times)?;
        let after = driver.compile(&reference)?.seconds;
        let columns =
            Statistics::of(&compiled).columns().map(|column| column.map_or("-".into(), |n| n.to_string()));
        println!("{} {} {}", columns.join(" "), compiled.seconds, before.min(after));
        before = after;
    }
    Ok(())
}

fn parse(output: &str) -> Option<(Statistics, [f64; 2])> {
    let fields: Vec<Option<f64>> = output.split_whitespace().map(|field| field.parse().ok()).collect();
    let (columns, &[seconds, unit]) = fields.split_last_chunk()?;
    Some((Statistics::of_columns(columns.try_into().ok()?), [seconds?, unit?]))
}

/// All that the driver says of one text.
pub fn raw(path: &Path, with_listings: bool) -> Result<String> {
    let driver = Driver::open()?;
    let words = words(path)?;
    let compiled =
        if with_listings { driver.compile_with_listings(&words)? } else { driver.compile(&words)? };
    let mut text = format!("{}: {:.3} s\n", driver.name.join(" | "), compiled.seconds);
    for executable in &compiled.executables {
        text += &format!("  subgroups of {}\n", executable.subgroup);
        for (name, value) in &executable.statistics {
            text += &format!("    {name}: {value}\n");
        }
        for (name, listing) in &executable.listings {
            text += &format!("  {name}\n{listing}\n");
        }
    }
    Ok(text)
}
