//! The prepared form of a search.

use web_time::Instant;

use super::checks::Checks;
use super::determined::Program;
use super::problem::{SolvePlan, Way};
use super::watch::{Checkpoint, Unwatched, Watch};
use super::{Equations, Solutions, Solve, crossbred, exhaustive, xl};
use wgalois::One;
use wgalois::gpu::block_on;
use wgalois::verify::Guarantee;
use wgalois::{Device, Error, Result};

/// A watcher of which it is known whether the search went on from its state.
struct Resumed<'w> {
    watch: &'w mut dyn Watch,
    is_resumed: bool,
}

impl Watch for Resumed<'_> {
    fn round(&mut self, state: &Checkpoint) -> Result<bool> {
        self.watch.round(state)
    }

    fn resume(&mut self) -> Option<Checkpoint> {
        let state = self.watch.resume();
        self.is_resumed |= state.is_some();
        state
    }

    fn deadline(&self) -> Option<Instant> {
        self.watch.deadline()
    }
}

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
        self.run_with(equations, watch, &Checks::default()).await
    }

    /// [`run_watched`](Self::run_watched) with a check that no solution is missing: eliminations are checked, and after a
    /// complete search solutions are planted, in parts of it that are drawn at random, and must be found; this takes a
    /// tenth of the search's time. The guarantee is `None` if nothing was checked: the search was ended, or began at the
    /// watcher's state.
    ///
    /// ```
    /// use wgalois_boolean::{Solve, Unwatched, Want, generate};
    /// use wgalois::{Cpu, Device, task::Problem};
    ///
    /// let equations = generate::random(12, 24, 2, 1, true)?.equations;
    /// let device = Device::Cpu(Cpu::default());
    /// let ready = Solve::of(&equations).with_want(Want::Count).plan(&device)?.prepare(&device)?;
    /// let (solutions, guarantee) = ready.run_checked(&equations, &mut Unwatched)?;
    /// println!("{}, {}", solutions.count, guarantee.unwrap());
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Check`] if a check fails, [`Error::Nonsense`] for hits that cannot be; those of [`run_watched`](Self::run_watched).
    pub fn run_checked(
        &self,
        equations: &Equations,
        watch: &mut dyn Watch,
    ) -> Result<(Solutions, Option<Guarantee>)> {
        block_on(self.run_checked_async(equations, watch))
    }

    /// The asynchronous form of [`run_checked`](Self::run_checked), for browsers.
    ///
    /// # Errors
    /// Those of [`run_checked`](Self::run_checked).
    pub async fn run_checked_async(
        &self,
        equations: &Equations,
        watch: &mut dyn Watch,
    ) -> Result<(Solutions, Option<Guarantee>)> {
        let checks = Checks::wanted();
        let mut watch = Resumed { watch, is_resumed: false };
        let solutions = self.run_with(equations, &mut watch, &checks).await?;
        // What was done before, nobody has checked.
        let is_whole = solutions.is_complete && !watch.is_resumed;
        Ok((solutions, checks.guarantee().filter(|_| is_whole)))
    }

    async fn run_with(
        &self,
        equations: &Equations,
        watch: &mut dyn Watch,
        checks: &Checks,
    ) -> Result<Solutions> {
        let problem = &self.plan.problem;
        let own = Solve::shape_of(equations);
        if (own.variables, &own.degrees) != (problem.variables, &problem.degrees) {
            return Err(Error::Input(
                "the equations have another shape than those that were planned".to_owned(),
            ));
        }
        let _limit = self.device.timeline().limited(watch.deadline());
        let solutions = match self.run_method(equations, watch, checks).await {
            // An elimination ended at the watcher's time.
            Err(Error::Stopped(_)) => Solutions::default(),
            solutions => solutions?,
        };
        // Nothing that does not solve the equations is returned, whatever the method did.
        solutions.check(equations)?;
        Ok(solutions)
    }

    async fn run_method(
        &self,
        equations: &Equations,
        watch: &mut dyn Watch,
        checks: &Checks,
    ) -> Result<Solutions> {
        let SolvePlan { problem, way, memory, .. } = &self.plan;
        let (device, want) = (&self.device, problem.want);
        let found = match *way {
            Way::Exhaustive { .. } => exhaustive::search(device, equations, want, watch, checks).await?,
            Way::Determined { .. } => return self.run_determined(equations, watch, checks).await,
            Way::Xl { matrix, .. } => {
                let degree = matrix.map_or(0, |matrix| matrix.degree);
                let limits = xl::Limits { degree, bytes: memory / 4, checks };
                return xl::solve(device, equations, want, &limits).await;
            }
            Way::Crossbred { matrix, linear } => {
                match crossbred::prepare(device, equations, matrix.degree, linear).await? {
                    Some(prepared) => prepared.search(device, equations, want, watch, checks).await?,
                    // No polynomial is linear in any variable.
                    None => exhaustive::search(device, equations, want, watch, checks).await?,
                }
            }
        };
        Ok(Solutions::from_found(found, problem.variables))
    }

    async fn run_determined(
        &self,
        equations: &Equations,
        watch: &mut dyn Watch,
        checks: &Checks,
    ) -> Result<Solutions> {
        let program = Program::new(equations);
        let wrong = || Error::Input("the equations are others than those that were planned".to_owned());
        let program = program.ok_or_else(wrong)?;
        let found = program.search(equations, self.plan.problem.want, self.threads(), watch, checks).await?;
        let mut list: Vec<Vec<bool>> =
            found.solutions.iter().filter_map(|&inputs| program.expand(inputs)).collect();
        list.sort_unstable();
        Ok(Solutions { list, count: found.count.into(), is_complete: found.is_complete })
    }

    /// The threads of work on the CPU engine.
    fn threads(&self) -> usize {
        match self.device.one() {
            One::Cpu(cpu) => cpu.thread_count(),
            One::Gpu(_) => wgalois::parallel::threads(),
        }
    }
}
