//! The expected times of the methods.

use std::fmt;
use std::time::Duration;

use super::crossbred::{self, MOST_LINEAR, MOST_LINEAR_ON_GPU, ROWS, SPARE};
use super::exhaustive::{self, MAX_VARIABLES};
use super::generate::monomials;
use super::hilbert;
use super::macaulay::MOST_VARIABLES;
use super::speeds::Speeds;
use super::xl::most_rows;
use wgalois::gf2::{BitMatrix, EchelonForm, Kernel, Question};
use wgalois::task::{Cost, OneEngine, Plan, Problem, Profile};

/// The seconds of a product of a vector of 512 candidates.
const PRODUCT: f64 = 5e-9;
/// Entries of a Macaulay matrix that one thread places a second.
const ENTRIES: f64 = 5e7;
/// The seconds of the crossbred method on a GPU beside its matrix and its walk, with compiled pipelines on disk: n = 36,
/// m = 72 took 0.061 s on an H200, where the walk's 2^20 linear systems take less than a millisecond.
const PREPARATION: f64 = 0.05;
/// Matrices of more bytes are not planned.
const MOST_BYTES: u64 = 1 << 42;
/// The seconds of one branch of a search by cases: a simplification at least.
const BRANCH: f64 = 1e-3;

/// The Macaulay matrix of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    /// Its degree.
    pub degree: usize,
    /// Products of equations and monomials; of the crossbred method, monomials that are to cancel.
    pub rows: u64,
    /// Monomials; of the crossbred method, products.
    pub columns: u64,
    /// The time to make and eliminate it.
    pub cost: Cost,
}

impl Matrix {
    /// Returns the bytes of the packed matrix.
    pub fn bytes(&self) -> u64 {
        BitMatrix::bytes_of(self.rows, self.columns)
    }

    /// Returns the whole matrix of a degree, if it fits the memory of a profile.
    pub fn new(variables: usize, degrees: &[usize], degree: usize, profile: &Profile) -> Option<Self> {
        let (rows, columns) = hilbert::shape(variables, degrees, degree);
        let rows = rows.min(most_rows(columns));
        let problem = EchelonForm::new(usize::try_from(rows).ok()?, usize::try_from(columns).ok()?).ok()?;
        let bytes = BitMatrix::bytes_of(rows, columns).saturating_mul(2);
        Self::of(problem, (rows, bytes), degree, (variables, degrees), profile)
    }

    /// Returns the matrix of the monomials with two of the first `linear` variables or more: a row for each, and a
    /// column for each product.
    fn of_unwanted(
        variables: usize,
        degrees: &[usize],
        (degree, linear): (usize, usize),
        profile: &Profile,
    ) -> Option<Self> {
        let (products, columns) = hilbert::shape(variables, degrees, degree);
        let unwanted = columns - others(variables, degree, linear) as u64;
        let products = products.min(most_rows(columns)).min(unwanted + SPARE as u64);
        let problem = Kernel::new(usize::try_from(unwanted).ok()?, usize::try_from(products).ok()?).ok()?;
        let bytes = BitMatrix::bytes_of(unwanted, products) + crossbred::filling_bytes(unwanted);
        Self::of(problem, (products, bytes), degree, (variables, degrees), profile)
    }

    /// The matrix of `products` products; it is made in `bytes` bytes of host memory.
    fn of(
        problem: impl Question,
        (products, bytes): (u64, u64),
        degree: usize,
        (variables, degrees): (usize, &[usize]),
        profile: &Profile,
    ) -> Option<Self> {
        if bytes > MOST_BYTES {
            return None;
        }
        let own = Profile { host_memory: profile.host_memory.checked_sub(bytes)?, ..profile.clone() };
        let mut cost = problem.plan_for(&own).ok()?.cost();
        let terms =
            degrees.iter().map(|&degree| monomials(variables, degree) as f64 / 2.0).fold(0.0, f64::max);
        let entries = products as f64 * terms;
        cost.time = cost.time.saturating_add(seconds(entries / (ENTRIES * threads(profile) as f64)));
        cost.host_bytes = cost.host_bytes.saturating_add(bytes);
        let (rows, columns) = problem.dense().shape();
        Some(Matrix { degree, rows: rows as u64, columns: columns as u64, cost })
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Matrix { degree, rows, columns, .. } = self;
        write!(f, "{rows} x {columns}, degree {degree}, {} bytes", self.bytes())
    }
}

/// Returns the time of an exhaustive search; `None` for more variables than it takes.
pub fn exhaustive(
    variables: usize,
    degrees: &[usize],
    profile: &Profile,
    speeds: &Speeds,
) -> Option<Duration> {
    let (degree, compared) = exhaustive::shape(degrees);
    if variables > MAX_VARIABLES {
        return None;
    }
    let candidates = (variables as f64).exp2();
    let rate = speeds.candidates_of(degree);
    // Candidates that pass the compared equations are evaluated one by one.
    let passing = candidates * (-(compared.min(16) as f64)).exp2();
    let startup = profile.gpu().map_or(Duration::ZERO, |gpu| gpu.startup);
    Some(startup.saturating_add(seconds(candidates / rate + passing * 1e-6)))
}

