//! Plain, checked arithmetic modulo one word on the host, for tables and checks. The engines have their own,
//! faster forms.

/// `base^exponent mod modulus`, for a modulus below 2^32.
pub fn pow_mod(base: u32, mut exponent: u64, modulus: u32) -> u32 {
    let m = u64::from(modulus);
    let (mut square, mut power) = (u64::from(base) % m, 1 % m);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power * square % m;
        }
        square = square * square % m;
        exponent >>= 1;
    }
    power as u32
}

/// `odd^-1 mod 2^32` by Newton's iteration: each round doubles the correct low bits, and
/// `odd` is its own inverse modulo 8.
pub fn inverse_mod_2_32(odd: u32) -> u32 {
    let mut inverse = odd;
    for _ in 0..4 {
        inverse = inverse.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

/// The low `bits` bits of `value` in reversed order.
pub fn bit_reverse(value: usize, bits: u32) -> usize {
    if bits == 0 { 0 } else { value.reverse_bits() >> (usize::BITS - bits) }
}

/// True if `n` is prime: Miller-Rabin with the bases 2, 7, 61, which has no exception
/// below 4,759,123,141 (Jaeschke 1993).
pub fn is_prime(n: u32) -> bool {
    if n < 2 || n.is_multiple_of(2) {
        return n == 2;
    }
    let twos = (n - 1).trailing_zeros();
    [2, 7, 61].into_iter().filter(|base| base % n != 0).all(|base| {
        let mut x = pow_mod(base, u64::from((n - 1) >> twos), n);
        if x == 1 || x == n - 1 {
            return true;
        }
        (1..twos).any(|_| {
            x = (u64::from(x) * u64::from(x) % u64::from(n)) as u32;
            x == n - 1
        })
    })
}

/// The distinct prime factors of `n`, ascending.
pub(super) fn prime_factors(mut n: u32) -> Vec<u32> {
    let mut factors = Vec::new();
    let mut d = 2;
    while u64::from(d) * u64::from(d) <= u64::from(n) {
        if n.is_multiple_of(d) {
            factors.push(d);
            while n.is_multiple_of(d) {
                n /= d;
            }
        }
        d += 1;
    }
    if n > 1 {
        factors.push(n);
    }
    factors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primality_agrees_with_trial_division() {
        let slow = |n: u32| n >= 2 && (2..n).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
        for n in 0..20_000 {
            assert_eq!(is_prime(n), slow(n), "{n}");
        }
        // Strong pseudoprimes to base 2, to bases 2 and 7, and a Carmichael number.
        for n in [2047, 3_215_031_751, 1_373_653, 25_326_001, 561] {
            assert!(!is_prime(n), "{n}");
        }
        assert!(is_prime(4_294_967_291));
    }

    #[test]
    fn inverse_of_every_small_odd_number() {
        for odd in (1..10_000u32).step_by(2).chain([u32::MAX, 0x8000_0001]) {
            assert_eq!(odd.wrapping_mul(inverse_mod_2_32(odd)), 1);
        }
    }
}
