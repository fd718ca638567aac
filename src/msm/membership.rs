//! The check on the host that points lie in the subgroup of order r.
//!
//! A point by itself is checked by the curve's endomorphism, for the price of some hundreds of additions. Many points are put
//! to the bucket test (Bellare, Garay, Rabin, "Fast batch verification for modular exponentiation and digital signatures",
//! Eurocrypt 1998):
//!
//! ```text
//! t times:
//!     put each point into one of B buckets, at random
//!     check the sum of each bucket by itself
//! a sum is outside: check each point by itself
//! ```
//!
//! One turn misses a point outside with a probability of at most 1 / B, whatever the other points and the cofactor are: fix
//! the buckets of all other points. If all sums are inside with the point in bucket b, then without it the sum of b is
//! outside, and all others are inside. There is at most one such b. Turns are independent, so with t log2 B >= 128 all of
//! them miss it with a probability of at most 2^-128.

use rand::{Rng, RngExt};

use super::buckets::sums_of_buckets;
use crate::curve::{Affine, Curve};
use crate::parallel::*;

/// All turns together miss a point outside with a probability of at most 2^-`BITS`.
const BITS: u32 = 128;
/// What the check of one point by itself takes, in additions of affine points.
const CHECK: usize = 250;

/// The first of `points`, all of them on the curve, that lies outside the subgroup of order r. A point outside is missed
/// with a probability of at most 2^-128, if there are many points.
pub fn first_outside<C: Curve>(points: &[Affine<C>]) -> Option<usize> {
    let outside = |points: &[Affine<C>]| points.par_iter().position_first(|point| !C::in_subgroup(point));
    match C::ENDOMORPHISM.and(log_buckets(points.len())) {
        Some(log) if are_inside(points, log, &mut rand::rng()) => None,
        _ => outside(points),
    }
}

/// log2 of the number of buckets for which the bucket test takes least; `None` if checking each point takes less.
fn log_buckets(points: usize) -> Option<u32> {
    let cost = |log: u32| BITS.div_ceil(log) as usize * (points + (CHECK << log));
    (1..16).min_by_key(|&log| cost(log)).filter(|&log| cost(log) < CHECK * points)
}

/// The bucket test with 2^`log` buckets. False if and only if a bucket's sum is outside.
fn are_inside<C: Curve>(points: &[Affine<C>], log: u32, random: &mut impl Rng) -> bool {
    (0..BITS.div_ceil(log)).all(|_| {
        let bucket: Vec<u32> = points.iter().map(|_| random.random_range(0..1 << log)).collect();
        sums_of_buckets(points, &bucket, 1 << log).par_iter().all(|sum| C::in_subgroup(sum))
    })
}

#[cfg(test)]
mod tests {
    use ark_ec::{AffineRepr, CurveGroup};
    use ark_ff::{PrimeField, UniformRand};
    use ark_std::rand::SeedableRng;
    use ark_std::rand::rngs::StdRng;
    use rand_chacha::ChaCha20Rng;

    use super::*;
    use crate::curve::{CurveName, Projective, ScalarField};

    /// A point of an order that divides the cofactor.
    fn outside<C: Curve>(rng: &mut StdRng) -> Affine<C> {
        loop {
            let point = Affine::<C>::get_point_from_x_unchecked(C::BaseField::rand(rng), true);
            let Some(point) = point else { continue };
            let order = <ScalarField<C> as PrimeField>::MODULUS;
            let point: Projective<C> = ark_ec::scalar_mul::double_and_add_affine(&point, order);
            if point != Projective::<C>::default() {
                return point.into_affine();
            }
        }
    }

    fn inside<C: Curve>(n: usize, rng: &mut StdRng) -> Vec<Affine<C>> {
        let first = Projective::<C>::from(Affine::<C>::generator()) * ScalarField::<C>::rand(rng);
        let points = std::iter::successors(Some(first), |point| Some(*point + Affine::<C>::generator()));
        Projective::normalize_batch(&points.take(n).collect::<Vec<_>>())
    }

    fn points_outside_are_found<C: Curve>() {
        if C::ENDOMORPHISM.is_none() {
            return;
        }
        let rng = &mut StdRng::seed_from_u64(5);
        let mut points = inside::<C>(300, rng);
        points[7] = Affine::identity();
        points[9] = points[8];
        points[11] = -points[10];
        assert!(are_inside(&points, 4, &mut rand::rng()));
        assert_eq!(first_outside(&points), None);
        let stray = outside::<C>(rng);
        // One outside; two whose parts outside cancel; the same one everywhere, with and without a part inside.
        let changes: [&dyn Fn(usize, Affine<C>) -> Affine<C>; 4] = [
            &|i, point| if i == 299 { (point + stray).into_affine() } else { point },
            &|i, point| match i {
                40 => (point + stray).into_affine(),
                41 => (point - stray).into_affine(),
                _ => point,
            },
            &|_, point| (point + stray).into_affine(),
            &|i, point| if i >= 100 { stray } else { point },
        ];
        for (change, first) in changes.into_iter().zip([299, 40, 0, 100]) {
            let changed: Vec<_> = points.iter().enumerate().map(|(i, point)| change(i, *point)).collect();
            assert!(!are_inside(&changed, 4, &mut rand::rng()), "{first}");
            assert_eq!(first_outside(&changed), Some(first));
        }
    }

    #[test]
    fn points_outside_are_found_on_every_curve() {
        for name in CurveName::all() {
            crate::with_curve!(name, C => points_outside_are_found::<C>());
        }
    }

    /// The bound of one turn is reached by two points that cancel each other.
    #[test]
    fn a_turn_misses_what_cancels_in_one_bucket() {
        use crate::curve::Bls12_381 as C;
        let stray = outside::<C>(&mut StdRng::seed_from_u64(6));
        let points = [stray, -stray];
        let random = &mut <ChaCha20Rng as rand::SeedableRng>::seed_from_u64(7);
        let misses = (0..400).filter(|_| {
            let bucket: Vec<u32> = points.iter().map(|_| random.random_range(0..4)).collect();
            sums_of_buckets(&points, &bucket, 4).iter().all(C::in_subgroup)
        });
        // 100 are expected, with a standard deviation below 9.
        assert!((60..140).contains(&misses.count()));
        assert!(!are_inside(&points, 2, random));
    }

    #[test]
    fn few_points_are_checked_by_themselves() {
        assert_eq!([0, 1, 100].map(log_buckets), [None; 3]);
        let cost = |points, log: u32| BITS.div_ceil(log) as usize * (points + (CHECK << log));
        for (points, least) in [(1 << 14, 3), (1 << 20, 15)] {
            let log = log_buckets(points).unwrap();
            assert!(least * cost(points, log) < CHECK * points, "{points} {log}");
        }
    }
}
