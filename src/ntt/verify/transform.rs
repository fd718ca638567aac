//! The check of transforms: is X the transform of x?
//!
//! For any r_0 .. r_(m-1), m = log2 n, multiply the value X_j by the r_t of the binary digits t that are set
//! in j, and add up:
//!
//! ```text
//! sum over j of X_j prod(r_t, t in j) = sum over i of x_i g^i prod over t of (1 + r_t w^(2^t i))
//! ```
//!
//! This holds because X_j = sum of x_i g^i w^(i j), and w^(i j) is the product of the w^(2^t i) over the
//! digits of j. Both sides take linear time, the right one by halving m times: of the factors, only that of
//! t = 0 distinguishes i from i + n/2, and only by its sign.
//!
//! Values that are not the transform differ from it by D, not 0, and the two sides by the sum of D_j
//! prod(r_t): a polynomial in the r_t of degree at most 1 in each. At random r_t from F_p it is 0 with a
//! chance of at most 1 - (1 - 1/p)^m (Schwartz and Zippel), which is at most m/p. Rounds with fresh r_t
//! reduce that to at most 2^-64: three for primes from 2^27 on (27/2^27 < 2^-22.2), more for smaller ones.
//! (With r_t = s^(2^t) this would be the value of a polynomial of degree n at s, which takes a larger field
//! for the same chance.)
//!
//! Vectors of a batch use the same r_t. An error in one of them is found with the same chance whatever the
//! others are.

use super::check_range;
use crate::field::{Barrett, Prime, bit_reverse};
use crate::ntt::{Direction, Order, Transform};
use crate::parallel::*;
use crate::verify::{Guarantee, MISS_BITS, rounds};
use crate::{Result, Wrong};
use rand::{Rng, RngExt};

/// Checks that `transform` takes `before` to `after`. A wrong `after` passes with a chance of at most
/// 2^-64. Time O(n) per vector and round, on all threads; there are three rounds for primes from 2^27
/// on, and more for smaller ones.
pub fn transform(
    transform: &Transform,
    before: &[u32],
    after: &[u32],
    rng: &mut impl Rng,
) -> Result<Guarantee> {
    transform.check_words(before)?;
    Wrong::expect_length("entries", before.len(), after.len())?;
    check_range(transform.prime().value(), after)?;
    let n = transform.n();
    let (root, shift) = (transform.root()?, transform.shift()?);
    for _ in 0..rounds(bits(transform)) {
        let r = (0..transform.log_n).map(|_| rng.random_range(0..transform.prime().value())).collect();
        let round = Round::new(transform, root, shift, r);
        let vectors = before.par_chunks(n).zip(after.par_chunks(n));
        let wrong = vectors.position_first(|(x, y)| !round.passes(x, y));
        Wrong::none("vector", wrong, "is not the transform of its input")?;
    }
    Ok(Guarantee::probable("every vector is the transform of its input", MISS_BITS))
}

/// The number of bits such that one round misses an error with a chance of at most 2^-bits.
fn bits(transform: &Transform) -> f64 {
    let right = f64::from(transform.log_n) * f64::ln_1p(-1.0 / f64::from(transform.prime().value()));
    -f64::log2(-f64::exp_m1(right))
}

/// log2 of the rows that a fold combines into one.
const FOLD: u32 = 4;
/// The columns that a fold works on together.
const COLUMNS: usize = 256;

/// One draw of the r_t.
struct Round<'a> {
    transform: &'a Transform,
    barrett: Barrett,
    levels: Vec<Level>,
    /// The weights of the values at the places of the lower and of the upper half of the
    /// digits.
    low: Vec<u32>,
    high: Vec<u32>,
}

impl<'a> Round<'a> {
    fn new(transform: &'a Transform, root: u32, shift: u32, r: Vec<u32>) -> Self {
        let prime = transform.prime();
        let levels = r.iter().zip(0..).map(|(&r, t)| Level::new((transform, root, shift), t, r)).collect();
        let mut by_place = r;
        if orders(transform).1 == Order::BitReversed {
            by_place.reverse();
        }
        let (low, high) = by_place.split_at(by_place.len().div_ceil(2));
        let [low, high] = [low, high].map(|digits| {
            digits.iter().fold(vec![1], |weights, &r| {
                let with: Vec<u32> = weights.iter().map(|&weight| prime.mul(weight, r)).collect();
                [weights, with].concat()
            })
        });
        Round { transform, barrett: Barrett::new(prime), levels, low, high }
    }

    /// True if the two sides agree.
    fn passes(&self, before: &[u32], after: &[u32]) -> bool {
        match self.transform.direction {
            Direction::Forward => self.of_coefficients(before) == self.of_values(after),
            Direction::Inverse => self.of_coefficients(after) == self.of_values(before),
        }
    }

    fn of_values(&self, values: &[u32]) -> u32 {
        let parts = values.par_chunks(self.low.len()).zip(&self.high);
        let sums = parts.map(|(part, &high)| {
            let products =
                part.iter().zip(&self.low).map(|(&x, &low)| u128::from(u64::from(x) * u64::from(low)));
            self.barrett.mul(self.barrett.reduce_wide(products.sum()), high)
        });
        sums.reduce(|| 0, |a, b| self.transform.prime().add(a, b))
    }

