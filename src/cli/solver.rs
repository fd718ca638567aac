//! Dense linear algebra on a device, or shared by several processes, behind the same methods.

use super::bits::Workers;
use super::{Context, Demands};
use wgalois::gf2::verify::Carried;
use wgalois::gf2::{self, BitMatrix, Dense, Echelon, Inverse, PreparedSharedDense, Solution};
use wgalois::processes::Shared;
use wgalois::{Device, Result};

/// The device of a problem and, if several processes share it, its prepared plan.
pub struct Solver<'c> {
    pub device: Device,
    shared: Option<PreparedSharedDense<'c>>,
}

impl<'c> Solver<'c> {
    /// Returns the solver of a problem, or `None` with `--plan`.
    ///
    /// # Errors
    /// Those of [`Workers::plan_with`].
    pub fn new(
        context: &'c Context,
        workers: &Workers,
        problem: &Dense,
        demands: Demands,
    ) -> Result<Option<Self>> {
        let Some(processes) = context.processes() else {
            let planned = workers.plan_with(context, problem, demands)?;
            return Ok(planned.map(|(device, _)| Solver { device, shared: None }));
        };
        let shared = Shared::new(problem, processes.size());
        let Some((device, plan)) = workers.plan_with(context, &shared, demands)? else { return Ok(None) };
        let shared = Some(plan.prepare(&device, processes)?);
        Ok(Some(Solver { device, shared }))
    }

    pub fn pivots(&self, a: &BitMatrix) -> Result<Vec<u32>> {
        match &self.shared {
            Some(shared) => shared.pivots(a),
            None => gf2::pivots(&self.device, a),
        }
    }

    /// The echelon form, reduced if `full`, as the problem has to say too.
    pub fn echelon(&self, a: &BitMatrix, full: bool) -> Result<Echelon> {
        match &self.shared {
            Some(shared) => shared.echelon(a),
            None => gf2::echelon_within(&self.device, a, a.columns(), full),
        }
    }

    pub fn inverse(&self, a: &BitMatrix) -> Result<Inverse> {
        match &self.shared {
            Some(shared) => shared.inverse(a),
            None => gf2::inverse(&self.device, a),
        }
    }

    pub fn solve(&self, a: &BitMatrix, b: &BitMatrix) -> Result<Solution> {
        match &self.shared {
            Some(shared) => shared.solve(a, b),
            None => gf2::solve(&self.device, a, b),
        }
    }

    pub fn multiply(&self, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
        match &self.shared {
            Some(shared) => shared.multiply(a, b),
            None => gf2::multiply(&self.device, a, b),
        }
    }

    /// The echelon form, reduced if `full`, and the random columns that were carried along.
    pub fn carried(&self, a: &BitMatrix, full: bool) -> Result<(Echelon, Carried)> {
        match &self.shared {
            Some(shared) => shared.carried(a, a.columns(), full),
            None => Carried::eliminate(&self.device, a, a.columns(), full),
        }
    }

    pub fn carried_inverse(&self, a: &BitMatrix) -> Result<(Inverse, Echelon, Carried)> {
        match &self.shared {
            Some(shared) => shared.carried_inverse(a),
            None => Carried::invert(&self.device, a),
        }
    }

    pub fn carried_solve(&self, a: &BitMatrix, b: &BitMatrix) -> Result<(Solution, Echelon, Carried)> {
        match &self.shared {
            Some(shared) => shared.carried_solve(a, b),
            None => Carried::solve(&self.device, a, b),
        }
    }
}
