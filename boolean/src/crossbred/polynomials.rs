//! Polynomials that are linear in the first variables, from a Macaulay matrix.
//!
//! A monomial with two of these variables or more is *unwanted*. Combinations of rows without unwanted monomials are
//! the left kernel of the unwanted columns, so only these are eliminated:
//!
//! ```text
//! rows         a few more products of equations and monomials than there are unwanted monomials, drawn at random
//! matrix       transposed: a row for each unwanted monomial, a column for each product
//! kernel       its vectors, 64 of their combinations side by side, bit i of a word a product's coefficient in number i
//! polynomials  the sums of the products, one pass over the terms for all 64
//! ```
//!
//! For n = 52, m = 104, degree 4 and 19 linear variables the matrix has 132,924 rows instead of the 294,204 columns of
//! the whole Macaulay matrix.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use web_time::Instant;

use super::{Prepared, ROWS};
use crate::exhaustive::table::Packed;
use crate::macaulay::{self, Columns, Product};
use crate::{Equations, hilbert};
use wgalois::gf2::{self, BitMatrix, Dense};
use wgalois::parallel::*;
use wgalois::timeline::{Phase, Timeline};
use wgalois::{Device, Result, Wrong};

/// Products beyond the number of unwanted monomials: the least dimension of the kernel.
pub const SPARE: usize = 96;
/// Polynomials without any linear variable, which reject most values of the others.
const PURE: usize = 10;
/// Columns of the matrix that a thread fills: a cache line.
const STRIP: usize = 512;
const WORDS: usize = STRIP / 32;
/// Strips that are filled before they are copied to their places.
const STRIPS: usize = 32;

/// Bytes of host memory of a matrix of so many unwanted monomials, beside the matrix itself.
pub fn filling_bytes(unwanted: u64) -> u64 {
    unwanted.saturating_mul((STRIPS * STRIP / 8) as u64)
}

/// Marks a column of the Macaulay matrix that is wanted.
const WANTED: u32 = u32::MAX;

/// Returns the polynomials of degree `degree` that are linear in the first `linear` variables, if at least as many as
/// these have one of the variables.
pub async fn find(
    device: &Device,
    equations: &Equations,
    columns: &Columns,
    products: &[Product],
    (degree, linear): (usize, usize),
) -> Result<Option<Prepared>> {
    let inside = (1u64 << linear) - 1;
    let is_unwanted = |&column: &usize| (columns.mask(column) & inside).count_ones() >= 2;
    let mut order: Vec<usize> = (0..columns.len()).filter(is_unwanted).collect();
    // The kernel does not depend on the order of the rows. In the order of the monomials, neighbours have their ones in
    // the same products, and the pivots of a block of columns would have to be sought in many rows.
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(2));
    let unwanted = order.len();
    let mut places = vec![WANTED; columns.len()];
    order.into_iter().zip(0..).for_each(|(column, row)| places[column] = row);
    let degrees: Vec<usize> = equations.polynomials().iter().map(|p| p.degree()).collect();
    let rank = hilbert::rank(equations.variables(), &degrees, degree);
    // Random products are independent as long as they are fewer than the rank of all.
    let few = unwanted + SPARE;
    let sizes = match few + SPARE < products.len() && rank >= (few + SPARE) as f64 {
        true => vec![few, products.len()],
        false => vec![products.len()],
    };
    for size in sizes {
        let chosen = draw(products, size);
        let words = combine(device, equations, columns, &chosen, &places, unwanted).await?;
        device.timeline().check()?;
        let polynomials = evaluate(equations, columns, &chosen, &words);
        let is_right = places.iter().zip(&polynomials).all(|(&place, &word)| place == WANTED || word == 0);
        Wrong::unless(is_right, "a combination of rows kept an unwanted monomial")?;
        let prepared = choose(columns, polynomials, equations.variables(), (degree, linear));
        if prepared.is_some() {
            return Ok(prepared);
        }
    }
    Ok(None)
}

/// Draws `count` of the products, in their order. The draw is the same on every machine.
pub fn draw(products: &[Product], count: usize) -> Vec<Product> {
    let mut random = ChaCha8Rng::seed_from_u64(count as u64);
    let mut left = count.min(products.len());
    let mut drawn = Vec::with_capacity(left);
    for (number, product) in products.iter().enumerate() {
        // Each of the rest with the same probability (Knuth's algorithm S).
        let rest = (products.len() - number) as u64;
        if random.next_u64() % rest < left as u64 {
            drawn.push(*product);
            left -= 1;
        }
    }
    drawn
}

/// Returns for each product its coefficients in 64 combinations whose unwanted columns cancel.
async fn combine(
    device: &Device,
    equations: &Equations,
    columns: &Columns,
    products: &[Product],
    places: &[u32],
    unwanted: usize,
) -> Result<Vec<u64>> {
    let fill = || fill_transposed(device.timeline(), equations, columns, products, places, unwanted);
    let begin = Instant::now();
    let matrix = device.timeline().time(Phase::Host, "matrix", fill)?;
    let made = begin.elapsed();
    let problem = Dense::kernel(matrix.rows(), matrix.columns())?;
    let (kernel, _) = gf2::compute_async(device, &problem, &matrix, None).await?.into_kernel()?;
    let (rows, eliminated) = (matrix.rows(), begin.elapsed().saturating_sub(made));
    log::info!("matrix of {rows} x {} made in {made:.3?}, eliminated in {eliminated:.3?}", products.len());
    drop(matrix);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut words = vec![0u64; products.len()];
    for row in 0..kernel.rows() {
        let mask = if kernel.rows() <= 64 { 1 << row } else { random.next_u64() };
        kernel.ones(row).for_each(|product| words[product] ^= mask);
    }
    Ok(words)
}

