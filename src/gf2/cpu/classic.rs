//! The elimination algorithms of the course reports, row by row on packed rows: baselines for the
//! fast methods.

use rayon::prelude::*;

use super::kernels::add_words;
use crate::Result;
use crate::Simd;
use crate::gf2::rounds::{self, Pivots, dense_rows};
use crate::gf2::{BitMatrix, Elimination, System};
use crate::gpu::block_on;

/// The highest column with a one among the first `below` words.
fn lead(words: &[u64], below: usize) -> Option<usize> {
    let word = words[..below].iter().rposition(|&word| word != 0)?;
    Some(64 * word + 63 - words[word].leading_zeros() as usize)
}

/// Algorithm 1 in bands: 64 columns at a time, from the highest down, all rows are reduced in the
/// band; its pivots stay in the cache.
pub(super) fn bands(system: &System, simd: Simd) -> Result<Elimination> {
    let mut pivots = Pivots::new(system)?;
    let mut rows = dense_rows(system)?;
    let mut active: Vec<u32> = (0..system.row_count() as u32).collect();
    for band in (0..system.width().div_ceil(64)).rev() {
        active.retain(|&row| {
            let words = &mut rows.row64_mut(row as usize)[..=band];
            while words[band] != 0 {
                let lead = 64 * band + 63 - words[band].leading_zeros() as usize;
                match pivots.get(lead) {
                    Some(pivot) => add_words(simd, words, &pivot[..=band]),
                    None => {
                        pivots.promote(row as usize, rows.row64(row as usize), lead);
                        return false;
                    }
                }
            }
            true
        });
    }
    pivots.into_elimination(system)
}

/// Algorithm 2: the rows of each round in parallel.
pub(super) fn rounds(system: &System, simd: Simd) -> Result<Elimination> {
    // The closure never waits.
    let reduce =
        async |rows: &mut BitMatrix, active: &[u32], pivots: &Pivots| Ok(reduce(rows, active, pivots, simd));
    block_on(rounds::eliminate(system, reduce))
}

/// Reduces the `active` rows by the pivots found so far, in parallel; returns their leads.
fn reduce(rows: &mut BitMatrix, active: &[u32], pivots: &Pivots, simd: Simd) -> Vec<Option<u32>> {
    let stride = rows.stride64().max(1);
    let mut words: Vec<(usize, &mut [u64])> = rows.words64_mut().chunks_mut(stride).enumerate().collect();
    words.retain(|(row, _)| active.binary_search(&(*row as u32)).is_ok());
    let reduced = words.into_par_iter().map(|(_, words)| {
        let mut below = words.len();
        loop {
            let lead = lead(words, below)?;
            let Some(pivot) = pivots.get(lead) else { return Some(lead as u32) };
            below = lead / 64 + 1;
            add_words(simd, &mut words[..below], &pivot[..below]);
        }
    });
    reduced.collect()
}

/// Algorithm 1 row after row; each addition's words are divided among the threads.
pub(super) fn xor_threads(system: &System, simd: Simd) -> Result<Elimination> {
    let mut pivots = Pivots::new(system)?;
    let mut rows = dense_rows(system)?;
    let threads = rayon::current_num_threads();
    for row in 0..system.row_count() {
        let words = rows.row64_mut(row);
        let mut below = words.len();
        while let Some(lead) = lead(words, below) {
            let Some(pivot) = pivots.get(lead) else {
                pivots.promote(row, words, lead);
                break;
            };
            below = lead / 64 + 1;
            let share = below.div_ceil(threads);
            let parts = words[..below].par_chunks_mut(share).zip(pivot[..below].par_chunks(share));
            parts.for_each(|(words, pivot)| add_words(simd, words, pivot));
        }
    }
    pivots.into_elimination(system)
}
