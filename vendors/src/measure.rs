//! Compiling many texts: all in this process, or each in a process of its own, which ends at a limit of time.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wgalois::parallel::*;
use wgalois::{Error, Result};

use crate::driver::{Compiled, Driver};
use crate::reference;
use crate::spirv;
use crate::statistics::Statistics;
use crate::table::{Row, Table};
use crate::texts::Name;

/// A text to compile.
pub struct Job {
    /// Its name in the table.
    pub name: Name,
    /// The file of its SPIR-V.
    pub spirv: PathBuf,
}

/// Short compile times are taken as the least of some, as long as these take less than this many seconds.
const ENOUGH: f64 = 0.06;
/// At most so many times.
const MOST: usize = 3;
/// The reference kernel, which counts in every row, is compiled so often.
const OF_REFERENCE: usize = 9;

/// Compiles some times, and returns what was compiled with the least time.
fn repeated(driver: &Driver, words: &[u32], most: usize) -> Result<Compiled> {
    let mut best = driver.compile(words)?;
    let mut total = best.seconds;
    for _ in 1..most {
        if total > ENOUGH {
            break;
        }
        let seconds = driver.compile(words)?.seconds;
        total += seconds;
        best.seconds = best.seconds.min(seconds);
    }
    Ok(best)
}

fn of_reference(driver: &Driver) -> Result<f64> {
    let words = spirv::of_wgsl(&reference::text())?;
    let times = (0..OF_REFERENCE).map(|_| Ok(driver.compile(&words)?.seconds));
    times.reduce(|a: Result<f64>, b| Ok(a?.min(b?))).unwrap_or(Ok(f64::INFINITY))
}

fn words(path: &Path) -> Result<Vec<u32>> {
    let bytes = std::fs::read(path).map_err(|error| Error::file(path, error))?;
    Ok(bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect())
}

/// Compiles all texts one after the other in this process.
pub fn together(jobs: &[Job]) -> Result<Table> {
    let driver = Driver::open()?;
    let unit = of_reference(&driver)?;
    let row = |job: &Job| {
        let compiled = repeated(&driver, &words(&job.spirv)?, MOST)?;
        let (name, statistics) = (job.name.clone(), Statistics::of(&compiled));
        Ok(Row { name, failure: None, statistics, time: compiled.seconds / unit })
    };
    Ok(Table { driver: driver.name.clone(), rows: jobs.iter().map(row).collect::<Result<_>>()? })
}

/// Compiles each text in a process of its own, on all processors.
pub fn each_alone(jobs: &[Job], limit: Duration) -> Result<Table> {
    let driver = Driver::open()?;
    let unit = of_reference(&driver)?;
    let rows = jobs.par_iter().map(|job| alone(job, limit, unit)).try_collect()?;
    Ok(Table { driver: driver.name.clone(), rows })
}

fn alone(job: &Job, limit: Duration, unit: f64) -> Result<Row> {
    let program = std::env::current_exe().map_err(|error| Error::file("this program", error))?;
    let begin = Instant::now();
    let mut command = Command::new(program);
    command.arg("one").arg(&job.spirv).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| Error::file("this program", error))?;
    let failed = |failure: String| {
        let (name, statistics) = (job.name.clone(), Statistics::default());
        Row { name, failure: Some(failure), statistics, time: begin.elapsed().as_secs_f64() / unit }
    };
    let status = loop {
        match child.try_wait().map_err(|error| Error::file("this program", error))? {
            Some(status) => break status,
            None if begin.elapsed() > limit => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(failed(format!("longer than {} s", limit.as_secs())));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut output = String::new();
    let read = child.stdout.take().map(|mut pipe| pipe.read_to_string(&mut output));
    match (status.success(), read, parse(&output)) {
        (true, Some(Ok(_)), Some((statistics, seconds))) => {
            Ok(Row { name: job.name.clone(), failure: None, statistics, time: seconds / unit })
        }
        _ => Ok(failed(format!("the compiler ended with {status}"))),
    }
}

/// Compiles one text and prints its row for [`each_alone`]: the columns and the seconds.
pub fn one(path: &Path) -> Result<String> {
    let compiled = repeated(&Driver::open()?, &words(path)?, MOST)?;
    let columns =
        Statistics::of(&compiled).columns().map(|column| column.map_or("-".into(), |n| n.to_string()));
    Ok(format!("{} {}", columns.join(" "), compiled.seconds))
}

fn parse(output: &str) -> Option<(Statistics, f64)> {
    let fields: Vec<Option<f64>> = output.split_whitespace().map(|field| field.parse().ok()).collect();
    let (seconds, columns) = fields.split_last()?;
    Some((Statistics::of_columns(columns.try_into().ok()?), (*seconds)?))
}

/// All that the driver says of one text.
pub fn raw(path: &Path) -> Result<String> {
    let driver = Driver::open()?;
    let compiled = driver.compile(&words(path)?)?;
    let mut text = format!("{}: {:.3} s\n", driver.name.join(" | "), compiled.seconds);
    for executable in &compiled.executables {
        text += &format!("  subgroups of {}\n", executable.subgroup);
        for (name, value) in &executable.statistics {
            text += &format!("    {name}: {value}\n");
        }
    }
    Ok(text)
}