/// Fills the transpose of the unwanted columns of a Macaulay matrix.
fn fill_transposed(
    timeline: &Timeline,
    equations: &Equations,
    columns: &Columns,
    products: &[Product],
    places: &[u32],
    unwanted: usize,
) -> Result<BitMatrix> {
    let terms: Vec<Vec<u64>> = equations.polynomials().iter().map(macaulay::masks).collect();
    let mut matrix = BitMatrix::zeros(unwanted, products.len())?;
    let stride = matrix.stride();
    if stride == 0 || unwanted == 0 {
        return Ok(matrix);
    }
    for (group, products) in products.chunks(STRIP * STRIPS).enumerate() {
        let strip = |products: &[Product]| {
            timeline.check()?;
            let mut words = vec![0u32; unwanted * WORDS];
            for (bit, &(factor, number)) in products.iter().enumerate() {
                for term in &terms[number as usize] {
                    let place = places[columns.of(factor | term)];
                    if place != WANTED {
                        // Products of different terms may be equal; they cancel.
                        words[place as usize * WORDS + bit / 32] ^= 1 << (bit % 32);
                    }
                }
            }
            Ok(words)
        };
        let strips: Vec<Vec<u32>> = products.par_chunks(STRIP).map(strip).try_collect()?;
        matrix.words_mut().par_chunks_mut(stride).enumerate().for_each(|(row, words)| {
            let rest = words[group * STRIPS * WORDS..].chunks_mut(WORDS);
            for (to, from) in rest.zip(&strips) {
                let width = to.len();
                to.copy_from_slice(&from[row * WORDS..row * WORDS + width]);
            }
        });
    }
    Ok(matrix)
}

/// Returns for each column of the Macaulay matrix its coefficients in the combinations.
fn evaluate(equations: &Equations, columns: &Columns, products: &[Product], words: &[u64]) -> Vec<u64> {
    let terms: Vec<Vec<u64>> = equations.polynomials().iter().map(macaulay::masks).collect();
    let part = |(products, words): (&[Product], &[u64])| {
        let mut sums = vec![0u64; columns.len()];
        for (&(factor, number), &word) in products.iter().zip(words).filter(|(_, word)| **word != 0) {
            terms[number as usize].iter().for_each(|term| sums[columns.of(factor | term)] ^= word);
        }
        sums
    };
    let size = products.len().div_ceil(2 * threads()).max(1024);
    let parts: Vec<Vec<u64>> = products.par_chunks(size).zip(words.par_chunks(size)).map(part).collect();
    let mut sums = vec![0; columns.len()];
    sums.par_chunks_mut(1 << 10).enumerate().for_each(|(chunk, sums)| {
        for part in &parts {
            sums.iter_mut().zip(&part[chunk << 10..]).for_each(|(sum, word)| *sum ^= word);
        }
    });
    sums
}

/// Chooses independent polynomials among 64, those with linear variables first.
fn choose(
    columns: &Columns,
    mut polynomials: Vec<u64>,
    variables: usize,
    (degree, linear): (usize, usize),
) -> Option<Prepared> {
    let inside = (1u64 << linear) - 1;
    let masks: Vec<u64> = (0..columns.len()).map(|column| columns.mask(column)).collect();
    let has_linear = |column: &usize| masks[*column] & inside != 0;
    let occurring: Vec<usize> = (0..columns.len()).filter(|&column| polynomials[column] != 0).collect();
    let (with, without): (Vec<usize>, Vec<usize>) = occurring.iter().partition(|&column| has_linear(column));
    let mut unused = u64::MAX;
    let mut eliminate = |order: &[usize]| {
        let mut chosen = Vec::new();
        for &column in order {
            let rows = polynomials[column] & unused;
            if rows == 0 {
                continue;
            }
            let pivot = rows & rows.wrapping_neg();
            for &other in &occurring {
                if polynomials[other] & pivot != 0 {
                    polynomials[other] ^= rows ^ pivot;
                }
            }
            unused ^= pivot;
            chosen.push(pivot);
            if unused == 0 {
                break;
            }
        }
        chosen
    };
    let (mixed, pure) = (eliminate(&with), eliminate(&without));
    if mixed.len() < linear {
        return None;
    }
    let pure = &pure[..pure.len().min(PURE).min(ROWS - linear)];
    let mixed = &mixed[..mixed.len().min(ROWS - pure.len())];
    let chosen: Vec<u64> = mixed.iter().chain(pure).copied().collect();
    let mut terms = vec![Vec::new(); linear + 1];
    for column in occurring {
        let bit = |(bit, &row): (usize, &u64)| u32::from(polynomials[column] & row != 0) << bit;
        let word = chosen.iter().enumerate().map(bit).sum::<u32>();
        if word != 0 {
            let mask = masks[column];
            let of = if mask & inside == 0 { linear } else { mask.trailing_zeros() as usize };
            terms[of].push((mask >> linear, word));
        }
    }
    let columns = terms.into_iter().map(|terms| Packed { degree, terms }).collect();
    Some(Prepared { linear, columns, variables, degree, memory: u64::MAX })
}
