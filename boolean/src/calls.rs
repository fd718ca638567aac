//! Boolean systems in one call.

use super::{Equations, Method, Query, Simplified, Solutions, Solve, SolveInput};
use wgalois::gpu::block_on;
use wgalois::task::Problem;
use wgalois::{Device, Result};

/// Solves a system: simplifies it, plans, runs, and returns to its own variables.
///
/// ```
/// use wgalois_boolean::{self as boolean, Equations, Monomial, Polynomial, Query};
/// use wgalois::{Cpu, Device};
///
/// // x y + 1 and x + y + z: x = y = 1, z = 0
/// let names = ["x", "y", "z"].map(str::to_owned).to_vec();
/// let product = Polynomial::new([Monomial::new([0, 1]), Monomial::one()]);
/// let sum = (0..3).map(Polynomial::variable).fold(Polynomial::zero(), |sum, x| sum.plus(&x));
/// let equations = Equations::new(names, vec![product, sum])?;
/// let solutions = boolean::solve(&Device::Cpu(Cpu::default()), &equations, Query::All)?;
/// assert_eq!(solutions.list, [[true, true, false]]);
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn solve(device: &Device, equations: &Equations, query: Query) -> Result<Solutions> {
    solve_by(device, equations, query, Method::Auto)
}

/// The asynchronous form of [`solve`], for browsers.
pub async fn solve_async(device: &Device, equations: &Equations, query: Query) -> Result<Solutions> {
    solve_by_async(device, equations, query, Method::Auto).await
}

/// [`solve`] by a given method.
pub fn solve_by(device: &Device, equations: &Equations, query: Query, method: Method) -> Result<Solutions> {
    block_on(solve_by_async(device, equations, query, method))
}

/// The asynchronous form of [`solve_by`], for browsers.
pub async fn solve_by_async(
    device: &Device,
    equations: &Equations,
    query: Query,
    method: Method,
) -> Result<Solutions> {
    let simplified = Simplified::new_async(device, equations).await?;
    if simplified.is_contradiction() {
        return Ok(Solutions::none());
    }
    let core = simplified.core();
    let solutions = if core.polynomials().is_empty() {
        Solutions { list: vec![Vec::new()], count: 1.into(), is_complete: true }
    } else {
        let problem = Solve::of(core).with_query(query).with_method(method);
        problem.plan(device)?.prepare(device)?.run_async(SolveInput::new(core)).await?.0
    };
    let solutions = Solutions::lifted(solutions, &simplified, query)?;
    solutions.check(equations)?;
    Ok(solutions)
}
