//! Linearisation (XL): Macaulay matrices, whose elimination shows linear polynomials.
//!
//! ```text
//! solve(equations):
//!     simplify; a contradiction ends the branch
//!     for each degree D from that of the equations on:
//!         eliminate the Macaulay matrix of degree D
//!         1 in its row space:         no solution
//!         linear polynomials:         solve(equations and these)
//!     no degree is left:              solve(equations and x = 0), solve(equations and x = 1)
//! ```
//!
//! The branches cover all assignments, so an answer without solutions is certain.

use std::fmt;
use std::time::Duration;

use web_time::Instant;

use super::checks::Checks;
use super::cost::{Matrix, seconds};
use super::macaulay::{self, Columns, MOST_VARIABLES, Product, linear_polynomials};
use super::solutions::too_many;
use super::way::{Job, Running, Searching};
use super::{Count, Equations, MOST_SOLUTIONS, Polynomial, Query, Simplified, Solutions, Solve, hilbert};
use wgalois::gf2::BitMatrix;
use wgalois::task::{Cost, Profile};
use wgalois::timeline::Phase;
use wgalois::{Device, Error, Result};

/// The seconds of one branch of a search by cases: a simplification at least.
const BRANCH: f64 = 1e-3;

/// The way, on any device.
#[derive(Debug)]
pub struct Xl {
    /// The highest matrix; `None` if there are only cases.
    matrix: Option<Matrix>,
    /// The variables that are expected to be tried before.
    tried: usize,
    time: Duration,
    /// The maximum number of bytes of a matrix.
    bytes: u64,
}

impl Xl {
    /// Refuses a problem with too large a matrix of its degree.
    pub fn new(problem: &Solve, profile: &Profile) -> Result<Self> {
        let (variables, degrees) = (problem.variables, &problem.degrees[..]);
        let way =
            |matrix: Option<Matrix>, tried, time| Xl { matrix, tried, time, bytes: profile.host_memory / 4 };
        if let Some(degree) = problem.degree {
            let matrix = (variables <= MOST_VARIABLES)
                .then(|| Matrix::new(variables, degrees, degree, profile))
                .flatten();
            let too_large = || Error::unsuited("xl", format!("the matrix of degree {degree} is too large"));
            let matrix = matrix.ok_or_else(too_large)?;
            return Ok(way(Some(matrix), 0, matrix.cost.time));
        }
        let mut best: Option<Xl> = None;
        // With values for some variables, the others have more equations than before.
        // A matrix takes at most 64 variables.
        for tried in variables.saturating_sub(MOST_VARIABLES)..=variables {
            let left = variables - tried;
            let Some(degree) = hilbert::solving_degree(left, degrees) else { continue };
            let Some(matrix) = Matrix::new(left, degrees, degree, profile) else { continue };
            let branches = (tried as f64).exp2();
            let time = seconds(branches * (matrix.cost.time.as_secs_f64() + BRANCH));
            if best.as_ref().is_none_or(|best| time < best.time) {
                best = Some(way(Some(matrix), tried, time));
            }
            // Each further value doubles the branches, whose matrices do not shrink as much for ever.
            if tried > 12 {
                break;
            }
        }
        let by_cases = || way(None, variables, seconds((variables as f64).exp2() * BRANCH));
        Ok(best.unwrap_or_else(by_cases))
    }
}

impl Searching for Xl {
    fn cost(&self) -> Cost {
        let cost = self.matrix.map_or_else(Cost::default, |matrix| matrix.cost);
        Cost { time: self.time, ..cost }
    }

    fn summary(&self, _: &Solve) -> String {
        match (&self.matrix, self.tried) {
            (None, _) => "xl by cases".to_owned(),
            (Some(Matrix { degree, rows, columns, .. }), tried) => {
                format!("xl, degree {degree}, {rows} x {columns}, 2^{tried} cases")
            }
        }
    }

    fn write(&self, _: &Solve, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.matrix, self.tried) {
            (None, tried) => writeln!(f, "cases          2^{tried} at most, no matrix"),
            (Some(matrix), tried) => writeln!(f, "matrix         {matrix}\ncases          2^{tried}"),
        }
    }

    fn search<'r>(&'r self, Job { device, equations, query, checks, .. }: Job<'r>) -> Running<'r, Solutions> {
        let degree = self.matrix.map_or(0, |matrix| matrix.degree);
        let search = Search { device, query, degree, bytes: self.bytes, checks };
        Box::pin(async move { search.solve(equations).await })
    }
}

/// One run, with its limits.
struct Search<'r> {
    device: &'r Device,
    query: Query,
    /// The highest degree of a matrix.
    degree: usize,
    /// The maximum number of bytes of a matrix.
    bytes: u64,
    /// The checks of its eliminations.
    checks: &'r Checks,
}

