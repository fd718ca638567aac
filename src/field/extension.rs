//! Extensions of a prime field: they have so many elements that a check at one random point misses few
//! errors.

use super::{Barrett, Prime};
use crate::parallel::*;
use rand::{Rng, RngExt};

/// The field F_p(t) with t^K = g, for K = 2, and for K = 4 where 4 divides p - 1.
///
/// g generates the multiplicative group, so it is not a square, and t^K - g is irreducible
/// (Lang, "Algebra", chapter VI, theorem 9.1). Elements are their coefficients of t^0 to
/// t^(K-1).
#[derive(Clone, Copy, Debug)]
pub struct Extension<const K: usize> {
    prime: Prime,
    barrett: Barrett,
}

/// The number of powers of a point that are tabulated to evaluate a polynomial there.
const POWERS: usize = 1024;

impl<const K: usize> Extension<K> {
    /// The extension of degree `K`, if it has this form.
    pub fn new(prime: Prime) -> Option<Self> {
        let irreducible = K == 2 || (K == 4 && prime.two_adicity() >= 2);
        irreducible.then(|| Extension { prime, barrett: Barrett::new(prime) })
    }

    /// 1.
    pub fn one(&self) -> [u32; K] {
        std::array::from_fn(|i| u32::from(i == 0))
    }

    /// A uniformly random element.
    pub fn random(&self, rng: &mut impl Rng) -> [u32; K] {
        std::array::from_fn(|_| rng.random_range(0..self.prime.value()))
    }

    /// a + b.
    pub fn add(&self, a: [u32; K], b: [u32; K]) -> [u32; K] {
        std::array::from_fn(|i| self.prime.add(a[i], b[i]))
    }

    /// a - b.
    pub fn sub(&self, a: [u32; K], b: [u32; K]) -> [u32; K] {
        std::array::from_fn(|i| self.prime.sub(a[i], b[i]))
    }

    /// a b.
    pub fn mul(&self, a: [u32; K], b: [u32; K]) -> [u32; K] {
        self.multiplication(a).apply(b, 0)
    }

    /// a^e.
    pub fn pow(&self, a: [u32; K], mut e: usize) -> [u32; K] {
        let (mut power, mut square) = (self.one(), a);
        while e > 0 {
            if e % 2 == 1 {
                power = self.mul(power, square);
            }
            square = self.mul(square, square);
            e /= 2;
        }
        power
    }

    /// The matrix of the multiplication by `a`.
    pub fn multiplication(&self, a: [u32; K]) -> Multiplication<K> {
        // t^j a is `a` shifted up by j; coefficients shifted past the top come back times g.
        let wrapped = a.map(|x| self.barrett.mul(x, self.prime.generator()));
        let entry = |row: usize, j: usize| if row >= j { a[row - j] } else { wrapped[K + row - j] };
        let rows = std::array::from_fn(|row| std::array::from_fn(|j| entry(row, j)));
        Multiplication { rows, barrett: self.barrett }
    }

    /// The value at `point` of the polynomial with these coefficients, lowest degree first,
    /// all below p. Time O(n K), on all threads.
    pub fn evaluate(&self, coefficients: &[u32], point: [u32; K]) -> [u32; K] {
        let step = self.multiplication(point);
        let mut powers = vec![self.one()];
        while powers.len() < coefficients.len().min(POWERS) {
            powers.extend(powers.last().map(|&power| step.apply(power, 0)));
        }
        let parts: Vec<_> = coefficients.par_chunks(POWERS).map(|part| self.combine(part, &powers)).collect();
        let stride = self.multiplication(self.pow(point, POWERS));
        parts.into_iter().rev().fold([0; K], |sum, part| self.add(stride.apply(sum, 0), part))
    }

    /// The sum of the coefficients times the powers.
    fn combine(&self, coefficients: &[u32], powers: &[[u32; K]]) -> [u32; K] {
        let mut sum = [0u128; K];
        for (&c, power) in coefficients.iter().zip(powers) {
            for (sum, &power) in sum.iter_mut().zip(power) {
                *sum += u128::from(u64::from(c) * u64::from(power));
            }
        }
        self.reduce(sum)
    }

    /// The element whose coefficients are these sums, each below 2^96, modulo p.
    pub fn reduce(&self, sums: [u128; K]) -> [u32; K] {
        sums.map(|sum| self.barrett.reduce_wide(sum))
    }
}

/// The matrix of a multiplication by a fixed element.
#[derive(Clone, Copy, Debug)]
pub struct Multiplication<const K: usize> {
    rows: [[u32; K]; K],
    barrett: Barrett,
}

impl<const K: usize> Multiplication<K> {
    /// The element times `x`, plus `c` below p.
    #[inline]
    pub fn apply(&self, x: [u32; K], c: u32) -> [u32; K] {
        // Four products of words below 2^31, and a word, are below 2^64.
        let dot = |row: &[u32; K]| row.iter().zip(x).map(|(&m, x)| u64::from(m) * u64::from(x)).sum::<u64>();
        std::array::from_fn(|i| {
            self.barrett.reduce(dot(&self.rows[i]) + if i == 0 { u64::from(c) } else { 0 })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn laws<const K: usize>(prime: Prime) {
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(prime.value()));
        let field = Extension::<K>::new(prime).unwrap();
        for _ in 0..50 {
            let [a, b, c] = std::array::from_fn(|_| field.random(&mut rng));
            assert_eq!(field.mul(a, b), field.mul(b, a));
            assert_eq!(field.mul(a, field.mul(b, c)), field.mul(field.mul(a, b), c));
            assert_eq!(field.mul(a, field.add(b, c)), field.add(field.mul(a, b), field.mul(a, c)));
            assert_eq!(field.sub(field.add(a, b), b), a);
            let words: Vec<u32> = (0..2500).map(|_| rng.random_range(0..prime.value())).collect();
            let horner = |words: &[u32]| {
                words.iter().rev().fold([0; K], |sum, &w| {
                    let mut sum = field.mul(sum, a);
                    sum[0] = prime.add(sum[0], w);
                    sum
                })
            };
            for len in [0, 1, 2, 1023, 1024, 1025, 2048, 2500] {
                assert_eq!(field.evaluate(&words[..len], a), horner(&words[..len]), "{len}");
            }
        }
    }

    /// In a field of q elements a^q = a for all a; if t^K - g were reducible, t would have fewer conjugates.
    fn is_a_field<const K: usize>(prime: Prime) {
        let field = Extension::<K>::new(prime).unwrap();
        let p = prime.value() as usize;
        let t: [u32; K] = std::array::from_fn(|i| u32::from(i == 1));
        let mut conjugate = t;
        for k in 1..=K {
            conjugate = field.pow(conjugate, p);
            assert_eq!(conjugate == t, k == K, "{prime} {k}");
        }
    }

    #[test]
    fn extensions_are_fields() {
        for p in [3, 5, 7, 17, 97, 65_537, 7_340_033, 469_762_049, 2_013_265_921, 2_147_483_647] {
            let prime = Prime::new(p).unwrap();
            laws::<2>(prime);
            is_a_field::<2>(prime);
            if p % 4 == 1 {
                laws::<4>(prime);
                is_a_field::<4>(prime);
            } else {
                assert!(Extension::<4>::new(prime).is_none());
            }
        }
    }
}
