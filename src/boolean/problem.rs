//! The problem, its plan, and the prepared form.

use std::fmt;
use std::time::Duration;

use super::cost::{self, Matrix};
use super::determined::Program;
use super::watch::{Unwatched, Watch};
use super::{Equations, Method, Polynomial, Solutions, Speeds, Want, crossbred, exhaustive, xl};
use crate::device::One;
use crate::task::{Cost, Plan, Problem, Profile, approximate};
use crate::{Device, Error, Result};

/// The problem to solve a system without linear equations: its shape and the question.
///
/// ```
/// use wgalois::boolean::{Method, Solve, Want, generate};
/// use wgalois::{Cpu, Device, task::Problem};
///
/// let system = generate::random(12, 24, 2, 1, true)?;
/// let device = Device::Cpu(Cpu::default());
/// let problem = Solve::of(&system.equations).with_want(Want::All).with_method(Method::Exhaustive);
/// let solutions = problem.plan(&device)?.prepare(&device)?.run(&system.equations)?;
/// assert!(solutions.list.contains(&system.planted.unwrap()));
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Solve {
    variables: usize,
    degrees: Vec<usize>,
    /// The number of variables that determine the others, and the products of a candidate.
    inputs: Option<(usize, usize)>,
    want: Want,
    method: Method,
    degree: Option<usize>,
    speeds: Option<Speeds>,
}

impl Solve {
    /// A problem of so many variables, with an equation of each of these degrees.
    pub fn new(variables: usize, mut degrees: Vec<usize>) -> Self {
        degrees.sort_unstable();
        let (want, method) = (Want::default(), Method::default());
        Solve { variables, degrees, inputs: None, want, method, degree: None, speeds: None }
    }

    /// The problem for a system. Some of its variables may determine the others, which an exhaustive search makes use
    /// of.
    pub fn of(equations: &Equations) -> Self {
        let program = Program::new(equations);
        let inputs = program.map(|program| (program.inputs(), program.terms()));
        Solve { inputs, ..Self::shape_of(equations) }
    }

    fn shape_of(equations: &Equations) -> Self {
        Self::new(equations.variables(), equations.polynomials().iter().map(Polynomial::degree).collect())
    }

    /// Asks for one solution, all, or their number.
    #[must_use]
    pub fn with_want(self, want: Want) -> Self {
        Solve { want, ..self }
    }

    /// Chooses a method.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Solve { method, ..self }
    }

    /// Takes Macaulay matrices of this degree instead of the one that is expected to be the fastest.
    #[must_use]
    pub fn with_degree(self, degree: Option<usize>) -> Self {
        Solve { degree, ..self }
    }

    /// Plans by the speeds of the device instead of those that are expected of its kind.
    #[must_use]
    pub fn with_speeds(self, speeds: Speeds) -> Self {
        Solve { speeds: Some(speeds), ..self }
    }

    fn speeds(&self, profile: &Profile) -> Speeds {
        self.speeds.unwrap_or_else(|| Speeds::expected(profile))
    }

    fn way(&self, method: Method, profile: &Profile) -> Option<(Way, Cost)> {
        let (n, degrees) = (self.variables, &self.degrees[..]);
        let speeds = self.speeds(profile);
        match method {
            Method::Exhaustive => {
                let all = cost::exhaustive(n, degrees, profile, &speeds);
                let some =
                    self.inputs.map(|(inputs, terms)| (inputs, cost::determined(inputs, terms, profile)));
                if let Some((inputs, time)) = some.filter(|(_, time)| all.is_none_or(|all| *time < all)) {
                    let threads = rayon::current_num_threads() as u64;
                    let host_bytes = (64 << 20) + 64 * n as u64 * threads;
                    return Some((Way::Determined { inputs }, Cost { time, host_bytes, device_bytes: 0 }));
                }
                let time = all?;
                let (degree, compared) = exhaustive::shape(degrees);
                let device_bytes = if profile.gpu().is_some() { 64 << 20 } else { 0 };
                Some((
                    Way::Exhaustive { degree, compared },
                    Cost { time, host_bytes: 64 << 20, device_bytes },
                ))
            }
            Method::Xl => {
                let (matrix, tried, time) = cost::xl(n, degrees, self.degree, profile)?;
                let cost = matrix.map_or_else(Cost::default, |matrix| matrix.cost);
                Some((Way::Xl { matrix, tried }, Cost { time, ..cost }))
            }
            Method::Crossbred => {
                let (matrix, linear, time) = cost::crossbred(n, degrees, self.degree, profile, &speeds)?;
                Some((Way::Crossbred { matrix, linear }, Cost { time, ..matrix.cost }))
            }
            Method::Auto => None,
        }
    }
}

