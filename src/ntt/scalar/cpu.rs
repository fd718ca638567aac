//! Transforms on the CPU engine: radix 2, in place, decimation in frequency to bit-reversed order and decimation in
//! time from it (Gentleman, Sande 1966; Cooley, Tukey 1965), halves in parallel until they fit a core's cache.

use super::powers::weigh;
use super::problem::{Transform, Weights};
use crate::field::bit_reverse;
use crate::ntt::{Direction, Order};
use crate::parallel::*;
use crate::scalars::Scalar;
use crate::{Error, Result};

/// Scalars that one task transforms: 128 KiB.
pub(super) const LOG_SERIAL: u32 = 12;
const SERIAL: usize = 1 << LOG_SERIAL;
/// Butterflies of one task.
const BUTTERFLIES: usize = 1 << 9;

/// A transform with its tables.
#[derive(Debug)]
pub struct CpuTransform<F: Scalar> {
    transform: Transform<F>,
    /// For blocks of 2, 4, ... scalars, the powers of their root that butterflies multiply by.
    roots: Vec<Vec<F>>,
    weights: Option<Weights<F>>,
    threads: Threads,
}

/// Bytes of the tables for vectors of 2^`log_n` scalars.
pub(super) fn table_bytes<F>(log_n: u32) -> u64 {
    (size_of::<F>() as u64) << log_n
}

/// Bytes that a run takes beside the data: a copy of a vector, where the order changes twice or not at all.
pub(super) fn scratch_bytes<F: Scalar>(transform: &Transform<F>) -> u64 {
    match transform.input == transform.output {
        true => (size_of::<F>() as u64) << transform.log_n,
        false => 0,
    }
}

impl<F: Scalar> CpuTransform<F> {
    /// Makes the tables.
    pub fn new(transform: &Transform<F>, threads: Threads) -> Result<Self> {
        let weights = transform.weights()?;
        let roots = threads.run(|| tables(transform))?;
        Ok(CpuTransform { transform: *transform, roots, weights, threads })
    }

    /// Transforms every vector of the batch in place.
    pub fn run(&self, data: &mut [F]) -> Result<()> {
        self.transform.check_len(data.len(), "scalars")?;
        self.threads.run(|| self.run_here(data))
    }

    fn run_here(&self, data: &mut [F]) -> Result<()> {
        let Transform { log_n, direction, input, output, .. } = self.transform;
        if let (Direction::Forward, Some(weights)) = (direction, &self.weights) {
            weigh(data, weights, log_n, input);
        }
        data.par_chunks_mut(1 << log_n).try_for_each(|vector| {
            if (input, output) == (Order::BitReversed, Order::BitReversed) {
                reverse(vector)?;
            }
            self.stages(vector, (input, output) == (Order::BitReversed, Order::Natural));
            match (input, output) {
                (Order::Natural, Order::Natural) => reverse(vector),
                _ => Ok(()),
            }
        })?;
        if let (Direction::Inverse, Some(weights)) = (direction, &self.weights) {
            weigh(data, weights, log_n, output);
        }
        Ok(())
    }

    /// Decimation in time: the halves of a block, then the butterflies that join them; otherwise decimation in frequency,
    /// the butterflies first.
    fn stages(&self, block: &mut [F], time: bool) {
        let Some(level) = level(block) else { return };
        let roots = &self.roots[level];
        let (left, right) = block.split_at_mut(block.len() / 2);
        if let ([a], [b]) = (&mut *left, &mut *right) {
            (*a, *b) = (*a + *b, *a - *b);
            return;
        }
        let butterflies = |left: &mut [F], right: &mut [F], roots: &[F]| {
            let each = left.iter_mut().zip(right).zip(roots);
            match time {
                true => each.for_each(|((a, b), root)| {
                    let product = b.times(root);
                    *b = *a - product;
                    *a += product;
                }),
                false => each.for_each(|((a, b), root)| {
                    let difference = *a - *b;
                    *a += *b;
                    *b = difference.times(root);
                }),
            }
        };
        let stage = |left: &mut [F], right: &mut [F]| match left.len() {
            ..SERIAL => butterflies(left, right, roots),
            _ => {
                let parts = left.par_chunks_mut(BUTTERFLIES).zip(right.par_chunks_mut(BUTTERFLIES));
                parts.zip(roots.par_chunks(BUTTERFLIES)).for_each(|((a, b), roots)| butterflies(a, b, roots));
            }
        };
        if !time {
            stage(left, right);
        }
        if left.len() < SERIAL {
            self.stages(left, time);
            self.stages(right, time);
        } else {
            join(|| self.stages(left, time), || self.stages(right, time));
        }
        if time {
            stage(left, right);
        }
    }
}

/// The table of a block's root; None for a single scalar.
fn level<F>(block: &[F]) -> Option<usize> {
    (block.len().ilog2() as usize).checked_sub(1)
}

/// The powers for every length of a block: those of the longest, and every second one of the table before.
fn tables<F: Scalar>(transform: &Transform<F>) -> Result<Vec<Vec<F>>> {
    let mut tables = Vec::new();
    let mut root = transform.directed_root();
    for log_block in (1..=transform.log_n).rev() {
        let mut table = room::<F>(1 << (log_block - 1))?;
        match tables.last() {
            None => {
                table.resize(1 << (log_block - 1), F::ONE);
                let weights = Weights { first: F::ONE, ratio: root };
                weigh(&mut table, &weights, log_block - 1, Order::Natural);
            }
            Some(longer) => {
                let longer: &Vec<F> = longer;
                let places = (0..longer.len() / 2).into_par_iter();
                places.map(|i| longer[2 * i]).append_to(&mut table);
            }
        }
        tables.push(table);
        root.square_in_place();
    }
    tables.reverse();
    Ok(tables)
}

/// Brings a vector into the other order, through a copy.
fn reverse<F: Scalar>(vector: &mut [F]) -> Result<()> {
    let log_n = vector.len().ilog2();
    let mut copy = room::<F>(vector.len())?;
    vector.par_iter().copied().append_to(&mut copy);
    let places = vector.par_iter_mut().enumerate().with_min_len(BUTTERFLIES);
    places.for_each(|(i, x)| *x = copy[bit_reverse(i, log_n)]);
    Ok(())
}

/// An empty list with room for `count` scalars.
pub(super) fn room<F>(count: usize) -> Result<Vec<F>> {
    let mut list = Vec::new();
    let room = list.try_reserve_exact(count);
    room.map_err(|e| Error::OutOfMemory(format!("{count} scalars on the host: {e}").into()))?;
    crate::page_advice::prefer_huge(list.as_ptr(), count);
    Ok(list)
}
