//! The way of the CPU engine: threads take some products of a batch at a time, with all their transforms.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use super::lift;
use crate::ntt::Product;
use crate::ntt::conversion::{Centring, Combination};
use crate::ntt::cpu::{self as engine, Plan, Rows, Wanted};
use crate::ntt::cpu_cost::rows_seconds;
use crate::ntt::lift::Lift;
use crate::ntt::three_primes::fields;
use crate::parallel::*;
use crate::task::{Cost, CpuProfile, Done, Ready, Way};
use crate::timeline::{Phase, Timeline};
use crate::{Cpu, Result};

/// Levels of a transform that take as long as the conversions of a word.
const CONVERSION_LEVELS: f64 = 4.0;

#[derive(Debug)]
pub(super) struct OnCpu {
    threads: usize,
    lift: Lift,
    cost: Cost,
}

impl OnCpu {
    pub fn new(product: &Product, cpu: CpuProfile) -> Result<Self> {
        let lift = lift(product)?;
        let (primes, log_n) = (lift.primes.len(), lift.log_n);
        let seconds = primes as f64 * rows_seconds(log_n, product.batch, CONVERSION_LEVELS, cpu);
        let host_bytes = Rows::table_bytes(primes, log_n, lift.negacyclic)
            + cpu.threads as u64 * Plan::scratch_bytes(log_n)
            + Rows::vector_bytes(primes, log_n, product.batch, cpu.threads)
            + product.answer_bytes(lift.n())?;
        let cost = Cost { time: Duration::from_secs_f64(seconds), host_bytes, ..Cost::default() };
        Ok(OnCpu { threads: cpu.threads, lift, cost })
    }
}

impl Way<Product> for OnCpu {
    type Device = Cpu;
    type Ready<'p> = ReadyOnCpu;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &Product, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "engine         CPU, {} threads", self.threads)
    }

    fn prepare<'p>(&self, _: &Product, cpu: &Cpu, (): ()) -> Result<Self::Ready<'p>> {
        let Lift { primes, log_n, negacyclic, .. } = &self.lift;
        let rows = || Rows::new(primes, *log_n, *negacyclic, cpu);
        let rows = cpu.timeline.time(Phase::Preparing, "tables", rows)?;
        Ok(ReadyOnCpu { rows, conversions: Conversions::new(&self.lift)?, timeline: cpu.timeline.clone() })
    }
}

/// The tables and constants.
#[derive(Debug)]
pub(super) struct ReadyOnCpu {
    rows: Rows,
    conversions: Conversions,
    timeline: Timeline,
}

impl Ready<Product> for ReadyOnCpu {
    async fn run<'i: 'i>(
        &self,
        product: &Product,
        factors: &'i [[&'i [u32]; 2]],
        _: &Done,
    ) -> Result<Vec<Vec<u32>>> {
        let group = |rows| self.group(product, factors, rows);
        let multiply = || self.rows.each_group(factors.len(), &self.timeline, group);
        self.timeline.time(Phase::Host, "products", multiply)
    }
}

impl ReadyOnCpu {
    /// The products of some rows.
    fn group(&self, product: &Product, factors: &[[&[u32]; 2]], rows: Range<usize>) -> Result<Vec<Vec<u32>>> {
        let load = |Wanted { row, factor, prime }: Wanted, words: &mut [u32]| {
            let folded = product.ring().fold(product.modulus(), factors[row][factor]);
            self.conversions.centre(prime, words, &folded);
        };
        let are_squares = factors[rows.clone()].iter().all(|[a, b]| a == b);
        let mut residues = self.rows.products(rows, are_squares, &load)?;
        product.finish_rows(self.conversions.combine(&mut residues), self.rows.n())
    }
}

/// The constants of the conversions.
#[derive(Debug)]
struct Conversions {
    centrings: Vec<Centring>,
    combination: Combination,
}

impl Conversions {
    fn new(lift: &Lift) -> Result<Self> {
        let centrings = lift.primes.iter().map(|&prime| Centring::new(lift.modulus, prime)).collect();
        Ok(Conversions {
            centrings,
            combination: Combination::new(lift.modulus, fields()?, lift.primes.len()),
        })
    }

    /// Writes the integers nearest to 0 of `from`, modulo the prime at this place, to `to`, and zeros after them, by all threads.
    fn centre(&self, prime: usize, to: &mut [u32], from: &[u32]) {
        if to.len() <= SHARE {
            return engine::centre(to, from, &self.centrings[prime]);
        }
        to.par_chunks_mut(SHARE).enumerate().for_each(|(share, to)| {
            let first = (share * SHARE).min(from.len());
            let part = &from[first..from.len().min(first + to.len())];
            engine::centre(to, part, &self.centrings[prime]);
        });
    }

    /// The residues modulo m from those modulo each prime, by all threads.
    fn combine(&self, residues: &mut [Vec<u32>]) -> Vec<u32> {
        let Some((first, others)) = residues.split_first_mut() else { return Vec::new() };
        first.par_chunks_mut(SHARE).enumerate().for_each(|(share, first)| {
            let other =
                |i: usize| others.get(i).map_or(&[][..], |other| &other[share * SHARE..][..first.len()]);
            engine::combine(first, [other(0), other(1)], &self.combination);
        });
        std::mem::take(first)
    }
}

/// Words that a thread converts at a time.
const SHARE: usize = 1 << 14;
