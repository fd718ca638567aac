//! Reproducible random matrices and F4 matrices: the same arguments and seed give the same result on every
//! machine.

pub mod course;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::BTreeSet;

use super::{BitMatrix, IndexLists};
use crate::{Error, Result};

/// A random number below `range`, uniform up to a bias of less than `range` / 2^64.
fn below(rng: &mut impl Rng, range: usize) -> usize {
    ((u128::from(rng.next_u64()) * range as u128) >> 64) as usize
}

/// A matrix whose entries are ones with probability `density`.
pub fn matrix(rows: usize, columns: usize, density: f64, seed: u64) -> Result<BitMatrix> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut matrix = BitMatrix::zeros(rows, columns)?;
    // At density 1/2 (threshold 2^31) one draw gives 64 entries; any other density takes a draw an entry.
    let threshold = (density.clamp(0.0, 1.0) * 4294967296.0) as u64;
    for row in 0..rows {
        for (w, word) in matrix.row64_mut(row).iter_mut().enumerate().take(columns.div_ceil(64)) {
            let width = 64.min(columns - 64 * w);
            *word = match threshold {
                0x8000_0000 => rng.next_u64(),
                _ => {
                    (0..width).fold(0, |word, k| word | u64::from(u64::from(rng.next_u32()) < threshold) << k)
                }
            } & (u64::MAX >> (64 - width));
        }
    }
    Ok(matrix)
}

/// Random factors whose product has at most this rank, and exactly `rank` with high probability.
pub fn factors_of_rank(rows: usize, columns: usize, rank: usize, seed: u64) -> Result<[BitMatrix; 2]> {
    Ok([matrix(rows, rank, 0.5, seed)?, matrix(rank, columns, 0.5, !seed)?])
}

/// The product of [`factors_of_rank`], row by row: for large matrices a [product](super::Product) on a device takes less time.
pub fn matrix_of_rank(rows: usize, columns: usize, rank: usize, seed: u64) -> Result<BitMatrix> {
    let [left, right] = factors_of_rank(rows, columns, rank, seed)?;
    let mut product = BitMatrix::zeros(rows, columns)?;
    for row in 0..rows {
        let words = product.row64_mut(row);
        for k in left.ones(row) {
            words.iter_mut().zip(right.row64(k)).for_each(|(word, other)| *word ^= other);
        }
    }
    Ok(product)
}

/// The parameters of a random F4 matrix like those of Boolean Groebner bases: the reducers are sparse,
/// the columns without a reducer are mostly low, and a third of the rows are sums of three
/// reducers.
#[derive(Clone, Copy, Debug)]
pub struct Groebner {
    /// The number of columns.
    pub columns: usize,
    /// The number of reducers, at most that of columns; their leads are distinct.
    pub reducers: usize,
    /// The number of rows to reduce.
    pub rows: usize,
    /// At most this many rows can become pivots.
    pub new_pivots: usize,
    /// Mean number of ones of a reducer.
    pub reducer_ones: usize,
    /// Mean number of ones of a row.
    pub row_ones: usize,
    /// The seed.
    pub seed: u64,
}

impl Groebner {
    /// Generates the reducers, by descending lead, and the rows. Refuses more reducers than columns, and more
    /// than 2^32 columns.
    pub fn generate(&self) -> Result<(IndexLists, IndexLists)> {
        self.generate_with_sums(3)
    }

    /// As [`generate`](Self::generate), with one row in `interval` a sum of three reducers.
    fn generate_with_sums(&self, interval: usize) -> Result<(IndexLists, IndexLists)> {
        let (columns, reducers) = (self.columns as u64, self.reducers as u64);
        for (what, value, most) in [("columns", columns, 1 << 32), ("eliminators", reducers, columns)] {
            if value > most {
                return Err(Error::Setting { what, value, least: 0, most });
            }
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let leads = self.leads(&mut rng);
        let allowed = self.allowed(&mut rng, &leads);
        let mut reducers = IndexLists::default();
        for &lead in leads.iter().rev() {
            let lower = allowed.partition_point(|&column| column < lead);
            let mut row = draw(&mut rng, &allowed[..lower], self.reducer_ones);
            row.insert(lead);
            reducers.push(&descending(&row))?;
        }
        let mut rows = IndexLists::default();
        for _ in 0..self.rows {
            let row = match below(&mut rng, interval) {
                0 => sum_of_three(&mut rng, &reducers),
                _ => {
                    // The smaller of two draws: leads are more frequent at high columns.
                    let depth =
                        below(&mut rng, allowed.len() / 2 + 1).min(below(&mut rng, allowed.len() / 2 + 1));
                    let top = allowed.len() - depth.min(allowed.len());
                    let mut row = draw(&mut rng, &allowed[..top.saturating_sub(1)], self.row_ones);
                    row.extend(allowed[..top].last());
                    row
                }
            };
            rows.push(&descending(&row))?;
        }
        Ok((reducers, rows))
    }

    /// Draws the leads, ascending; the columns that are not leads are mostly low ones.
    fn leads(&self, rng: &mut ChaCha8Rng) -> Vec<u32> {
        let mut missing = BTreeSet::new();
        while missing.len() < self.columns - self.reducers {
            let column = below(rng, self.columns).min(below(rng, self.columns));
            missing.insert(column as u32);
        }
        (0..self.columns).map(|c| c as u32).filter(|c| !missing.contains(c)).collect()
    }

    /// Draws the columns that may hold ones: all leads, and as many others as rows may become pivots.
    fn allowed(&self, rng: &mut ChaCha8Rng, leads: &[u32]) -> Vec<u32> {
        let mut others: Vec<u32> =
            (0..self.columns).map(|c| c as u32).filter(|c| leads.binary_search(c).is_err()).collect();
        for i in (1..others.len()).rev() {
            others.swap(i, below(rng, i + 1));
        }
        others.truncate(self.new_pivots);
        let mut allowed = [leads, &others].concat();
        allowed.sort_unstable();
        allowed
    }
}

/// Draws about `mean` columns of `allowed`: from 2/5 to 8/5 of `mean` draws, without the duplicates.
fn draw(rng: &mut ChaCha8Rng, allowed: &[u32], mean: usize) -> BTreeSet<u32> {
    let count = if allowed.is_empty() { 0 } else { 2 * mean / 5 + below(rng, 6 * mean / 5 + 1) };
    (0..count).map(|_| allowed[below(rng, allowed.len())]).collect()
}

fn sum_of_three(rng: &mut ChaCha8Rng, reducers: &IndexLists) -> BTreeSet<u32> {
    let mut row = BTreeSet::new();
    if !reducers.is_empty() {
        for _ in 0..3 {
            for &column in reducers.row(below(rng, reducers.len())) {
                if !row.remove(&column) {
                    row.insert(column);
                }
            }
        }
    }
    row
}

fn descending(row: &BTreeSet<u32>) -> Vec<u32> {
    row.iter().rev().copied().collect()
}
