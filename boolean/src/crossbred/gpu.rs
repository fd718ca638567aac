//! The linear systems of the crossbred method on a GPU.
//!
//! The values of y are divided like this:
//!
//! ```text
//! bit   0 .. up                 up .. up + threads          up + threads ..
//!       walked by a thread      one value each              prefix: one value a round
//! ```
//!
//! The coefficients of the linear systems are polynomials in y. They stay on the device, which restricts them to a
//! prefix and then to the value of each thread, one variable at a time ([`RESTRICT`]); the terms of the highest degree
//! are the same for all values. A thread walks through its values ([`LINEAR`]). Of k variables and 32 equations a value
//! in 2^(32 - k) has a solution; the kernel puts it into 32 of the system's equations, and the host into all.

use std::sync::Arc;

use serde::Serialize;

use super::layout::{CAPACITY, Layout, TERMS, below, words};
use super::{Prepared, ROWS, Search};
use crate::Equations;
use crate::checks::{missed, nonsense, random_below};
use crate::exhaustive::table::{CHOOSE, MAX_DEGREE, gray, part, sum_at};
use crate::{hits, macaulay};
use wgalois::gpu::{Arithmetic, DeviceVec, Gpu, Kernel, Pipeline, Recorder, Variant, buffers, params};
use wgalois::parallel::*;
use wgalois::{Error, Result};

/// The kernel that gives a variable a value.
pub static RESTRICT: Kernel = Kernel::of::<RestrictBuffers, RestrictParams>(
    "boolean/restrict",
    "boolean/restrict.wgsl",
    |_: Arithmetic| (2..=MAX_DEGREE).map(restrict_variant).collect(),
);

buffers! {
    /// The buffers of [`RESTRICT`].
    pub struct RestrictBuffers {
        source: read array<u32>,
        constants: read array<u32>,
        target_words: read_write array<u32>,
    }
}

/// The kernel that solves the linear systems.
pub static LINEAR: Kernel =
    Kernel::of::<LinearBuffers, LinearParams>("boolean/linear", "boolean/linear.wgsl", |_: Arithmetic| {
        [(2, 1), (2, 7), (3, 12), (4, 19), (4, MOST_LINEAR_ON_GPU)].map(linear_variant).to_vec()
    });

buffers! {
    /// The buffers of [`LINEAR`].
    pub struct LinearBuffers {
        state: read_write array<u32>,
        constants: read array<u32>,
        terms: read array<u32>,
        hits: read_write array<atomic<u32>>,
    }
}

/// The kernels of the crossbred method.
pub static KERNELS: &[&Kernel] = &[&RESTRICT, &LINEAR];

params! {
    /// The parameters of [`RESTRICT`].
    pub struct RestrictParams {
        /// The variable that is given a value: those of the results are below it.
        top,
        /// The number of tables, as a power of two.
        log_tables,
        /// The value, or 2 for both.
        choice,
        /// The number of polynomials of the lower degree.
        linear,
        /// Where the constants of the last polynomial begin.
        last_constants,
    }
}

params! {
    /// The parameters of [`LINEAR`].
    pub struct LinearParams {
        /// Variables that a thread walks through.
        up,
        /// The number of threads with a state, as a power of two.
        log_threads,
        /// The threads of the dispatch, from this one on.
        first_thread,
        /// Their number.
        threads,
        /// The words of a state before those of the last polynomial.
        last_words,
        /// Where the constants of the last polynomial begin.
        last_constants,
        /// The number of terms of the equations.
        terms,
        /// The maximum number of hits that are kept.
        capacity,
        /// The values of the variables above those of the threads, in their places among all.
        prefix_low,
        prefix_high,
    }
}

const WORKGROUP: u32 = 64;
/// The most linear variables: with more, many values of y have a solution, and threads of a group wait for each other.
pub const MOST_LINEAR_ON_GPU: usize = ROWS - 10;
/// The template's variables of both kernels.
#[derive(Serialize)]
struct Context {
    degree: usize,
    linear: usize,
}

