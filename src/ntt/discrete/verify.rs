//! The check of discrete transforms.
//!
//! ```text
//! sum over j of X_j s^j = sum over i of x_i g^i (1 + s w^i + ... + (s w^i)^(n - 1)) = (s^n - 1) sum over i of x_i g^i / (s w^i - 1)
//! ```
//!
//! s is random in the field of p^2 elements. Values that are not the transform differ from it by a polynomial with at most n - 1
//! roots, so that a round misses them with a chance of at most (n - 1) / p^2, which is below 1 / p. Rounds with fresh s reduce that to at
//! most 2^-64. Points where a divisor is 0 are drawn again: these are n of the p^2.

use rand::Rng;

use super::DiscreteTransform;
use crate::field::{Extension, Prime};
use crate::ntt::Direction;
use crate::ntt::verify::{check_range, on_threads};
use crate::parallel::*;
use crate::verify::{Guarantee, MISS_BITS, rounds};
use crate::{Device, Result, Wrong};

impl DiscreteTransform {
    /// Checks that this transform takes `before` to `after`, in linear time. A wrong `after` is missed with a chance of at most
    /// 2^-64.
    pub fn check(&self, device: &Device, before: &[u32], after: &[u32]) -> Result<Guarantee> {
        on_threads(device, || self.check_here(before, after, &mut rand::rng()))
    }

    fn check_here(&self, before: &[u32], after: &[u32], rng: &mut impl Rng) -> Result<Guarantee> {
        self.check_words(before)?;
        Wrong::expect_length("entries", before.len(), after.len())?;
        check_range(self.prime().value(), after)?;
        let p = f64::from(self.prime().value());
        // Points that are drawn again leave more than half of p^2.
        let bits = 2.0 * p.log2() - 1.0 - f64::log2(self.n() as f64);
        for _ in 0..rounds(bits.max(f64::MIN_POSITIVE)) {
            let Some(round) = Round::new(self, rng) else { continue };
            let (coefficients, values) = match self.direction() {
                Direction::Forward => (before, after),
                Direction::Inverse => (after, before),
            };
            let vectors = coefficients.par_chunks(self.n()).zip(values.par_chunks(self.n()));
            let wrong = vectors.position_first(|(x, y)| !round.passes(x, y));
            Wrong::none("vector", wrong, "is not the transform of its input")?;
        }
        Ok(Guarantee::probable("every vector is the transform of its input", MISS_BITS))
    }
}

/// One point.
struct Round {
    field: Extension<2>,
    point: [u32; 2],
    /// s^n - 1.
    factor: [u32; 2],
    /// g^i / (s w^i - 1).
    weights: Vec<[u32; 2]>,
}

impl Round {
    /// Every odd prime has an extension of this degree.
    fn new(transform: &DiscreteTransform, rng: &mut impl Rng) -> Option<Self> {
        let (prime, n) = (transform.prime(), transform.n());
        let field = Extension::<2>::new(prime)?;
        loop {
            let point = field.random(rng);
            let factor = field.sub(field.pow(point, n), field.one());
            if factor == [0; 2] {
                continue;
            }
            let times = |x: [u32; 2], by: u32| x.map(|x| prime.mul(x, by));
            let powers =
                |step: u32| std::iter::successors(Some(1), move |&power| Some(prime.mul(power, step)));
            let divisor = |power: u32| field.sub(times(point, power), field.one());
            let divisors: Vec<_> = powers(transform.root()).take(n).map(divisor).collect();
            let shifts = powers(transform.shift());
            let weights = inverses(&field, prime, &divisors).into_iter().zip(shifts);
            let weights = weights.map(|(inverse, shift)| times(inverse, shift)).collect();
            return Some(Round { field, point, factor, weights });
        }
    }

    fn passes(&self, coefficients: &[u32], values: &[u32]) -> bool {
        let mut sums = [0u128; 2];
        for (&x, weight) in coefficients.iter().zip(&self.weights) {
            for (sum, &weight) in sums.iter_mut().zip(weight) {
                *sum += u128::from(u64::from(x) * u64::from(weight));
            }
        }
        let expected = self.field.mul(self.factor, self.field.reduce(sums));
        self.field.evaluate(values, self.point) == expected
    }
}

/// The inverses of elements that are not 0, by one inversion of the product of all.
fn inverses(field: &Extension<2>, prime: Prime, elements: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut whole = field.one();
    let mut products = Vec::with_capacity(elements.len());
    for &element in elements {
        products.push(whole);
        whole = field.mul(whole, element);
    }
    // x^(p + 1) is in the field of p elements: 1 / x = x^p / x^(p + 1).
    let conjugate = field.pow(whole, prime.value() as usize);
    let norm = field.mul(whole, conjugate)[0];
    let mut inverse = conjugate.map(|x| prime.mul(x, prime.inverse(norm)));
    let mut inverses = vec![[0; 2]; elements.len()];
    for ((place, &element), &before) in inverses.iter_mut().zip(elements).zip(&products).rev() {
        *place = field.mul(inverse, before);
        inverse = field.mul(inverse, element);
    }
    inverses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_invert() {
        let prime = Prime::new(17).unwrap();
        let field = Extension::<2>::new(prime).unwrap();
        let all: Vec<[u32; 2]> = (1..289).map(|i| [i % 17, i / 17]).collect();
        for (x, inverse) in all.iter().zip(inverses(&field, prime, &all)) {
            assert_eq!(field.mul(*x, inverse), field.one());
        }
        assert!(inverses(&field, prime, &[]).is_empty());
    }

    #[test]
    fn every_error_of_a_short_transform_is_found() {
        let mut rng = rand::rng();
        let prime = Prime::new(5).unwrap();
        let transform = DiscreteTransform::new(prime, 4).unwrap();
        let before = [1, 4, 2, 3];
        let value = |z: u32| before.iter().rev().fold(0, |sum, x| (sum * z + x) % 5);
        let after: Vec<u32> = (0..4).map(|j| value(prime.pow(transform.root(), j))).collect();
        transform.check_here(&before, &after, &mut rng).unwrap();
        for error in 1..625u32 {
            let wrong: Vec<u32> = after.iter().zip(0..).map(|(x, i)| (x + error / 5u32.pow(i)) % 5).collect();
            assert!(transform.check_here(&before, &wrong, &mut rng).is_err(), "{error}");
        }
    }
}
