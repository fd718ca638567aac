//! The expected times and the memory of Macaulay matrices.

use std::fmt;
use std::time::Duration;

use super::crossbred::{self, SPARE};
use super::generate::{self, monomials};
use super::hilbert;
use super::macaulay::{self, Columns};
use super::xl::most_rows;
use wgalois::Result;
use wgalois::gf2::{BitMatrix, Dense};
use wgalois::parallel::Threads;
use wgalois::task::{Cost, GpuProfile, Problem, Profile, Rate, typical};
use wgalois::timeline::Timeline;

/// An entry of a Macaulay matrix, which one thread of a Xeon places.
static ENTRY: Rate = Rate::of_thread("placed entry", 20e-9, entry);
/// Matrices of more bytes are not planned.
const MOST_BYTES: u64 = 1 << 42;

/// Seconds to compile the kernels of a search, which take as long as so many reference kernels, and to begin and end it: a search of
/// 2^16 values took 9 ms on an H200 with compiled kernels on the disk.
pub fn preparation_seconds(gpu: &GpuProfile, kernels: f64) -> f64 {
    gpu.compile_seconds("boolean", None, [kernels, 0.6]) + 10.0 * gpu.record.call
}

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
        let problem = Dense::echelon(usize::try_from(rows).ok()?, usize::try_from(columns).ok()?).ok()?;
        let bytes = BitMatrix::bytes_of(rows, columns).saturating_mul(2);
        Self::of(problem, (rows, bytes), degree, (variables, degrees), profile)
    }

    /// Returns the matrix of the monomials with two of the first `linear` variables or more: a row for each, and a
    /// column for each product.
    pub fn of_unwanted(
        variables: usize,
        degrees: &[usize],
        (degree, linear): (usize, usize),
        profile: &Profile,
    ) -> Option<Self> {
        let (products, columns) = hilbert::shape(variables, degrees, degree);
        let unwanted = columns - others(variables, degree, linear) as u64;
        let products = products.min(most_rows(columns)).min(unwanted + SPARE as u64);
        let problem = Dense::kernel(usize::try_from(unwanted).ok()?, usize::try_from(products).ok()?).ok()?;
        let bytes = BitMatrix::bytes_of(unwanted, products) + crossbred::filling_bytes(unwanted);
        Self::of(problem, (products, bytes), degree, (variables, degrees), profile)
    }

    /// The matrix of `products` products; it is made in `bytes` bytes of host memory.
    fn of(
        problem: Dense,
        (products, bytes): (u64, u64),
        degree: usize,
        (variables, degrees): (usize, &[usize]),
        profile: &Profile,
    ) -> Option<Self> {
        if bytes > MOST_BYTES {
            return None;
        }
        if bytes > profile.host_memory {
            return None;
        }
        let mut cost = problem.plan_for(&profile.beside(bytes)).ok()?.cost();
        let terms =
            degrees.iter().map(|&degree| monomials(variables, degree) as f64 / 2.0).fold(0.0, f64::max);
        let entries = products as f64 * terms;
        let host = profile.host();
        cost.time =
            cost.time.saturating_add(seconds(entries * host.record.seconds(&ENTRY) / host.parallel()));
        cost.host_bytes = cost.host_bytes.saturating_add(bytes);
        let (rows, columns) = problem.shape();
        Some(Matrix { degree, rows: rows as u64, columns: columns as u64, cost })
    }
}

/// The time of an entry of a small matrix on one thread.
fn entry() -> f64 {
    const VARIABLES: usize = 14;
    const DEGREE: usize = 3;
    let made = || -> Result<f64> {
        let equations = generate::random(VARIABLES, 2, 2, 1, true)?.equations;
        let columns = Columns::new(VARIABLES, DEGREE)?;
        let products = macaulay::products(&equations, &columns, DEGREE);
        let entries = products.len() as f64 * equations.terms() as f64 / 2.0;
        let (thread, timeline) = (Threads::new(1)?, Timeline::default());
        let fill = || drop(thread.run(|| macaulay::fill(&timeline, &equations, &columns, &products)));
        Ok(typical(entries, fill))
    };
    made().unwrap_or(f64::NAN)
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Matrix { degree, rows, columns, .. } = self;
        write!(f, "{rows} x {columns}, degree {degree}, {} bytes", self.bytes())
    }
}

/// The monomials of degree at most `degree` that have at most one of the first `linear` variables.
pub fn others(variables: usize, degree: usize, linear: usize) -> f64 {
    let walked = variables - linear;
    monomials(walked, degree) as f64 + linear as f64 * monomials(walked, degree.saturating_sub(1)) as f64
}

/// A time in seconds; the longest for numbers that are none.
pub fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}
