//! Checks of results without redoing them, in time linear in the matrices.
//!
//! All use 64 random vectors at once, one a bit of a word. Where something is not as claimed, a
//! random vector shows it with probability 1/2 at least (Freivalds 1977), so that each check
//! misses a fault with a chance of at most 2^-64.

use rand::{Rng, RngExt};
use rayon::prelude::*;

use super::bit_matrix::SetBits;
use super::word_map::WordMap;
use super::{BitMatrix, Echelon, Elimination, Solution, System};
use crate::{Error, Result};

/// Promoted rows that [`elimination`] redoes.
const REDONE: usize = 16;

fn failed<T>(message: String) -> Result<T> {
    Err(Error::Check(message))
}

/// 64 random vectors: entry c of vector i is bit i of word c.
fn random_vectors(length: usize) -> Vec<u64> {
    let mut rng = rand::rng();
    (0..length).map(|_| rng.next_u64()).collect()
}

/// The matrix times 64 vectors.
fn times(matrix: &BitMatrix, vectors: &[u64]) -> Vec<u64> {
    let entry = |c: usize| vectors.get(c).copied().unwrap_or(0);
    let maps: Vec<WordMap> =
        (0..matrix.columns().div_ceil(64)).map(|w| WordMap::new(|k| entry(64 * w + k))).collect();
    let row = |r: usize| maps.iter().zip(matrix.row64(r)).fold(0, |sum, (map, &word)| sum ^ map.apply(word));
    (0..matrix.rows()).into_par_iter().map(row).collect()
}

/// The scalar products of one row with 64 vectors.
fn dot(words: &[u64], vectors: &[u64]) -> u64 {
    let word = |(w, &word): (usize, &u64)| SetBits(word).fold(0, |sum, k| sum ^ vectors[64 * w + k]);
    words.iter().enumerate().fold(0, |sum, item| sum ^ word(item))
}

fn first_nonzero(words: impl IntoIterator<Item = u64>) -> Option<usize> {
    words.into_iter().position(|word| word != 0)
}

