//! `wgalois solve`: Boolean equations, from a file to their solutions.

mod watch;

use super::outputs::{Outputs, TEXT};
use super::{Check, Context, Run};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use watch::Watcher;
use wgalois::boolean::{
    Certificate, Equations, Method, Simplified, Solutions, Solve, Speeds, TimeLimit, Want, Watch,
};
use wgalois::io::equations::{self, Answer, Format, assignment};
use wgalois::task::{Plan, Problem};
use wgalois::timeline::Phase;
use wgalois::{Device, Error, Result};

const GUARANTEE: &str = "Guarantee of --verify and check: every assignment solves all equations; a wrong one never \
                         passes. That there are no others is not checked. A certificate proves that the equations \
                         have no solution: the products that it lists sum to 1.\n\n\
                         The exit code is 7 if there is no solution: the search was complete, or 1 = 0 follows from \
                         the equations. It is 8 if the time limit ended the search before that was known.";

/// A search that is expected to take this long is worth a measurement of the device's speeds, once.
const MEASURED_FROM: Duration = Duration::from_secs(1);

/// Solve polynomial equations over GF(2)
///
/// Reads polynomials that must all be 0: a polynomial a line, `x1*x2 + x3 + 1`, as Bosphorus does; lists that Sage
/// or Magma print; or the Fukuoka MQ challenge's coefficients over GF(2). The output is an assignment a line,
/// `x1=0 x2=1`, of the variables that occur or that the file lists, with the names of the file.
///
/// Linear equations are substituted first, until there are none. Then a method solves what is left.
#[derive(clap::Args)]
#[command(after_long_help = GUARANTEE)]
pub struct SolveVerb {
    /// The equations; `-` is stdin
    input: PathBuf,
    /// Format of the equations: anf, sage or challenge [default: by the beginning of the file]
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    format: Option<Format>,
    /// Method: auto, exhaustive (all values of all variables), xl (Macaulay matrices), or crossbred (both)
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    method: Method,
    /// Degree of the Macaulay matrices of xl and crossbred [default: the one that is expected to be the fastest]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u8).range(2..=12))]
    degree: Option<u8>,
    /// Print all solutions
    #[arg(long, conflicts_with = "count")]
    all: bool,
    /// Print the number of solutions
    #[arg(long)]
    count: bool,
    /// Fix a variable, as in --fix x3=1; may be given several times
    #[arg(long, value_name = "VARIABLE=VALUE")]
    fix: Vec<String>,
    /// End the search, or an elimination within it, after this time, such as 90, 90s, 15m or 2h
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time_limit: Option<Duration>,
    /// Keep the state of a long search in this file, and go on from it if it exists; it is removed when the search is
    /// complete
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// If there is no solution, write which products of equations sum to 1; `check solve` verifies it
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
}

pub fn parse_format(text: &str) -> Result<Format, String> {
    match text {
        "anf" => Ok(Format::Anf),
        "sage" => Ok(Format::Sage),
        "challenge" => Ok(Format::Challenge),
        _ => Err("expected anf, sage or challenge".to_owned()),
    }
}

fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(number) if text.ends_with('m') => (number, 60.0),
        Some(number) if text.ends_with('h') => (number, 3600.0),
        Some(number) => (number, 1.0),
        None => (text, 1.0),
    };
    let seconds = number.parse::<f64>().ok().map(|number| number * unit);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "expected a time, such as 90, 90s, 15m or 2h".to_owned())
}

impl Run for SolveVerb {
    fn run(&self, context: &Context) -> Result<()> {
        let equations = self.read(context)?;
        context.report("variables", equations.variables());
        context.report("equations", equations.polynomials().len());
        context.report("degree", equations.degree());
        let limit = self.time_limit.map(TimeLimit::new);
        let host = context.host();
        let _limit = host.timeline().limited(limit.and_then(|limit| limit.deadline()));
        let simplify = || Simplified::new(&host, &equations);
        let simplified = context.step(Phase::Host, "simplify", simplify)?;
        let Some(solutions) = self.solve(context, &simplified, limit)? else { return Ok(()) };
        let solutions = Solutions::lifted(solutions, &simplified, self.want())?;
        // Nothing is printed that does not solve the equations as they were read.
        solutions.check(&equations)?;
        context.verify_if_asked(|| solutions.check(&equations))?;
        self.write(context, &host, &equations, &solutions)
    }

