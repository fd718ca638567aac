//! Exhaustive search: all values of all variables, in Gray code (Bouillaguet et al., CHES 2010).
//!
//! The candidates are divided into windows, which share the values of the highest variables. A window is searched by
//! at most 32 of the equations, of degree at most 4; the candidates that solve these are evaluated in all.
//!
//! Up to 32 equations are in a word (16 on the CPU engine, 32 candidates in a vector). The variables are divided: those of a block,
//! which a thread walks through without branches; those that it walks through in Gray code; those of which it has one value; and the
//! prefix of a window. The terms of the highest degree in the block's variables are the same for all values of the others, so they
//! are precomputed as targets, and in degree 2 a candidate costs one addition and one comparison. A block with a match is searched again.

mod cpu;
mod evaluate;
mod gpu;
mod lanes;
mod on_cpu;
mod on_gpu;
pub(super) mod table;

use std::fmt;

use super::collect::{Collector, Found, Rounds, fingerprint};
use super::cost::{preparation_seconds, seconds};
use super::speeds::monomial_seconds;
use super::watch::Watch;
use super::way::{Job, Running, Searching};
use super::{Equations, Query, Solutions, Solve, Speeds};
pub(super) use evaluate::Evaluator;
use evaluate::mask_of;
pub(crate) use gpu::KERNELS;
pub(super) use table::MAX_VARIABLES;
use table::{Layout, MAX_DEGREE, Packed};
use wgalois::task::{Cost, Profile};
use wgalois::{Error, One, Result};

/// The seconds in which a thread of the host evaluates a candidate that passes the compared equations: 16 threads of a Xeon took 10 to
/// 13 ns together. It counts where few equations are compared.
const PASSING: f64 = 200e-9;

/// The way, on either engine.
#[derive(Debug)]
pub(super) struct Exhaustive {
    degree: usize,
    /// The equations that are compared first.
    compared: usize,
    cost: Cost,
}

impl Exhaustive {
    /// The way on an engine of these speeds. Refuses more than [`MAX_VARIABLES`] variables.
    pub fn new(problem: &Solve, profile: &Profile, speeds: &Speeds) -> Result<Self> {
        check_variables(problem.variables)?;
        let Chosen { degree, numbers } = choose(&problem.degrees);
        let (compared, candidates) = (numbers.len(), (problem.variables as f64).exp2());
        // Candidates that pass the compared equations are evaluated one by one.
        let at_once = if profile.gpu().is_some() { 32 } else { 16 };
        let passing = candidates * (-(compared.min(at_once) as f64)).exp2();
        let preparation = profile.gpu().map_or(0.0, |gpu| preparation_seconds(gpu, 1.5));
        let preparation = preparation + monomial_seconds(profile) * problem.monomials;
        let evaluation = passing * PASSING / profile.host().parallel();
        let time = seconds(preparation + candidates / speeds.candidates_of(degree) + evaluation);
        let device_bytes = if profile.gpu().is_some() { 64 << 20 } else { 0 };
        Ok(Exhaustive {
            degree,
            compared,
            cost: Cost { time, host_bytes: 64 << 20, device_bytes, ..Cost::default() },
        })
    }
}

impl Searching for Exhaustive {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn summary(&self, problem: &Solve) -> String {
        format!("exhaustive, 2^{} candidates", problem.variables)
    }

    fn write(&self, problem: &Solve, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, Exhaustive { degree, compared, .. }) = (problem.variables, self);
        writeln!(f, "candidates     2^{n}, by {compared} equations of degree {degree} at most")
    }

    fn search<'r>(&'r self, job: Job<'r>) -> Running<'r, Solutions> {
        Box::pin(async move {
            let variables = job.equations.variables();
            Ok(Solutions::from_found(search(job).await?, variables))
        })
    }
}

fn check_variables(variables: usize) -> Result<()> {
    Error::expect_at_most("variables of an exhaustive search", MAX_VARIABLES as u64, variables as u64)
}

