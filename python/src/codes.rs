//! Light words of linear codes: sums of a given number of rows, all of them.

use crate::prelude::*;
use wgalois::gf2;
use wgalois::parallel::*;

use crate::bits::BitMatrix;

/// Sums between two looks at the stop of the call.
const ASK: usize = 1 << 16;

/// The search among the sums that have one row as their first.
struct Search<'r, F> {
    rows: &'r [Vec<u64>],
    /// The sums of the rows that are chosen, one for each number of them.
    sums: Vec<Vec<u64>>,
    chosen: Vec<u32>,
    /// The lightest sum so far: its weight and its rows.
    best: (u32, Vec<u32>),
    since: usize,
    check: F,
}

impl<F: Fn() -> Result<()>> Search<'_, F> {
    /// Adds row `row` to those that are chosen.
    fn choose(&mut self, row: usize) {
        let (before, after) = self.sums.split_at_mut(self.chosen.len() + 1);
        let sums = before[self.chosen.len()].iter().zip(&self.rows[row]);
        after[0].iter_mut().zip(sums).for_each(|(to, (a, b))| *to = a ^ b);
        self.chosen.push(row as u32);
    }

    /// Goes through the sums with `left` rows more, from row `first` on.
    fn go(&mut self, first: usize, left: usize) -> Result<()> {
        if left > 1 {
            for row in first..(self.rows.len() + 1).saturating_sub(left) {
                self.choose(row);
                self.go(row + 1, left - 1)?;
                self.chosen.pop();
            }
            return Ok(());
        }
        let sum = &self.sums[self.chosen.len()];
        for (row, words) in self.rows.iter().enumerate().skip(first) {
            let weight = sum.iter().zip(words).map(|(a, b)| (a ^ b).count_ones()).sum();
            if weight < self.best.0 {
                self.best = (weight, self.chosen.iter().copied().chain([row as u32]).collect());
            }
        }
        self.since += self.rows.len().saturating_sub(first);
        if self.since >= ASK {
            self.since = 0;
            (self.check)()?;
        }
        Ok(())
    }
}

fn words(matrix: &gf2::BitMatrix, row: usize) -> Vec<u64> {
    let pairs = matrix.row(row).chunks(2);
    pairs.map(|pair| pair.iter().rev().fold(0, |word, &half| word << 32 | u64::from(half))).collect()
}

/// The lightest sum of exactly `count` rows, one or more: its weight and its rows. None if there are fewer rows.
#[pyfunction]
pub fn gf2_lightest(py: Python<'_>, a: &BitMatrix, count: usize) -> PyResult<Option<(u32, Vec<u32>)>> {
    let a = Arc::clone(&a.0);
    work::run(py, (), move |()| {
        if count == 0 || count > a.rows() {
            return Ok(None);
        }
        let rows: Vec<Vec<u64>> = (0..a.rows()).map(|row| words(&a, row)).collect();
        let length = rows.first().map_or(0, Vec::len);
        let check = work::asks();
        let from = |first: usize| {
            let (sums, best) = (vec![vec![0; length]; count + 1], (u32::MAX, Vec::new()));
            let mut search = Search { rows: &rows, sums, chosen: Vec::new(), best, since: 0, check: &check };
            if count == 1 {
                search.best = (rows[first].iter().map(|word| word.count_ones()).sum(), vec![first as u32]);
                return Ok(search.best);
            }
            search.choose(first);
            search.go(first + 1, count - 1)?;
            Ok(search.best)
        };
        let firsts = (0..a.rows() + 1 - count).into_par_iter().with_max_len(1);
        let found: Vec<(u32, Vec<u32>)> = firsts.map(from).try_collect()?;
        Ok(found.into_iter().min_by_key(|(weight, _)| *weight))
    })
}
