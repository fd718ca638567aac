//! `wgalois solve`: Boolean equations, from a file to their solutions.

mod check;
mod system;
mod watch;

use super::outputs::is_stdout;
use crate::prelude::*;
pub use check::CheckSolve;
use system::System;
pub use system::parse_format;
use watch::Watcher;
pub use watch::leave_checkpoint;
use wgalois_boolean::formats::{self, assignment};
use wgalois_boolean::{
    Certificate, Equations, Method, Query, Simplified, Solutions, Solve, SolveInput, SolvePlan, Speeds,
    TimeLimit, Watch, recount,
};

const GUARANTEE: &str = "Guarantee of --verify: every assignment solves all equations; a wrong one never passes. That no \
                         solution is missing, of --all, --count and the answer that there is none, is checked by random \
                         columns in eliminations (xl), or by planted solutions: the same search, of the same equations with \
                         other constants in parts drawn at random, must find them. It takes a tenth of the search's time, \
                         or a quarter of a second if that is more, and a search that loses a share p of the solutions passes \
                         with a chance of (1 - p)^k after k plants. What \
                         the simplification alone decides is computed again in another way. Where nothing was checked, the run \
                         says `not verified`. A certificate proves that the equations have no solution: the products that it \
                         lists sum to 1.\n\n\
                         The exit code is 7 if there is no solution: the search was complete, or 1 = 0 follows from \
                         the equations. It is 8 if the time limit ended the search before that was known.";

/// A second computation of what the simplification decided may take this long.
const MOST_REPEATED: Duration = Duration::from_secs(10);

/// Solve polynomial equations over GF(2)
///
/// Reads polynomials that must all be 0: a polynomial a line, `x1*x2 + x3 + 1`, as Bosphorus does; lists that Sage
/// or Magma print; the Fukuoka MQ challenge's coefficients over GF(2); or clauses and XORs of DIMACS. The output is an assignment a line,
/// `x1=0 x2=1`, of the variables that occur or that the file lists, with the names of the file.
///
/// Linear equations are substituted first, until there are none. Then a method solves what is left.
#[derive(clap::Args)]
#[command(after_long_help = GUARANTEE)]
pub struct SolveVerb {
    #[command(flatten)]
    system: System,
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
        let limit = self.time_limit.map(TimeLimit::new);
        if self.checkpoint.is_some() && self.method == Method::Xl {
            return Err(Error::only_for("--checkpoint", "methods that keep a state, unlike xl"));
        }
        if self.degree.is_some() && self.method == Method::Exhaustive {
            return Err(Error::only_for("--degree", "methods with matrices, unlike exhaustive"));
        }
        if self.checkpoint.as_deref().is_some_and(is_stdout) {
            return Err(Error::needs("--checkpoint", "the name of a file"));
        }
        watch::expect(self.checkpoint.as_deref());
        let outcome = self.answer(context, limit);
        if matches!(outcome, Err(Error::Stopped(_))) && watch::has_nothing() {
            context.note(watch::NOTHING);
        }
        outcome
    }

    fn inputs(&self) -> Vec<PathBuf> {
        vec![self.system.input.clone()]
    }

    fn outputs(&self) -> Outputs {
        let certificate = self.certificate.iter().map(|path| ("--certificate", path.clone()));
        let checkpoint = self.checkpoint.iter().map(|path| ("--checkpoint", path.clone()));
        Outputs { endings: Some(TEXT), files: certificate.chain(checkpoint).collect(), ..Outputs::default() }
    }
}

