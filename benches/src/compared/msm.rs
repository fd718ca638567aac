//! Slow and simple methods of multi-scalar multiplication: the baselines of faster ones.

use ark_ff::{AdditiveGroup, BigInteger, PrimeField};

use wgalois::curve::{Affine, Curve, Projective, ScalarInt};

/// Double-and-add with one doubling a bit shared by all points: n additions for every second
/// bit.
pub fn double_and_add<C: Curve>(points: &[Affine<C>], scalars: &[ScalarInt]) -> Projective<C> {
    let mut sum = Projective::ZERO;
    for bit in (0..C::ScalarField::MODULUS_BIT_SIZE as usize).rev() {
        sum.double_in_place();
        for (point, _) in points.iter().zip(scalars).filter(|(_, scalar)| scalar.get_bit(bit)) {
            sum += point;
        }
    }
    sum
}

/// Pippenger's method (1976) on one thread, with unsigned digits of `width` bits, from 1 to
/// 31: 2^width - 1 buckets a window.
pub fn pippenger<C: Curve>(points: &[Affine<C>], scalars: &[ScalarInt], width: u32) -> Projective<C> {
    let windows = C::ScalarField::MODULUS_BIT_SIZE.div_ceil(width);
    let mut sum = Projective::<C>::ZERO;
    for window in (0..windows).rev() {
        for _ in 0..width {
            sum.double_in_place();
        }
        let mut buckets = vec![Projective::<C>::ZERO; (1 << width) - 1];
        for (point, scalar) in points.iter().zip(scalars) {
            let digit = digit(scalar, window * width, width);
            if digit > 0 {
                buckets[digit - 1] += point;
            }
        }
        // Summing the running sums of the buckets from the last one down counts bucket i
        // i + 1 times.
        let mut running = Projective::<C>::ZERO;
        for bucket in buckets.iter().rev() {
            running += bucket;
            sum += running;
        }
    }
    sum
}

/// Returns `width` bits of a scalar from bit `start` on.
fn digit(scalar: &ScalarInt, start: u32, width: u32) -> usize {
    let word = |i: u32| u128::from(scalar.0.get(i as usize).copied().unwrap_or(0));
    let pair = word(start / 64) | word(start / 64 + 1) << 64;
    (pair >> (start % 64)) as usize & ((1 << width) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ec::{CurveGroup, VariableBaseMSM};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;
    use wgalois::curve::CurveName;
    use wgalois::msm::{Known, random_scalars};

    fn methods_agree<C: Curve>() {
        let of = |i: u64| C::ScalarField::from(i);
        let mut points = Known::<C>::random(20, 1).points;
        let mut scalars = random_scalars::<C>(points.len(), &mut ChaCha8Rng::seed_from_u64(2));
        // Random scalars, those at the ends of the range, and equal ones; infinity among the points.
        for edges in [vec![], vec![of(0), of(1), of(2), -of(1), -of(2)], vec![-of(3)]] {
            if !edges.is_empty() {
                scalars.iter_mut().zip(edges.iter().cycle()).for_each(|(k, edge)| *k = *edge);
            }
            let integers: Vec<_> = scalars.iter().map(|k| k.into_bigint()).collect();
            let expected = Projective::<C>::msm_bigint(&points, &integers).into_affine();
            assert_eq!(double_and_add::<C>(&points, &integers).into_affine(), expected);
            for width in [1, 5, 11] {
                assert_eq!(pippenger::<C>(&points, &integers, width).into_affine(), expected, "{width}");
            }
            points.iter_mut().step_by(3).for_each(|point| *point = Affine::<C>::identity());
        }
    }

    #[test]
    fn the_methods_give_the_sum() {
        for name in CurveName::all() {
            wgalois::with_curve!(name, C => methods_agree::<C>());
        }
    }
}
