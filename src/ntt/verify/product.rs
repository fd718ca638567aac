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
//! F_p is too small for that, so s is from an extension of degree K = 2 or 4: a round misses an error with a
//! chance of at most (length - 1) / p^K. Rounds with fresh s reduce that to at most 2^-64: modulo a prime of
//! 31 bits, two with K = 2 (2^27 coefficients: 2^(2 (27 - 60))). Every product that transforms can compute
//! is shorter than p, so that a round with K = 2 always has a chance to find an error.

use super::check_range;
use crate::field::{Extension, Prime};
use crate::ntt::Ring;
use crate::parallel::*;
use crate::verify::{Guarantee, MISS_BITS, rounds};
use crate::{Error, Result, Wrong};
use rand::Rng;

/// Checks that `c` is the product of `a` and `b` of this form modulo `prime`. A wrong `c` passes with a chance of at
/// most 2^-64. Time O(length), on all threads.
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
    prime: Prime,
    a: &[u32],
    b: &[u32],
    c: &[u32],
    rng: &mut impl Rng,
) -> Result<Guarantee> {
    let length = ring.length(a.len(), b.len())?;
    Ring::check_operands(prime, a, b)?;
    Wrong::expect_length("coefficients", length, c.len())?;
    check_range(prime, c)?;
    let (a, b) = (ring.fold(prime, a), ring.fold(prime, b));
    let (c, past) = c.split_at(length.min((a.len() + b.len()).saturating_sub(1)));
    Wrong::unless(past.iter().all(|&x| x == 0), "the product's degree is too large")?;
    let all_hold = match Rounds::of(prime, c.len()) {
        Some(Rounds::Quadratic(field, count)) => (0..count).all(|_| holds(&field, ring, &a, &b, c, rng)),
        Some(Rounds::Quartic(field, count)) => (0..count).all(|_| holds(&field, ring, &a, &b, c, rng)),
        None => {
            let product = format!("modulo {prime} a product of {} coefficients", c.len());
            let reason = format!("{product} cannot be verified: the field is too small");
            return Err(Error::unsuited("verification", reason));
        }
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

/// True if the identity holds at a random point.
pub(super) fn holds<const K: usize>(
    field: &Extension<K>,
    product: Ring,
    a: &[u32],
    b: &[u32],
    c: &[u32],
    rng: &mut impl Rng,
) -> bool {
    let s = field.random(rng);
    let linear = field.mul(field.evaluate(a, s), field.evaluate(b, s));
    let expected = match product {
        Ring::Linear => linear,
        Ring::Cyclic(n) | Ring::Negacyclic(n) => {
            let (power, one) = (field.pow(s, n), field.one());
            let modulus = match product {
                Ring::Negacyclic(_) => field.add(power, one),
                _ => field.sub(power, one),
            };
            field.sub(linear, field.mul(modulus, quotient(field, n, a, b, s)))
        }
    };
    field.evaluate(c, s) == expected
}

/// The number of e_i that a task computes from the first of them.
const PART: usize = 1 << 14;

/// q(s), for `a` and `b` of at most `n` coefficients.
fn quotient<const K: usize>(field: &Extension<K>, n: usize, a: &[u32], b: &[u32], s: [u32; K]) -> [u32; K] {
    // e_i takes b from place n - i on; the e_i from i = first on need the places of b between n - first -
    // PART and n - first.
    let from = |i: usize| b.len().min(n.saturating_sub(i));
    let firsts = || (0..a.len()).step_by(PART);
    let values: Vec<_> = firsts().map(|i| field.evaluate(&b[from(i + PART)..from(i)], s)).collect();
    let stride = field.multiplication(field.pow(s, PART));
    let starts = values
        .iter()
        .scan([0; K], |e, &value| Some(std::mem::replace(e, field.add(stride.apply(*e, 0), value))));
    let parts: Vec<_> = firsts().zip(starts).collect();
    let step = field.multiplication(s);
    let sums = parts.par_iter().map(|&(first, mut e)| {
        let mut sum = [0u128; K];
        for (i, &x) in (first..).zip(&a[first..a.len().min(first + PART)]) {
            for (sum, &e) in sum.iter_mut().zip(&e) {
                *sum += u128::from(u64::from(x) * u64::from(e));
            }
            e = step.apply(e, b.get(n - 1 - i).copied().unwrap_or(0));
        }
        field.reduce(sum)
    });
    sums.reduce(|| [0; K], |x, y| field.add(x, y))
}
