//! A transform ready to run, and how its work is shared among threads.

use super::kernels::{Instructions, Kernels, Network};
use super::tables::{self, Block, Shape, TWIG_LEVELS, Tables};
use super::threads::Threads;
use crate::field::bit_reverse;
use crate::ntt::{Coset, Direction, MAX_LOG_N, Order, Transform, words::no_length};
use crate::parallel::*;
use crate::timeline::Timeline;
use crate::{Error, Result};

/// Blocks of up to this many words are worked on breadth first: 32 KiB, which the first cache holds. Larger
/// ones are split depth first.
const BLOCK: usize = 1 << 13;

/// Work on fewer words is not shared among threads: it takes about as long as waking a thread.
pub(super) const SHARED: usize = 1 << 15;

/// From natural to bit-reversed order, or from bit-reversed to natural order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Down,
    Up,
}

/// A batch of transforms ready to run: tables for the way between the orders, and threads.
///
/// Tables take about n / 2 bytes with AVX-512, n bytes with AVX2, and 8 n bytes without
/// either; a coset adds up to as much.
#[derive(Debug)]
pub struct Plan {
    transform: Transform,
    kernels: &'static Kernels,
    way: Way,
    reverse_before: bool,
    reverse_after: bool,
    interleaved: bool,
    tables: Tables,
    threads: Threads,
}

impl Plan {
    /// Prepares a transform for the widest instructions of this processor. Its `reduction` has no effect
    /// here: constants multiply by Shoup's method.
    ///
    /// `threads` is the number of threads to use, 0 for one per core.
    pub fn new(transform: &Transform, threads: usize) -> Result<Self> {
        Self::with_instructions(transform, threads, Instructions::widest())
    }

    /// Prepares a transform for given instructions. Refuses those that this processor lacks.
    pub fn with_instructions(
        transform: &Transform,
        threads: usize,
        instructions: Instructions,
    ) -> Result<Self> {
        Self::scaled(transform, Threads::new(threads)?, instructions, 1)
    }

    /// The same plan, whose threads record their tasks on `timeline`.
    pub(in crate::ntt) fn recorded(self, timeline: &Timeline) -> Self {
        Plan { threads: self.threads.recorded(timeline), ..self }
    }

    /// Prepares a transform whose result is multiplied by `factor`.
    pub(super) fn scaled(
        transform: &Transform,
        threads: Threads,
        instructions: Instructions,
        factor: u32,
    ) -> Result<Self> {
        let kernels = instructions.kernels().ok_or_else(|| {
            let what = format!("run {instructions:?} instructions").into();
            Error::Unsupported { device: "this processor", what }
        })?;
        let (prime, log_n, way) = (transform.prime(), transform.log_n, Way::of(transform));
        if !(1..=MAX_LOG_N).contains(&log_n) {
            return Err(no_length(transform.n()));
        }
        // The way down with root w takes coefficients to values, the way up with root 1/w values to n times
        // the coefficients; with the other root, each does what the other does.
        let forward = transform.direction == Direction::Forward;
        let directed = |x| if forward { x } else { prime.inverse(x) };
        let scale = if forward { factor } else { prime.mul(factor, prime.inverse(transform.n() as u32)) };
        let (root, shift) = (directed(transform.root()?), directed(transform.shift()?));
        let interleaved = is_interleaved(log_n, kernels.lanes);
        Ok(Plan {
            transform: *transform,
            kernels,
            way,
            reverse_before: (transform.input == Order::BitReversed) == (way == Way::Down),
            reverse_after: (transform.output == Order::Natural) == (way == Way::Down),
            interleaved,
            tables: Tables::new(kernels, Shape { prime, log_n, root, shift, scale }, interleaved),
            threads,
        })
    }

    /// Bytes of the tables of a transform for the widest instructions.
    pub(in crate::ntt) fn table_bytes(transform: &Transform) -> u64 {
        Self::tables_of(transform.log_n, transform.coset != Coset::Subgroup)
    }

    /// Bytes of the tables of a transform of 2^`log_n` words.
    pub(in crate::ntt) fn tables_of(log_n: u32, coset: bool) -> u64 {
        let lanes = Self::widest_lanes();
        tables::table_bytes(lanes, log_n, coset, is_interleaved(log_n, lanes))
    }

    /// Scratch bytes of one thread, in addition to the tables: a vector for every lane, if vectors are
    /// short.
    pub(in crate::ntt) fn scratch_bytes(log_n: u32) -> u64 {
        let lanes = Self::widest_lanes();
        if is_interleaved(log_n, lanes) { (4 * lanes as u64) << log_n } else { 0 }
    }