fn restrict_variant(degree: usize) -> Variant {
    Variant::new(WORKGROUP, Context { degree, linear: 0 })
}

fn linear_variant((degree, linear): (usize, usize)) -> Variant {
    Variant::new(WORKGROUP, Context { degree, linear })
}

/// A search that is ready to run.
pub struct GpuSearch {
    gpu: Gpu,
    restrict: Arc<Pipeline>,
    solve: Arc<Pipeline>,
    layout: Layout,
    degree: usize,
    linear: usize,
    /// Where the constants of the last polynomial begin.
    last_constants: usize,
    polynomials: DeviceVec<u32>,
    constants: DeviceVec<u32>,
    sides: [DeviceVec<u32>; 2],
    terms: DeviceVec<u32>,
    /// The same as masks.
    words: Vec<(u64, u32)>,
    hits: DeviceVec<u32>,
    /// The maximum number of hits of a dispatch.
    capacity: usize,
}

impl GpuSearch {
    pub fn new(gpu: &Gpu, prepared: &Prepared, equations: &Equations) -> Result<Self> {
        let (degree, linear) = (prepared.degree, prepared.linear);
        if !(2..=MAX_DEGREE).contains(&degree) || !(1..=MOST_LINEAR_ON_GPU).contains(&linear) {
            let reason = format!("{linear} linear variables in degree {degree}: too many for a GPU");
            return Err(Error::unsuited("crossbred", reason));
        }
        let walked = prepared.variables - linear;
        let binding = 4 * gpu.binding_len::<u32>()? as u64;
        let limits = (binding, gpu.memory_left().min(prepared.memory));
        let layout = Layout::new((walked, degree, linear), limits, gpu.adapter().is_software());
        let last_constants = linear * CHOOSE[walked][degree - 1] as usize;
        let mut polynomials = vec![0; words(walked, degree, linear)];
        let mut constants = vec![0; last_constants + CHOOSE[walked][degree] as usize];
        let last_words = linear * below(walked, degree - 1);
        for (number, column) in prepared.columns.iter().enumerate() {
            let is_last = number == linear;
            let highest = if is_last { degree } else { degree - 1 };
            for &(mask, word) in &column.terms {
                let (size, part) = (mask.count_ones() as usize, part(mask));
                let place = if size < highest { below(walked, size) + part } else { part };
                match (size < highest, is_last) {
                    (true, true) => polynomials[last_words + place] = word,
                    (true, false) => polynomials[place * linear + number] = word,
                    (false, true) => constants[last_constants + place] = word,
                    (false, false) => constants[place * linear + number] = word,
                }
            }
        }
        let [restrict, solve] = gpu.pipelines([
            (&RESTRICT, &restrict_variant(degree)),
            (&LINEAR, &linear_variant((degree, linear))),
        ])?;
        let whole = |words: &[u32]| -> Result<DeviceVec<u32>> {
            let mut vector = gpu.zeros_whole(words.len().max(1))?;
            vector.write(0, words)?;
            Ok(vector)
        };
        let words = terms_of(equations);
        let terms: Vec<u32> =
            words.iter().flat_map(|&(mask, word)| [mask as u32, (mask >> 32) as u32, word]).collect();
        let [a, b] = layout.sides(degree, linear);
        Ok(GpuSearch {
            gpu: gpu.clone(),
            restrict,
            solve,
            layout,
            degree,
            linear,
            last_constants,
            polynomials: whole(&polynomials)?,
            constants: whole(&constants)?,
            sides: [gpu.zeros_whole(a.max(1))?, gpu.zeros_whole(b.max(1))?],
            terms: whole(&terms)?,
            words,
            hits: gpu.zeros_whole(1 + 2 * CAPACITY)?,
            capacity: CAPACITY,
        })
    }

