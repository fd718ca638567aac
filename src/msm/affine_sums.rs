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
//! [`short`](super::short) adds pairs in its own way: it checks what this computes, so the two share nothing.
//!
//! An addition takes six products: three for its share of the inversion, one for the slope, one for its square, one for
//! y. A mixed addition in extended Jacobian coordinates takes ten.

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

fn sum<C: Curve>(mut points: Vec<Affine<C>>) -> Projective<C> {
    // The points of pairs that have no line through both.
    let mut others = Projective::<C>::ZERO;
    let mut sums = vec![Affine::identity(); points.len().div_ceil(2)];
    while points.len() > FEW {
        let (pairs, last) = points.as_chunks();
        for (pairs, sums) in pairs.chunks(BATCH).zip(sums.chunks_mut(BATCH)) {
            add_pairs(pairs, sums, &mut others);
        }
        sums.truncate(pairs.len());
        sums.extend_from_slice(last);
        std::mem::swap(&mut points, &mut sums);
        sums.truncate(points.len().div_ceil(2));
    }
    points.iter().fold(others, |sum, point| sum + point)
}

/// Writes the sum of each pair, or adds its points to `others` and writes infinity.
fn add_pairs<C: Curve>(pairs: &[[Affine<C>; 2]], sums: &mut [Affine<C>], others: &mut Projective<C>) {
    let difference = |[left, right]: &[Affine<C>; 2]| {
        let difference = right.x - left.x;
        (!left.is_zero() && !right.is_zero() && difference != C::BaseField::ZERO).then_some(difference)
    };
    let mut product = C::BaseField::ONE;
    let mut before = [C::BaseField::ONE; BATCH];
    for (before, pair) in before.iter_mut().zip(pairs) {
        *before = product;
        if let Some(difference) = difference(pair) {
            product *= difference;
        }
    }
    // No factor is 0.
    let mut inverse = product.inverse().unwrap_or_default();
    for ((sum, pair), before) in sums.iter_mut().zip(pairs).zip(before).rev() {
        let [left, right] = pair;
        *sum = match difference(pair) {
            Some(difference) => {
                let slope = (right.y - left.y) * inverse * before;
                inverse *= difference;
                let x = slope.square() - left.x - right.x;
                Affine::new_unchecked(x, slope * (left.x - x) - left.y)
            }
            None => {
                *others += left;
                *others += right;
                Affine::identity()
            }
        };
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
