//! All solutions of small systems of equations over GF(2).

use std::time::Duration;

use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error, Result};
use wgalois_boolean as boolean;
use wgalois_boolean::formats::{self, assignment};
use wgalois_boolean::{Equations, Query, Simplified, Solutions, Solve};
use wgalois_io::Source;

use crate::MEMORY;
use crate::job::Task;

/// Systems that a processor's own instructions are expected to solve in this time: WebAssembly takes some ten times as
/// long, and a run cannot be ended.
const LONGEST: Duration = Duration::from_millis(250);
/// The most characters of a solution that the page shows.
const SHOWN: usize = 200;

pub struct Solving(Equations);

/// Generates random quadratic equations, twice as many as variables, with a solution.
pub fn generate(variables: usize) -> Result<Solving> {
    small(boolean::generate::random(variables, 2 * variables, 2, 1, true)?.equations)
}

pub fn read((name, bytes): (String, Vec<u8>)) -> Result<Solving> {
    small(formats::read(&Source::from_bytes(name, bytes), None, MEMORY)?)
}

/// Refuses a system that would take long.
fn small(equations: Equations) -> Result<Solving> {
    let device = Device::Cpu(Cpu::default());
    let simplified = Simplified::new(&device, &equations)?;
    let core = simplified.core();
    if !core.polynomials().is_empty() && !simplified.is_contradiction() {
        let plan = Solve::of(core).with_query(Query::All).plan(&device)?;
        if plan.cost().time > LONGEST {
            let left = core.variables();
            let message = format!(
                "{left} variables are left without linear equations: the program solves such systems"
            );
            return Err(Error::Input(message));
        }
    }
    Ok(Solving(equations))
}

impl Solving {
    fn line(&self, values: &[bool]) -> String {
        assignment(self.0.names(), values)
    }
}

impl Task for Solving {
    type Output = Solutions;

    const FILES: &'static [&'static str] = &["solutions.txt"];

    fn describe(&self) -> String {
        let (equations, degree) = (self.0.polynomials().len(), self.0.degree());
        format!("{equations} equations of degree {degree} in {} variables", self.0.variables())
    }

    async fn run(&self, device: &Device) -> Result<Solutions> {
        boolean::solve_async(device, &self.0, Query::All).await
    }

    fn check(&self, solutions: &Solutions) -> Result<String> {
        solutions.check(&self.0)?;
        let Some(first) = solutions.list.first() else { return Ok("no solution".into()) };
        let shown: String = self.line(first).chars().take(SHOWN).collect();
        let count = match solutions.list.len() {
            1 => "one solution".into(),
            count => format!("{count} solutions, the first"),
        };
        Ok(format!("every solution was put into all equations: {count} {shown}"))
    }

    fn write(&self, solutions: &Solutions, _: usize) -> Result<Vec<u8>> {
        let lines: String = solutions.list.iter().map(|values| self.line(values) + "\n").collect();
        let text = if solutions.list.is_empty() { "no solution\n".into() } else { lines };
        Ok(text.into_bytes())
    }
}
