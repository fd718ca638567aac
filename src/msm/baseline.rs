//! Slow and simple methods for the same sum: oracles for tests, and baselines for benchmarks.

use ark_ff::{AdditiveGroup, BigInteger, PrimeField};

use crate::curve::{Affine, Curve, Projective, ScalarInt};

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
            let digit = super::scheme::bits(scalar.as_ref(), window * width, width);
            if digit > 0 {
                buckets[digit as usize - 1] += point;
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
