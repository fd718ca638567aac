//! Probabilistic checks, which verify a result without computing it again, and their guarantees.
//!
//! A check draws a random point of a large space and compares two short values there. A
//! correct result always passes. A wrong result, of any cause, passes with a probability below the stated
//! bound over the random draw, as long as the result does not depend on the draw. The assumptions of
//! each check are stated in its documentation.

mod guarantee;

pub use guarantee::{Confidence, Guarantee};

use rand::{Rng, RngExt};

/// The bound on missed errors: a randomized check misses an error with probability at most 2^-`MISS_BITS`.
pub const MISS_BITS: u32 = 64;

/// Returns the number of independent rounds of a check, if each misses an error with probability at most
/// 2^-`bits`, for `bits` > 0.
pub(crate) fn rounds(bits: f64) -> usize {
    (f64::from(MISS_BITS) / bits).floor() as usize + 1
}

/// Returns a uniformly random prime between 2^61 and 2^62.
pub(crate) fn random_long_prime(rng: &mut impl Rng) -> u64 {
    loop {
        let candidate = rng.random_range(1 << 61..1 << 62) | 1;
        if is_long_prime(candidate) {
            return candidate;
        }
    }
}

/// True if the odd number `n` is prime. The test is Miller-Rabin with the first twelve primes as bases,
/// which is exact below 2^64 (Sorenson and Webster 2015).
fn is_long_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 41 {
        return BASES.contains(&n);
    }
    let twos = (n - 1).trailing_zeros();
    BASES.into_iter().all(|base| {
        let first = pow_mod_long(base, (n - 1) >> twos, n);
        let mut squares = std::iter::successors(Some(first), |&x| Some(mul_mod_long(x, x, n)));
        first == 1 || squares.by_ref().take(twos as usize).any(|x| x == n - 1)
    })
}

/// a b mod m.
pub(crate) fn mul_mod_long(a: u64, b: u64, m: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(m)) as u64
}

/// a^e mod m.
pub(crate) fn pow_mod_long(mut a: u64, mut e: u64, m: u64) -> u64 {
    let mut power = 1;
    while e > 0 {
        if e % 2 == 1 {
            power = mul_mod_long(power, a, m);
        }
        a = mul_mod_long(a, a, m);
        e /= 2;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::is_prime;
    use rand::SeedableRng;

    #[test]
    fn long_primality_agrees_with_the_short_one() {
        for n in (3..100_000).step_by(2).chain((4_294_900_001..4_294_967_295).step_by(2)) {
            assert_eq!(is_long_prime(n), is_prime(n as u32), "{n}");
        }
        assert!(is_long_prime((1 << 61) - 1));
        // Products of two primes, and a strong pseudoprime to the first nine bases.
        for n in [((1 << 31) - 1) * 4_294_967_291, 2_147_483_647 * 2_147_483_629, 3_825_123_056_546_413_051] {
            assert!(!is_long_prime(n), "{n}");
        }
    }

    #[test]
    fn long_primes_are_prime_and_differ() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let primes: Vec<u64> = (0..50).map(|_| random_long_prime(&mut rng)).collect();
        for &p in &primes {
            assert!((1 << 61..1 << 62).contains(&p));
            assert_eq!(pow_mod_long(5, p - 1, p), 1);
            assert_eq!(primes.iter().filter(|&&q| q == p).count(), 1);
        }
    }

    #[test]
    fn rounds_reach_the_bound() {
        for bits in [0.5, 1.0, 12.3, 39.9, 63.9, 64.0, 64.1, 100.0] {
            assert!(rounds(bits) as f64 * bits > 64.0 && (rounds(bits) - 1) as f64 * bits <= 64.0);
        }
    }
}