/// What is known of the claim that no solution is missing.
enum Shown {
    /// A check of the search has shown it.
    Checked(Guarantee),
    /// The simplification has decided it, and it is computed again.
    Simplified,
    /// Nothing, and why.
    Nothing(&'static str),
}

impl SolveVerb {
    /// Solves the equations, and writes the answer.
    fn answer(&self, context: &Context, limit: Option<TimeLimit>) -> Result<()> {
        let equations = self.system.read(context, limit)?;
        context.report("variables", equations.variables());
        context.report("equations", equations.polynomials().len());
        context.report("degree", equations.degree());
        let host = context.host();
        let _limit = host.timeline().limited(limit.and_then(|limit| limit.deadline()));
        let simplify = || match context.verifies() {
            true => Simplified::checked(&host, &equations),
            false => Simplified::new(&host, &equations),
        };
        let simplified = context.step(Phase::Host, "simplify", simplify)?;
        let Some((solutions, shown)) = self.solve(context, &simplified, limit)? else { return Ok(()) };
        let has_state = watch::has_state();
        let solutions = Solutions::lifted(solutions, &simplified, self.query())?;
        // Nothing is printed that does not solve the equations as they were read.
        solutions.check(&equations)?;
        self.expect_known(context, &solutions)?;
        if watch::has_nothing() {
            // The search was complete after one round.
            watch::expect(None);
        }
        let certificate = self.certify(context, &host, &equations, &solutions)?;
        if context.verifies() {
            self.verify(context, &host, &equations, &solutions, (certificate, shown))?;
        }
        self.write(context, &equations, &solutions)?;
        match &self.checkpoint {
            Some(path) if has_state => watch::remove(path),
            _ => Ok(()),
        }
    }

    fn query(&self) -> Query {
        match (self.all, self.count) {
            (true, _) => Query::All,
            (_, true) => Query::Count,
            _ => Query::One,
        }
    }

    /// Solves what is left after the simplification; `None` with `--plan`.
    fn solve(
        &self,
        context: &Context,
        simplified: &Simplified,
        limit: Option<TimeLimit>,
    ) -> Result<Option<(Solutions, Shown)>> {
        let core = simplified.core();
        let (left, free) = (core.variables(), simplified.free().len());
        context.report("variables_left", left);
        context.report("equations_left", core.polynomials().len());
        context.report("free", free);
        let decided = if simplified.is_contradiction() {
            Some(("1 = 0 follows from linear equations".to_owned(), Solutions::none()))
        } else if core.polynomials().is_empty() {
            let one = Solutions { list: vec![Vec::new()], count: 1.into(), is_complete: true };
            Some((format!("no equation is left, {free} variables are free"), one))
        } else {
            None
        };
        if let Some((why, solutions)) = decided {
            context.note(&format!("simplified: {why}"));
            let host = context.host_alone("the simplification, which decides this system,")?;
            return Ok(host.map(|_| (solutions, Shown::Simplified)));
        }
        context.note(&format!(
            "simplified: {} equations in {left} variables are left, {free} variables are free",
            core.polynomials().len()
        ));
        let problem = Solve::of(core).with_query(self.query()).with_method(self.method);
        let problem = problem.with_degree(self.degree.map(usize::from));
        let refine = |device: &Device, plan: &SolvePlan| -> Result<Option<Solve>> {
            let speeds = match Speeds::known(device) {
                None if plan.cost().time >= Speeds::WORTH_MEASURING => {
                    context.note("measuring the speeds of searches on this device, which are kept");
                    Some(context.step(Phase::Preparing, "speeds", || Speeds::kept(device))?)
                }
                known => known,
            };
            Ok(speeds.map(|speeds| problem.clone().with_speeds(speeds)))
        };
        let Some((device, plan)) = context.plan_refined(&problem, refine)? else { return Ok(None) };
        let (method, speeds) = (Method::of(&plan), plan.problem().speeds(&device.profile()));
        context.report("speeds", serde_json::to_value(speeds).unwrap_or_default());
        context.report("method", method.to_string());
        context.note(&format!("method: {}", Solve::summary(&plan)));
        if self.degree.is_some() && method == Method::Exhaustive {
            context.note("--degree: the method exhaustive has no matrices");
        }
        let has_state = method != Method::Xl;
        if self.checkpoint.is_some() && !has_state {
            context.note("no checkpoint: the method xl keeps no state");
            watch::expect(None);
        }
        let checkpoint = self.checkpoint.as_deref().filter(|_| has_state);
        let mut watcher = Watcher::new(context, limit, checkpoint)?;
        let is_resumed = watcher.is_resumed();
        let prepared = plan.prepare(&device)?;
        let name = method.to_string();
        let begin = Instant::now();
        let input = SolveInput::new(core).with_watch(&mut watcher).with_checks(context.verifies());
        let found = context.step(Phase::Host, &name, || prepared.run(input));
        context.report("search_seconds", begin.elapsed().as_secs_f64());
        match found {
            // The state is that of a device that computes nonsense.
            Err(error @ Error::Check(_)) => Err(error),
            found => {
                watcher.write()?;
                let (solutions, guarantee) = found?;
                let nothing = Shown::Nothing(if is_resumed {
                    "the search went on from a checkpoint, and what was done before was not checked"
                } else {
                    "nothing was checked on the way"
                });
                Ok(Some((solutions, guarantee.map_or(nothing, Shown::Checked))))
            }
        }
    }