    /// Keeps fewer hits, so that a small search has more than are kept.
    #[cfg(test)]
    pub fn with_capacity(self, capacity: usize) -> Self {
        GpuSearch { capacity, ..self }
    }

    /// The number of variables whose values a prefix leaves open.
    pub fn bits(&self) -> usize {
        self.layout.up + self.layout.threads
    }

    /// Searches all values with one prefix.
    pub async fn search(&mut self, prepared: &Prepared, search: &Search, prefix: u64) -> Result<()> {
        let threads = 1usize << self.layout.threads;
        if let Some(hits) = self.dispatch(prefix, (0, threads), true).await? {
            self.evaluate(prepared, search, prefix, &hits);
            return Ok(());
        }
        // More hits than there is room for: of fewer threads there are not. The walk changed the states.
        let few = self.few();
        for first in (0..threads).step_by(few) {
            if search.collector.must_end() {
                return Ok(());
            }
            let hits = self.dispatch(prefix, (first, few), first == 0).await?.ok_or_else(too_many)?;
            self.evaluate(prepared, search, prefix, &hits);
        }
        Ok(())
    }

    /// The threads whose hits there is room for, whatever they are.
    fn few(&self) -> usize {
        (self.capacity >> self.layout.up).clamp(1, 1 << self.layout.threads)
    }

    /// Evaluates the solutions of the linear systems of hits.
    fn evaluate(&self, prepared: &Prepared, search: &Search, prefix: u64, hits: &[u64]) {
        hits.par_iter().for_each(|y| {
            if !search.collector.must_end() {
                prepared.solve_at(search, prefix << self.bits() | y);
            }
        });
    }

    /// Plants a solution, and searches the values with its prefix. Returns 1.
    pub async fn plant(&mut self, prepared: &Prepared, search: &Search) -> Result<u32> {
        let planted = random_below(prepared.variables);
        let y = planted >> self.linear;
        let (prefix, own) = (y >> self.bits(), y & ((1 << self.bits()) - 1));
        let value = prepared.value(planted);
        let place = self.linear * below(self.layout.walked, self.degree - 1);
        let constant = self.polynomials.read_async(place..place + 1).await?[0];
        // The first term is 1.
        let term = self.words.iter().find(|(mask, _)| *mask == 0).map_or(0, |(_, word)| *word);
        let equations = sum_at(&self.words, planted);
        self.polynomials.write_async(place, &[constant ^ value]).await?;
        self.terms.write_async(2, &[term ^ equations]).await?;
        let threads = 1usize << self.layout.threads;
        let hits = match self.dispatch(prefix, (0, threads), true).await? {
            Some(hits) => hits,
            None => {
                let few = self.few();
                let first = (own >> self.layout.up) as usize / few * few;
                self.dispatch(prefix, (first, few), true).await?.ok_or_else(too_many)?
            }
        };
        self.polynomials.write_async(place, &[constant]).await?;
        self.terms.write_async(2, &[term]).await?;
        if hits.binary_search(&own).is_err() {
            return Err(missed());
        }
        let is_solvable = |hit: &u64| {
            let mut columns = prepared.columns_at(prefix << self.bits() | hit);
            columns[self.linear] ^= value;
            prepared.eliminate(&mut columns).is_some()
        };
        if !hits::some(&hits).all(is_solvable) {
            return Err(nonsense("a hit whose linear system has no solution"));
        }
        // The host solves the system of the hit, as it does in the search.
        let own_search = search.planted(planted, None);
        prepared.with_constant(value).solve_at(&own_search, y);
        match own_search.collector.has_once(planted) {
            Some(true) => Ok(1),
            _ => Err(missed()),
        }
    }

