//! Boolean systems, from text to solutions.

use crate::prelude::*;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use wgalois::Cpu;
use wgalois_boolean::formats;
use wgalois_boolean::{
    Checkpoint, Method, Query, Simplified, Solutions, Solve, SolveInput, TimeLimit, Watch,
};

/// The format of equations by name; by the beginning of the text without one.
fn format_of(name: Option<&str>) -> Result<Option<formats::Format>> {
    match name {
        None => Ok(None),
        Some("anf") => Ok(Some(formats::Format::Anf)),
        Some("sage") => Ok(Some(formats::Format::Sage)),
        Some("challenge") => Ok(Some(formats::Format::Challenge)),
        Some("dimacs") => Ok(Some(formats::Format::Dimacs)),
        Some(name) => Err(Error::unknown("format", name, ["anf", "sage", "challenge", "dimacs"])),
    }
}

/// Solutions as (names of the variables, values of each solution, the number of solutions in decimal).
type Answer = (Vec<String>, Vec<Vec<bool>>, String);

/// Ends a search at its limit, and after Ctrl-C.
struct Watcher<F> {
    limit: Option<TimeLimit>,
    check: F,
}

impl<F: Fn() -> Result<()>> Watch for Watcher<F> {
    fn round(&mut self, state: &Checkpoint) -> Result<bool> {
        (self.check)()?;
        match &mut self.limit {
            Some(limit) => limit.round(state),
            None => Ok(true),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.limit.and_then(|limit| limit.deadline())
    }
}

fn solve(
    source: &Source,
    format: Option<formats::Format>,
    query: Query,
    method: Method,
    limit: Option<Duration>,
    device: &str,
) -> Result<Answer> {
    let equations = formats::read(source, format, u64::MAX)?;
    let limit = limit.map(TimeLimit::new);
    let host = Device::Cpu(Cpu::default());
    work::stops(&host)?;
    let in_time = host.timeline().limited(limit.and_then(|limit| limit.deadline()));
    let simplified = Simplified::new(&host, &equations)?;
    drop(in_time);
    let core = simplified.core();
    let solutions = if simplified.is_contradiction() {
        Solutions::none()
    } else if core.polynomials().is_empty() {
        Solutions { list: vec![Vec::new()], count: 1.into(), is_complete: true }
    } else {
        let problem = Solve::of(core).with_query(query).with_method(method);
        let device = device::select(device, &problem)?;
        let ready = problem.plan(&device)?.prepare(&device)?;
        let mut watcher = Watcher { limit, check: work::asks() };
        ready.run(SolveInput::new(core).with_watch(&mut watcher))?.0
    };
    let is_known = solutions.is_complete || query == Query::One && !solutions.list.is_empty();
    let solutions = Solutions::lifted(solutions, &simplified, query)?;
    if !is_known {
        let found = &solutions.count;
        let message = format!("the search was ended before it was complete; {found} solutions so far");
        return Err(Error::Stopped(message));
    }
    solutions.check(&equations)?;
    Ok((equations.names().to_vec(), solutions.list, solutions.count.to_string()))
}

/// Solves the equations of a text, or of a file.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python half names them")]
#[pyo3(signature = (text, path, query, method, format, seconds, device))]
pub fn boolean_solve(
    py: Python<'_>,
    text: Option<String>,
    path: Option<PathBuf>,
    query: &str,
    method: &str,
    format: Option<&str>,
    seconds: Option<f64>,
    device: DeviceName,
) -> PyResult<Answer> {
    let query = match query {
        "all" => Query::All,
        "count" => Query::Count,
        _ => Query::One,
    };
    let (method, format) = (raised(py, method.parse())?, raised(py, format_of(format))?);
    let limit = match seconds.map(Duration::try_from_secs_f64).transpose() {
        Ok(limit) => limit,
        Err(_) => {
            let message = "time_limit: a number of seconds from 0 was expected";
            return raised(py, Err(Error::Input(message.into())));
        }
    };
    work::run(py, (), move |()| {
        let source = match path {
            Some(path) => Source::open(&path, u64::MAX)?,
            None => Source::from_bytes("equations", text.unwrap_or_default().into_bytes()),
        };
        solve(&source, format, query, method, limit, &device)
    })
}
