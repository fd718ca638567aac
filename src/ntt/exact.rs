//! Exact products of polynomials with integer coefficients, over three primes.
//!
//! The product is computed modulo each of the [`PRIMES`]. The residues of a coefficient
//! belong to exactly one integer between minus and plus half of [`MODULUS`], found by
//! Garner's algorithm (Knuth, "The Art of Computer Programming", volume 2, section 4.3.2);
//! it is the coefficient, since that is known to lie there.

use super::product::Convolution;
use super::{Product, Reduction, multiply as multiply_modulo};
use crate::field::{Barrett, Prime};
use crate::timeline::Phase;
use crate::{Device, Error, Result};
use rayon::prelude::*;

/// The three primes below 2^31 with transforms of 2^26: 15 2^27 + 1, 27 2^26 + 1 and
/// 7 2^26 + 1.
pub const PRIMES: [u32; 3] = [2_013_265_921, 1_811_939_329, 469_762_049];

/// The product of the [`PRIMES`], about 2^90.5.
pub const MODULUS: u128 = PRIMES[0] as u128 * PRIMES[1] as u128 * PRIMES[2] as u128;

/// The longest transform modulo all [`PRIMES`], log2.
pub const MAX_LOG_N: u32 = 26;

/// The product of `a` and `b` over the integers, lowest degree first. The zero polynomial may
/// have no coefficients at all, and then a linear product with it has none either.
///
/// # Errors
/// [`Error::Input`] where the coefficients are too large, see [`check_bound`], or the
/// product takes transforms longer than 2^26: a linear one has at most 2^26 coefficients.
/// [`Error::Usage`] for a product modulo x^0 - 1 or x^0 + 1. Whatever the device reports.
pub fn multiply(device: &Device, product: Product, a: &[i64], b: &[i64]) -> Result<Vec<i128>> {
    product.length(a.len(), b.len())?;
    check_bound(product, a, b)?;
    let fields = fields()?;
    for prime in fields {
        Convolution::of(prime, product, Reduction::Auto, a.len(), b.len()).map_err(|_| {
            Error::Input(format!(
                "the exact product of {} and {} coefficients takes transforms longer than 2^{MAX_LOG_N}",
                a.len(),
                b.len()
            ))
        })?;
    }
    let modulo = |prime: Prime| {
        let both = || (residues(prime, a), residues(prime, b));
        let (a, b) = device.timeline().time(Phase::Host, "residues", both);
        multiply_modulo(device, prime, product, &a, &b)
    };
    let words = [modulo(fields[0])?, modulo(fields[1])?, modulo(fields[2])?];
    Ok(device.timeline().time(Phase::Host, "remainders", || Garner::new(fields).integers(&words)))
}

/// Checks that no coefficient of the product can be too large: twice the number of terms
/// that add up to one, times the largest magnitudes of `a` and of `b`, has to be below
/// [`MODULUS`]. For a linear product that number is the length of the shorter operand.
///
/// # Errors
/// [`Error::Input`] where it is not.
pub fn check_bound(product: Product, a: &[i64], b: &[i64]) -> Result<()> {
    let largest = |x: &[i64]| u128::from(x.iter().map(|x| x.unsigned_abs()).max().unwrap_or(0));
    let (terms, a, b) = (product.terms(a.len(), b.len()), largest(a), largest(b));
    // a and b are at most 2^63.
    match (2 * a * b).checked_mul(terms as u128) {
        Some(bound) if bound < MODULUS => Ok(()),
        _ => Err(Error::Input(format!(
            "coefficients of magnitude up to {a} and {b}, with {terms} products adding up: \
             an exact product needs 2 * {terms} * {a} * {b} to be below {MODULUS}"
        ))),
    }
}

fn fields() -> Result<[Prime; 3]> {
    Ok([Prime::new(PRIMES[0])?, Prime::new(PRIMES[1])?, Prime::new(PRIMES[2])?])
}

fn residues(prime: Prime, words: &[i64]) -> Vec<u32> {
    let barrett = Barrett::new(prime);
    let residue = |&x: &i64| {
        let magnitude = barrett.reduce(x.unsigned_abs());
        if x < 0 { barrett.negate(magnitude) } else { magnitude }
    };
    words.par_iter().with_min_len(1 << 12).map(residue).collect()
}

/// From residues r0, r1, r2 to r0 + p0 d1 + p0 p1 d2.
struct Garner {
    fields: [Barrett; 3],
    primes: [Prime; 3],
    /// 1 / p0 modulo p1, p0 and 1 / (p0 p1) modulo p2.
    inverse_1: u32,
    p0_2: u32,
    inverse_2: u32,
}

impl Garner {
    fn new(primes: [Prime; 3]) -> Self {
        let [p0, p1, p2] = primes;
        let fields = primes.map(Barrett::new);
        let reduced = |by: usize, p: Prime| fields[by].reduce(p.value().into());
        Garner {
            fields,
            primes,
            inverse_1: p1.inverse(reduced(1, p0)),
            p0_2: reduced(2, p0),
            inverse_2: p2.inverse(p2.mul(reduced(2, p0), reduced(2, p1))),
        }
    }

    fn integers(&self, words: &[Vec<u32>; 3]) -> Vec<i128> {
        let [r0, r1, r2] = words;
        let residues = r0.par_iter().zip(r1).zip(r2).with_min_len(1 << 12);
        residues.map(|((&r0, &r1), &r2)| self.integer([r0, r1, r2])).collect()
    }

    fn integer(&self, [r0, r1, r2]: [u32; 3]) -> i128 {
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
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn primes_have_the_transforms() {
        let adicities = fields().unwrap().map(Prime::two_adicity);
        assert_eq!(*adicities.iter().min().unwrap(), MAX_LOG_N);
        assert_eq!(MODULUS.ilog2(), 90);
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

    #[test]
    fn the_bound_is_exact() {
        // 2 * 1 * a * b against the modulus.
        let fits = |a: i64, b: i64| check_bound(Product::Linear, &[a], &[b]).is_ok();
        let b = 1i64 << 30;
        let a = ((MODULUS - 1) / (2 * b as u128)) as i64;
        assert!(fits(a, b) && fits(-a, b) && fits(b, -a) && !fits(a + 1, b) && !fits(b, -a - 1));
        assert!(!fits(i64::MIN, i64::MIN) && fits(0, i64::MIN));
        assert!(check_bound(Product::Linear, &[], &[i64::MIN]).is_ok());
        // Folded operands add up more often.
        let (x, y) = (vec![1i64 << 44; 4], vec![1i64 << 43; 4]);
        assert!(check_bound(Product::Linear, &x, &y).is_ok());
        assert!(check_bound(Product::Cyclic(4), &x, &y).is_ok());
        assert!(check_bound(Product::Cyclic(1), &x, &y).is_err());
    }
}