/// Returns the time of an exhaustive search of so many inputs, with `terms` products a candidate, on the CPU engine.
pub fn determined(inputs: usize, terms: usize, profile: &Profile) -> Duration {
    let vectors = (inputs.saturating_sub(9) as f64).exp2();
    seconds(vectors * (terms + 64) as f64 * PRODUCT / threads(profile) as f64)
}

/// The threads of the CPU engine, which also works beside a GPU.
fn threads(profile: &Profile) -> usize {
    match profile.one_engine() {
        OneEngine::Cpu(threads) => threads.max(1),
        OneEngine::Gpu(_) => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
    }
}

/// The plan of a linearisation: its highest matrix, and the variables that are expected to be tried before.
pub fn xl(
    variables: usize,
    degrees: &[usize],
    degree: Option<usize>,
    profile: &Profile,
) -> Option<(Option<Matrix>, usize, Duration)> {
    if let Some(degree) = degree {
        let matrix = (variables <= MOST_VARIABLES)
            .then(|| Matrix::new(variables, degrees, degree, profile))
            .flatten()?;
        return Some((Some(matrix), 0, matrix.cost.time));
    }
    let mut best: Option<(Option<Matrix>, usize, Duration)> = None;
    // With values for some variables, the others have more equations than before.
    // A matrix takes at most 64 variables.
    for tried in variables.saturating_sub(MOST_VARIABLES)..=variables {
        let left = variables - tried;
        let Some(degree) = hilbert::solving_degree(left, degrees) else { continue };
        let Some(matrix) = Matrix::new(left, degrees, degree, profile) else {
            continue;
        };
        let branches = (tried as f64).exp2();
        let time = seconds(branches * (matrix.cost.time.as_secs_f64() + BRANCH));
        if best.as_ref().is_none_or(|(_, _, known)| time < *known) {
            best = Some((Some(matrix), tried, time));
        }
        // Each further value doubles the branches, whose matrices do not shrink as much for ever.
        if tried > 12 {
            break;
        }
    }
    best.or_else(|| Some((None, variables, seconds((variables as f64).exp2() * BRANCH))))
}

/// The plan of the crossbred method: the matrix, the number of linear variables, and the time.
pub fn crossbred(
    variables: usize,
    degrees: &[usize],
    degree: Option<usize>,
    profile: &Profile,
    speeds: &Speeds,
) -> Option<(Matrix, usize, Duration)> {
    if !(2..=MAX_VARIABLES).contains(&variables) {
        return None;
    }
    let most = match profile.one_engine() {
        OneEngine::Cpu(_) => MOST_LINEAR.min(ROWS - 4),
        OneEngine::Gpu(_) => MOST_LINEAR_ON_GPU,
    };
    let lowest = degrees.iter().copied().min().unwrap_or(2).max(2);
    let mut best: Option<(Matrix, usize, Duration)> = None;
    for degree in (lowest..=4).filter(|&own| degree.is_none_or(|degree| degree == own)) {
        let rank = hilbert::rank(variables, degrees, degree);
        for linear in 1..=most.min(variables) {
            // The rank exceeds the number of unwanted monomials by at least the number of linear variables.
            let unwanted = monomials(variables, degree) as f64 - others(variables, degree, linear);
            if rank - unwanted < linear as f64 + 4.0 {
                continue;
            }
            let Some(mut matrix) = Matrix::of_unwanted(variables, degrees, (degree, linear), profile) else {
                continue;
            };
            if let Some(gpu) = profile.gpu() {
                let limits = (gpu.binding_bytes, profile.device_memory);
                let bytes = crossbred::device_bytes(variables, degree, linear, limits, gpu.is_software);
                matrix.cost.device_bytes = matrix.cost.device_bytes.max(bytes);
            }
            let preparation = match profile.one_engine() {
                OneEngine::Gpu(gpu) if !gpu.is_software => PREPARATION,
                _ => 0.0,
            };
            let time = matrix
                .cost
                .time
                .saturating_add(seconds(preparation))
                .saturating_add(seconds(((variables - linear) as f64).exp2() / speeds.linear_systems));
            if best.as_ref().is_none_or(|(_, _, known)| time < *known) {
                best = Some((matrix, linear, time));
            }
        }
    }
    best
}

/// The monomials of degree at most `degree` that have at most one of the first `linear` variables.
fn others(variables: usize, degree: usize, linear: usize) -> f64 {
    let walked = variables - linear;
    monomials(walked, degree) as f64 + linear as f64 * monomials(walked, degree.saturating_sub(1)) as f64
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}