/// A search of some equations, for any engine.
struct Search {
    packed: Packed,
    evaluator: Evaluator,
    is_slow: bool,
    variables: usize,
    /// A number that differs between equations and questions.
    fingerprint: u64,
    collector: Collector,
}

/// The equations that a search compares first: their numbers, and the highest degree.
struct Chosen {
    numbers: Vec<usize>,
    degree: usize,
}

/// Chooses the equations to compare: at most 32, of the lowest degrees; those of a higher degree than the others only
/// if fewer than 16 would be left.
fn choose(degrees: &[usize]) -> Chosen {
    let mut order: Vec<usize> = (0..degrees.len()).filter(|&number| degrees[number] <= MAX_DEGREE).collect();
    order.sort_by_key(|&number| degrees[number]);
    let enough = order.get(15).or(order.last()).map_or(2, |&number| degrees[number]).max(2);
    order.retain(|&number| degrees[number] <= enough);
    order.truncate(32);
    Chosen { numbers: order, degree: enough }
}

impl Search {
    fn new(equations: &Equations, query: Query) -> Result<Self> {
        let variables = equations.variables();
        check_variables(variables)?;
        let degrees: Vec<usize> = equations.polynomials().iter().map(|p| p.degree()).collect();
        let Chosen { numbers, degree } = choose(&degrees);
        let mut words = std::collections::BTreeMap::<u64, u32>::new();
        for (bit, &number) in numbers.iter().enumerate() {
            for term in equations.polynomials()[number].terms() {
                *words.entry(mask_of(term.variables())).or_default() |= 1 << bit;
            }
        }
        let packed = Packed { degree, terms: words.into_iter().collect() };
        // The equations that no candidate has been compared with come first.
        let mut order: Vec<usize> =
            (0..degrees.len()).filter(|number| !numbers[..numbers.len().min(16)].contains(number)).collect();
        order.extend(&numbers[..numbers.len().min(16)]);
        let evaluator = Evaluator::new(equations, &order);
        let fingerprint = fingerprint(equations, [query as u64]);
        let is_slow = evaluator.is_slow();
        Ok(Search { is_slow, packed, evaluator, variables, fingerprint, collector: Collector::new(query) })
    }

    /// True if an assignment solves all equations. Of a system with few variables, variables that do not exist are 0.
    fn accepts(&self, candidate: u64) -> bool {
        candidate >> self.variables == 0 && self.evaluator.accepts(candidate)
    }

    /// Evaluates a candidate, and counts and keeps it if it is a solution. Returns true if the search is over.
    fn try_candidate(&self, candidate: u64) -> bool {
        if self.is_slow && self.collector.must_end() {
            return true;
        }
        self.accepts(candidate) && self.collector.push(candidate)
    }

    /// The number of windows.
    fn windows(&self, layout: Layout) -> u64 {
        1 << self.variables.saturating_sub(layout.width)
    }

    fn is_over(&self) -> bool {
        self.collector.is_over()
    }

    /// Searches all windows, `first` of them in the first round and at most `most` in a round.
    async fn run(
        &self,
        layout: Layout,
        (first, most): (u64, u64),
        work: impl AsyncFnMut(u64, u64) -> Result<()>,
        watch: &mut dyn Watch,
    ) -> Result<Found> {
        // Windows are numbered by the values of the variables above them.
        let fingerprint = self.fingerprint.wrapping_add(layout.width as u64);
        let of = self.windows(layout);
        let rounds = Rounds { fingerprint, of, first, most };
        self.collector.run(rounds, |solution| self.accepts(solution), work, watch).await
    }
}

/// Searches all values of the variables of `job`'s equations, which are at most [`MAX_VARIABLES`].
pub(super) async fn search(job: Job<'_>) -> Result<Found> {
    match job.device.one() {
        One::Cpu(cpu) => on_cpu::search(cpu, job).await,
        One::Gpu(gpu) => on_gpu::search(gpu, job).await,
    }
}

#[cfg(test)]
mod tests;
