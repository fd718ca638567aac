//! The crossbred method in a plan: its degree, its linear variables, and its time.

use std::fmt;

use crate::cost::{Matrix, others, seconds};
use crate::exhaustive::{self, MAX_VARIABLES};
use crate::generate::monomials;
use crate::hilbert;
use crate::way::{Job, Running, Searching};
use crate::{Solutions, Solve, Speeds};
use wgalois::task::{Cost, Profile};
use wgalois::{Error, Result};

/// The way, on either engine.
#[derive(Debug)]
pub struct Crossbred {
    matrix: Matrix,
    linear: usize,
    cost: Cost,
    /// Bytes of a GPU's memory.
    memory: u64,
}

impl Crossbred {
    /// The fastest way with at most `most` linear variables, where an engine adds its own time and memory for a degree and
    /// so many linear variables by `more`. Refuses a system without polynomials that are linear in some variables.
    pub(super) fn fastest(
        problem: &Solve,
        profile: &Profile,
        speeds: &Speeds,
        most: usize,
        more: impl Fn(Cost, (usize, usize)) -> Cost,
    ) -> Result<Self> {
        let (variables, degrees) = (problem.variables, &problem.degrees[..]);
        let none =
            || Error::unsuited("crossbred", "no matrix of degree 4 or less has enough linear polynomials");
        if !(2..=MAX_VARIABLES).contains(&variables) {
            return Err(none());
        }
        let lowest = degrees.iter().copied().min().unwrap_or(2).max(2);
        let mut best: Option<Crossbred> = None;
        for degree in (lowest..=4).filter(|&own| problem.degree.is_none_or(|degree| degree == own)) {
            let rank = hilbert::rank(variables, degrees, degree);
            for linear in 1..=most.min(variables) {
                // The rank exceeds the number of unwanted monomials by at least the number of linear variables.
                let unwanted = monomials(variables, degree) as f64 - others(variables, degree, linear);
                if rank - unwanted < linear as f64 + 4.0 {
                    continue;
                }
                let Some(matrix) = Matrix::of_unwanted(variables, degrees, (degree, linear), profile) else {
                    continue;
                };
                let cost = more(matrix.cost, (degree, linear));
                let walk = seconds(((variables - linear) as f64).exp2() / speeds.linear_systems);
                let cost = Cost { time: cost.time.saturating_add(walk), ..cost };
                if best.as_ref().is_none_or(|best| cost.time < best.cost.time) {
                    best = Some(Crossbred { matrix, linear, cost, memory: profile.device_memory });
                }
            }
        }
        best.ok_or_else(none)
    }
}

impl Searching for Crossbred {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn summary(&self, problem: &Solve) -> String {
        let (Matrix { degree, rows, columns, .. }, linear) = (&self.matrix, self.linear);
        let walked = problem.variables - linear;
        format!(
            "crossbred, degree {degree}, {rows} x {columns}, 2^{walked} linear systems in {linear} variables"
        )
    }

    fn write(&self, problem: &Solve, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let walked = problem.variables - self.linear;
        writeln!(f, "matrix         {}", self.matrix)?;
        writeln!(f, "walked         2^{walked} values, and linear systems in {} variables", self.linear)
    }

    fn search<'r>(&'r self, job: Job<'r>) -> Running<'r, Solutions> {
        Box::pin(async move {
            let variables = job.equations.variables();
            let prepared = super::prepare(job.device, job.equations, self.matrix.degree, self.linear).await?;
            let found = match prepared {
                Some(prepared) => prepared.within(self.memory).search(job).await?,
                // No polynomial is linear in any variable.
                None => exhaustive::search(job).await?,
            };
            Ok(Solutions::from_found(found, variables))
        })
    }
}
