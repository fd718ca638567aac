//! Integers from their residues modulo three primes.

use super::MODULUS;
use crate::field::{Barrett, Prime};
use crate::ntt::conversion::Constant;
use crate::parallel::*;

pub fn residues(prime: Prime, words: &[i64]) -> Vec<u32> {
    let barrett = Barrett::new(prime);
    words.par_iter().with_min_len(1 << 12).map(|&x| residue(barrett, x)).collect()
}

/// x mod p.
#[inline]
pub fn residue(barrett: Barrett, x: i64) -> u32 {
    let magnitude = barrett.reduce(x.unsigned_abs());
    if x < 0 { barrett.negate(magnitude) } else { magnitude }
}

/// x mod p for an x of smaller magnitude than p.
#[inline(always)]
pub fn small_residue(p: i64, x: i64) -> u32 {
    (x + (x >> 63 & p)) as u32
}

/// From residues r0, r1, r2 to r0 + p0 d1 + p0 p1 d2.
pub struct Garner {
    fields: [Barrett; 3],
    primes: [Prime; 3],
    /// 1 / p0 modulo p1, p0 and 1 / (p0 p1) modulo p2.
    inverse_1: u32,
    p0_2: u32,
    inverse_2: u32,
    of_two: OfTwo,
}

/// The constants for integers below half of p0 p1 in magnitude.
#[derive(Clone, Copy)]
struct OfTwo {
    p0: u32,
    p1: u32,
    /// 1 / p0 modulo p1.
    by_first: Constant,
    /// p0 p1, below 2^62.
    product: i64,
}

impl Garner {
    pub fn new(primes: [Prime; 3]) -> Self {
        let [p0, p1, p2] = primes;
        let fields = primes.map(Barrett::new);
        let reduced = |by: usize, p: Prime| fields[by].reduce(p.value().into());
        Garner {
            fields,
            primes,
            inverse_1: p1.inverse(reduced(1, p0)),
            p0_2: reduced(2, p0),
            inverse_2: p2.inverse(p2.mul(reduced(2, p0), reduced(2, p1))),
            of_two: OfTwo {
                p0: p0.value(),
                p1: p1.value(),
                by_first: Constant::new(p1.value(), p1.inverse(reduced(1, p0))),
                product: i64::from(p0.value()) * i64::from(p1.value()),
            },
        }
    }

    pub fn integers(&self, words: &[Vec<u32>; 3]) -> Vec<i128> {
        let [r0, r1, r2] = words;
        let residues = r0.par_iter().zip(r1).zip(r2).with_min_len(1 << 12);
        residues.map(|((&r0, &r1), &r2)| self.integer([r0, r1, r2])).collect()
    }

    /// The integer below half of p0 p1 in magnitude from its residues modulo these.
    #[inline(always)]
    pub fn integer_of_two(&self, r0: u32, r1: u32) -> i64 {
        let OfTwo { p0, p1, by_first, product } = self.of_two;
        // r0 is below 2 p1.
        let difference = r1.wrapping_sub(r0.min(r0.wrapping_sub(p1)));
        let d1 = by_first.times(difference.min(difference.wrapping_add(p1)), p1);
        let x = (u64::from(r0) + u64::from(p0) * u64::from(d1)) as i64;
        if x > product / 2 { x - product } else { x }
    }

    pub fn integer(&self, [r0, r1, r2]: [u32; 3]) -> i128 {
        let ([_, f1, f2], [p0, p1, p2]) = (self.fields, self.primes);
        let d1 = f1.mul(p1.sub(r1, f1.reduce(r0.into())), self.inverse_1);
        let low = p2.add(f2.reduce(r0.into()), f2.mul(f2.reduce(d1.into()), self.p0_2));
        let d2 = f2.mul(p2.sub(r2, low), self.inverse_2);
        let p = |prime: Prime| u128::from(prime.value());
        let x = u128::from(r0) + p(p0) * (u128::from(d1) + p(p1) * u128::from(d2));
        if x > MODULUS / 2 { x as i128 - MODULUS as i128 } else { x as i128 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::MAX_LOG_N;
    use super::*;
    use crate::ntt::three_primes::fields;
    use proptest::prelude::*;

    #[test]
    fn primes_have_the_transforms() {
        let adicities = fields().unwrap().map(Prime::two_adicity);
        assert_eq!(*adicities.iter().min().unwrap(), MAX_LOG_N);
        assert_eq!(MODULUS.ilog2(), 90);
    }

    #[test]
    fn residues_of_small_numbers_are_residues() {
        for prime in fields().unwrap() {
            let p = i64::from(prime.value());
            for x in [0, 1, -1, 2, p / 2, -p / 2, p - 1, 1 - p] {
                assert_eq!(small_residue(p, x), residue(Barrett::new(prime), x), "{x} modulo {p}");
            }
        }
    }

    #[test]
    fn extreme_integers_come_back_from_two_residues() {
        let [p0, p1, _] = fields().unwrap();
        let garner = Garner::new(fields().unwrap());
        let half = garner.of_two.product / 2;
        for x in [0, 1, -1, half, -half, half - 1, 1 - half, i64::from(p0.value()), -i64::from(p1.value())] {
            let [r0, r1] = [p0, p1].map(|p| x.rem_euclid(i64::from(p.value())) as u32);
            assert_eq!(garner.integer_of_two(r0, r1), x);
        }
    }

    fn round_trip(x: i128) {
        let fields = fields().unwrap();
        let words = fields.map(|p| x.rem_euclid(i128::from(p.value())) as u32);
        assert_eq!(Garner::new(fields).integer(words), x);
    }

    #[test]
    fn extreme_integers_come_back_from_their_residues() {
        let half = (MODULUS / 2) as i128;
        for x in [0, 1, -1, half, -half, half - 1, 1 - half] {
            round_trip(x);
        }
    }

    proptest! {
        #[test]
        fn integers_come_back_from_their_residues(x in -(MODULUS as i128) / 2..=MODULUS as i128 / 2, s in 0..80) {
            round_trip(x);
            round_trip(x >> s);
        }
    }
}