/// The decisions of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Exhaustive { degree: usize, compared: usize },
    Determined { inputs: usize },
    Xl { matrix: Option<Matrix>, tried: usize },
    Crossbred { matrix: Matrix, linear: usize },
}

impl Way {
    fn method(&self) -> Method {
        match self {
            Way::Exhaustive { .. } | Way::Determined { .. } => Method::Exhaustive,
            Way::Xl { .. } => Method::Xl,
            Way::Crossbred { .. } => Method::Crossbred,
        }
    }
}

impl Problem for Solve {
    type Plan = SolvePlan;

    /// # Errors
    /// [`Error::Input`] if the method cannot solve a system of this shape; [`Error::OutOfMemory`].
    fn plan_for(&self, profile: &Profile) -> Result<SolvePlan> {
        let mut ways = Vec::new();
        for method in Method::ALL {
            if let Some((way, cost)) = self.way(method, profile) {
                ways.push((way, cost));
            }
        }
        let others = ways.iter().map(|(way, cost)| (way.method(), cost.time)).collect();
        let is_asked = |(way, _): &&(Way, Cost)| self.method == Method::Auto || way.method() == self.method;
        let best = ways.iter().filter(is_asked).min_by_key(|(_, cost)| cost.time);
        let Some(&(way, cost)) = best else {
            let (method, n) = (self.method, self.variables);
            return Err(Error::Input(format!(
                "the method {method} takes no system of {n} variables like this one"
            )));
        };
        cost.check(profile, "the search")?;
        let speeds = self.speeds(profile);
        Ok(SolvePlan { problem: self.clone(), way, cost, others, speeds, memory: profile.host_memory })
    }
}

/// The plan to solve a system.
#[derive(Clone, Debug)]
pub struct SolvePlan {
    problem: Solve,
    way: Way,
    cost: Cost,
    /// The expected times of all methods that apply.
    others: Vec<(Method, Duration)>,
    speeds: Speeds,
    memory: u64,
}

impl SolvePlan {
    /// Returns the method.
    pub fn method(&self) -> Method {
        self.way.method()
    }

    /// Returns the degree, the rows and the columns of the Macaulay matrix, if the method has one.
    pub fn matrix(&self) -> Option<(usize, u64, u64)> {
        match self.way {
            Way::Exhaustive { .. } | Way::Determined { .. } => None,
            Way::Xl { matrix, .. } => matrix,
            Way::Crossbred { matrix, .. } => Some(matrix),
        }
        .map(|matrix| (matrix.degree, matrix.rows, matrix.columns))
    }

    /// Returns the speeds by which the method was chosen.
    pub fn speeds(&self) -> Speeds {
        self.speeds
    }

    /// Returns the method and its sizes in one line.
    pub fn summary(&self) -> String {
        match &self.way {
            Way::Exhaustive { .. } => format!("{}, 2^{} candidates", self.method(), self.problem.variables),
            Way::Determined { inputs } => {
                format!("{}, 2^{inputs} values of variables that determine the others", self.method())
            }
            Way::Xl { matrix: None, .. } => format!("{} by cases", self.method()),
            Way::Xl { matrix: Some(matrix), tried } => {
                let Matrix { degree, rows, columns, .. } = matrix;
                format!("{}, degree {degree}, {rows} x {columns}, 2^{tried} cases", self.method())
            }
            Way::Crossbred { matrix, linear } => {
                let Matrix { degree, rows, columns, .. } = matrix;
                let walked = self.problem.variables - linear;
                format!(
                    "{}, degree {degree}, {rows} x {columns}, 2^{walked} linear systems in {linear} variables",
                    self.method()
                )
            }
        }
    }

    /// Prepares the search on a device.
    ///
    /// # Errors
    /// Those of the device.
    pub fn prepare(&self, device: &Device) -> Result<PreparedSolve> {
        Ok(PreparedSolve { plan: self.clone(), device: device.clone() })
    }
}

impl Plan for SolvePlan {
    fn cost(&self) -> Cost {
        self.cost
    }
}

impl fmt::Display for SolvePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.problem.variables;
        let m = self.problem.degrees.len();
        writeln!(f, "system         {m} equations in {n} variables")?;
        writeln!(f, "method         {}", self.method())?;
        match &self.way {
            Way::Exhaustive { degree, compared } => {
                writeln!(f, "candidates     2^{n}, by {compared} equations of degree {degree} at most")?;
            }
            Way::Determined { inputs } => {
                writeln!(f, "candidates     2^{inputs}, of variables that determine the others")?;
            }
            Way::Xl { matrix: None, tried } => writeln!(f, "cases          2^{tried} at most, no matrix")?,
            Way::Xl { matrix: Some(matrix), tried } => {
                writeln!(f, "matrix         {matrix}")?;
                writeln!(f, "cases          2^{tried}")?;
            }
            Way::Crossbred { matrix, linear } => {
                writeln!(f, "matrix         {matrix}")?;
                writeln!(
                    f,
                    "walked         2^{} values, and linear systems in {linear} variables",
                    n - linear
                )?;
            }
        }
        writeln!(f, "speeds         {}", self.speeds)?;
        for (method, time) in self.others.iter().filter(|(method, _)| *method != self.method()) {
            writeln!(f, "instead        {method}: {}", approximate(*time))?;
        }
        write!(f, "{}", self.cost)
    }
}

