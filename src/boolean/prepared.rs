//! The prepared form of a search.

use super::determined::Program;
use super::problem::{SolvePlan, Way};
use super::watch::{Unwatched, Watch};
use super::{Equations, Solutions, Solve, crossbred, exhaustive, xl};
use crate::device::One;
use crate::gpu::block_on;
use crate::{Device, Error, Result};

/// A search that is ready to run.
#[derive(Clone, Debug)]
pub struct PreparedSolve {
    plan: SolvePlan,
    device: Device,
}

impl PreparedSolve {
    pub(super) fn new(plan: SolvePlan, device: Device) -> Self {
        PreparedSolve { plan, device }
    }

    /// Returns the plan.
    pub fn plan(&self) -> &SolvePlan {
        &self.plan
    }

    /// Solves a system of the problem's shape.
    ///
    /// # Errors
    /// [`Error::Input`] for a system of another shape, or more solutions than are listed; [`Error::OutOfMemory`];
    /// those of the device.
    pub fn run(&self, equations: &Equations) -> Result<Solutions> {
        block_on(self.run_async(equations))
    }

    /// The asynchronous form of [`run`](Self::run), for browsers.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub async fn run_async(&self, equations: &Equations) -> Result<Solutions> {
        self.run_watched_async(equations, &mut Unwatched).await
    }

    /// [`run`](Self::run) with a watcher, which may end it before it is complete.
    ///
    /// # Errors
    /// Those of [`run`](Self::run) and of the watcher.
    pub fn run_watched(&self, equations: &Equations, watch: &mut dyn Watch) -> Result<Solutions> {
        block_on(self.run_watched_async(equations, watch))
    }

    /// The asynchronous form of [`run_watched`](Self::run_watched), for browsers.
    ///
    /// # Errors
    /// Those of [`run_watched`](Self::run_watched).
    pub async fn run_watched_async(&self, equations: &Equations, watch: &mut dyn Watch) -> Result<Solutions> {
        let problem = &self.plan.problem;
        let own = Solve::shape_of(equations);
        if (own.variables, &own.degrees) != (problem.variables, &problem.degrees) {
            return Err(Error::Input(
                "the equations have another shape than those that were planned".to_owned(),
            ));
        }
        let _limit = self.device.timeline().limited(watch.deadline());
        let solutions = match self.run_method(equations, watch).await {
            // An elimination ended at the watcher's time.
            Err(Error::Stopped(_)) => Solutions::default(),
            solutions => solutions?,
        };
        // Nothing that does not solve the equations is returned, whatever the method did.
        solutions.check(equations)?;
        Ok(solutions)
    }

    async fn run_method(&self, equations: &Equations, watch: &mut dyn Watch) -> Result<Solutions> {
        let SolvePlan { problem, way, memory, .. } = &self.plan;
        let (device, want) = (&self.device, problem.want);
        let found = match *way {
            Way::Exhaustive { .. } => exhaustive::search(device, equations, want, watch).await?,
            Way::Determined { .. } => return self.run_determined(equations, watch).await,
            Way::Xl { matrix, .. } => {
                let degree = matrix.map_or(0, |matrix| matrix.degree);
                let limits = xl::Limits { degree, bytes: memory / 4 };
                return xl::solve(device, equations, want, &limits).await;
            }
            Way::Crossbred { matrix, linear } => {
                match crossbred::prepare(device, equations, matrix.degree, linear).await? {
                    Some(prepared) => prepared.search(device, equations, want, watch).await?,
                    // No polynomial is linear in any variable.
                    None => exhaustive::search(device, equations, want, watch).await?,
                }
            }
        };
        Ok(Solutions::from_found(found, problem.variables))
    }

    async fn run_determined(&self, equations: &Equations, watch: &mut dyn Watch) -> Result<Solutions> {
        let program = Program::new(equations);
        let wrong = || Error::Input("the equations are others than those that were planned".to_owned());
        let program = program.ok_or_else(wrong)?;
        let found = program.search(equations, self.plan.problem.want, self.threads(), watch).await?;
        let mut list: Vec<Vec<bool>> =
            found.solutions.iter().filter_map(|&inputs| program.expand(inputs)).collect();
        list.sort_unstable();
        Ok(Solutions { list, count: found.count.into(), is_complete: found.is_complete })
    }

    /// The threads of work on the CPU engine.
    fn threads(&self) -> usize {
        match self.device.one() {
            One::Cpu(cpu) => cpu.thread_count(),
            One::Gpu(_) => rayon::current_num_threads(),
        }
    }
}
