//! Sums of affine points on the host, with an inversion for many additions.
//!
//! ```text
//! until few points are left:
//!     for each batch of pairs (l, r):
//!         multiply up the differences r.x - l.x, and invert the product (Montgomery 1987)
//!         for each pair, from the last:   l + r by the line through both, with its share of the inverse
//!     the sums are the points of the next round
//! ```
//!
//! [`msm64`](super::msm64) adds pairs in its own way: it checks what this computes, so the two share nothing.
//!
//! An addition takes six products: three for its share of the inversion, one for the slope, one for its square, one for
//! y. A mixed addition in extended Jacobian coordinates takes ten.

use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, Field, Zero};

use crate::curve::{Affine, BaseField, Curve, Projective};
use crate::field::CoordinateField;
use crate::parallel::*;

/// The maximum number of points that a thread adds up at a time: they stay in its cache.
const PART: usize = 1 << 13;
/// So few points are added one by one, by arkworks' products. In WebAssembly these take four times as long as ours
/// ([`CoordinateField::by`]).
const FEW: usize = if cfg!(target_arch = "wasm32") { 8 } else { 64 };
/// An inversion takes as long as so many additions: 50 in a field of 254 bits on an EPYC (Zen 5). Both consist of products
/// of the same field, so that their ratio depends little on the machine.
pub(super) const INVERSION: f64 = 50.0;

/// The sum of the points whose bit is set, on all threads. Both slices have the same length.
pub(super) fn sum_by_bits<C: Curve>(points: &[Affine<C>], bits: &[bool]) -> Projective<C> {
    let part = points.len().div_ceil(4 * threads()).clamp(FEW, PART);
    let parts = points.par_chunks(part).zip(bits.par_chunks(part));
    parts
        .map(|(points, bits)| {
            sum(points.iter().zip(bits).filter_map(|(&p, &bit)| bit.then_some(p)).collect())
        })
        .sum()
}

/// The sum of the points, on the calling thread.
pub(super) fn sum<C: Curve>(mut points: Vec<Affine<C>>) -> Projective<C> {
    let (mut adder, mut sums) = (Adder::default(), Vec::new());
    while points.len() > FEW {
        halve(&mut adder, &points, &mut sums);
        std::mem::swap(&mut points, &mut sums);
    }
    points.iter().sum()
}

/// The additions of [`sum`] of this number of points, in units of one that shares its inversion.
pub(super) fn additions(points: usize) -> f64 {
    /// An addition that does not.
    const MIXED: f64 = 11.0 / 6.0;
    let (mut left, mut additions) = (points, 0.0);
    while left > FEW {
        additions += (left / 2) as f64 + INVERSION;
        left = left.div_ceil(2);
    }
    additions + MIXED * left as f64
}

/// Replaces `sums` by the sums of the points' pairs, and the last point if it has no partner.
pub(super) fn halve<C: Curve>(adder: &mut Adder<C>, points: &[Affine<C>], sums: &mut Vec<Affine<C>>) {
    let (pairs, last) = points.as_chunks::<2>();
    sums.clear();
    sums.resize(pairs.len(), Affine::identity());
    for (batch, first) in (0..pairs.len()).step_by(PART).enumerate() {
        let count = PART.min(pairs.len() - first);
        let at = batch * PART;
        adder.add(count, |i| &pairs[at + i], |i, sum| sums[at + i] = sum);
    }
    sums.extend_from_slice(last);
}

/// Adds pairs of points, with an inversion for each call; keeps its lists between calls.
pub(super) struct Adder<C: Curve> {
    /// What the slope of each pair's line is divided by, and the product of those before it.
    divisors: Vec<[BaseField<C>; 2]>,
    /// The pairs that a line through two different points does not add up.
    others: Vec<usize>,
}

impl<C: Curve> Default for Adder<C> {
    fn default() -> Self {
        Adder { divisors: Vec::new(), others: Vec::new() }
    }
}

