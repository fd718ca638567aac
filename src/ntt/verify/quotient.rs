//! Values of polynomials modulo any number: in the ring of polynomials modulo m and modulo a random f.
//!
//! f is monic of degree d, and irreducible modulo every prime q that divides m. A polynomial D of fewer than L coefficients that
//! is not 0 modulo m is q^j D' for one such q, with D' not 0 modulo q and q^(j+1) a divisor of m. If D is 0 modulo f, so is D'
//! modulo q. At most (L - 1) / d irreducible polynomials of degree d divide D', of at least (q^d - 2 q^(d/2)) / d that there are
//! (Lidl and Niederreiter, "Finite Fields", theorem 3.25 and its estimate). So a random f hides an error with a chance of at most
//! (L - 1) / (q^d - 2 q^(d/2)) < 2 L / q^d for q^d from 16 on, also where m has zero divisors. The degree makes that at most 2^-64.

use rand::{Rng, RngExt};

use super::product::Evaluation;
use crate::field::{Barrett, Modulus, pow_mod};
use crate::parallel::*;
use crate::verify::MISS_BITS;

/// Coefficients that are evaluated by one table of powers of x.
const POWERS: usize = 1024;

/// Polynomials modulo m and modulo f. An element has d coefficients, lowest degree first.
#[derive(Clone, Debug)]
pub(super) struct Quotient {
    modulus: Modulus,
    barrett: Barrett,
    /// f without its leading term.
    f: Vec<u32>,
}

impl Quotient {
    /// A random ring in which an error of fewer than `length` coefficients is 0 with a chance of at most 2^-64.
    pub fn random(modulus: Modulus, length: usize, rng: &mut impl Rng) -> Self {
        let factors = modulus.prime_factors();
        let least = f64::from(factors.first().copied().unwrap_or(2));
        let bits = f64::from(MISS_BITS) + 1.0 + f64::log2(length.max(1) as f64);
        let degree = (bits / least.log2()).ceil() as usize;
        // The remainders modulo all primes together (Chinese remainder theorem).
        let (mut f, mut product) = (vec![0; degree], 1u64);
        for &q in &factors {
            let of_q = irreducible(q, degree, rng);
            let inverse = pow_mod((product % u64::from(q)) as u32, u64::from(q) - 2, q);
            for (sum, c) in f.iter_mut().zip(of_q) {
                let missing = (u64::from(c) + u64::from(q) - *sum % u64::from(q)) % u64::from(q);
                *sum += product * (missing * u64::from(inverse.max(1)) % u64::from(q));
            }
            product *= u64::from(q);
        }
        let f = f.into_iter().map(|c| c as u32).collect();
        Quotient { modulus, barrett: Barrett::new(modulus), f }
    }

    /// Replaces an element by x times it, plus `c`.
    fn shift(&self, e: &mut [u32], c: u32) {
        let Some(&top) = e.last() else { return };
        for i in (1..e.len()).rev() {
            e[i] = self.modulus.sub(e[i - 1], self.barrett.mul(top, self.f[i]));
        }
        e[0] = self.modulus.sub(c, self.barrett.mul(top, self.f[0]));
    }
}

impl Evaluation for Quotient {
    type Element = Vec<u32>;
    type Sum = Vec<u128>;
    type Step = ();

    /// The point is x: f is what is random.
    fn point(&self, _: &mut impl Rng) -> Vec<u32> {
        let mut point = self.one();
        self.shift(&mut point, 0);
        point
    }

    fn zero(&self) -> Vec<u32> {
        vec![0; self.f.len()]
    }

    fn one(&self) -> Vec<u32> {
        let mut one = self.zero();
        one[0] = 1;
        one
    }

    fn add(&self, a: &Vec<u32>, b: &Vec<u32>) -> Vec<u32> {
        a.iter().zip(b).map(|(&a, &b)| self.modulus.add(a, b)).collect()
    }

    fn sub(&self, a: &Vec<u32>, b: &Vec<u32>) -> Vec<u32> {
        a.iter().zip(b).map(|(&a, &b)| self.modulus.sub(a, b)).collect()
    }

    fn mul(&self, a: &Vec<u32>, b: &Vec<u32>) -> Vec<u32> {
        let mut product = self.zero();
        for &x in a.iter().rev() {
            self.shift(&mut product, 0);
            for (sum, &y) in product.iter_mut().zip(b) {
                *sum = self.modulus.add(*sum, self.barrett.mul(x, y));
            }
        }
        product
    }

    fn evaluate(&self, coefficients: &[u32], _: &Vec<u32>) -> Vec<u32> {
        let mut powers = vec![self.one()];
        while powers.len() < coefficients.len().min(POWERS) {
            let mut next = powers.last().cloned().unwrap_or_default();
            self.shift(&mut next, 0);
            powers.push(next);
        }
        let part = |part: &[u32]| {
            let mut sum = self.sum();
            part.iter().zip(&powers).for_each(|(&c, power)| self.accumulate(&mut sum, c, power));
            self.reduce(sum)
        };
        let parts = coefficients.par_chunks(POWERS).map(part).collect();
        let mut stride = powers.pop().unwrap_or_default();
        self.shift(&mut stride, 0);
        parts.into_iter().rev().fold(self.zero(), |sum, part| self.add(&self.mul(&stride, &sum), &part))
    }

