//! The check of products over the integers: is c the product of a and b?
//!
//! The product is checked modulo a prime drawn from those between 2^30 and 2^31, at a random point, as other
//! products are. If c is wrong, some coefficient d of the difference is not 0, and it is below 2^B for B =
//! 128 + log2(terms): c_i is below 2^127 in magnitude, and the right one is a sum of that many terms below
//! 2^126. A round misses the error
//!
//! - because the prime divides d: at most B / 30 of the 50,697,537 primes do, or
//! - because the point hides it: at most (length - 1) / p^2 < 2^27 / 2^60.
//!
//! For terms up to 2^27 that is 5 / 50,697,537 + 2^-33 < 2^-23.2. Three rounds with fresh primes and points
//! all miss it with a chance below 2^-69.

use super::product::holds;
use crate::field::{Barrett, Extension, Prime, is_prime};
use crate::ntt::Ring;
use crate::parallel::*;
use crate::verify::{Guarantee, MISS_BITS, rounds};
use crate::{Result, Wrong};
use rand::{Rng, RngExt};

/// The number of primes between 2^30 and 2^31.
const PRIMES: f64 = 50_697_537.0;

/// Checks that `c` is the product of `a` and `b` of this form over the integers. A wrong `c` passes with a chance of
/// at most 2^-64. Time O(length), on all threads.
pub fn exact_product(ring: Ring, a: &[i64], b: &[i64], c: &[i128], rng: &mut impl Rng) -> Result<Guarantee> {
    let length = ring.length(a.len(), b.len())?;
    Wrong::expect_length("coefficients", length, c.len())?;
    for _ in 0..rounds(bits(ring.terms(a.len(), b.len()), length)) {
        let prime = random_prime(rng)?;
        let barrett = Barrett::new(prime);
        let short = |words: &[i64]| words.par_iter().map(|&x| residue(barrett, x.into())).collect();
        let (a, b) = (short(a), short(b));
        let (a, b) = (ring.fold(prime, &a), ring.fold(prime, &b));
        let c: Vec<u32> = c.par_iter().map(|&x| residue(barrett, x)).collect();
        let right = Extension::<2>::new(prime).is_some_and(|field| holds(&field, ring, &a, &b, &c, rng));
        Wrong::unless(right, "this is not the product")?;
    }
    Ok(Guarantee::probable("this is the exact product", MISS_BITS))
}

/// The number of bits such that one round misses an error with a chance of at most 2^-bits.
fn bits(terms: usize, length: usize) -> f64 {
    let difference = 128.0 + f64::log2(terms.max(1) as f64);
    let by_prime = (difference / 30.0).floor() / PRIMES;
    let by_point = length as f64 / f64::exp2(60.0);
    -f64::log2(by_prime + by_point)
}

/// A uniformly random prime from 2^30 to 2^31.
fn random_prime(rng: &mut impl Rng) -> Result<Prime> {
    loop {
        let candidate = rng.random_range(1 << 30..1u32 << 31);
        if is_prime(candidate) {
            return Prime::new(candidate);
        }
    }
}

/// x mod p.
fn residue(barrett: Barrett, x: i128) -> u32 {
    let magnitude = x.unsigned_abs();
    let high = u64::from(barrett.reduce((magnitude >> 64) as u64));
    let rest = barrett.reduce_wide(u128::from(high) << 64 | u128::from(magnitude as u64));
    if x < 0 { barrett.negate(rest) } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_rounds_always_do() {
        assert_eq!(rounds(bits(1, 1)), 3);
        assert_eq!(rounds(bits(1 << 27, 1 << 27)), 3);
        assert!((bits(1 << 20, 1 << 21) - f64::log2(PRIMES / 4.0)).abs() < 0.01);
    }

    proptest! {
        #[test]
        fn residues_are_remainders(x: i128, p in 0..3usize) {
            let p = [3, 1_073_741_827, 2_147_483_647][p];
            let barrett = Barrett::new(Prime::new(p).unwrap());
            for x in [x, x >> 64, i128::MIN, i128::MAX, 0, -1] {
                prop_assert_eq!(i128::from(residue(barrett, x)), x.rem_euclid(i128::from(p)));
            }
        }
    }
}
