//! Dense linear algebra on a device, or shared by several processes.

use super::bits::Workers;
use super::{Context, Demands};
use wgalois::gf2::{self, BitMatrix, Dense, DenseAnswer, Evidence, Operation, PreparedSharedDense};
use wgalois::processes::Shared;
use wgalois::{Device, Result};

/// The device of a problem and, if several processes share it, its prepared plan.
pub struct Solver<'c> {
    context: &'c Context,
    problem: Dense,
    device: Device,
    shared: Option<PreparedSharedDense<'c>>,
}

impl<'c> Solver<'c> {
    /// Returns the solver of a problem, or `None` with `--plan`. The plan has room for `--verify`.
    pub fn new(context: &'c Context, workers: &Workers, problem: Dense) -> Result<Option<Self>> {
        let problem = problem.with_carried_columns(context.verifies());
        let demands = Demands { check: problem.check_bytes_of_run(), ..Demands::default() };
        // A transpose is computed on one process.
        let processes = context.processes().filter(|_| problem.operation() != Operation::Transpose);
        let Some(processes) = processes else {
            let planned = workers.plan_with(context, &problem, demands)?;
            return Ok(planned.map(|(device, _)| Solver { context, problem, device, shared: None }));
        };
        let shared = Shared::new(&problem, processes.size());
        let Some((device, plan)) = workers.plan_with(context, &shared, demands)? else { return Ok(None) };
        let shared = Some(plan.prepare(&device, &**processes)?);
        Ok(Some(Solver { context, problem, device, shared }))
    }

    /// Computes the answer, timed under this name, and verifies it with `--verify`.
    pub fn run(&self, name: &str, a: &BitMatrix, b: Option<&BitMatrix>) -> Result<DenseAnswer> {
        if !self.context.verifies() {
            return self.context.watch(name, || match &self.shared {
                Some(shared) => shared.run(a, b),
                None => gf2::compute(&self.device, &self.problem, a, b),
            });
        }
        let (answer, evidence) = self.context.watch(name, || self.run_carrying(a, b))?;
        let check = || self.problem.check_carried(&self.device, a, b, answer.as_answer(), &evidence);
        self.context.verify(check)?;
        Ok(answer)
    }

    fn run_carrying(&self, a: &BitMatrix, b: Option<&BitMatrix>) -> Result<(DenseAnswer, Evidence)> {
        match &self.shared {
            Some(shared) => shared.run_carrying(a, b),
            None => gf2::compute_carrying(&self.device, &self.problem, a, b),
        }
    }
}