    fn step(&self, _: &Vec<u32>) {}

    fn apply(&self, (): &(), e: &mut Vec<u32>, c: u32) {
        self.shift(e, c);
    }

    fn sum(&self) -> Vec<u128> {
        vec![0; self.f.len()]
    }

    fn accumulate(&self, sum: &mut Vec<u128>, x: u32, e: &Vec<u32>) {
        for (sum, &e) in sum.iter_mut().zip(e) {
            *sum += u128::from(u64::from(x) * u64::from(e));
        }
    }

    fn reduce(&self, sum: Vec<u128>) -> Vec<u32> {
        sum.into_iter().map(|sum| self.barrett.reduce_wide(sum)).collect()
    }
}

/// A random irreducible polynomial of this degree modulo the prime `q`, without its leading term.
fn irreducible(q: u32, degree: usize, rng: &mut impl Rng) -> Vec<u32> {
    loop {
        let f: Vec<u32> = (0..degree).map(|_| rng.random_range(0..q)).collect();
        if is_irreducible(q, &f) {
            return f;
        }
    }
}

/// True if the monic polynomial whose other coefficients are `f` is irreducible modulo the prime `q`, by the test of Ben-Or (1981):
/// it has no factor in common with x^(q^i) - x for i up to half of its degree.
fn is_irreducible(q: u32, f: &[u32]) -> bool {
    let Ok(modulus) = Modulus::new(q) else { return false };
    let ring = Quotient { modulus, barrett: Barrett::new(modulus), f: f.to_vec() };
    let mut x = ring.one();
    ring.shift(&mut x, 0);
    let whole = [f, &[1]].concat();
    let mut power = x.clone();
    (0..f.len() / 2).all(|_| {
        power = pow(&ring, &power, q);
        is_coprime(modulus, whole.clone(), ring.sub(&power, &x))
    })
}

/// a^e.
fn pow(ring: &Quotient, a: &Vec<u32>, e: u32) -> Vec<u32> {
    (0..u32::BITS - e.leading_zeros()).rev().fold(ring.one(), |power, bit| {
        let square = ring.mul(&power, &power);
        if e >> bit & 1 == 1 { ring.mul(&square, a) } else { square }
    })
}

/// True if two polynomials modulo a prime have no common factor: Euclid's algorithm.
fn is_coprime(modulus: Modulus, mut a: Vec<u32>, mut b: Vec<u32>) -> bool {
    let q = modulus.value();
    let trim = |x: &mut Vec<u32>| {
        while x.last() == Some(&0) {
            x.pop();
        }
    };
    trim(&mut a);
    trim(&mut b);
    while let Some(&lead) = b.last() {
        let inverse = pow_mod(lead, u64::from(q) - 2, q);
        while a.len() >= b.len() {
            let factor = modulus.mul(a[a.len() - 1], if q == 2 { 1 } else { inverse });
            let shift = a.len() - b.len();
            for (x, &y) in a[shift..].iter_mut().zip(&b) {
                *x = modulus.sub(*x, modulus.mul(factor, y));
            }
            trim(&mut a);
        }
        std::mem::swap(&mut a, &mut b);
    }
    a.len() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// Counts of irreducible polynomials (Lidl and Niederreiter, theorem 3.25): 3 of degree 4 modulo 2, 8 of degree 3 modulo 3,
    /// 10 of degree 2 modulo 5.
    #[test]
    fn irreducible_polynomials_are_as_many_as_there_are() {
        for (q, degree, count) in [(2u32, 4u32, 3), (2, 5, 6), (3, 3, 8), (5, 2, 10), (2, 1, 2)] {
            let all = (0..q.pow(degree)).map(|i| (0..degree).map(|k| i / q.pow(k) % q).collect::<Vec<_>>());
            assert_eq!(all.filter(|f| is_irreducible(q, f)).count(), count, "{q} {degree}");
        }
    }

    /// Modulo 4 with f of degree 2, every error of at most 3 coefficients is 0 modulo no more f than the bound says.
    #[test]
    fn zero_divisors_hide_no_error() {
        let modulus = Modulus::new(4).unwrap();
        // x^2 + x + 1 is the only irreducible polynomial of degree 2 modulo 2. Its multiples of degree 2 alone are hidden.
        let ring = Quotient { modulus, barrett: Barrett::new(modulus), f: vec![1, 1] };
        let hidden = (1..64u32).filter(|i| {
            let error = [i % 4, i / 4 % 4, i / 16];
            ring.evaluate(&error, &ring.one()) == [0, 0]
        });
        assert_eq!(hidden.collect::<Vec<_>>(), [21, 42, 63], "1, 2 and 3 times f");
    }

    #[test]
    fn rings_are_of_the_degree_of_the_smallest_prime() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (m, degree) in [(2, 75), (6, 75), (1 << 30, 75), (3, 48), (3329, 7), (2_147_483_646, 75)] {
            let modulus = Modulus::new(m).unwrap();
            let ring = Quotient::random(modulus, 1 << 10, &mut rng);
            assert_eq!(ring.f.len(), degree, "{m}");
            for q in modulus.prime_factors() {
                let f: Vec<u32> = ring.f.iter().map(|c| c % q).collect();
                assert!(is_irreducible(q, &f), "{m} {q}");
            }
        }
    }
}