/// A search that is ready to run.
#[derive(Clone, Debug)]
pub struct PreparedSolve {
    plan: SolvePlan,
    device: Device,
}

impl PreparedSolve {
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
        self.run_watched(equations, &mut Unwatched)
    }

    /// [`run`](Self::run) with a watcher, which may end it before it is complete.
    ///
    /// # Errors
    /// Those of [`run`](Self::run) and of the watcher.
    pub fn run_watched(&self, equations: &Equations, watch: &mut dyn Watch) -> Result<Solutions> {
        let problem = &self.plan.problem;
        let own = Solve::shape_of(equations);
        if (own.variables, &own.degrees) != (problem.variables, &problem.degrees) {
            return Err(Error::Input(
                "the equations have another shape than those that were planned".to_owned(),
            ));
        }
        let (want, n) = (problem.want, problem.variables);
        let solutions = match self.plan.way {
            Way::Exhaustive { .. } => {
                Solutions::from_found(exhaustive::search(&self.device, equations, want, watch)?, n)
            }
            Way::Determined { .. } => self.run_determined(equations, watch)?,
            Way::Xl { matrix, .. } => {
                let degree = matrix.map_or(0, |matrix| matrix.degree);
                let limits = xl::Limits { degree, bytes: self.plan.memory / 4 };
                xl::solve(&self.device, equations, want, &limits, watch)?
            }
            Way::Crossbred { matrix, linear } => {
                match crossbred::prepare(&self.device, equations, matrix.degree, linear)? {
                    Some(prepared) => {
                        Solutions::from_found(prepared.search(&self.device, equations, want, watch)?, n)
                    }
                    // No polynomial is linear in any variable.
                    None => {
                        Solutions::from_found(exhaustive::search(&self.device, equations, want, watch)?, n)
                    }
                }
            }
        };
        // Nothing that does not solve the equations is returned, whatever the method did.
        solutions.check(equations)?;
        Ok(solutions)
    }

    fn run_determined(&self, equations: &Equations, watch: &mut dyn Watch) -> Result<Solutions> {
        let program = Program::new(equations);
        let wrong = || Error::Input("the equations are others than those that were planned".to_owned());
        let program = program.ok_or_else(wrong)?;
        let found = program.search(equations, self.plan.problem.want, self.threads(), watch)?;
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

/// Solves a system: simplifies it, plans, runs, and returns to its own variables.
///
/// ```
/// use wgalois::boolean::{self, Equations, Monomial, Polynomial, Want};
/// use wgalois::{Cpu, Device};
///
/// // x y + 1 and x + y + z: x = y = 1, z = 0
/// let names = ["x", "y", "z"].map(str::to_owned).to_vec();
/// let product = Polynomial::new([Monomial::new([0, 1]), Monomial::one()]);
/// let sum = (0..3).map(Polynomial::variable).fold(Polynomial::zero(), |sum, x| sum.plus(&x));
/// let equations = Equations::new(names, vec![product, sum])?;
/// let solutions = boolean::solve(&Device::Cpu(Cpu::default()), &equations, Want::All)?;
/// assert_eq!(solutions.list, [[true, true, false]]);
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// Those of [`PreparedSolve::run`].
pub fn solve(device: &Device, equations: &Equations, want: Want) -> Result<Solutions> {
    solve_by(device, equations, want, Method::Auto)
}

/// [`solve`] by a given method.
///
/// # Errors
/// Those of [`solve`].
pub fn solve_by(device: &Device, equations: &Equations, want: Want, method: Method) -> Result<Solutions> {
    let simplified = super::Simplified::new(device, equations)?;
    if simplified.is_contradiction() {
        return Ok(Solutions::none());
    }
    let core = simplified.core();
    let solutions = if core.polynomials().is_empty() {
        Solutions { list: vec![Vec::new()], count: 1.into(), is_complete: true }
    } else {
        let problem = Solve::of(core).with_want(want).with_method(method);
        problem.plan(device)?.prepare(device)?.run(core)?
    };
    let solutions = Solutions::lifted(solutions, &simplified, want)?;
    solutions.check(equations)?;
    Ok(solutions)
}
