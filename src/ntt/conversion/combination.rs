//! From residues modulo one to three primes to the residue modulo m of the integer.

use crate::field::{Modulus, Prime};
use crate::ntt::three_primes::{MODULUS, PRIMES};

/// A factor below a modulus with Shoup's quotient floor(w 2^32 / m): x w - floor(x quotient / 2^32) m is below 2 m, for every
/// word x and every modulus below 2^31.
#[derive(Clone, Copy, Debug, Default)]
pub struct Constant {
    /// The factor.
    pub w: u32,
    /// Its quotient.
    pub quotient: u32,
}

impl Constant {
    /// The factor `w`, which is below `modulus`.
    pub fn new(modulus: u32, w: u32) -> Self {
        Constant { w, quotient: ((u64::from(w) << 32) / u64::from(modulus)) as u32 }
    }

    /// x w modulo the modulus.
    #[inline(always)]
    pub fn times(self, x: u32, modulus: u32) -> u32 {
        let multiple = ((u64::from(x) * u64::from(self.quotient)) >> 32) as u32;
        let rest = x.wrapping_mul(self.w).wrapping_sub(multiple.wrapping_mul(modulus));
        rest.min(rest.wrapping_sub(modulus))
    }
}

/// The constants by which residues r0, r1, r2 modulo p0, p1, p2 of an integer become its residue modulo m.
///
/// The integer is between -H and H, H = floor(P / 2), P the product of the primes that are used. So H is added to each residue,
/// and its own residue subtracted at the end: no sign has to be found.
///
/// ```text
/// d0 = r0 + H                                 modulo p0
/// d1 = (r1 + H - d0) / p0                     modulo p1
/// d2 = (r2 + H - d0) / (p0 p1) - d1 / p1      modulo p2
/// d0 + d1 p0 + d2 p0 p1 - H                   modulo m
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Combination {
    /// The number of primes.
    pub count: usize,
    /// m.
    pub modulus: u32,
    /// H modulo each prime.
    pub halves: [u32; 3],
    /// 1 / p0 modulo p1.
    pub by_first: Constant,
    /// 1 / (p0 p1) modulo p2.
    pub by_both: Constant,
    /// 1 / p1 modulo p2.
    pub by_second: Constant,
    /// 1, p0 and p0 p1 modulo m.
    pub weights: [Constant; 3],
    /// H modulo m.
    pub half: u32,
}

/// A multiple of the third prime above the first: r2 + H - d0 modulo the third is positive with it, and a word.
pub const LIFT_THIRD: u32 = 5 * PRIMES[2];

const _: () = {
    assert!(PRIMES[0] < 2 * PRIMES[1]);
    assert!(LIFT_THIRD >= PRIMES[0] && 7 * (PRIMES[2] as u64) < 1 << 32);
    assert!(MODULUS % 2 == 1);
};

impl Combination {
    /// The constants for residues modulo the first `count` of the [`PRIMES`], of which these are the fields.
    pub fn new(modulus: Modulus, fields: [Prime; 3], count: usize) -> Self {
        let m = modulus.value();
        let product: u128 = PRIMES[..count].iter().map(|&p| u128::from(p)).product();
        let half = product / 2;
        let modulo = |x: u128, p: u32| (x % u128::from(p)) as u32;
        let [_, p1, p2] = fields;
        let [first, second] = [PRIMES[0], PRIMES[1]].map(u128::from);
        let inverse = |x: u128, p: Prime| Constant::new(p.value(), p.inverse(modulo(x, p.value())));
        Combination {
            count,
            modulus: m,
            halves: PRIMES.map(|p| modulo(half, p)),
            by_first: inverse(first, p1),
            by_both: inverse(first * second, p2),
            by_second: inverse(second, p2),
            weights: [1, first, first * second].map(|weight| Constant::new(m, modulo(weight, m))),
            half: modulo(half, m),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ntt::three_primes::fields;

    #[test]
    fn constants_multiply_every_word() {
        for modulus in [2, 3, 4, 3329, PRIMES[2], 1 << 30, PRIMES[0], Modulus::MOST] {
            let words = [0, 1, 2, modulus / 2, modulus - 1];
            for w in words.into_iter().filter(|&w| w < modulus) {
                for x in [0, 1, modulus - 1, modulus, 1 << 31, u32::MAX - 1, u32::MAX] {
                    let expected = (u64::from(x) * u64::from(w) % u64::from(modulus)) as u32;
                    assert_eq!(Constant::new(modulus, w).times(x, modulus), expected, "{x} {w} {modulus}");
                }
            }
        }
    }

    #[test]
    fn halves_are_those_of_the_primes_that_are_used() {
        for count in 1..=3 {
            let combination = Combination::new(Modulus::new(10).unwrap(), fields().unwrap(), count);
            let product: u128 = PRIMES[..count].iter().map(|&p| u128::from(p)).product();
            assert_eq!(u128::from(combination.half), product / 2 % 10);
        }
    }
}
