//! The form of scalars within a pass of a transform: limbs with room for sums without carries.

use dashu_int::UBig;
use serde::Serialize;

use crate::field::BigField;

/// r in limbs within a pass, for the templates; r has 250 to 255 bits.
#[derive(Serialize)]
pub(super) struct ModulusLimbs {
    /// Bits of a limb.
    bits: usize,
    /// r, in limbs.
    r: Vec<u32>,
    /// r, in signed digits of as many bits.
    digits: Vec<Digit>,
    /// 1/r mod 2^bits.
    inverse: u32,
    /// Bits of a third of the limbs.
    part_bits: usize,
    /// [`COVER`] r, in limbs between 2^bits + 16 and 2^(bits + 1) + 16, except the last.
    cover: Vec<u32>,
    /// [`SUMS_COVER`] r, likewise.
    sums_cover: Vec<u32>,
    /// Bits of the last limb below the ten highest of r.
    top_shift: usize,
    /// Stages for which the bits of a word above a settled limb suffice: each adds less than 2^(bits + 1) + 16.
    settled_every: u32,
}

/// A signed digit of r.
#[derive(Serialize)]
struct Digit {
    value: i64,
    /// log2 of the digit but for its sign, if it is a power of two.
    power: Option<u32>,
    /// 2^k where the digit below is -2^k, otherwise 0. This digit is not below it.
    taken: u64,
}

/// What templates that compute as passes do need of a field.
#[derive(Serialize)]
pub(super) struct PassField {
    pub field: BigField,
    /// Limbs for 64-bit integers.
    narrow: ModulusLimbs,
    /// Limbs for portable arithmetic.
    wide: ModulusLimbs,
    cover_multiple: u32,
    /// floor(2^(bits of r + 15) / r).
    quotient_factor: u32,
}

impl PassField {
    pub fn new(field: BigField) -> Self {
        PassField {
            narrow: ModulusLimbs::new(&field, NARROW),
            wide: ModulusLimbs::new(&field, WIDE),
            cover_multiple: COVER,
            quotient_factor: field.quotient_factor(),
            field,
        }
    }
}

/// Bits of a limb within a pass, with 64-bit integers and without.
pub(super) const NARROW: usize = 29;
pub(super) const WIDE: usize = 30;
/// The multiple of r by which a butterfly keeps a difference positive.
pub(super) const COVER: u32 = 5;
/// The multiple of r from which a sum of up to four products is taken.
pub(super) const SUMS_COVER: u32 = 17;
/// The parts of a scalar that have multiples of a factor of their own to be multiplied by.
pub(super) const PARTS: usize = 3;

impl ModulusLimbs {
    pub fn new(field: &BigField, bits: usize) -> Self {
        let integer =
            |limbs: &[u32]| limbs.iter().rev().fold(UBig::ZERO, |sum, limb| (sum << 30) + UBig::from(*limb));
        let mask = (UBig::ONE << bits) - UBig::ONE;
        let limb = |x: &UBig, i: usize| u32::try_from((x >> (bits * i)) & &mask).unwrap_or_default();
        let limbs = |x: UBig| (0..field.limbs).map(|i| limb(&x, i)).collect::<Vec<_>>();
        let cover = |multiple| covering(limbs(integer(&field.multiple(multiple))), bits);
        let r = integer(&field.p);
        let r = limbs(r);
        ModulusLimbs {
            bits,
            digits: digits(&r, bits),
            inverse: field.minus_inverse.wrapping_neg() & ((1 << bits) - 1),
            part_bits: bits * field.limbs / PARTS,
            r,
            cover: cover(COVER),
            sums_cover: cover(SUMS_COVER),
            top_shift: (field.bits - 10).saturating_sub(bits * (field.limbs - 1)),
            settled_every: (1 << (31 - bits)) - 1,
        }
    }
}

/// The integer of these limbs, in which every limb but the last takes from the next one what makes it at least 2^`bits` + 16.
fn covering(mut limbs: Vec<u32>, bits: usize) -> Vec<u32> {
    let mut taken = 0;
    if let Some((last, others)) = limbs.split_last_mut() {
        for limb in others {
            let left = i64::from(*limb) - taken;
            taken = if left < 16 { 2 } else { 1 };
            *limb = (left + (taken << bits)) as u32;
        }
        *last -= taken as u32;
    }
    limbs
}