    fn widest_lanes() -> usize {
        Instructions::widest().kernels().map_or(1, |kernels| kernels.lanes)
    }

    /// The transform.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// The threads.
    pub(super) fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Transforms all vectors of `data` in place.
    pub fn run(&self, data: &mut [u32]) -> Result<()> {
        if data.len() != self.transform.len() || !self.below(data) {
            self.transform.check_words(data)?;
        }
        self.run_checked(data)
    }

    /// Transforms data whose length and entries are already checked. If the work is stopped, some vectors of a batch
    /// are transformed, and others are not.
    pub(super) fn run_checked(&self, data: &mut [u32]) -> Result<()> {
        let (n, threads) = (self.transform.n(), self.threads.count());
        let batch = data.len() / n;
        if threads == 1 || data.len() < SHARED {
            let _task = self.threads.task("transforms");
            self.run_here(data);
        } else if batch >= 2 * threads || n < SHARED {
            let lanes = if self.interleaved { self.kernels.lanes } else { 1 };
            let vectors = (batch / (4 * threads)).max(1).next_multiple_of(lanes);
            self.threads.run(|| {
                data.par_chunks_mut(vectors * n).try_for_each(|part| {
                    self.threads.check_stop()?;
                    let _task = self.threads.task("transforms");
                    self.run_here(part);
                    Ok(())
                })
            })?;
        } else {
            self.threads.run(|| data.chunks_exact_mut(n).for_each(|vector| self.run_shared(vector)));
        }
        Ok(())
    }

    /// Replaces a by a b / 2^32, entry by entry.
    pub(super) fn multiply(&self, a: &mut [u32], b: &[u32]) {
        let multiply = |(a, b): (&mut [u32], &[u32])| self.kernels.multiply(a, b, self.transform.prime());
        if self.threads.count() == 1 || a.len() < SHARED {
            multiply((a, b));
        } else {
            let task = || self.threads.task("products");
            let blocks = |a: &mut [u32]| {
                let pairs = a.par_chunks_mut(BLOCK).zip(b.par_chunks(BLOCK));
                pairs.for_each_init(task, |_, pair| multiply(pair));
            };
            self.threads.run(|| blocks(a));
        }
    }

    fn below(&self, data: &[u32]) -> bool {
        let below = |words: &[u32]| self.kernels.below(words, self.transform.prime());
        if self.threads.count() == 1 || data.len() < SHARED {
            below(data)
        } else {
            self.threads.run(|| data.par_chunks(SHARED).all(below))
        }
    }

    /// Transforms whole vectors on this thread.
    fn run_here(&self, data: &mut [u32]) {
        let n = self.transform.n();
        if self.interleaved {
            let mut words = vec![0; self.kernels.lanes * n];
            return data.chunks_mut(words.len()).for_each(|group| self.run_interleaved(group, &mut words));
        }
        for vector in data.chunks_exact_mut(n) {
            if self.reverse_before {
                self.reverse(vector);
            }
            self.block(vector, Block::ROOT);
            if self.reverse_after {
                self.reverse(vector);
            }
        }
    }

    /// Transforms at most as many short vectors as there are lanes, one in each lane. `words` has room for
    /// all lanes; the contents of unused lanes do not matter.
    fn run_interleaved(&self, group: &mut [u32], words: &mut [u32]) {
        let (n, lanes) = (self.transform.n(), self.kernels.lanes);
        let place = |reverse: bool, i: usize| if reverse { bit_reverse(i, self.transform.log_n) } else { i };
        for (lane, vector) in group.chunks_exact(n).enumerate() {
            for i in 0..n {
                words[i * lanes + lane] = vector[place(self.reverse_before, i)];
            }
        }
        self.network().interleaved(words, &self.tables);
        for (lane, vector) in group.chunks_exact_mut(n).enumerate() {
            for (i, word) in vector.iter_mut().enumerate() {
                *word = words[place(self.reverse_after, i) * lanes + lane];
            }
        }
    }

    fn reverse(&self, vector: &mut [u32]) {
        let log_n = self.transform.log_n;
        // SAFETY: the vector is borrowed mutably, and these are all its pieces.
        unsafe { self.kernels.reverse(vector.as_mut_ptr(), log_n, 0..self.kernels.reverse_pieces(log_n)) }
    }

    /// Transforms a block on this thread, depth first.
    fn block(&self, data: &mut [u32], at: Block) {
        if data.len() <= BLOCK {
            return self.network().block(data, &self.tables, at);
        }
        if self.way == Way::Down {
            self.pass(data, at);
        }
        for (i, quarter) in data.chunks_exact_mut(data.len() / 4).enumerate() {
            self.block(quarter, at.descendant(2, i));
        }
        if self.way == Way::Up {
            self.pass(data, at);
        }
    }

