//! Exhaustive search where some variables determine the others, as a key determines all states of a cipher.
//!
//! ```text
//! inputs      variables whose values are tried
//! steps       in an order in which all other variables of a step are known:
//!                 define   x = q,  of an equation x + q in which x occurs only there
//!                 check    p = 0,  of an equation whose variables are known
//!
//! search(level): steps that the inputs below the level suffice for; where a check fails, no deeper
//!                the last nine inputs at once: 512 candidates in a vector, a bit each
//! ```
//!
//! Every equation is one step, so a candidate that passes all checks is a solution.

mod building;

use std::fmt;
use std::ops::Range;

use web_time::Instant;

use super::checks::{Checks, random_below};
use super::collect::{Collector, Found, Rounds, fingerprint};
use super::cost::seconds;
use super::problem::other_equations;
use super::recount::PATTERNS;
use super::speeds::monomial_seconds;
use super::watch::Watch;
use super::way::{Job, Running, Searching};
use super::{Equations, Query, Solutions, Solve};
use building::Building;
use wgalois::parallel::*;
use wgalois::task::{Cost, Profile, Rate, typical};
use wgalois::{Error, One, Result};

/// The maximum number of inputs of a search.
pub const MOST_INPUTS: usize = 60;
/// Inputs whose values differ among the lanes of a vector.
const LANES: usize = 9;
/// Inputs of which a unit of work has one value each, at most.
const MOST_PREFIX: usize = 16;

/// A product of a vector of 512 candidates, which is added to a sum, on one thread of a Xeon.
static PRODUCT: Rate = Rate::of_thread("product of 512 candidates", 5e-9, product);

fn product() -> f64 {
    /// Vectors of variables, and products.
    const VARIABLES: usize = 64;
    const PRODUCTS: usize = 1 << 12;
    let values: Vec<Lanes> = (0..VARIABLES as u64).map(|i| [i; 8]).collect();
    let terms: Vec<[usize; 2]> = (0..PRODUCTS).map(|i| [i * 7 % VARIABLES, i * 13 % VARIABLES]).collect();
    typical(PRODUCTS as f64, || {
        let sum = terms.iter().fold([0; 8], |mut sum: Lanes, &[a, b]| {
            let products = values[a].iter().zip(&values[b]).map(|(a, b)| a & b);
            sum.iter_mut().zip(products).for_each(|(sum, product)| *sum ^= product);
            sum
        });
        std::hint::black_box(sum);
    })
}

/// The way: on the CPU engine, also beside a GPU.
#[derive(Debug)]
pub struct Determined {
    inputs: usize,
    cost: Cost,
}

impl Determined {
    pub const NAME: &'static str = "exhaustive, of variables that determine the others";

    /// Refuses a system of which no few variables determine the others.
    pub fn new(problem: &Solve, profile: &Profile) -> Result<Self> {
        let reason = || format!("no {MOST_INPUTS} variables or less determine the others");
        let none = || Error::unsuited(Self::NAME, reason());
        let (inputs, terms) = problem.inputs.ok_or_else(none)?;
        let vectors = (inputs.saturating_sub(LANES) as f64).exp2();
        // Each check of a random system halves the candidates of a vector; with the last one, its work ends.
        let share = ((LANES + 2) as f64 / problem.degrees.len().max(1) as f64).min(1.0);
        let host = profile.host();
        let products = vectors * share * (terms + 64) as f64;
        let search = products * host.record.seconds(&PRODUCT) / host.parallel();
        let time = seconds(monomial_seconds(profile) * problem.monomials + search);
        let host_bytes = (64 << 20) + 64 * problem.variables as u64 * wgalois::parallel::threads() as u64;
        Ok(Determined { inputs, cost: Cost { time, host_bytes, device_bytes: 0, ..Cost::default() } })
    }
}

impl Searching for Determined {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn summary(&self, _: &Solve) -> String {
        format!("exhaustive, 2^{} values of variables that determine the others", self.inputs)
    }

    fn write(&self, _: &Solve, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "candidates     2^{}, of variables that determine the others", self.inputs)
    }

    fn search<'r>(
        &'r self,
        Job { device, equations, query, watch, checks }: Job<'r>,
    ) -> Running<'r, Solutions> {
        Box::pin(async move {
            let program = Program::new(equations).ok_or_else(other_equations)?;
            let threads = match device.one() {
                One::Cpu(cpu) => cpu.thread_count(),
                One::Gpu(_) => wgalois::parallel::threads(),
            };
            let found = program.search(equations, query, threads, watch, checks).await?;
            let mut list: Vec<Vec<bool>> =
                found.solutions.iter().filter_map(|&inputs| program.expand(inputs)).collect();
            list.sort_unstable();
            Ok(Solutions { list, count: found.count.into(), is_complete: found.is_complete })
        })
    }
}

