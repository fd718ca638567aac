//! Multiples of a base on the CPU engine.

use std::fmt;
use std::time::Duration;

use super::table::{self, Table, best_width};
use super::{FixedBase, ResidentBase};
use crate::curve::{Affine, Curve, ScalarField};
use crate::msm::affine_sums::Adder;
use crate::msm::cpu_cost::affine_addition_seconds;
use crate::msm::signed_digits::{Digits, Number, number};
use crate::parallel::*;
use crate::task::{Cost, CpuProfile, Done, Ready, Way, other_device};
use crate::timeline::Phase;
use crate::{Cpu, Device, One, Result};

/// The most points of a table: more of them, of the largest curve, leave the caches of a server's processor.
const MOST_POINTS: usize = 1 << 19;
/// Scalars that share an inversion: their sums and points of the table stay in a core's cache.
const BLOCK: usize = 1 << 11;
/// Scalars that are multiplied at a time.
const AT_A_TIME: usize = 1 << 20;

/// The way.
#[derive(Debug)]
pub(super) struct OnCpu {
    threads: usize,
    digits: Digits,
    cost: Cost,
}

/// The digits of all scalars of a curve in windows of so many bits.
fn digits<C: Curve>(width: u32) -> Digits {
    Digits::of_width(width, <C::ScalarField as ark_ff::PrimeField>::MODULUS_BIT_SIZE - 1)
}

/// The digits for which the table and `count` multiples take the fewest additions.
fn digits_for<C: Curve>(count: usize) -> Digits {
    digits::<C>(best_width(count, |width| digits::<C>(width).windows, MOST_POINTS))
}

impl OnCpu {
    pub fn new<C: Curve>(problem: &FixedBase<C>, cpu: CpuProfile) -> Self {
        let count = problem.count();
        let digits = digits_for::<C>(count);
        let points = table::points(digits.width, digits.windows);
        let additions = points + digits.windows as usize * count;
        let seconds = additions as f64 * affine_addition_seconds::<C>(cpu.record) / cpu.parallel();
        let point = size_of::<Affine<C>>() as u64;
        // The multiples, their places in the order of those that are not 0, and what the blocks of all threads take.
        let at_a_time = count.min(AT_A_TIME) as u64;
        let of_block = count.min(BLOCK) as u64 * (5 * point + size_of::<Number>() as u64);
        let host_bytes =
            (points as u64 + 2 * at_a_time) * point + 4 * at_a_time + cpu.threads as u64 * of_block;
        let time = Duration::from_secs_f64(seconds);
        OnCpu { threads: cpu.threads, digits, cost: Cost { time, host_bytes, ..Cost::default() } }
    }
}

impl<C: Curve> Way<FixedBase<C>> for OnCpu {
    type Device = Device;
    type Ready<'p> = ReadyOnCpu<C>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &FixedBase<C>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Digits { width, windows, .. } = self.digits;
        writeln!(f, "method         CPU engine, {} threads", self.threads)?;
        writeln!(f, "windows        {windows} of {width} bits")
    }

    fn prepare<'p>(
        &self,
        _: &FixedBase<C>,
        device: &Device,
        base: ResidentBase<'p, C>,
    ) -> Result<Self::Ready<'p>> {
        let One::Cpu(cpu) = device.one() else { return Err(other_device()) };
        let table = Threads::new(cpu.threads)?.run(|| {
            let table = || OfBase::new(base, self.digits);
            cpu.timeline.time(Phase::Preparing, "multiples of the base", table)
        });
        Ok(ReadyOnCpu { cpu: cpu.clone(), table })
    }
}

/// The table of a base.
pub(super) struct ReadyOnCpu<C: Curve> {
    cpu: Cpu,
    table: OfBase<C>,
}

impl<C: Curve> fmt::Debug for ReadyOnCpu<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "multiples of a point of {} on the CPU engine", C::NAME)
    }
}