    fn pass(&self, data: &mut [u32], at: Block) {
        let quarter = data.len() / 4;
        // SAFETY: the block is borrowed mutably.
        unsafe { self.network().pass(data.as_mut_ptr(), quarter, 0..quarter, &self.tables, at) }
    }

    /// Transforms one long vector on all threads.
    fn run_shared(&self, vector: &mut [u32]) {
        if self.reverse_before {
            self.reverse_shared(vector);
        }
        let passes = self.shared_passes();
        let part = vector.len() >> (2 * passes);
        if self.way == Way::Down {
            (0..passes).for_each(|done| self.pass_shared(vector, 2 * done));
        }
        let parts = vector.par_chunks_exact_mut(part).enumerate();
        let task = || self.threads.task("blocks");
        parts.for_each_init(task, |_, (i, part)| self.block(part, Block::ROOT.descendant(2 * passes, i)));
        if self.way == Way::Up {
            (0..passes).rev().for_each(|left| self.pass_shared(vector, 2 * left));
        }
        if self.reverse_after {
            self.reverse_shared(vector);
        }
    }

    /// The number of passes until there are several blocks per thread.
    fn shared_passes(&self) -> u32 {
        let enough = (4 * self.threads.count()).ilog2().div_ceil(2);
        enough.min((self.transform.log_n - BLOCK.ilog2()).div_ceil(2))
    }

    /// Does two levels of all blocks of a level, their columns shared among the threads.
    fn pass_shared(&self, vector: &mut [u32], level: u32) {
        let block = vector.len() >> level;
        let quarter = block / 4;
        let columns = (vector.len() / 4 / (8 * self.threads.count())).next_power_of_two().clamp(256, quarter);
        let shared = Shared(vector.as_mut_ptr());
        let tasks = (0..vector.len() / 4 / columns).into_par_iter();
        tasks.for_each_init(
            || self.threads.task("columns"),
            |_, task| {
                let (i, first) = (task * columns / quarter, task * columns % quarter);
                let (at, range) = (Block::ROOT.descendant(level, i), first..first + columns);
                // SAFETY: no other task has these columns of this block.
                unsafe { self.network().pass(shared.at(i * block), quarter, range, &self.tables, at) }
            },
        );
    }

    fn reverse_shared(&self, vector: &mut [u32]) {
        let log_n = self.transform.log_n;
        let pieces = self.kernels.reverse_pieces(log_n);
        let some = pieces.div_ceil(16 * self.threads.count());
        let shared = Shared(vector.as_mut_ptr());
        let tasks = (0..pieces.div_ceil(some)).into_par_iter().map(|task| task * some);
        tasks.for_each_init(
            || self.threads.task("reordering"),
            |_, first| {
                // SAFETY: no other task has these pieces.
                unsafe { self.kernels.reverse(shared.at(0), log_n, first..pieces.min(first + some)) }
            },
        );
    }

    fn network(&self) -> &'static Network {
        match self.way {
            Way::Down => &self.kernels.down,
            Way::Up => &self.kernels.up,
        }
    }
}

/// True if vectors are so short that every lane transforms one of its own.
fn is_interleaved(log_n: u32, lanes: usize) -> bool {
    1usize << log_n < lanes << TWIG_LEVELS
}

/// Memory that several tasks write to, each to its own words.
struct Shared(*mut u32);

// SAFETY: every use of the pointer has its own justification.
unsafe impl Sync for Shared {}

impl Shared {
    /// # Safety
    /// The word must exist.
    unsafe fn at(&self, word: usize) -> *mut u32 {
        // SAFETY: guaranteed by the caller.
        unsafe { self.0.add(word) }
    }
}

impl Way {
    /// On the subgroup, the way between the two orders if they differ; otherwise down for a forward and up
    /// for an inverse transform. A coset's shift belongs to the coefficients, and so to the upper end of the
    /// way.
    fn of(transform: &Transform) -> Self {
        let orders = (transform.input, transform.output);
        match (transform.coset, orders, transform.direction) {
            (Coset::Subgroup, (Order::Natural, Order::BitReversed), _) => Way::Down,
            (Coset::Subgroup, (Order::BitReversed, Order::Natural), _) => Way::Up,
            (_, _, Direction::Forward) => Way::Down,
            (_, _, Direction::Inverse) => Way::Up,
        }
    }
}