/// Checks what became of the rows of a system.
///
/// It checks that the promoted rows have leads of their own, that every row of the system is a sum
/// of eliminators and promoted rows (so that none was lost and no row is zero wrongly), and, if the
/// result is claimed to be that in file order, that 16 of the promoted rows, drawn at random, are
/// exactly what the definition makes of them given the promoted rows before them. That all of
/// them are cannot be checked in linear time.
///
/// # Errors
/// [`Error::Check`] with the row that is wrong.
pub fn elimination(system: &System, result: &Elimination, in_file_order: bool) -> Result<()> {
    if result.row_count() != system.row_count() {
        return failed(format!("{} rows, and the system has {}", result.row_count(), system.row_count()));
    }
    let pivots = pivots(system, result)?;
    let mut vectors = random_vectors(system.width());
    for (column, pivot) in pivots.iter().enumerate() {
        let lower = |row: &[u32]| row[1..].iter().fold(0, |sum, &c| sum ^ vectors[c as usize]);
        match *pivot {
            Pivot::None => {}
            Pivot::Eliminator(e) => vectors[column] = lower(system.eliminators().row(e)),
            Pivot::Promoted(k) => {
                vectors[column] = 0;
                vectors[column] = dot(result.words(k), &vectors);
            }
        }
    }
    // The vectors are now random among those that vanish on all pivots.
    let products = system.rows().iter().map(|row| row.iter().fold(0, |sum, &c| sum ^ vectors[c as usize]));
    if let Some(row) = first_nonzero(products) {
        return failed(format!("row {row} is no sum of eliminators and promoted rows"));
    }
    if in_file_order && !result.promoted().is_empty() {
        let mut rng = rand::rng();
        for _ in 0..REDONE {
            redo(system, result, &pivots, rng.random_range(0..result.promoted().len()))?;
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Pivot {
    None,
    Eliminator(usize),
    /// A row by its number among the promoted ones.
    Promoted(usize),
}

/// By column: the row that has its lead there.
fn pivots(system: &System, result: &Elimination) -> Result<Vec<Pivot>> {
    let eliminator = |c: usize| system.eliminator_of(c).map_or(Pivot::None, Pivot::Eliminator);
    let mut pivots: Vec<Pivot> = (0..system.width()).map(eliminator).collect();
    for (k, &row) in result.promoted().iter().enumerate() {
        let Some(lead) = lead(result.words(k)) else {
            return failed(format!("row {row} is said to be promoted and is zero"));
        };
        let other = std::mem::replace(&mut pivots[lead], Pivot::Promoted(k));
        let column = result.label(lead);
        match other {
            Pivot::None => {}
            Pivot::Eliminator(_) => {
                return failed(format!("row {row} has the lead {column} of an eliminator"));
            }
            Pivot::Promoted(k) => {
                return failed(format!(
                    "rows {} and {row} have the same lead {column}",
                    result.promoted()[k]
                ));
            }
        }
    }
    Ok(pivots)
}

fn lead(words: &[u64]) -> Option<usize> {
    let word = words.iter().rposition(|&word| word != 0)?;
    Some(64 * word + 63 - words[word].leading_zeros() as usize)
}

/// Reduces promoted row k by the definition and compares.
fn redo(system: &System, result: &Elimination, pivots: &[Pivot], k: usize) -> Result<()> {
    let row = result.promoted()[k];
    let mut words = vec![0u64; result.words(k).len()];
    let flip = |words: &mut [u64], c: u32| words[c as usize / 64] ^= 1 << (c % 64);
    system.rows().row(row as usize).iter().for_each(|&c| flip(&mut words, c));
    while let Some(lead) = lead(&words) {
        match pivots[lead] {
            Pivot::Eliminator(e) => system.eliminators().row(e).iter().for_each(|&c| flip(&mut words, c)),
            Pivot::Promoted(other) if other < k => {
                words.iter_mut().zip(result.words(other)).for_each(|(word, other)| *word ^= other);
            }
            _ => break,
        }
    }
    match words == result.words(k) {
        true => Ok(()),
        false => failed(format!("row {row} is not what the definition makes of it")),
    }
}

/// Checks that c = a b.
///
/// # Errors
/// [`Error::Check`] with the first row that is wrong, or where the shapes do not fit.
pub fn product(a: &BitMatrix, b: &BitMatrix, c: &BitMatrix) -> Result<()> {
    if (a.columns(), c.rows(), c.columns()) != (b.rows(), a.rows(), b.columns()) {
        return failed(format!("a product of {} x {}", c.rows(), c.columns()));
    }
    let vectors = random_vectors(b.columns());
    let (left, right) = (times(a, &times(b, &vectors)), times(c, &vectors));
    match first_nonzero(left.iter().zip(&right).map(|(x, y)| x ^ y)) {
        Some(row) => failed(format!("row {row} of the product is wrong")),
        None => Ok(()),
    }
}

/// Checks that b is the transpose of a: u (a v) = (b u) v for random u and v.
///
/// # Errors
/// [`Error::Check`] where it is not.
pub fn transposed(a: &BitMatrix, b: &BitMatrix) -> Result<()> {
    let (u, v) = (random_vectors(a.rows()), random_vectors(a.columns()));
    let dot = |x: &[u64], y: &[u64]| {
        x.iter().zip(y).fold([0u64; 64], |mut sums, (x, y)| {
            // Every vector of x with every one of y: one pair alone would miss half of the faults.
            (0..64).for_each(|i| sums[i] ^= x & y.rotate_left(i as u32));
            sums
        })
    };
    let shapes = (a.rows(), a.columns()) == (b.columns(), b.rows());
    match shapes && dot(&u, &times(a, &v)) == dot(&times(b, &u), &v) {
        true => Ok(()),
        false => failed("not the transpose".into()),
    }
}

/// Checks that a x = b for the right sides that are not said to be inconsistent.
///
/// # Errors
/// [`Error::Check`] with the first row that is wrong, or where the shapes do not fit.
pub fn solution(a: &BitMatrix, b: &BitMatrix, solution: &Solution) -> Result<()> {
    let x = &solution.x;
    if (x.rows(), x.columns()) != (a.columns(), b.columns()) {
        return failed(format!("solutions of {} x {}", x.rows(), x.columns()));
    }
    let mut vectors = random_vectors(b.columns());
    solution.inconsistent.iter().for_each(|&k| vectors[k as usize] = 0);
    let (left, right) = (times(a, &times(x, &vectors)), times(b, &vectors));
    match first_nonzero(left.iter().zip(&right).map(|(x, y)| x ^ y)) {
        Some(row) => failed(format!("equation {row} does not hold")),
        None => Ok(()),
    }
}

/// Checks that a is zero on all rows of `kernel` and that these are as many as the rank leaves,
/// independent by their free columns.
///
/// # Errors
/// [`Error::Check`] with what is wrong.
pub fn kernel(a: &BitMatrix, kernel: &BitMatrix, rank: usize) -> Result<()> {
    if (kernel.rows(), kernel.columns()) != (a.columns() - rank, a.columns()) {
        return failed(format!("a kernel of {} x {}", kernel.rows(), kernel.columns()));
    }
    let weights = random_vectors(kernel.rows());
    let mut sums = vec![0u64; 64 * kernel.columns().div_ceil(64)];
    for (row, &weight) in weights.iter().enumerate() {
        kernel.ones(row).for_each(|c| sums[c] ^= weight);
    }
    if let Some(row) = first_nonzero(times(a, &sums)) {
        return failed(format!("row {row} of the matrix is not zero on the kernel"));
    }
    let mut last = (0..kernel.rows()).map(|row| kernel.ones(row).next_back());
    match last.by_ref().is_sorted_by(|a, b| a < b) {
        true => Ok(()),
        false => failed("the vectors of the kernel are not independent".into()),
    }
}

/// Checks that x is the inverse of a.
///
/// # Errors
/// [`Error::Check`] where it is not.
pub fn inverse(a: &BitMatrix, x: &BitMatrix) -> Result<()> {
    product(a, x, &BitMatrix::identity(a.rows())?)
}

/// Checks that a matrix is in (reduced) row echelon form and that all rows of `a` are sums of its
/// rows: its rank is not too small, and nothing is lost. That its rows are sums of those of `a`
/// cannot be checked in linear time.
///
/// # Errors
/// [`Error::Check`] with what is wrong.
pub fn echelon(a: &BitMatrix, echelon: &Echelon, reduced: bool) -> Result<()> {
    let (form, pivots) = (&echelon.matrix, &echelon.pivots);
    if (form.rows(), form.columns()) != (a.rows(), a.columns()) || pivots.len() > a.rows() {
        return failed(format!("an echelon form of {} x {}", form.rows(), form.columns()));
    }
    let first = |row: usize| form.ones(row).next().map(|c| c as u32);
    if let Some(row) = (0..form.rows()).find(|&row| first(row) != pivots.get(row).copied()) {
        return failed(format!("row {row} does not begin at its pivot"));
    }
    if !pivots.is_sorted_by(|a, b| a < b) {
        return failed("the pivots do not ascend".into());
    }
    let mut vectors = random_vectors(form.columns().next_multiple_of(64));
    for (row, &pivot) in pivots.iter().enumerate().rev() {
        vectors[pivot as usize] = 0;
        vectors[pivot as usize] = dot(form.row64(row), &vectors);
    }
    if let Some(row) = first_nonzero(times(a, &vectors)) {
        return failed(format!("row {row} is no sum of rows of the echelon form"));
    }
    if reduced {
        // Random sums of the pivots' columns: row i must have the weight of pivot i alone.
        let mut weights = vec![0; form.columns()];
        let own = random_vectors(pivots.len());
        pivots.iter().zip(&own).for_each(|(&pivot, &weight)| weights[pivot as usize] = weight);
        let sums = times(form, &weights);
        if let Some(row) = first_nonzero(sums.iter().zip(&own).map(|(x, y)| x ^ y)) {
            return failed(format!("row {row} has ones at pivots of others"));
        }
    }
    Ok(())
}
