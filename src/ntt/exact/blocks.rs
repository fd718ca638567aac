//! Exact products of a long polynomial and a shorter one, as a batch of cyclic products (Stockham, "High-speed convolution and
//! correlation", 1966: overlap-save).
//!
//! ```text
//! shorter factor: L coefficients, transformed once         n: length of the transforms
//! block k:        the n coefficients of the longer factor before place (k + 1) (n - L + 1)
//! its product:    modulo x^n - 1, of which the last n - L + 1 coefficients are those of the whole product
//! ```
//!
//! If bounds of the coefficients are known, the product takes as many of the [`PRIMES`] as the bound needs: two or three.

use std::fmt;
use std::time::Duration;

use super::garner::{Garner, residue, small_residue};
use super::{ExactProduct, PRIMES};
use crate::field::{Barrett, Prime};
use crate::ntt::Ring;
use crate::ntt::cpu::{Convolution, Plan, Rows};
use crate::ntt::cpu_cost::{level_seconds, rows_seconds};
use crate::ntt::three_primes::fields;
use crate::parallel::*;
use crate::task::{Cost, CpuProfile, Done, Ready, Way};
use crate::timeline::{Phase, Timeline};
use crate::{Cpu, Error, Result};

/// Levels of a transform that take as long as the conversions of a word from 64 bits and to 128.
const CONVERSION_LEVELS: f64 = 20.0;

/// The way of the CPU engine in blocks.
#[derive(Debug)]
pub(super) struct InBlocks {
    threads: usize,
    blocks: Blocks,
    cost: Cost,
}

/// How a product is cut.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    /// The number of primes.
    primes: usize,
    /// log2 of n.
    log_n: u32,
    /// Coefficients of the product that a block gives.
    step: usize,
    /// The number of blocks.
    count: usize,
    /// True if the second factor is the longer one.
    swapped: bool,
}

impl InBlocks {
    /// The name of this way.
    pub const NAME: &'static str = "in blocks";

    pub fn new(product: &ExactProduct, cpu: CpuProfile) -> Result<Self> {
        let ([a, b], length) = (product.lengths, product.length()?);
        let short = a.min(b);
        if product.ring != Ring::Linear || short == 0 {
            return Err(Error::unsuited(
                "blocks",
                "the product is not linear, or a factor has no coefficients",
            ));
        }
        let primes = product.primes();
        let cut = |log_n: u32| {
            let step = (1usize << log_n) - short + 1;
            Blocks { primes, log_n, step, count: length.div_ceil(step), swapped: b > a }
        };
        let seconds = |&Blocks { primes, log_n, count, .. }: &Blocks| {
            // Of three transforms of a product, each block takes two, and the shorter factor one.
            let transforms = rows_seconds(log_n, count, 0.0, cpu) * (2.0 + 1.0 / count as f64) / 3.0;
            // A thread converts a block's words alone, while others convert those of other blocks.
            let busy = CpuProfile { threads: cpu.threads.min(count), ..cpu };
            let at_a_time = count.div_ceil(cpu.threads.max(1)) * busy.threads;
            let words = (at_a_time << log_n) as f64;
            let conversions = words * CONVERSION_LEVELS * level_seconds(cpu.record) / busy.parallel();
            primes as f64 * (transforms + conversions)
        };
        let least = (2 * short).next_power_of_two().ilog2().max(1);
        let blocks = (least..=super::MAX_LOG_N.min(least + 3)).map(cut);
        let blocks = blocks.min_by(|x, y| seconds(x).total_cmp(&seconds(y)));
        let blocks = blocks.ok_or_else(|| Error::unsuited("blocks", "the shorter factor is too long"))?;
        let n = 1u64 << blocks.log_n;
        let host_bytes = Rows::table_bytes(primes, blocks.log_n, false)
            + cpu.threads as u64 * (Plan::scratch_bytes(blocks.log_n) + 4 * n * primes as u64)
            // The transforms of the shorter factor, and the product.
            + 4 * n * primes as u64
            + 16 * length as u64;
        let cost = Cost { time: Duration::from_secs_f64(seconds(&blocks)), host_bytes, ..Cost::default() };
        Ok(InBlocks { threads: cpu.threads, blocks, cost })
    }
}

impl ExactProduct {
    /// The number of primes whose product is above twice every coefficient: two or three.
    fn primes(&self) -> usize {
        let two = u128::from(PRIMES[0]) * u128::from(PRIMES[1]);
        let bound = |[a, b]: [u64; 2]| {
            let terms = self.ring.terms(self.lengths[0], self.lengths[1]) as u128;
            (2 * u128::from(a) * u128::from(b)).checked_mul(terms)
        };
        match self.magnitudes.and_then(bound) {
            Some(bound) if bound < two => 2,
            _ => 3,
        }
    }
}