    /// Lets some threads walk through their values, from new states if `restricts`. Returns the values that are hits,
    /// ascending; `None` if there are more than room.
    async fn dispatch(
        &mut self,
        prefix: u64,
        (first, count): (usize, usize),
        restricts: bool,
    ) -> Result<Option<Vec<u64>>> {
        let Layout { walked, up, threads } = self.layout;
        self.hits.write_async(0, &[0]).await?;
        let gpu = self.gpu.clone();
        let mut recorder = gpu.record();
        if restricts {
            self.restrict(&mut recorder, prefix)?;
        }
        let above = prefix << (up + threads) << self.linear;
        let params = LinearParams {
            up: up as u32,
            log_threads: threads as u32,
            first_thread: first as u32,
            threads: count as u32,
            last_words: (self.linear * below(up, self.degree - 1)) as u32,
            last_constants: self.last_constants as u32,
            terms: self.words.len() as u32,
            capacity: self.capacity as u32,
            prefix_low: above as u32,
            prefix_high: (above >> 32) as u32,
        };
        let state = &self.sides[(walked - up - 1) % 2];
        let buffers = LinearBuffers {
            state: state.written()?,
            constants: self.constants.whole()?,
            terms: self.terms.whole()?,
            hits: self.hits.written()?,
        };
        let groups = count.div_ceil(WORKGROUP as usize) as u32;
        recorder.dispatch(&self.solve, "solve", &buffers, &params, groups)?;
        recorder.submit()?;
        let Some(words) = hits::read(&self.hits, count << up, self.capacity, too_many).await? else {
            return Ok(None);
        };
        let hit = |hit: &[u32]| {
            let (thread, step) = (hit[0] as usize, u64::from(hit[1]));
            match (first..first + count).contains(&thread) && step >> up == 0 {
                true => Ok((thread as u64) << up | gray(step)),
                false => Err(nonsense("a hit outside of the values that were searched")),
            }
        };
        hits::sorted(&words, hit).map(Some)
    }

    /// Restricts the polynomials to a prefix and then to the values of all threads.
    fn restrict(&self, recorder: &mut Recorder<'_>, prefix: u64) -> Result<()> {
        let Layout { walked, up, threads } = self.layout;
        for (number, top) in (up..walked).rev().enumerate() {
            let source = if number == 0 { &self.polynomials } else { &self.sides[(number - 1) % 2] };
            let (log_tables, choice) = match top.checked_sub(up + threads) {
                Some(bit) => (0, prefix >> bit & 1),
                None => (up + threads - 1 - top, 2),
            };
            let out = log_tables + usize::from(choice == 2);
            let params = RestrictParams {
                top: top as u32,
                log_tables: log_tables as u32,
                choice: choice as u32,
                linear: self.linear as u32,
                last_constants: self.last_constants as u32,
            };
            let buffers = RestrictBuffers {
                source: source.whole()?,
                constants: self.constants.whole()?,
                target_words: self.sides[number % 2].written()?,
            };
            let groups = (words(top, self.degree, self.linear) << out).div_ceil(WORKGROUP as usize) as u32;
            recorder.dispatch(&self.restrict, "restrict", &buffers, &params, groups)?;
        }
        Ok(())
    }
}

fn too_many() -> Error {
    nonsense("more hits than there are values")
}

/// The terms of at most 32 equations, of the lowest degrees, as masks with the equations that have it. The first is 1.
fn terms_of(equations: &Equations) -> Vec<(u64, u32)> {
    let mut order: Vec<usize> = (0..equations.polynomials().len()).collect();
    order.sort_by_key(|&number| equations.polynomials()[number].degree());
    let mut words = std::collections::BTreeMap::from([(0, 0)]);
    for (bit, &number) in order.iter().take(32).enumerate() {
        let masks = macaulay::masks(&equations.polynomials()[number]);
        if words.len() + masks.len() > TERMS {
            break;
        }
        masks.into_iter().for_each(|mask| *words.entry(mask).or_default() |= 1 << bit);
    }
    words.into_iter().collect()
}