impl<C: Curve> Ready<FixedBase<C>> for ReadyOnCpu<C> {
    async fn run<'i: 'i>(
        &self,
        _: &FixedBase<C>,
        scalars: &'i [C::ScalarField],
        _: &Done,
    ) -> Result<Vec<Affine<C>>> {
        let mut multiples = vec![Affine::identity(); scalars.len()];
        Threads::new(self.cpu.threads)?.run(|| {
            for (scalars, to) in scalars.chunks(AT_A_TIME).zip(multiples.chunks_mut(AT_A_TIME)) {
                self.cpu.timeline.check_stop()?;
                self.cpu.timeline.time(Phase::Host, "multiples", || self.table.fill(scalars, to));
            }
            Ok(())
        })?;
        Ok(multiples)
    }
}

/// A base with its table.
struct OfBase<C: Curve> {
    base: Affine<C>,
    table: Table<C>,
    digits: Digits,
}

/// The multiples of `base` by all scalars, on the threads of the caller.
pub(in crate::msm) fn multiples<C: Curve>(base: Affine<C>, scalars: &[ScalarField<C>]) -> Vec<Affine<C>> {
    let mut multiples = vec![Affine::identity(); scalars.len()];
    OfBase::new(base, digits_for::<C>(scalars.len())).fill(scalars, &mut multiples);
    multiples
}

impl<C: Curve> OfBase<C> {
    fn new(base: Affine<C>, digits: Digits) -> Self {
        OfBase { base, table: Table::new(&base, digits.width, digits.windows), digits }
    }

    /// Writes the multiples by some scalars to `to`, which has infinity everywhere.
    fn fill(&self, scalars: &[ScalarField<C>], to: &mut [Affine<C>]) {
        // Zeros are left out, so that those who share an inversion have additions.
        let places: Vec<u32> = (0..)
            .zip(scalars)
            .filter(|(_, scalar)| !ark_ff::Zero::is_zero(*scalar))
            .map(|(i, _)| i)
            .collect();
        let blocks: Vec<&[u32]> = places.chunks(BLOCK).collect();
        let sums = blocks
            .par_iter()
            .with_max_len(1)
            .collect_init(Block::default, |block, places| block.sums(self, scalars, places));
        let sums: Vec<Vec<Affine<C>>> = sums;
        for (place, sum) in places.into_iter().zip(sums.into_iter().flatten()) {
            to[place as usize] = sum;
        }
    }
}

/// What a block takes beside its sums.
struct Block<C: Curve> {
    numbers: Vec<Number>,
    /// The sum of each scalar, and the point that is to be added.
    pairs: Vec<[Affine<C>; 2]>,
    adder: Adder<C>,
}

impl<C: Curve> Default for Block<C> {
    fn default() -> Self {
        Block { numbers: Vec::new(), pairs: Vec::new(), adder: Adder::default() }
    }
}

impl<C: Curve> Block<C> {
    /// The multiples by the scalars at these places.
    fn sums(
        &mut self,
        OfBase { base, table, digits }: &OfBase<C>,
        scalars: &[ScalarField<C>],
        places: &[u32],
    ) -> Vec<Affine<C>> {
        let Block { numbers, pairs, adder } = self;
        numbers.clear();
        numbers.extend(places.iter().map(|&place| {
            let mut number = number::<C>(base, &scalars[place as usize]);
            digits.shift(&mut number);
            number
        }));
        let mut sums = vec![Affine::identity(); places.len()];
        for window in 0..digits.windows {
            let of_window = &table.points[window as usize * digits.largest()..];
            let point = |number: &Number| match digits.digit(number, window) {
                (0, _) => Affine::identity(),
                (digit, false) => of_window[digit - 1],
                (digit, true) => -of_window[digit - 1],
            };
            if window == 0 {
                sums.iter_mut().zip(&*numbers).for_each(|(sum, number)| *sum = point(number));
                continue;
            }
            pairs.clear();
            pairs.extend(sums.iter().zip(&*numbers).map(|(sum, number)| [*sum, point(number)]));
            adder.add(pairs.len(), |i| &pairs[i], |i, sum| sums[i] = sum);
        }
        sums
    }
}