impl Way<ExactProduct> for InBlocks {
    type Device = Cpu;
    type Ready<'p> = ReadyBlocks;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &ExactProduct, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Blocks { primes, log_n, count, .. } = self.blocks;
        writeln!(f, "blocks         {count}, of 2^{log_n} words modulo {primes} primes")?;
        writeln!(f, "threads        {}", self.threads)
    }

    fn prepare<'p>(&self, _: &ExactProduct, cpu: &Cpu, (): ()) -> Result<Self::Ready<'p>> {
        let (blocks, fields) = (self.blocks, fields()?);
        let rows = || Rows::new(&fields[..blocks.primes], blocks.log_n, false, cpu);
        let rows = cpu.timeline.time(Phase::Preparing, "tables", rows)?;
        Ok(ReadyBlocks { blocks, rows, fields, timeline: cpu.timeline.clone() })
    }
}

/// The tables.
#[derive(Debug)]
pub(super) struct ReadyBlocks {
    blocks: Blocks,
    rows: Rows,
    fields: [Prime; 3],
    timeline: Timeline,
}

impl Ready<ExactProduct> for ReadyBlocks {
    async fn run<'i: 'i>(
        &self,
        product: &ExactProduct,
        (a, b): (&'i [i64], &'i [i64]),
        _: &Done,
    ) -> Result<Vec<i128>> {
        let (long, short) = if self.blocks.swapped { (b, a) } else { (a, b) };
        let length = product.length()?;
        let of_long = product.magnitudes.map(|both| both[usize::from(self.blocks.swapped)]);
        let is_small = of_long.is_some_and(|most| PRIMES.iter().all(|&p| most < u64::from(p)));
        self.timeline.time(Phase::Host, "blocks", || self.multiply(long, short, length, is_small))
    }
}

impl ReadyBlocks {
    /// Coefficients of the longer factor are smaller in magnitude than each prime if `is_small`.
    fn multiply(&self, long: &[i64], short: &[i64], length: usize, is_small: bool) -> Result<Vec<i128>> {
        let reductions = self.fields.map(Barrett::new);
        let of_short = |(convolution, &reduction): (&Convolution, &Barrett)| {
            let mut values: Vec<u32> = short.iter().map(|&x| residue(reduction, x)).collect();
            values.resize(1 << self.blocks.log_n, 0);
            convolution.transform_rows(&mut values)?;
            Ok(values)
        };
        let primes = self.rows.primes().iter().zip(&reductions);
        let values: Vec<Vec<u32>> = primes.clone().map(of_short).collect::<Result<_>>()?;
        let garner = Garner::new(self.fields);
        let mut product = crate::huge_pages::zeros(length)?;
        let Blocks { step, log_n, .. } = self.blocks;
        let block = |place: usize, to: &mut [i128]| -> Result<()> {
            self.timeline.check_stop()?;
            // The block ends where its part of the product does.
            let end = (place + 1) * step;
            let (n, overlap) = (1usize << log_n, (1 << log_n) - step);
            let zeros = overlap.saturating_sub(place * step);
            let taken = &long[(end + zeros).saturating_sub(n).min(long.len())..end.min(long.len())];
            let mut residues = Vec::with_capacity(values.len());
            for (((convolution, &reduction), values), &field) in primes.clone().zip(&values).zip(&self.fields)
            {
                let mut words = vec![0; n];
                let places = words[zeros..].iter_mut().zip(taken);
                match is_small {
                    true => {
                        let p = i64::from(field.value());
                        places.for_each(|(word, &x)| *word = small_residue(p, x));
                    }
                    false => places.for_each(|(word, &x)| *word = residue(reduction, x)),
                }
                convolution.multiply_rows_by(&mut words, values)?;
                residues.push(words);
            }
            match &residues[..] {
                [r0, r1] => {
                    let pairs = r0[overlap..].iter().zip(&r1[overlap..]);
                    to.iter_mut()
                        .zip(pairs)
                        .for_each(|(to, (&r0, &r1))| *to = garner.integer_of_two(r0, r1).into());
                }
                [r0, r1, r2] => {
                    let all = r0[overlap..].iter().zip(&r1[overlap..]).zip(&r2[overlap..]);
                    to.iter_mut()
                        .zip(all)
                        .for_each(|(to, ((&r0, &r1), &r2))| *to = garner.integer([r0, r1, r2]));
                }
                _ => {}
            }
            Ok(())
        };
        let all = || {
            let blocks = product.par_chunks_mut(step).enumerate().with_max_len(1);
            blocks.try_for_each(|(place, to)| block(place, to))
        };
        self.rows.on_threads(all)?;
        Ok(product)
    }
}
