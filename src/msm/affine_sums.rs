//! Sums of affine points on the host, with an inversion for many additions. An addition takes six products: one for the
//! slope, one for its square, one for y, and three for its share of the inversion (Montgomery 1987). A mixed addition in
//! extended Jacobian coordinates takes ten.

use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, Field};
use rayon::prelude::*;

use crate::curve::{Affine, Curve, Projective};

/// The number of additions that share an inversion.
const BATCH: usize = 1 << 10;
/// The maximum number of points that a thread adds up at a time: they stay in its cache.
const PART: usize = 1 << 13;
/// So few points are added one by one: an inversion takes as long as some 50 additions.
const FEW: usize = 64;

/// The sum of the points whose bit is set, on all threads. Both slices have the same length.
pub(super) fn sum_by_bits<C: Curve>(points: &[Affine<C>], bits: &[bool]) -> Projective<C> {
    let part = points.len().div_ceil(4 * rayon::current_num_threads()).clamp(FEW, PART);
    let parts = points.par_chunks(part).zip(bits.par_chunks(part));
    parts
        .map(|(points, bits)| {
            sum(points.iter().zip(bits).filter_map(|(&p, &bit)| bit.then_some(p)).collect())
        })
        .sum()
}

/// The sum of points: in pairs, then the sums in pairs, and so on; the last few one by one.
fn sum<C: Curve>(mut points: Vec<Affine<C>>) -> Projective<C> {
    while points.len() > FEW {
        let mut sums = Vec::with_capacity(points.len().div_ceil(2));
        let mut additions = Additions::default();
        for pair in points.chunks(2) {
            match *pair {
                [left, right] => additions.push(left, right, &mut sums),
                _ => sums.extend_from_slice(pair),
            }
        }
        additions.finish(&mut sums);
        points = sums;
    }
    points.iter().fold(Projective::<C>::ZERO, |sum, point| sum + point)
}

/// Additions that wait for the inverses of their slopes' denominators.
pub(super) struct Additions<C: Curve> {
    waiting: Vec<Addition<C>>,
}

/// Two points, neither infinity, whose sum is not infinity either.
struct Addition<C: Curve> {
    left: Affine<C>,
    right: Affine<C>,
    /// The denominator of the slope of the line through them, never 0.
    denominator: C::BaseField,
    /// The place of the sum.
    place: usize,
}

impl<C: Curve> Default for Additions<C> {
    fn default() -> Self {
        Additions { waiting: Vec::with_capacity(BATCH) }
    }
}

impl<C: Curve> Additions<C> {
    /// Makes room for `left` + `right` at the end of `sums`.
    pub fn push(&mut self, left: Affine<C>, right: Affine<C>, sums: &mut Vec<Affine<C>>) {
        let sum = match (left.is_zero(), right.is_zero()) {
            (true, _) => right,
            (_, true) => left,
            _ if left.x == right.x && left.y == -right.y => Affine::identity(),
            _ => {
                let doubling = left.x == right.x;
                let denominator = if doubling { left.y.double() } else { right.x - left.x };
                self.waiting.push(Addition { left, right, denominator, place: sums.len() });
                left
            }
        };
        sums.push(sum);
        if self.waiting.len() == BATCH {
            self.finish(sums);
        }
    }

    /// Computes all sums and writes them to their places.
    pub fn finish(&mut self, sums: &mut [Affine<C>]) {
        // The inverse of the product of all denominators yields that of each (Montgomery 1987).
        let mut product = C::BaseField::ONE;
        let before: Vec<C::BaseField> = self
            .waiting
            .iter()
            .map(|addition| {
                let before = product;
                product *= addition.denominator;
                before
            })
            .collect();
        let Some(mut inverse) = product.inverse() else { return self.waiting.clear() };
        for (addition, before) in self.waiting.drain(..).zip(before).rev() {
            sums[addition.place] = addition.sum(inverse * before);
            inverse *= addition.denominator;
        }
    }
}

impl<C: Curve> Addition<C> {
    /// The sum, by the inverse of the denominator.
    fn sum(&self, inverse: C::BaseField) -> Affine<C> {
        let (left, right) = (&self.left, &self.right);
        // The tangent of y^2 = x^3 + b, or the line through both.
        let numerator = if left.x == right.x {
            let square = left.x.square();
            square.double() + square
        } else {
            right.y - left.y
        };
        let slope = numerator * inverse;
        let x = slope.square() - left.x - right.x;
        Affine::new_unchecked(x, slope * (left.x - x) - left.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::CurveName;
    use crate::msm::samples::{KINDS, sample};

    /// Equal points, opposite ones, infinity, and more of them than one part and one batch hold.
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
