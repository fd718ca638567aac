//! Crossbred (Joux and Vitse, ePrint 2017/372): some variables are walked through in Gray code, and for each of their
//! values a linear system in the others is solved.
//!
//! ```text
//! x: k linear variables       y: the other variables
//!
//! Macaulay matrix of degree D   ->  combinations of rows without monomials of degree 2 and more in x
//!                               ->  polynomials  a1(y) x1 + ... + ak(y) xk + b(y)
//! for each y, in Gray code:         update all a and b by their derivatives
//!                                   solve the linear system; evaluate its solutions in all equations
//! ```
//!
//! For each y the linear system is a matrix of k + 1 columns, the last of them b. A column is a word with a bit for
//! each polynomial, so that a pivot is found in one step and eliminated by one addition a column.
//!
//! On a GPU the coefficients stay on the device as polynomials: one kernel gives one variable after the other its values, until each
//! thread has polynomials in nine variables; another walks through these, eliminates, and puts a solution into 32 equations of the
//! system. Candidates that pass go to the host, which evaluates them in all equations.

mod gpu;
mod layout;
mod on_cpu;
mod on_gpu;
mod plan;
mod polynomials;
#[cfg(test)]
mod tests;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use web_time::Instant;

use super::collect::{Collector, Found, fingerprint};
use super::exhaustive::Evaluator;
use super::exhaustive::table::{CHOOSE, Layout, Packed, Ranks, Windows};
use super::macaulay::{self, Columns};
use super::way::Job;
use super::xl::sample;
use super::{Equations, Query};
pub(crate) use gpu::KERNELS;
pub use plan::Crossbred;
pub use polynomials::{SPARE, filling_bytes};
use wgalois::One;
use wgalois::parallel::threads;
use wgalois::{Device, Result, Simd};

/// The maximum number of polynomials of the linear systems: the bits of a word.
pub const ROWS: usize = 32;
/// The most linear variables: with the constants they are 32 columns.
pub const MOST_LINEAR: usize = COLUMNS - 1;
/// The maximum number of columns.
const COLUMNS: usize = 32;

/// The polynomials that are linear in the first variables.
pub struct Prepared {
    /// The number of linear variables.
    linear: usize,
    /// For each column, polynomials in y: bit r of a word is the coefficient in polynomial r.
    columns: Vec<Packed>,
    variables: usize,
    degree: usize,
    /// Bytes of a GPU's memory that a search takes at most.
    memory: u64,
}

/// Finds polynomials of degree `degree` that are linear in the first `linear` variables, or in fewer if there are not
/// enough; the answer is `None` if there are none.
pub async fn prepare(
    device: &Device,
    equations: &Equations,
    degree: usize,
    linear: usize,
) -> Result<Option<Prepared>> {
    let variables = equations.variables();
    let columns = Columns::new(variables, degree)?;
    let products = sample(macaulay::products(equations, &columns, degree), columns.len());
    let most = linear.min(MOST_LINEAR).min(variables);
    for linear in (1..=most).rev() {
        let prepared = polynomials::find(device, equations, &columns, &products, (degree, linear)).await?;
        if prepared.is_some() {
            return Ok(prepared);
        }
    }
    Ok(None)
}

/// A search that its threads share.
struct Search {
    evaluator: Evaluator,
    collector: Collector,
    variables: usize,
    simd: Simd,
}

impl Search {
    fn accepts(&self, candidate: u64) -> bool {
        candidate >> self.variables == 0 && self.evaluator.accepts(candidate)
    }

    /// Returns the search for all solutions of equations with other constants, so that a candidate solves them.
    fn planted(&self, candidate: u64, deadline: Option<Instant>) -> Search {
        let collector = Collector::new(Query::All).with_deadline(deadline);
        Search {
            evaluator: self.evaluator.planted(candidate),
            collector,
            variables: self.variables,
            simd: self.simd,
        }
    }
}

