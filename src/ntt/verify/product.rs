//! The check of products modulo a prime: is c the product of a and b?
//!
//! ```text
//! linear          a(s) b(s) = c(s)
//! modulo x^N - u  a(s) b(s) = c(s) + (s^N - u) q(s),  u = 1 or -1,  q the quotient
//!                 q(s) = sum of a_i e_i,  e_i = sum over j >= N - i of b_j s^(j-(N-i))
//!                 e_0 = 0,  e_(i+1) = s e_i + b_(N-1-i)
//! ```
//!
//! The point s is random. If c is not the linear product, a b - c is a polynomial that is not 0, with at
//! most as many roots s as its degree.
//!
//! Modulo x^N - u the check computes q(s) without q: since q collects the a_i b_j x^(i+j-N) with i + j >= N,
//! the sum above takes linear time. So a(s) b(s) - (s^N - u) q(s) is exactly the value of the right c, and a
//! wrong one of degree below N agrees with it at N - 1 points at most.
//!
//! Modulo a number that is no odd prime, or a prime so small that no such extension has enough elements, the values are those in
//! the ring of `quotient`: one round.
//!
//! F_p is too small for that, so s is from an extension of degree K = 2 or 4: a round misses an error with a
//! chance of at most (length - 1) / p^K. Rounds with fresh s reduce that to at most 2^-64: modulo a prime of
//! 31 bits, two with K = 2 (2^27 coefficients: 2^(2 (27 - 60))). Every product that transforms can compute
//! is shorter than p, so that a round with K = 2 always has a chance to find an error.

use super::check_range;
use super::quotient::Quotient;
use crate::field::{Extension, Modulus, Multiplication, Prime};
use crate::ntt::Ring;
use crate::parallel::*;
use crate::verify::{Guarantee, MISS_BITS, rounds};
use crate::{Result, Wrong};
use rand::Rng;

/// Checks that `c` is the product of `a` and `b` of this form modulo any number. A wrong `c` passes with a chance of at
/// most 2^-64, also where the number has divisors of zero. Time O(length), on all threads; times 92 at most modulo a number with
/// a factor as small as 2.
///
/// ```
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::{Ring, verify};
///
/// let (a, b) = ([1, 2], [3, 4]);
/// verify::product(Ring::Linear, BABY_BEAR, &a, &b, &[3, 10, 8], &mut rand::rng())?;
/// assert!(verify::product(Ring::Cyclic(2), BABY_BEAR, &a, &b, &[10, 11], &mut rand::rng()).is_err());
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn product(
    ring: Ring,
    modulus: impl Into<Modulus>,
    a: &[u32],
    b: &[u32],
    c: &[u32],
    rng: &mut impl Rng,
) -> Result<Guarantee> {
    let (modulus, length) = (modulus.into(), ring.length(a.len(), b.len())?);
    Ring::check_operands(modulus, a, b)?;
    Wrong::expect_length("coefficients", length, c.len())?;
    check_range(modulus.value(), c)?;
    let (a, b) = (ring.fold(modulus, a), ring.fold(modulus, b));
    let (c, past) = c.split_at(length.min((a.len() + b.len()).saturating_sub(1)));
    Wrong::unless(past.iter().all(|&x| x == 0), "the product's degree is too large")?;
    let all_hold = match modulus.prime().and_then(|prime| Rounds::of(prime, c.len())) {
        Some(Rounds::Quadratic(field, count)) => (0..count).all(|_| holds(&field, ring, &a, &b, c, rng)),
        Some(Rounds::Quartic(field, count)) => (0..count).all(|_| holds(&field, ring, &a, &b, c, rng)),
        None => holds(&Quotient::random(modulus, c.len(), rng), ring, &a, &b, c, rng),
    };
    Wrong::unless(all_hold, "this is not the product")?;
    Ok(Guarantee::probable("this is the product", MISS_BITS))
}

/// The extension from which the points are drawn, and their number.
enum Rounds {
    Quadratic(Extension<2>, usize),
    Quartic(Extension<4>, usize),
}

impl Rounds {
    /// The faster way to [`MISS_BITS`] for a product of `length` coefficients, if there is one.
    fn of(prime: Prime, length: usize) -> Option<Self> {
        let log_p = f64::log2(f64::from(prime.value()));
        // A polynomial of degree length - 1 has fewer roots than `length`.
        let bits = |degree: f64| degree * log_p - f64::log2(length.max(1) as f64);
        let quartic = Extension::new(prime).map(|field| Rounds::Quartic(field, rounds(bits(4.0))));
        let quadratic = Extension::new(prime).filter(|_| bits(2.0) > 0.0);
        match (quadratic, quartic) {
            // A round of the quartic extension takes about twice as long.
            (Some(_), Some(Rounds::Quartic(field, four))) if rounds(bits(2.0)) > 2 * four => {
                Some(Rounds::Quartic(field, four))
            }
            (Some(field), _) => Some(Rounds::Quadratic(field, rounds(bits(2.0)))),
            (None, quartic) => quartic.filter(|_| bits(4.0) > 0.0),
        }
    }
}

/// A ring in which polynomials have values.
pub(super) trait Evaluation: Sync {
    /// An element.
    type Element: Clone + PartialEq + Send + Sync;
    /// A sum of products that is not yet reduced.
    type Sum;
    /// A multiplication by one element.
    type Step: Sync;