    /// Reports the number of solutions. If the search was ended before the answer was known, returns
    /// [`Error::Stopped`](wgalois::Error::Stopped).
    fn expect_known(&self, context: &Context, solutions: &Solutions) -> Result<()> {
        context.report("solutions", solutions.count.to_string());
        context.report("complete", solutions.is_complete);
        let is_unknown = match self.query() {
            Query::One => !solutions.is_complete && solutions.list.is_empty(),
            Query::All | Query::Count => !solutions.is_complete,
        };
        match is_unknown {
            false => Ok(()),
            true => Err(Error::Stopped(format!(
                "the search was ended before it was complete; {} solutions so far",
                solutions.count.brief()
            ))),
        }
    }

    /// Verifies the assignments, and that none is missing where the answer says so.
    fn verify(
        &self,
        context: &Context,
        host: &Device,
        equations: &Equations,
        solutions: &Solutions,
        (certificate, shown): (Option<Certificate>, Shown),
    ) -> Result<()> {
        context.report("verified", false);
        if !solutions.list.is_empty() {
            context.verify(|| solutions.check(equations))?;
        }
        if self.query() == Query::One && !solutions.list.is_empty() {
            return Ok(());
        }
        let unverified = |why: &str| {
            context.report("verified", false);
            let sentence = format!("that no solution is missing: {why}");
            context.note(&format!("not verified: {sentence}"));
            context.report("not_verified", sentence);
            Ok(())
        };
        match (certificate, shown) {
            (Some(certificate), _) => context.verify(|| certificate.check(equations)),
            (None, Shown::Checked(guarantee)) => context.verify(|| Ok(guarantee)),
            (None, Shown::Nothing(why)) => unverified(why),
            (None, Shown::Simplified) => {
                let again = || recount(host, equations, MOST_REPEATED);
                match context.step(Phase::Checking, "verify", again) {
                    Ok(Some((count, guarantee))) if count == solutions.count => {
                        context.verify(|| Ok(guarantee))
                    }
                    Ok(Some((count, _))) => {
                        let fault = format!("{} solutions, computed again {count}", solutions.count);
                        Err(Error::Check(fault.into()))
                    }
                    Ok(None) => unverified("to compute it again would take too long"),
                    Err(Error::Stopped(_)) => unverified("the time limit ended the check"),
                    Err(error) => Err(error),
                }
            }
        }
    }

    /// Writes the answer.
    fn write(&self, context: &Context, equations: &Equations, solutions: &Solutions) -> Result<()> {
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

    /// Looks for a certificate if there is no solution and one is wanted, and writes it.
    fn certify(
        &self,
        context: &Context,
        host: &Device,
        equations: &Equations,
        solutions: &Solutions,
    ) -> Result<Option<Certificate>> {
        let Some(path) = self.certificate.as_deref() else { return Ok(None) };
        let find = || Certificate::find(host, equations, context.free() / 8);
        let lacks = |why: &str| {
            context.note(&format!("no certificate: {why}"));
            context.remove_stale(Some(path)).map(|_| None)
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
                context
                    .write_to(path, |out| formats::write_certificate(out, equations, &certificate))
                    .map(|()| Some(certificate))
            }
        }
    }
}