impl Search<'_> {
    /// Solves equations by linearisation, and by cases where that is not enough.
    async fn solve(&self, equations: &Equations) -> Result<Solutions> {
        // A limit of time ends this branch and those after it; what others have found remains.
        match self.solve_branch(equations).await {
            Err(Error::Stopped(_)) => Ok(Solutions::default()),
            solved => solved,
        }
    }

    async fn solve_branch(&self, equations: &Equations) -> Result<Solutions> {
        let simplified = Simplified::by(self.device, equations, self.checks).await?;
        if simplified.is_contradiction() {
            return Ok(Solutions::none());
        }
        let core = simplified.core();
        if core.polynomials().is_empty() {
            let one = Solutions { list: vec![Vec::new()], count: Count::from(1), is_complete: true };
            return Solutions::lifted(one, &simplified, self.query);
        }
        self.device.timeline().check()?;
        let below = match self.linearise(core).await? {
            Some(linear) => {
                let polynomials = core.polynomials().iter().cloned().chain(linear).collect();
                let next = Equations::new(core.names().to_vec(), polynomials)?;
                Box::pin(self.solve(&next)).await?
            }
            None => self.by_cases(core).await?,
        };
        Solutions::lifted(below, &simplified, self.query)
    }

    /// Returns linear polynomials that follow from the equations, 1 perhaps among them; `None` if no matrix within the
    /// limits has any.
    async fn linearise(&self, core: &Equations) -> Result<Option<Vec<Polynomial>>> {
        if core.variables() > MOST_VARIABLES {
            return Ok(None);
        }
        let degrees: Vec<usize> = core.polynomials().iter().map(Polynomial::degree).collect();
        let lowest = degrees.iter().copied().min().unwrap_or(1);
        let known = degrees.iter().filter(|&&degree| degree <= 1).count();
        // Far fewer products than this degree's have linear polynomials only if the system is special.
        let expected = hilbert::solving_degree(core.variables(), &degrees).unwrap_or(usize::MAX);
        let highest = self.degree.min(expected).min(core.variables());
        for degree in lowest.max(2)..=highest {
            let (rows, width) = hilbert::shape(core.variables(), &degrees, degree);
            if rows > u64::from(u32::MAX)
                || BitMatrix::bytes_of(rows.min(most_rows(width)), width) > self.bytes
            {
                return Ok(None);
            }
            let columns = Columns::new(core.variables(), degree)?;
            let products = sample(macaulay::products(core, &columns, degree), columns.len());
            let begin = Instant::now();
            let fill = || macaulay::fill(self.device.timeline(), core, &columns, &products);
            let matrix = self.device.timeline().time(Phase::Host, "matrix", fill)?;
            let made = begin.elapsed();
            let linear = linear_polynomials(self.device, &columns, &matrix, self.checks).await?;
            let (rows, eliminated) = (matrix.rows(), begin.elapsed().saturating_sub(made));
            log::info!("matrix of {rows} x {width} made in {made:.3?}, eliminated in {eliminated:.3?}");
            // Linear equations that were not substituted are found again.
            if linear.len() > known {
                return Ok(Some(linear));
            }
        }
        Ok(None)
    }

    /// Solves with both values of the variable in the most terms.
    async fn by_cases(&self, core: &Equations) -> Result<Solutions> {
        let mut counts = vec![0usize; core.variables()];
        let terms = core.polynomials().iter().flat_map(Polynomial::terms);
        terms.flat_map(|term| term.variables()).for_each(|&variable| counts[variable as usize] += 1);
        let most = (0..counts.len()).max_by_key(|&variable| counts[variable]);
        let Some(variable) = most else { return Ok(Solutions::none()) };
        let mut all = Solutions::none();
        for value in [false, true] {
            if self.device.timeline().check().is_err() {
                all.is_complete = false;
                break;
            }
            let branch = core.clone().with_fixed(variable as u32, value)?;
            let found = Box::pin(self.solve(&branch)).await?;
            all.list.extend(found.list);
            all.count = all.count.plus(found.count);
            all.is_complete &= found.is_complete;
            if all.list.len() > MOST_SOLUTIONS {
                return Err(too_many(all.list.len() as u64));
            }
            if self.query == Query::One && !all.list.is_empty() {
                all.is_complete = false;
                break;
            }
        }
        Ok(all)
    }
}

/// The most rows of a matrix with so many columns: more than the rank that it can have, so that a random choice
/// of products has it too.
pub fn most_rows(columns: u64) -> u64 {
    columns + columns / 16 + 256
}

/// Chooses rows evenly if there are too many.
pub fn sample(products: Vec<Product>, columns: usize) -> Vec<Product> {
    let most = most_rows(columns as u64) as usize;
    if products.len() <= most {
        return products;
    }
    // Fractional steps, so that every equation and monomial keeps its share.
    let count = products.len();
    (0..most).map(|i| products[(i as u128 * count as u128 / most as u128) as usize]).collect()
}