    fn of_coefficients(&self, coefficients: &[u32]) -> u32 {
        let log_n = self.transform.log_n;
        let mut sums = match orders(self.transform).0 {
            Order::Natural => self.fold(0, |i| coefficients[i]),
            Order::BitReversed => self.fold(0, |i| coefficients[bit_reverse(i, log_n)]),
        };
        while sums.len() > 1 {
            sums = self.fold(log_n - sums.len().ilog2(), |i| sums[i]);
        }
        sums[0]
    }

    /// Sums over the next few digits of i, from the top. The factors before `t` are already in the values
    /// that `read` returns.
    fn fold(&self, t: u32, read: impl Fn(usize) -> u32 + Sync) -> Vec<u32> {
        let log_len = self.transform.log_n - t;
        let levels = log_len.min(FOLD);
        let mut sums = vec![0; 1 << (log_len - levels)];
        let stride = sums.len();
        sums.par_chunks_mut(COLUMNS).enumerate().for_each(|(part, sums)| {
            let (first, width) = (part * COLUMNS, sums.len());
            let mut rows = vec![0; width << levels];
            for column in 0..width {
                for i in 0..1 << levels {
                    rows[i * width + column] = read(i * stride + first + column);
                }
            }
            for level in 0..levels {
                self.levels[(t + level) as usize].halve(&mut rows, width, stride, first);
                rows.truncate(rows.len() / 2);
            }
            sums.copy_from_slice(&rows);
        });
        sums
    }
}

/// The factor of one t.
struct Level {
    prime: Prime,
    /// g^h, h half of the current length.
    shift: Shoup,
    /// r_t.
    r: u32,
    /// w^(2^t).
    root: u32,
    /// Its powers for some columns.
    powers: Vec<Shoup>,
}

impl Level {
    fn new(round: (&Transform, u32, u32), t: u32, r: u32) -> Self {
        let (transform, root, shift) = round;
        let (prime, half) = (transform.prime(), 1usize << (transform.log_n - t - 1));
        let root = prime.pow(root, 1 << t);
        let next = |power: &u32| Some(prime.mul(*power, root));
        let powers = std::iter::successors(Some(1), next).take(half.min(COLUMNS));
        Level {
            prime,
            shift: Shoup::new(prime, prime.pow(shift, half as u64)),
            r,
            root,
            powers: powers.map(|power| Shoup::new(prime, power)).collect(),
        }
    }

    /// Folds the second half of the rows into the first: x_i becomes
    /// x_i + g^h x_(i+h) + r_t w^(2^t i) (x_i - g^h x_(i+h)), where i is `stride` times the row, plus
    /// `first`, plus the column.
    fn halve(&self, rows: &mut [u32], width: usize, stride: usize, first: usize) {
        let prime = self.prime;
        let (upper, lower) = rows.split_at_mut(rows.len() / 2);
        let mut factor = prime.mul(self.r, prime.pow(self.root, first as u64));
        let step = prime.pow(self.root, stride as u64);
        for (upper, lower) in upper.chunks_exact_mut(width).zip(lower.chunks_exact(width)) {
            let by = Shoup::new(prime, factor);
            for ((x, &y), power) in upper.iter_mut().zip(lower).zip(&self.powers) {
                let y = if self.shift.w == 1 { y } else { self.shift.times(y, prime) };
                let difference = power.times(prime.sub(*x, y), prime);
                *x = prime.add(prime.add(*x, y), by.times(difference, prime));
            }
            factor = prime.mul(factor, step);
        }
    }
}

/// A constant and Shoup's quotient of it.
#[derive(Clone, Copy)]
struct Shoup {
    w: u32,
    quotient: u32,
}

impl Shoup {
    fn new(prime: Prime, w: u32) -> Self {
        Shoup { w, quotient: prime.shoup_quotient(w) }
    }

    /// x w mod p.
    #[inline]
    fn times(self, x: u32, prime: Prime) -> u32 {
        let multiple = ((u64::from(x) * u64::from(self.quotient)) >> 32) as u32;
        let rest = x.wrapping_mul(self.w).wrapping_sub(multiple.wrapping_mul(prime.value()));
        rest.min(rest.wrapping_sub(prime.value()))
    }
}

/// The orders of coefficients and values.
fn orders(transform: &Transform) -> (Order, Order) {
    match transform.direction {
        Direction::Forward => (transform.input, transform.output),
        Direction::Inverse => (transform.output, transform.input),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Prime;

    /// For every error that a transform of 4 entries modulo 5 can have, no more draws miss it
    /// than the bound says; and some error reaches the bound.
    #[test]
    fn no_error_is_missed_more_often_than_promised() {
        let prime = Prime::new(5).unwrap();
        let transform = Transform::new(prime, 4).unwrap();
        let before = [1, 4, 2, 3];
        let after = transform.by_definition(&before).unwrap();
        let digits = |x: u32, count: u32| (0..count).map(move |i| x / 5u32.pow(i) % 5);
        let rounds: Vec<_> = (0..25)
            .map(|r| Round::new(&transform, transform.root().unwrap(), 1, digits(r, 2).collect()))
            .collect();
        let missed = |error: u32| {
            let wrong: Vec<u32> = after.iter().zip(digits(error, 4)).map(|(x, d)| (x + d) % 5).collect();
            rounds.iter().filter(|round| round.passes(&before, &wrong)).count()
        };
        assert_eq!(missed(0), 25);
        let worst = (1..625).map(missed).max().unwrap();
        assert_eq!(worst, 9, "25 (1 - (1 - 1/5)^2)");
        assert!((f64::exp2(-bits(&transform)) - 9.0 / 25.0).abs() < 1e-12);
    }
}