impl<C: Curve> Adder<C> {
    /// Gives `take` the sum of each of the `count` pairs.
    pub fn add<'p>(
        &mut self,
        count: usize,
        pair: impl Fn(usize) -> &'p [Affine<C>; 2],
        mut take: impl FnMut(usize, Affine<C>),
    ) where
        C: 'p,
    {
        let mut product = BaseField::<C>::ONE;
        self.divisors.clear();
        self.others.clear();
        for i in 0..count {
            let [left, right] = pair(i);
            let mut divisor = right.x - left.x;
            if left.is_zero() || right.is_zero() || divisor.is_zero() {
                self.others.push(i);
                // A tangent at equal points; of opposite ones and infinity there is no line.
                divisor = match left == right && !left.is_zero() && !left.y.is_zero() {
                    true => left.y.double(),
                    false => BaseField::<C>::ONE,
                };
            }
            self.divisors.push([divisor, product]);
            product = product.by(&divisor);
        }
        // No factor is 0.
        let mut inverse = product.inverse().unwrap_or_default();
        for (i, [divisor, before]) in self.divisors.iter().enumerate().rev() {
            let pair = pair(i);
            let share = inverse.by(before);
            inverse = inverse.by(divisor);
            let sum = match self.others.pop_if(|other| *other == i) {
                None => line(pair, (pair[1].y - pair[0].y).by(&share)),
                Some(_) => other(pair, share),
            };
            take(i, sum);
        }
    }
}

/// The third point of the line through two, mirrored.
#[inline(always)]
fn line<C: Curve>([left, right]: &[Affine<C>; 2], slope: BaseField<C>) -> Affine<C> {
    let x = slope.squared() - left.x - right.x;
    Affine::new_unchecked(x, slope.by(&(left.x - x)) - left.y)
}

/// The sum of equal or opposite points, or of two of which one is infinity. a = 0 in the curve's equation.
#[cold]
fn other<C: Curve>(pair: &[Affine<C>; 2], inverse: BaseField<C>) -> Affine<C> {
    let [left, right] = pair;
    if left.is_zero() {
        return *right;
    }
    if right.is_zero() {
        return *left;
    }
    if left != right || left.y.is_zero() {
        return Affine::identity();
    }
    let square = left.x.square();
    line(pair, (square.double() + square) * inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::CurveName;
    use crate::msm::tests::samples::{KINDS, sample};

    /// Equal points, opposite ones, infinity, and more of them than one part holds.
    fn sums_are_right<C: Curve>() {
        for kind in KINDS {
            for n in [0, 1, 2, FEW + 1, 3 * FEW + 2] {
                let points = sample::<C>(kind, n).points;
                for modulus in [1, 2, 3] {
                    let bits: Vec<bool> = (0..n).map(|i| i % modulus == 0).collect();
                    let chosen = points.iter().zip(&bits).filter(|(_, bit)| **bit);
                    let one_by_one = chosen.fold(Projective::<C>::ZERO, |sum, (point, _)| sum + point);
                    assert_eq!(sum_by_bits(&points, &bits), one_by_one, "{kind:?} {n} {modulus}");
                }
            }
        }
    }

    #[test]
    fn every_kind_of_points_is_added_up() {
        for name in CurveName::all() {
            crate::with_curve!(name, C => sums_are_right::<C>());
        }
    }

    #[test]
    fn more_points_than_a_part_and_a_batch_are_added_up() {
        use crate::curve::Bn254;
        let n = 8 * PART + 3;
        let known = crate::msm::Known::<Bn254>::random(n, 5);
        let bits: Vec<bool> = (0..n).map(|i| i % 5 != 1).collect();
        let scalars: Vec<_> = bits.iter().map(|&bit| u64::from(bit).into()).collect();
        assert_eq!(sum_by_bits(&known.points, &bits), known.sum(&scalars));
    }
}