/// 512 candidates, a bit each.
type Lanes = [u64; 8];

/// An order in which few variables determine the others.
#[derive(Clone, Debug)]
pub struct Program {
    inputs: Vec<u32>,
    steps: Vec<Step>,
    /// For each number of known inputs, from 0, the steps that become possible with the last of them.
    levels: Vec<Range<usize>>,
    variables: usize,
}

#[derive(Clone, Debug)]
struct Step {
    /// The products of a sum.
    terms: Vec<Box<[u32]>>,
    /// The variable that equals the sum; `None` if the sum must be 0.
    defines: Option<u32>,
}

impl Step {
    fn value(&self, values: &[bool]) -> bool {
        let is_one = |term: &[u32]| term.iter().all(|&variable| values[variable as usize]);
        self.terms.iter().filter(|term| is_one(term)).count() % 2 == 1
    }
}

impl Program {
    /// Returns an order with few inputs; `None` if more than [`MOST_INPUTS`] are needed.
    pub fn new(equations: &Equations) -> Option<Self> {
        let orders = [false, true].map(|prefers_short| Building::new(equations).finish(prefers_short));
        orders.into_iter().flatten().min_by_key(|program| program.inputs.len())
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Returns the number of products in the steps of the last inputs, which are computed for every vector.
    pub fn terms(&self) -> usize {
        let first = self.levels[self.outer() + 1..].iter().map(|level| level.start).next();
        let steps = first.map_or(&self.steps[..0], |first| &self.steps[first..]);
        steps.iter().flat_map(|step| &step.terms).map(|term| term.len() + 1).sum()
    }

    /// Inputs that are not in the lanes.
    fn outer(&self) -> usize {
        self.inputs.len().saturating_sub(LANES)
    }

    /// Searches all values of the inputs. A solution has input i in bit i.
    pub async fn search(
        &self,
        equations: &Equations,
        query: Query,
        threads: usize,
        watch: &mut dyn Watch,
        checks: &Checks,
    ) -> Result<Found> {
        let collector = Collector::new(query);
        let (begin, deadline) = (Instant::now(), watch.deadline());
        let prefix = self.outer().min(MOST_PREFIX);
        let terms = self.steps.iter().flat_map(|step| &step.terms);
        let words = terms.flat_map(|term| term.iter().map(|&variable| u64::from(variable)).chain([u64::MAX]));
        let header = [query as u64, prefix as u64].into_iter().chain(self.inputs.iter().map(|&v| v.into()));
        let rounds = Rounds {
            fingerprint: fingerprint(equations, header.chain(words)),
            of: 1 << prefix,
            first: threads as u64,
            most: u64::MAX,
        };
        let work = async |first: u64, count: u64| {
            (first..first + count).into_par_iter().for_each(|values| self.unit(&collector, prefix, values));
            Ok(())
        };
        let found = collector.run(rounds, |inputs| self.expand(inputs).is_some(), work, watch).await?;
        checks.plant(&found, begin, deadline, async || self.plant(prefix, deadline)).await?;
        Ok(found)
    }

    /// Plants a solution, and searches the unit that it is in. Returns 0 if there are too many others.
    fn plant(&self, prefix: usize, deadline: Option<Instant>) -> Result<u32> {
        let inputs = random_below(self.inputs.len());
        let planted = self.planted(inputs);
        let collector = Collector::new(Query::All).with_deadline(deadline);
        planted.unit(&collector, prefix, inputs & ((1 << prefix) - 1));
        collector.expect(inputs)
    }

    /// Returns the program of equations with other constants, which these values of the inputs solve.
    fn planted(&self, inputs: u64) -> Program {
        let mut planted = self.clone();
        let mut values = vec![false; self.variables];
        for level in 0..=self.inputs.len() {
            if let Some(input) = level.checked_sub(1) {
                values[self.inputs[input] as usize] = inputs >> input & 1 == 1;
            }
            for step in &mut planted.steps[self.levels[level].clone()] {
                let sum = step.value(&values);
                let value = step.defines.is_some() && rand::random();
                if let Some(variable) = step.defines {
                    values[variable as usize] = value;
                }
                if sum != value {
                    step.terms.push([].into());
                }
            }
        }
        planted
    }

    /// Returns the values of all variables for those of the inputs, if they solve the equations.
    pub fn expand(&self, inputs: u64) -> Option<Vec<bool>> {
        if self.inputs.len() < 64 && inputs >> self.inputs.len() != 0 {
            return None;
        }
        let mut values = vec![false; self.variables];
        for level in 0..=self.inputs.len() {
            if let Some(input) = level.checked_sub(1) {
                values[self.inputs[input] as usize] = inputs >> input & 1 == 1;
            }
            for step in &self.steps[self.levels[level].clone()] {
                let sum = step.value(&values);
                match step.defines {
                    Some(variable) => values[variable as usize] = sum,
                    None if sum => return None,
                    None => (),
                }
            }
        }
        Some(values)
    }

    /// Searches all candidates whose first inputs have these values.
    fn unit(&self, collector: &Collector, prefix: usize, values: u64) {
        let mut state = vec![[0; 8]; self.variables];
        if collector.must_end() || !self.runs(&mut state, 0) {
            return;
        }
        for input in 0..prefix {
            if !self.sets(&mut state, input, values >> input & 1 == 1) {
                return;
            }
        }
        self.descend(collector, &mut state, prefix, values);
    }

    /// Gives an input that is not in the lanes a value, and returns true if the checks that follow hold.
    fn sets(&self, state: &mut [Lanes], input: usize, value: bool) -> bool {
        state[self.inputs[input] as usize] = [if value { u64::MAX } else { 0 }; 8];
        self.runs(state, input + 1)
    }

    fn runs(&self, state: &mut [Lanes], level: usize) -> bool {
        self.run_level(state, level, [u64::MAX; 8]) != [0; 8]
    }

    /// Runs the steps of a level. Returns the lanes that pass its checks.
    fn run_level(&self, state: &mut [Lanes], level: usize, mut alive: Lanes) -> Lanes {
        for step in &self.steps[self.levels[level].clone()] {
            let mut sum = [0u64; 8];
            for term in &step.terms {
                let mut product = [u64::MAX; 8];
                for &variable in term {
                    product.iter_mut().zip(&state[variable as usize]).for_each(|(a, b)| *a &= b);
                }
                sum.iter_mut().zip(&product).for_each(|(a, b)| *a ^= b);
            }
            match step.defines {
                Some(variable) => state[variable as usize] = sum,
                None => {
                    alive.iter_mut().zip(&sum).for_each(|(a, b)| *a &= !b);
                    if alive == [0; 8] {
                        return alive;
                    }
                }
            }
        }
        alive
    }

    /// Tries both values of the inputs from `input` on. Returns true if the search is over.
    fn descend(&self, collector: &Collector, state: &mut [Lanes], input: usize, values: u64) -> bool {
        if input == self.outer() {
            return self.try_lanes(collector, state, values);
        }
        for value in [false, true] {
            let values = values | u64::from(value) << input;
            if self.sets(state, input, value) && self.descend(collector, state, input + 1, values) {
                return true;
            }
        }
        collector.must_end()
    }

    /// Tries all values of the last inputs.
    fn try_lanes(&self, collector: &Collector, state: &mut [Lanes], values: u64) -> bool {
        let outer = self.outer();
        let count = self.inputs.len() - outer;
        // With fewer inputs than lanes, the first lanes have all values.
        let mut alive: Lanes =
            std::array::from_fn(|word| match (1usize << count).saturating_sub(64 * word) {
                0 => 0,
                bits @ 1..64 => (1 << bits) - 1,
                _ => u64::MAX,
            });
        for place in 0..count {
            state[self.inputs[outer + place] as usize] = pattern(place);
            alive = self.run_level(state, outer + place + 1, alive);
            if alive == [0; 8] {
                return collector.must_end();
            }
        }
        for lane in (0..512u64).filter(|lane| alive[*lane as usize / 64] >> (lane % 64) & 1 == 1) {
            if collector.push(values | lane << outer) {
                return true;
            }
        }
        collector.must_end()
    }
}

/// The vector whose lane l is bit `place` of l.
fn pattern(place: usize) -> Lanes {
    match PATTERNS.get(place) {
        Some(&word) => [word; 8],
        None => std::array::from_fn(|word| if word >> (place - 6) & 1 == 1 { u64::MAX } else { 0 }),
    }
}

#[cfg(test)]
mod tests;