    fn inputs(&self) -> Vec<PathBuf> {
        vec![self.input.clone()]
    }

    fn outputs(&self) -> Outputs {
        let certificate = self.certificate.iter().map(|path| ("--certificate", path.clone()));
        let checkpoint = self.checkpoint.iter().map(|path| ("--checkpoint", path.clone()));
        Outputs { endings: Some(TEXT), files: certificate.chain(checkpoint).collect(), ..Outputs::default() }
    }
}

impl Check for SolveVerb {
    fn check(&self, context: &Context, result: &Path) -> Result<()> {
        let equations = self.read(context)?;
        let read = |source: &_| equations::read_answer(source, &equations, context.memory());
        match context.read(result, read)? {
            Answer::Solutions(list) if list.is_empty() => Err(Error::Usage(
                "the result has no assignment; a certificate proves that there is none".to_owned(),
            )),
            Answer::Solutions(list) => {
                let count = (list.len() as u64).into();
                let solutions = Solutions { list, count, is_complete: false };
                context.verify(|| solutions.check(&equations))
            }
            Answer::Certificate(certificate) => context.verify(|| certificate.check(&equations)),
        }
    }
}

impl SolveVerb {
    fn want(&self) -> Want {
        match (self.all, self.count) {
            (true, _) => Want::All,
            (_, true) => Want::Count,
            _ => Want::One,
        }
    }

    /// Reads the equations, with those of `--fix`.
    fn read(&self, context: &Context) -> Result<Equations> {
        let read = |source: &_| equations::read(source, self.format, context.memory());
        let mut equations = context.read(&self.input, read)?;
        for fixed in &self.fix {
            let usage = |what: &str| Error::Usage(format!("--fix {fixed}: {what}"));
            let (name, value) = fixed.split_once('=').ok_or_else(|| usage("expected VARIABLE=VALUE"))?;
            let value = match value.trim() {
                "0" => false,
                "1" => true,
                _ => return Err(usage("the value is 0 or 1")),
            };
            let name: String = name.split_ascii_whitespace().collect();
            let variable = equations.variable_named(&name).ok_or_else(|| {
                let is_same = |other: &&String| equations::canonical(other) == equations::canonical(&name);
                match equations.names().iter().find(is_same) {
                    Some(other) => {
                        usage(&format!("the equations have no variable of this name, but {other}"))
                    }
                    None => usage("this variable does not occur in the equations"),
                }
            })?;
            equations = equations.with_fixed(variable, value)?;
        }
        Ok(equations)
    }

