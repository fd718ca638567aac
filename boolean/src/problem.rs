//! The problem, its plan, and the prepared form.

use std::fmt;

use super::crossbred::Crossbred;
use super::determined::{Determined, Program};
use super::exhaustive::Exhaustive;
use super::way::SolveWay;
use super::xl::Xl;
use super::{Equations, Method, Polynomial, Query, Solutions, SolveInput, Speeds, generate};
use wgalois::task::{OneEngine, Planned, Prepared, Problem, Profile, Ways, approximate};
use wgalois::verify::Guarantee;
use wgalois::{Error, Result};

/// The problem to solve a system without linear equations: its shape and the question.
///
/// ```
/// use wgalois_boolean::{Method, Solve, SolveInput, Query, generate};
/// use wgalois::{Cpu, Device, task::Problem};
///
/// let system = generate::random(12, 24, 2, 1, true)?;
/// let device = Device::Cpu(Cpu::default());
/// let problem = Solve::of(&system.equations).with_query(Query::All).with_method(Method::Exhaustive);
/// let (solutions, _) = problem.plan(&device)?.prepare(&device)?.run(SolveInput::new(&system.equations))?;
/// assert!(solutions.list.contains(&system.planted.unwrap()));
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Solve {
    pub(super) variables: usize,
    pub(super) degrees: Vec<usize>,
    /// The monomials of all equations; of unknown ones, half of those that they may have.
    pub(super) monomials: f64,
    /// The number of variables that determine the others, and the products of a candidate.
    pub(super) inputs: Option<(usize, usize)>,
    pub(super) query: Query,
    method: Method,
    pub(super) degree: Option<usize>,
    speeds: Option<Speeds>,
}

impl Solve {
    /// A problem of so many variables, with an equation of each of these degrees.
    pub fn new(variables: usize, mut degrees: Vec<usize>) -> Self {
        degrees.sort_unstable();
        let (query, method) = (Query::default(), Method::default());
        let of_degree = |&degree: &usize| generate::monomials(variables, degree) as f64 / 2.0;
        let monomials = degrees.iter().map(of_degree).sum();
        Solve { variables, degrees, monomials, inputs: None, query, method, degree: None, speeds: None }
    }

    /// The problem for a system. Some of its variables may determine the others, which an exhaustive search makes use
    /// of.
    pub fn of(equations: &Equations) -> Self {
        let program = Program::new(equations);
        let inputs = program.map(|program| (program.inputs(), program.terms()));
        Solve { inputs, ..Self::shape_of(equations) }
    }

    pub(super) fn shape_of(equations: &Equations) -> Self {
        let degrees = equations.polynomials().iter().map(Polynomial::degree).collect();
        Solve { monomials: equations.terms() as f64, ..Self::new(equations.variables(), degrees) }
    }

    /// Asks for one solution, all, or their number.
    #[must_use]
    pub fn with_query(self, query: Query) -> Self {
        Solve { query, ..self }
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

    /// The speeds of such a device by which the method is chosen.
    pub fn speeds(&self, profile: &Profile) -> Speeds {
        self.speeds.unwrap_or_else(|| Speeds::expected(profile))
    }

    /// The method of a plan, with its sizes, in one line.
    pub fn summary(plan: &SolvePlan) -> String {
        plan.way::<SolveWay>().map_or_else(String::new, |way| way.way.summary(plan.problem()))
    }
}

/// The error of equations of another shape than those that were planned.
pub fn other_equations() -> Error {
    Error::Input("the equations have another shape than those that were planned".to_owned())
}

impl Method {
    /// The method of a plan.
    pub fn of(plan: &SolvePlan) -> Self {
        plan.way::<SolveWay>().map_or(plan.problem().method, |way| way.method)
    }
}

impl Problem for Solve {
    const NAME: &'static str = "the search";

    type Resident<'a> = ();
    type Input<'a> = SolveInput<'a>;
    /// The solutions, and what was checked of the claim that none is missing.
    type Answer = (Solutions, Option<Guarantee>);
    type Kernels = ();

    /// Refuses a method that cannot solve a system of this shape.
    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        let speeds = self.speeds(profile);
        let exhaustive = Exhaustive::new(self, profile, &speeds);
        let crossbred = match profile.one_engine() {
            OneEngine::Cpu(_) => Crossbred::on_cpu(self, profile, &speeds),
            OneEngine::Gpu(gpu) => Crossbred::on_gpu(self, profile, gpu, &speeds),
        };
        let on = (profile, speeds);
        let all = [
            ("exhaustive", SolveWay::new(Method::Exhaustive, exhaustive, on)),
            (Determined::NAME, SolveWay::new(Method::Exhaustive, Determined::new(self, profile), on)),
            ("xl", SolveWay::new(Method::Xl, Xl::new(self, profile), on)),
            ("crossbred", SolveWay::new(Method::Crossbred, crossbred, on)),
        ];
        let asked = self.method;
        let is_asked = |way: &SolveWay| [Method::Auto, way.method].contains(&asked);
        if !all.iter().any(|(_, way)| way.as_ref().is_ok_and(is_asked)) {
            let n = self.variables;
            let reason = format!("the method {asked} takes no system of {n} variables like this one");
            return Err(Error::unsuited(asked.to_string(), reason));
        }
        let or_refused = |way: SolveWay| match is_asked(&way) {
            true => Ok(way),
            false => {
                let time = approximate(way.way.cost().time);
                Err(Error::Usage(format!("{time}, but the method {asked} is asked for")))
            }
        };
        let ways = all.into_iter().map(|(name, way)| (name, way.and_then(or_refused)));
        Ok(ways.fold(Ways::default(), |ways, (name, way)| ways.with(name, way)))
    }

    fn check_input(&self, input: &SolveInput<'_>) -> Result<()> {
        let own = Solve::shape_of(input.equations);
        match (own.variables, &own.degrees) == (self.variables, &self.degrees) {
            true => Ok(()),
            false => Err(other_equations()),
        }
    }

    fn reborrow<'s>(input: &'s mut SolveInput<'_>) -> SolveInput<'s> {
        input.reborrow()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "system         {} equations in {} variables", self.degrees.len(), self.variables)
    }
}

/// The plan to solve a system.
pub type SolvePlan = Planned<Solve>;

/// A search that is ready to run.
pub type PreparedSolve = Prepared<'static, Solve>;