/// The integer of these limbs in signed digits: a limb that is a power of two less than 2^`bits` becomes that power of two, negative.
fn digits(limbs: &[u32], bits: usize) -> Vec<Digit> {
    let (mut carry, mut taken) = (0, 0);
    let digit = |(i, limb): (usize, &u32)| {
        let digit = i64::from(*limb) + carry;
        let missing = (1 << bits) - digit;
        carry = i64::from(i + 1 < limbs.len() && digit > 0 && missing.count_ones() <= 1);
        let value = digit - (carry << bits);
        let power = (value.unsigned_abs().count_ones() == 1).then(|| value.unsigned_abs().ilog2());
        Digit { value, power, taken: std::mem::replace(&mut taken, value.min(0).unsigned_abs()) }
    };
    limbs.iter().enumerate().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::scalar_fields;
    use crate::with_curve;

    #[test]
    fn signed_digits_make_up_the_integer() {
        let mut lists =
            vec![vec![1, 0x1fff_fff8, 5, 3], vec![0x1fff_ffff, 0x1fff_ffff, 0x1fff_ffff, 9], vec![0; 4]];
        for name in scalar_fields() {
            lists.push(
                with_curve!(name, C => ModulusLimbs::new(&BigField::of::<crate::curve::ScalarField<C>>(), NARROW).r),
            );
        }
        for limbs in lists {
            let digits = digits(&limbs, NARROW);
            for (value, power) in digits.iter().map(|digit| (digit.value, digit.power)) {
                assert!(value.unsigned_abs() < 1 << NARROW && (value >= 0 || power.is_some()), "{value}");
                assert_eq!(
                    power,
                    (value.unsigned_abs().is_power_of_two()).then(|| value.unsigned_abs().ilog2())
                );
            }
            let sum = |part: &dyn Fn(usize) -> i64| {
                (0..limbs.len()).rev().fold(dashu_int::IBig::ZERO, |sum, i| (sum << NARROW) + part(i))
            };
            assert_eq!(sum(&|i| digits[i].value), sum(&|i| i64::from(limbs[i])), "{limbs:?}");
        }
    }

    /// The bounds that the kernels' comments state of the product with a factor.
    #[test]
    fn columns_of_a_product_fit() {
        for name in scalar_fields() {
            let field = with_curve!(name, C => BigField::of::<crate::curve::ScalarField<C>>());
            let modulus = ModulusLimbs::new(&field, NARROW);
            assert_eq!(
                (field.limbs % PARTS, modulus.r[0].wrapping_mul(modulus.inverse) & 0x1fff_ffff),
                (0, 1),
                "{name}"
            );
            assert!(modulus.digits[0].value > 0, "{name}: the lowest digit gives the limbs of m");
            for pair in modulus.digits.windows(2) {
                let taken = pair[0].value.min(0).unsigned_abs();
                assert_eq!(pair[1].taken, taken, "{name}");
                assert!(
                    taken == 0 || pair[1].value >= taken as i64,
                    "{name}: a column would become negative"
                );
            }
            let b = 1u128 << NARROW;
            let parts = PARTS as u128;
            let column = (field.limbs as u128 - parts) * (7 * b + 63) * b + 2 * parts * b * b;
            assert!(column + (1 << 36) < 49 * b * b && 49 * b * b < 1 << 64, "{name}");
            assert_eq!(
                (modulus.settled_every, ModulusLimbs::new(&field, WIDE).settled_every),
                (3, 1),
                "{name}"
            );
            assert!(b + 7 + 3 * (2 * b + 16) < 7 * b + 56 && 7 * b + 56 < 1 << 32, "{name}");
            let b = 1u128 << WIDE;
            assert!(b + 7 + 2 * b + 16 < 1 << 32, "{name}");
            // A stage adds at most the multiple of r that covers a difference; eight stages begin below one such multiple.
            const { assert!(9 * COVER < 63) };
        }
    }
}