    /// Solves what is left after the simplification; `None` with `--plan`.
    fn solve(
        &self,
        context: &Context,
        simplified: &Simplified,
        limit: Option<TimeLimit>,
    ) -> Result<Option<Solutions>> {
        let core = simplified.core();
        let (left, free) = (core.variables(), simplified.free().len());
        context.report("variables_left", left);
        context.report("equations_left", core.polynomials().len());
        context.report("free", free);
        if simplified.is_contradiction() {
            context.note("simplified: 1 = 0 follows from linear equations");
            return Ok(Some(Solutions::none()));
        }
        if core.polynomials().is_empty() {
            context.note(&format!("simplified: no equation is left, {free} variables are free"));
            return Ok(Some(Solutions { list: vec![Vec::new()], count: 1.into(), is_complete: true }));
        }
        context.note(&format!(
            "simplified: {} equations in {left} variables are left, {free} variables are free",
            core.polynomials().len()
        ));
        let problem = Solve::of(core).with_want(self.want()).with_method(self.method);
        let problem = problem.with_degree(self.degree.map(usize::from));
        let refine = |device: &Device| -> Result<Solve> {
            let expected = problem.plan(device).map_or(Duration::ZERO, |plan| plan.cost().time);
            let speeds = match Speeds::known(device) {
                None if expected >= MEASURED_FROM => {
                    context.note("measuring the speeds of searches on this device, which are kept");
                    Some(context.step(Phase::Preparing, "speeds", || Speeds::kept(device))?)
                }
                known => known,
            };
            Ok(speeds.map_or(problem.clone(), |speeds| problem.clone().with_speeds(speeds)))
        };
        let Some((device, plan)) = context.plan_refined(&problem, refine)? else { return Ok(None) };
        context.report("speeds", serde_json::to_value(plan.speeds()).unwrap_or_default());
        context.report("method", plan.method().to_string());
        context.note(&format!("method: {}", plan.summary()));
        let mut watcher = Watcher::new(context, limit, self.checkpoint.as_deref())?;
        let prepared = plan.prepare(&device)?;
        let name = plan.method().to_string();
        let begin = Instant::now();
        let solutions = context.step(Phase::Host, &name, || prepared.run_watched(core, &mut watcher))?;
        context.report("search_seconds", begin.elapsed().as_secs_f64());
        let has_answer = self.want() == Want::One && !solutions.list.is_empty();
        watcher.finish(solutions.is_complete || has_answer)?;
        Ok(Some(solutions))
    }

    /// Writes the answer; a certificate is sought on `host`.
    fn write(
        &self,
        context: &Context,
        host: &Device,
        equations: &Equations,
        solutions: &Solutions,
    ) -> Result<()> {
        context.report("solutions", solutions.count.to_string());
        context.report("complete", solutions.is_complete);
        let is_unknown = match self.want() {
            Want::One => !solutions.is_complete && solutions.list.is_empty(),
            Want::All | Want::Count => !solutions.is_complete,
        };
        if is_unknown {
            let found = &solutions.count;
            return Err(Error::Stopped(format!(
                "the search was ended before it was complete; {found} solutions so far"
            )));
        }
        if let Some(path) = &self.certificate {
            self.write_certificate(context, host, (equations, solutions), path)?;
        }
        if self.count {
            return context.write(|out| writeln!(out, "{}", solutions.count));
        }
        if solutions.list.is_empty() {
            context.lack_answer("no solution");
            return context.remove_stale(context.output_path()).map(drop);
        }
        if context.json() {
            let object = |values: &Vec<bool>| {
                let pairs = equations.names().iter().zip(values);
                pairs
                    .map(|(name, &value)| (name.clone(), u8::from(value).into()))
                    .collect::<serde_json::Map<_, _>>()
            };
            context.report("assignments", solutions.list.iter().map(object).collect::<Vec<_>>());
            if !context.has_output() {
                return Ok(());
            }
        }
        context.write(|out| {
            let mut lines = solutions.list.iter();
            lines.try_for_each(|values| writeln!(out, "{}", assignment(equations.names(), values)))
        })
    }

    fn write_certificate(
        &self,
        context: &Context,
        host: &Device,
        (equations, solutions): (&Equations, &Solutions),
        path: &Path,
    ) -> Result<()> {
        let find = || Certificate::find(host, equations, context.free() / 8);
        let lacks = |why: &str| {
            context.note(&format!("no certificate: {why}"));
            context.remove_stale(Some(path)).map(drop)
        };
        if !solutions.count.is_zero() {
            return lacks("there is a solution");
        }
        match context.step(Phase::Host, "certificate", find) {
            Err(Error::Stopped(_)) => lacks("the time limit ended the search for it"),
            Err(error) => Err(error),
            Ok(None) => lacks("its matrix takes more memory than may be used"),
            Ok(Some(certificate)) => {
                certificate.check(equations)?;
                context.write_to(path, |out| equations::write_certificate(out, equations, &certificate))
            }
        }
    }
}
