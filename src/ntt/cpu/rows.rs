//! Many products of one form, by transforms modulo one prime or several.

use std::ops::Range;

use super::convolution::Convolution;
use super::plan::{Plan, SHARED};
use super::threads::Threads;
use crate::field::Prime;
use crate::parallel::*;
use crate::timeline::Timeline;
use crate::{Cpu, Result};

/// Words of the rows that a thread works on at a time: their vectors modulo one prime stay in the second cache.
const GROUP: usize = 1 << 14;

/// Products modulo x^n - 1 or x^n + 1, ready to run.
#[derive(Debug)]
pub struct Rows {
    primes: Vec<Convolution>,
}

/// Which vector of a row is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The row.
    pub row: usize,
    /// 0 for the first factor, 1 for the second.
    pub factor: usize,
    /// The place of the prime.
    pub prime: usize,
}

impl Rows {
    /// Products of 2^`log_n` coefficients modulo each of the primes, each of which must have a root of unity of that order, or
    /// of twice that order for products modulo x^n + 1.
    pub fn new(primes: &[Prime], log_n: u32, negacyclic: bool, cpu: &Cpu) -> Result<Self> {
        let threads = Threads::new(cpu.threads)?.recorded(&cpu.timeline);
        let of = |&prime: &Prime| Convolution::on(prime, log_n, negacyclic, threads.clone());
        Ok(Rows { primes: primes.iter().map(of).collect::<Result<_>>()? })
    }

    /// Bytes of the tables for so many primes.
    pub fn table_bytes(primes: usize, log_n: u32, negacyclic: bool) -> u64 {
        2 * primes as u64 * Plan::tables_of(log_n, negacyclic)
    }

    /// Bytes of the vectors of `count` rows that are worked on at a time by so many threads, beside the answers.
    pub fn vector_bytes(primes: usize, log_n: u32, count: usize, threads: usize) -> u64 {
        let n = 1 << log_n;
        let (rows, groups) = match is_shared(n) {
            true => (1, 1),
            false => (count.min(group(n)), threads.max(1)),
        };
        4 * (primes as u64 + 1) * (rows * n) as u64 * groups as u64
    }

    /// n.
    pub fn n(&self) -> usize {
        self.primes.first().map_or(1, Convolution::n)
    }

    /// The products modulo each prime.
    pub fn primes(&self) -> &[Convolution] {
        &self.primes
    }

    /// Runs parallel work on the threads of the engine.
    pub fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self.primes.first() {
            Some(first) => first.threads().run(work),
            None => work(),
        }
    }

    /// What `work` makes of the rows, in order; it gets some of them at a time, and is called on the threads of the engine.
    pub fn each_group<T: Send>(
        &self,
        count: usize,
        timeline: &Timeline,
        work: impl Fn(Range<usize>) -> Result<Vec<T>> + Sync + Send,
    ) -> Result<Vec<T>> {
        let rows = if is_shared(self.n()) { 1 } else { group(self.n()) };
        let groups = (0..count).step_by(rows).map(|first| first..count.min(first + rows)).collect::<Vec<_>>();
        let work = |rows: &Range<usize>| {
            timeline.check_stop()?;
            let _task = timeline.task_here("products");
            work(rows.clone())
        };
        let all = || -> Result<Vec<Vec<T>>> {
            match is_shared(self.n()) || groups.len() == 1 {
                true => groups.iter().map(work).collect(),
                false => groups.par_iter().with_max_len(1).map(work).try_collect(),
            }
        };
        let all = if count * self.n() < SHARED { all() } else { self.on_threads(all) };
        Ok(all?.into_iter().flatten().collect())
    }

    /// The products of some rows modulo each prime. `load` writes the n words of a vector; the second factors are
    /// not asked for if each is equal to the first of its row.
    pub fn products(
        &self,
        rows: Range<usize>,
        are_squares: bool,
        load: &(impl Fn(Wanted, &mut [u32]) + Sync),
    ) -> Result<Vec<Vec<u32>>> {
        let words = rows.len() * self.n();
        let mut other = crate::huge_pages::zeros(if are_squares { 0 } else { words })?;
        let product = |(prime, convolution): (usize, &Convolution)| {
            let mut first = crate::huge_pages::zeros(words)?;
            let fill = |factor: usize, words: &mut [u32]| {
                for (row, words) in rows.clone().zip(words.chunks_exact_mut(self.n())) {
                    load(Wanted { row, factor, prime }, words);
                }
            };
            fill(0, &mut first);
            match are_squares {
                true => convolution.multiply_rows(&mut first, None)?,
                false => {
                    fill(1, &mut other);
                    convolution.multiply_rows(&mut first, Some(&mut other))?;
                }
            }
            Ok(first)
        };
        self.primes.iter().enumerate().map(product).collect()
    }
}

/// True if a row is so long that all threads work on it together.
fn is_shared(n: usize) -> bool {
    n >= SHARED
}

/// The rows that a thread works on at a time.
fn group(n: usize) -> usize {
    (GROUP / n).max(1)
}