impl Prepared {
    /// Random polynomials with few terms, for measurements: the time of a search does not depend on them.
    pub fn random(walked: usize, linear: usize, degree: usize) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(walked as u64);
        let mut column = |degree: usize| {
            // With random constants, few systems leave a variable free.
            let mut terms = std::collections::BTreeMap::from([(0u64, random.next_u32())]);
            for _ in 0..8 * walked {
                let variables = (0..degree).map(|_| 1u64 << (random.next_u32() as usize % walked));
                terms.insert(variables.fold(0, |mask, bit| mask | bit), random.next_u32());
            }
            terms.into_iter().collect::<Vec<_>>()
        };
        let polynomial = |number: usize| column(if number == linear { degree } else { degree - 1 });
        let columns = (0..=linear).map(polynomial).map(|terms| Packed { degree, terms }).collect();
        Prepared { linear, columns, variables: walked + linear, degree, memory: u64::MAX }
    }

    /// The same, for searches in at most `memory` bytes of a GPU.
    fn within(self, memory: u64) -> Self {
        Prepared { memory, ..self }
    }

    /// Walks through all values of the other variables.
    pub async fn search(&self, job: Job<'_>) -> Result<Found> {
        let order: Vec<usize> = (0..job.equations.polynomials().len()).collect();
        let search = Search {
            evaluator: Evaluator::new(job.equations, &order),
            collector: Collector::new(job.query),
            variables: self.variables,
            simd: if let One::Cpu(cpu) = job.device.one() { cpu.simd } else { Simd::best() },
        };
        let threads = match job.device.one() {
            // Without a value to walk through, one linear system is left.
            One::Gpu(gpu) if self.variables > self.linear => {
                return self.search_on_gpu(gpu, &search, job).await;
            }
            One::Gpu(_) => threads(),
            One::Cpu(cpu) => cpu.thread_count(),
        };
        self.search_on_cpu(threads, &search, job).await
    }

    /// Returns the polynomials with other constants.
    fn with_constant(&self, change: u32) -> Prepared {
        let mut columns = self.columns.clone();
        columns[self.linear].terms.push((0, change));
        Prepared { columns, ..*self }
    }

    /// The values of the polynomials at an assignment, a bit each.
    fn value(&self, at: u64) -> u32 {
        let columns = self.columns_at(at >> self.linear);
        (0..self.linear).filter(|v| at >> v & 1 == 1).fold(columns[self.linear], |sum, v| sum ^ columns[v])
    }

    /// The linear system of one y.
    fn columns_at(&self, y: u64) -> [u32; COLUMNS] {
        let mut columns = [0; COLUMNS];
        for (word, column) in columns.iter_mut().zip(&self.columns) {
            *word = column.value(y);
        }
        columns
    }

    /// Solves the linear system of one y, and evaluates its solutions. Returns true if the search is over.
    fn solve_at(&self, search: &Search, y: u64) -> bool {
        self.solve(search, self.columns_at(y), y)
    }

    /// Walks through the windows with one prefix. The polynomials are restricted to it once for all of them.
    fn windows(&self, search: &Search, prefix: u64, (up, shared): (usize, usize)) {
        let layout = Layout { low: 0, up, width: up };
        let columns: Vec<Packed> =
            self.columns.iter().map(|column| column.restricted(up + shared, prefix)).collect();
        let windows: Vec<Windows> = columns.iter().map(|column| Windows::new(column, layout)).collect();
        for part in 0..1u64 << shared {
            if search.collector.must_end() {
                return;
            }
            let words: Vec<Vec<u32>> = windows
                .iter()
                .zip(&columns)
                .map(|(windows, column)| windows.derivatives(column, part))
                .collect();
            self.window(search, &words, up, prefix << shared | part);
        }
    }

    /// Walks through the values of y with one prefix, from the words of the derivatives of each column.
    fn window(&self, search: &Search, words: &[Vec<u32>], up: usize, prefix: u64) {
        match search.simd {
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 if is_x86_feature_detected!("avx512f") => {
                // SAFETY: the processor has the instructions.
                unsafe { self.window_avx512(search, words, up, prefix) }
            }
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 | Simd::Avx2 if is_x86_feature_detected!("avx2") => {
                // SAFETY: the processor has the instructions.
                unsafe { self.window_avx2(search, words, up, prefix) }
            }
            _ => self.window_by(search, words, up, prefix),
        }
    }

    /// # Safety
    /// The processor has the instructions.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    unsafe fn window_avx512(&self, search: &Search, words: &[Vec<u32>], up: usize, prefix: u64) {
        self.window_by(search, words, up, prefix);
    }

    /// # Safety
    /// The processor has the instructions.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn window_avx2(&self, search: &Search, words: &[Vec<u32>], up: usize, prefix: u64) {
        self.window_by(search, words, up, prefix);
    }

    /// [`window`](Self::window) in the instructions of the function in which it is compiled.
    #[inline(always)]
    fn window_by(&self, search: &Search, words: &[Vec<u32>], up: usize, prefix: u64) {
        let ranks = Ranks::new(up, self.degree);
        // By monomial: the words of all columns.
        let mut state = vec![[0u32; COLUMNS]; ranks.len()];
        for (column, words) in words.iter().enumerate() {
            state.iter_mut().zip(words).for_each(|(columns, &word)| columns[column] = word);
        }
        let mut y = 0;
        for step in 0..1u64 << up {
            if step > 0 {
                y ^= 1 << step.trailing_zeros();
                advance(&mut state, &ranks, step, self.degree);
            }
            if self.solve(search, state[0], prefix << up | y) {
                return;
            }
        }
    }

    /// Eliminates the linear system of one y. Returns the bit of each variable's pivot, 0 without one; `None` if there is no
    /// solution.
    ///
    /// ```text
    /// for each variable v: if a row without a pivot has v, the first such row p becomes the pivot of v,
    ///                      and is added to all other rows with v
    /// ```
    #[inline(always)]
    fn eliminate(&self, columns: &mut [u32; COLUMNS]) -> Option<[u32; MOST_LINEAR]> {
        let k = self.linear;
        let mut pivots = [0u32; MOST_LINEAR];
        let mut unused = u32::MAX;
        for v in 0..k {
            let rows = columns[v] & unused;
            let pivot = rows & rows.wrapping_neg();
            let others = columns[v] ^ pivot;
            pivots[v] = pivot;
            unused ^= pivot;
            // Columns before v have no one in this row, except where v has no pivot and nothing changes.
            for column in columns.iter_mut() {
                *column ^= if *column & pivot != 0 { others } else { 0 };
            }
        }
        // A row without a pivot is 0 or 1 now, free variables aside: these have no row without a pivot.
        (columns[k] & unused == 0).then_some(pivots)
    }

    /// Solves the linear system of one y, and evaluates its solutions. Returns true if the search is over.
    #[inline(always)]
    fn solve(&self, search: &Search, mut columns: [u32; COLUMNS], y: u64) -> bool {
        let k = self.linear;
        let Some(pivots) = self.eliminate(&mut columns) else { return false };
        let is_free = |&v: &usize| pivots[v] == 0;
        let free: Vec<usize> = (0..k).filter(is_free).collect();
        for values in 0..1u64 << free.len() {
            let mut sums = columns[k];
            let mut x = 0u64;
            for (_, &v) in free.iter().enumerate().filter(|(place, _)| values >> place & 1 == 1) {
                sums ^= columns[v];
                x |= 1 << v;
            }
            for (v, &pivot) in pivots.iter().enumerate().take(k) {
                x |= u64::from(sums & pivot != 0) << v;
            }
            let candidate = y << k | x;
            if search.accepts(candidate) && search.collector.push(candidate) {
                return true;
            }
        }
        false
    }

    fn fingerprint(&self, equations: &Equations, query: Query) -> u64 {
        let terms = self.columns.iter().flat_map(|column| &column.terms);
        let words = terms.flat_map(|&(mask, word)| [mask, word.into()]);
        let header = [query as u64, self.linear as u64, self.degree as u64];
        fingerprint(equations, header.into_iter().chain(words))
    }
}

/// Changes y to that of `step` in all columns: the highest derivatives first, each by the next higher one.
#[inline(always)]
fn advance(state: &mut [[u32; COLUMNS]], ranks: &Ranks, step: u64, degree: usize) {
    let mut numbers = [0usize; 6];
    let mut rest = step;
    let mut count = 0;
    let mut part = 0;
    while rest != 0 && count < degree {
        count += 1;
        part += CHOOSE[rest.trailing_zeros() as usize][count] as usize;
        numbers[count] = ranks.offsets[count] + part;
        rest &= rest - 1;
    }
    for k in (0..count).rev() {
        let from = state[numbers[k + 1]];
        state[numbers[k]].iter_mut().zip(&from).for_each(|(to, from)| *to ^= from);
    }
}
