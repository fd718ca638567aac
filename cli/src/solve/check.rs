//! `wgalois check solve`: assignments, the number of solutions, and that there is none.

use super::parse_time;
use super::system::System;
use crate::check::no_result;
use crate::prelude::*;
use wgalois_boolean::formats::{self, Answer};
use wgalois_boolean::{Certificate, Count, Equations, Solutions, TimeLimit, Watch, recount};

/// Verify assignments to Boolean equations, the number of solutions, or a certificate that there is none
#[derive(clap::Args)]
pub struct CheckSolve {
    #[command(flatten)]
    system: System,
    /// Verify the number of solutions, instead of --result: it is computed again, on the CPU engine
    #[arg(long, value_name = "N", conflicts_with = "unsatisfiable")]
    count: Option<Count>,
    /// Verify that there is no solution, instead of --result: by --certificate, or by counting
    #[arg(long)]
    unsatisfiable: bool,
    /// The products of equations that sum to 1, as `solve --certificate` writes them
    #[arg(long, value_name = "FILE", requires = "unsatisfiable")]
    certificate: Option<PathBuf>,
    /// End the counting after this time, such as 90, 90s, 15m or 2h; the exit code is then 8
    #[arg(long, value_name = "TIME", value_parser = parse_time, conflicts_with = "certificate")]
    time_limit: Option<Duration>,
    /// The result to verify; required
    #[arg(long, value_name = "FILE", global = true)]
    result: Option<PathBuf>,
}

impl Run for CheckSolve {
    fn run(&self, context: &Context) -> Result<()> {
        let Some(result) = &self.result else { return self.check_alone(context) };
        if self.count.is_some() || self.unsatisfiable {
            return Err(Error::needs("this check", "one of --result FILE, --count N and --unsatisfiable"));
        }
        if self.time_limit.is_some() {
            return Err(Error::only_for("--time-limit", "counting: --count N, or --unsatisfiable"));
        }
        let equations = self.system.read(context, None)?;
        match read(context, &equations, result)? {
            Answer::Solutions(list) if list.is_empty() => {
                Err(Error::needs("this check", "an assignment: a certificate proves that there is none"))
            }
            Answer::Solutions(list) => {
                let count = (list.len() as u64).into();
                let solutions = Solutions { list, count, is_complete: false };
                context.verify(|| solutions.check(&equations))
            }
            Answer::Certificate(certificate) => context.verify(|| certificate.check(&equations)),
        }
    }

    fn outputs(&self) -> Outputs {
        Outputs { data: Data::None, ..Outputs::default() }
    }

    fn inputs(&self) -> Vec<PathBuf> {
        [&self.system.input].into_iter().chain(&self.certificate).chain(&self.result).cloned().collect()
    }
}

impl CheckSolve {
    /// Verifies an answer that is in the arguments.
    fn check_alone(&self, context: &Context) -> Result<()> {
        let expected = match (&self.count, self.unsatisfiable) {
            (Some(count), _) => count.clone(),
            (None, true) => Count::default(),
            (None, false) => return Err(no_result()),
        };
        let limit = self.time_limit.map(TimeLimit::new);
        let equations = self.system.read(context, limit)?;
        if let Some(path) = &self.certificate {
            let certificate = self.certificate(context, &equations, path)?;
            return context.verify(|| certificate.check(&equations));
        }
        let host = context.host();
        let _limit = host.timeline().limited(limit.and_then(|limit| limit.deadline()));
        let again = || recount(&host, &equations, Duration::MAX);
        context.report("verified", false);
        let again = context.step(Phase::Checking, "count", again)?;
        let unknown = || Error::Stopped("the counting was ended before it was complete".to_owned());
        let (count, guarantee) = again.ok_or_else(unknown)?;
        context.report("solutions", count.to_string());
        let check = || -> Result<Guarantee> {
            Wrong::unless(count == expected, format!("{count} solutions, not {expected}"))?;
            Ok(guarantee)
        };
        context.verify(check)
    }

    fn certificate(&self, context: &Context, equations: &Equations, path: &Path) -> Result<Certificate> {
        match read(context, equations, path)? {
            Answer::Certificate(certificate) => Ok(certificate),
            Answer::Solutions(_) => Err(Error::Input(
                "--certificate: the file has no certificate; it begins with `certificate:`".to_owned(),
            )),
        }
    }
}

fn read(context: &Context, equations: &Equations, path: &Path) -> Result<Answer> {
    let read = |source: &_| formats::read_answer(source, equations, context.memory());
    context.read(path, read)
}