    /// A random point.
    fn point(&self, rng: &mut impl Rng) -> Self::Element;
    /// 0.
    fn zero(&self) -> Self::Element;
    /// 1.
    fn one(&self) -> Self::Element;
    /// a + b.
    fn add(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// a - b.
    fn sub(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// a b.
    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// The value at `point` of the polynomial with these coefficients, lowest degree first.
    fn evaluate(&self, coefficients: &[u32], point: &Self::Element) -> Self::Element;
    /// The multiplication by `point`.
    fn step(&self, point: &Self::Element) -> Self::Step;
    /// Replaces e by the point of `step` times it, plus c.
    fn apply(&self, step: &Self::Step, e: &mut Self::Element, c: u32);
    /// The empty sum.
    fn sum(&self) -> Self::Sum;
    /// Adds x e; at most 2^34 times.
    fn accumulate(&self, sum: &mut Self::Sum, x: u32, e: &Self::Element);
    /// The element that a sum is.
    fn reduce(&self, sum: Self::Sum) -> Self::Element;

    /// a^e.
    fn pow(&self, a: &Self::Element, mut e: usize) -> Self::Element {
        let (mut power, mut square) = (self.one(), a.clone());
        while e > 0 {
            if e % 2 == 1 {
                power = self.mul(&power, &square);
            }
            square = self.mul(&square, &square);
            e /= 2;
        }
        power
    }
}

impl<const K: usize> Evaluation for Extension<K> {
    type Element = [u32; K];
    type Sum = [u128; K];
    type Step = Multiplication<K>;

    fn point(&self, rng: &mut impl Rng) -> [u32; K] {
        self.random(rng)
    }

    fn zero(&self) -> [u32; K] {
        [0; K]
    }

    fn one(&self) -> [u32; K] {
        Extension::one(self)
    }

    fn add(&self, a: &[u32; K], b: &[u32; K]) -> [u32; K] {
        Extension::add(self, *a, *b)
    }

    fn sub(&self, a: &[u32; K], b: &[u32; K]) -> [u32; K] {
        Extension::sub(self, *a, *b)
    }

    fn mul(&self, a: &[u32; K], b: &[u32; K]) -> [u32; K] {
        Extension::mul(self, *a, *b)
    }

    fn evaluate(&self, coefficients: &[u32], point: &[u32; K]) -> [u32; K] {
        Extension::evaluate(self, coefficients, *point)
    }

    fn step(&self, point: &[u32; K]) -> Multiplication<K> {
        self.multiplication(*point)
    }

    fn apply(&self, step: &Multiplication<K>, e: &mut [u32; K], c: u32) {
        *e = step.apply(*e, c);
    }

    fn sum(&self) -> [u128; K] {
        [0; K]
    }

    fn accumulate(&self, sum: &mut [u128; K], x: u32, e: &[u32; K]) {
        for (sum, &e) in sum.iter_mut().zip(e) {
            *sum += u128::from(u64::from(x) * u64::from(e));
        }
    }

    fn reduce(&self, sum: [u128; K]) -> [u32; K] {
        Extension::reduce(self, sum)
    }
}

/// True if the identity holds at a random point.
pub(super) fn holds<E: Evaluation>(
    field: &E,
    product: Ring,
    a: &[u32],
    b: &[u32],
    c: &[u32],
    rng: &mut impl Rng,
) -> bool {
    let s = field.point(rng);
    let linear = field.mul(&field.evaluate(a, &s), &field.evaluate(b, &s));
    let expected = match product {
        Ring::Linear => linear,
        Ring::Cyclic(n) | Ring::Negacyclic(n) => {
            let (power, one) = (field.pow(&s, n), field.one());
            let modulus = match product {
                Ring::Negacyclic(_) => field.add(&power, &one),
                _ => field.sub(&power, &one),
            };
            field.sub(&linear, &field.mul(&modulus, &quotient(field, n, a, b, &s)))
        }
    };
    field.evaluate(c, &s) == expected
}

/// The number of e_i that a task computes from the first of them.
const PART: usize = 1 << 14;

/// q(s), for `a` and `b` of at most `n` coefficients.
fn quotient<E: Evaluation>(field: &E, n: usize, a: &[u32], b: &[u32], s: &E::Element) -> E::Element {
    // e_i takes b from place n - i on; the e_i from i = first on need the places of b between n - first -
    // PART and n - first.
    let from = |i: usize| b.len().min(n.saturating_sub(i));
    let firsts = || (0..a.len()).step_by(PART);
    let values: Vec<_> = firsts().map(|i| field.evaluate(&b[from(i + PART)..from(i)], s)).collect();
    let stride = field.pow(s, PART);
    let starts = values.iter().scan(field.zero(), |e, value| {
        let next = field.add(&field.mul(&stride, e), value);
        Some(std::mem::replace(e, next))
    });
    let parts: Vec<_> = firsts().zip(starts).collect();
    let step = field.step(s);
    let sums = parts.par_iter().map(|(first, start)| {
        let (mut sum, mut e) = (field.sum(), start.clone());
        for (i, &x) in (*first..).zip(&a[*first..a.len().min(first + PART)]) {
            field.accumulate(&mut sum, x, &e);
            field.apply(&step, &mut e, b.get(n - 1 - i).copied().unwrap_or(0));
        }
        field.reduce(sum)
    });
    sums.reduce(|| field.zero(), |x, y| field.add(&x, &y))
}
