//! Exhaustive search: all values of all variables, in Gray code (Bouillaguet et al., CHES 2010).
//!
//! The candidates are divided into windows, which share the values of the highest variables. A window is searched by
//! at most 32 of the equations, of degree at most 4; the candidates that solve these are evaluated in all.

mod cpu;
mod evaluate;
mod gpu;
mod lanes;
pub(super) mod table;

use web_time::Instant;

use super::checks::{Checks, MOST_SEEN, missed, nonsense, random_below};
use super::collect::{Collector, Found, Rounds, fingerprint};
use super::watch::Watch;
use super::{Equations, Want};
pub(super) use evaluate::Evaluator;
use evaluate::mask_of;
pub(crate) use gpu::KERNELS;
pub(super) use table::MAX_VARIABLES;
use table::{Layout, MAX_DEGREE, Packed, Windows};
use wgalois::One;
use wgalois::parallel::*;
use wgalois::{Cpu, Device, Error, Result};

/// Windows of a GPU's first round.
const FIRST: u64 = 2;

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

/// The degree that a search of equations of these degrees has, and the number of equations that it compares.
pub(super) fn shape(degrees: &[usize]) -> (usize, usize) {
    let chosen = choose(degrees);
    (chosen.degree, chosen.numbers.len())
}

impl Search {
    fn new(equations: &Equations, want: Want) -> Result<Self> {
        let variables = equations.variables();
        if variables > MAX_VARIABLES {
            let message =
                format!("{variables} variables: an exhaustive search takes at most {MAX_VARIABLES}");
            return Err(Error::Input(message));
        }
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
        let fingerprint = fingerprint(equations, [want as u64]);
        let is_slow = evaluator.is_slow();
        Ok(Search { is_slow, packed, evaluator, variables, fingerprint, collector: Collector::new(want) })
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

/// Searches all values of the variables of `equations`, which are at most [`MAX_VARIABLES`].
///
/// # Errors
/// [`Error::Input`] for more variables, and those of [`Collector::run`]; those of the device and of `watch`.
pub(super) async fn search(
    device: &Device,
    equations: &Equations,
    want: Want,
    watch: &mut dyn Watch,
    checks: &Checks,
) -> Result<Found> {
    let search = Search::new(equations, want)?;
    let (begin, deadline) = (Instant::now(), watch.deadline());
    match device.one() {
        One::Cpu(cpu) => on_cpu(&search, cpu, watch, checks).await,
        One::Gpu(gpu) => {
            let mut engine = gpu::Engine::new(gpu, &search)?;
            // A slow GPU's driver ends a dispatch that takes seconds, so the first rounds are small.
            let (layout, most) = (engine.layout(), engine.most());
            let work = async |first, count| engine.search(&search, first, count).await;
            let found = search.run(layout, (most.min(FIRST), most), work, watch).await?;
            if found.is_complete {
                let plant = async || engine.plant(&search).await;
                checks.plant(begin.elapsed(), deadline, plant).await?;
            }
            Ok(found)
        }
    }
}

async fn on_cpu(search: &Search, cpu: &Cpu, watch: &mut dyn Watch, checks: &Checks) -> Result<Found> {
    let (begin, deadline) = (Instant::now(), watch.deadline());
    let low = cpu::low(search.packed.degree);
    let fixed = low + cpu::LANES;
    let up = search.variables.saturating_sub(fixed).min(12);
    let layout = Layout { low, up, width: fixed + up };
    let windows = Windows::new(&search.packed, layout);
    let work = async |first: u64, count: u64| {
        (first..first + count).into_par_iter().for_each(|prefix| {
            if search.collector.must_end() {
                return;
            }
            let mut found = |candidate| search.try_candidate(candidate | prefix << layout.width);
            cpu::search(cpu.simd, &windows, &search.packed, prefix, &mut found);
        });
        Ok(())
    };
    let threads = cpu.thread_count() as u64;
    let found = search.run(layout, (4 * threads, u64::MAX), work, watch).await?;
    if found.is_complete {
        // A window in ten at most.
        let count = threads.min(search.windows(layout) / 10).max(1);
        let one = |_| plant_on_cpu(search, cpu, &windows);
        let plant = async || (0..count).into_par_iter().map(one).sum::<Result<u32>>();
        checks.plant(begin.elapsed(), deadline, plant).await?;
    }
    Ok(found)
}

/// Plants a solution, and searches the window that it is in.
fn plant_on_cpu(search: &Search, cpu: &Cpu, windows: &Windows) -> Result<u32> {
    let width = windows.layout.width;
    let planted = random_below(search.variables);
    let prefix = planted >> width;
    let packed = search.packed.planted(planted);
    let (mut times, mut seen, mut is_wrong) = (0, 0, false);
    let mut found = |candidate: u64| {
        let candidate = candidate | prefix << width;
        times += usize::from(candidate == planted);
        seen += 1;
        // The lanes compare 16 equations.
        is_wrong |= seen <= MOST_SEEN && packed.value(candidate) as u16 != 0;
        false
    };
    cpu::search(cpu.simd, windows, &packed, prefix, &mut found);
    match (times, is_wrong) {
        (1, false) => Ok(1),
        (0, _) => Err(missed()),
        _ => Err(nonsense("candidates that solve no equation, or one twice")),
    }
}

#[cfg(test)]
mod tests;
