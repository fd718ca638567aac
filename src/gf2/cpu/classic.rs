//! The elimination algorithms of the course reports, row by row on packed rows: the baselines of
//! the fast methods.

use rayon::prelude::*;

use super::kernels::add_words;
use super::simd::Simd;
use crate::Result;
use crate::gf2::{BitMatrix, Elimination, IndexLists, System};

/// The pivots, eliminators first, then the promoted rows.
struct Pivots {
    matrix: BitMatrix,
    count: usize,
    /// By column: the pivot that has its lead there.
    of: Vec<u32>,
    /// The rows that were promoted.
    promoted: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Pivots {
    fn new(system: &System) -> Result<Self> {
        let eliminators = system.eliminators();
        let mut matrix = BitMatrix::zeros(eliminators.len() + system.row_count(), system.width())?;
        write_lists(&mut matrix, eliminators);
        let of = (0..system.width()).map(|c| system.eliminator_of(c).map_or(NONE, |e| e as u32)).collect();
        Ok(Pivots { matrix, count: eliminators.len(), of, promoted: Vec::new() })
    }

    fn get(&self, lead: usize) -> Option<&[u64]> {
        let pivot = self.of[lead];
        (pivot != NONE).then(|| self.matrix.row64(pivot as usize))
    }

    fn promote(&mut self, row: usize, words: &[u64], lead: usize) {
        self.matrix.row64_mut(self.count).copy_from_slice(words);
        self.of[lead] = self.count as u32;
        self.count += 1;
        self.promoted.push(row as u32);
    }

    /// The promoted rows out of the eliminators and promoted rows.
    fn into_elimination(self, system: &System) -> Result<Elimination> {
        let mut matrix = BitMatrix::zeros(self.promoted.len(), system.width())?;
        let first = self.count - self.promoted.len();
        for k in 0..self.promoted.len() {
            matrix.row64_mut(k).copy_from_slice(self.matrix.row64(first + k));
        }
        Ok(Elimination::new(system, &self.promoted, matrix))
    }
}

fn write_lists(matrix: &mut BitMatrix, lists: &IndexLists) {
    for (r, list) in lists.iter().enumerate() {
        let words = matrix.row64_mut(r);
        list.iter().for_each(|&c| words[c as usize / 64] |= 1 << (c % 64));
    }
}

fn dense_rows(system: &System) -> Result<BitMatrix> {
    let mut rows = BitMatrix::zeros(system.row_count(), system.width())?;
    write_lists(&mut rows, system.rows());
    Ok(rows)
}

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

/// Algorithm 2: reduce all rows by the pivots there are, in parallel; promote; repeat.
pub(super) fn rounds(system: &System, simd: Simd) -> Result<Elimination> {
    let mut pivots = Pivots::new(system)?;
    let mut rows = dense_rows(system)?;
    let mut leads: Vec<Option<usize>> = vec![None; system.row_count()];
    let mut active: Vec<usize> = (0..system.row_count()).collect();
    loop {
        reduce(&mut rows, &mut leads, &active, &pivots, simd);
        let before = pivots.count;
        active.retain(|&row| match leads[row] {
            None => false,
            Some(lead) if pivots.get(lead).is_none() => {
                pivots.promote(row, rows.row64(row), lead);
                false
            }
            Some(_) => true,
        });
        if pivots.count == before {
            return pivots.into_elimination(system);
        }
    }
}

/// One round on a block of rows: reduces those that `active` names until their leads have no
/// pivot, and writes these leads.
fn reduce(rows: &mut BitMatrix, leads: &mut [Option<usize>], active: &[usize], pivots: &Pivots, simd: Simd) {
    let stride = rows.stride64().max(1);
    let words = rows.words64_mut().par_chunks_mut(stride);
    words.zip(leads).enumerate().for_each(|(row, (words, lead_of_row))| {
        if active.binary_search(&row).is_ok() {
            let mut below = words.len();
            *lead_of_row = loop {
                let Some(lead) = lead(words, below) else { break None };
                let Some(pivot) = pivots.get(lead) else { break Some(lead) };
                below = lead / 64 + 1;
                add_words(simd, &mut words[..below], &pivot[..below]);
            };
        }
    });
}

/// Algorithm 1 row after row, the words of each addition divided among the threads.
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
