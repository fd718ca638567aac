//! The problem, its plan, and the prepared form.

use std::fmt;
use std::time::Duration;

use super::cost::{self, Matrix};
use super::determined::Program;
use super::prepared::PreparedSolve;
use super::{Equations, Method, Polynomial, Speeds, Want, exhaustive};
use wgalois::task::{Cost, Plan, Problem, Profile, approximate};
use wgalois::{Device, Error, Result};

/// The problem to solve a system without linear equations: its shape and the question.
///
/// ```
/// use wgalois_boolean::{Method, Solve, Want, generate};
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
    pub(super) variables: usize,
    pub(super) degrees: Vec<usize>,
    /// The number of variables that determine the others, and the products of a candidate.
    inputs: Option<(usize, usize)>,
    pub(super) want: Want,
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

    pub(super) fn shape_of(equations: &Equations) -> Self {
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
                    let threads = wgalois::parallel::threads() as u64;
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
pub(super) enum Way {
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
    pub(super) problem: Solve,
    pub(super) way: Way,
    cost: Cost,
    /// The expected times of all methods that apply.
    others: Vec<(Method, Duration)>,
    speeds: Speeds,
    pub(super) memory: u64,
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
        Ok(PreparedSolve::new(self.clone(), device.clone()))
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
