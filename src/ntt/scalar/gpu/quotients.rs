//! The factors of a table in the form of Shoup's method: with their quotients, in limbs.

use dashu_int::UBig;
use dashu_int::fast_div::ConstDivisor;
use rayon::prelude::*;

use super::form::NARROW;
use crate::Result;
use crate::ntt::scalar::cpu::room;
use crate::scalars::Scalar;

/// Words of a factor among the values, and among the quotients.
const VALUE_WORDS: usize = 12;
const QUOTIENT_WORDS: usize = 8;
/// Bytes of a factor in both.
pub(super) const FACTOR_BYTES: u64 = 4 * (VALUE_WORDS + QUOTIENT_WORDS) as u64;
/// Limbs of a value or quotient.
const LIMBS: usize = 9;

/// The factors w of a table with their quotients, floor(w 2^261 / r), in limbs of 29 bits.
pub(super) struct Limbs {
    /// Of each factor its nine limbs, the highest one of its quotient, and two zeros.
    pub values: Vec<[u32; VALUE_WORDS]>,
    /// Of each factor the other eight limbs of its quotient.
    pub quotients: Vec<[u32; QUOTIENT_WORDS]>,
}

/// The limbs of these factors and of their quotients.
///
/// With e = w 2^261 mod r, the quotient is (w 2^261 - e) / r, an exact division: modulo 2^320 it is e times -1/r.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(super) fn limbs<F: Scalar>(factors: &[F]) -> Result<Limbs> {
    let shift = F::from(2u64).pow([(NARROW * LIMBS) as u64]);
    let minus_inverse = minus_inverse(F::MODULUS.as_ref());
    let (mut values, mut quotients) = (room(factors.len())?, room(factors.len())?);
    let of_factor = |factor: &F| {
        let remainder = (*factor * shift).into_bigint();
        let quotient = low_product(remainder.as_ref(), &minus_inverse);
        let value = factor.into_bigint();
        let words = std::array::from_fn(|i| match i {
            LIMBS => limb(&quotient, LIMBS - 1),
            i if i < LIMBS => limb(value.as_ref(), i),
            _ => 0,
        });
        (words, std::array::from_fn(|i| limb(&quotient, i)))
    };
    factors.par_iter().with_min_len(1 << 10).map(of_factor).unzip_into_vecs(&mut values, &mut quotients);
    Ok(Limbs { values, quotients })
}

/// Limb `i` of an integer.
fn limb(x: &[u64], i: usize) -> u32 {
    let word = |i: usize| u128::from(x.get(i).copied().unwrap_or(0));
    let bit = NARROW * i;
    let pair = word(bit / 64) | word(bit / 64 + 1) << 64;
    (pair >> (bit % 64)) as u32 & ((1 << NARROW) - 1)
}

/// The lowest 320 bits of a product; `a` has 256.
fn low_product(a: &[u64], b: &[u64; 5]) -> [u64; 5] {
    let mut product = [0; 5];
    for (i, a) in a.iter().enumerate() {
        let mut carry = 0;
        for (b, place) in b.iter().zip(&mut product[i..]) {
            let sum = u128::from(*place) + u128::from(*a) * u128::from(*b) + carry;
            *place = sum as u64;
            carry = sum >> 64;
        }
    }
    product
}

/// -1/r mod 2^320; r is odd.
fn minus_inverse(r: &[u64]) -> [u64; 5] {
    let r = r.iter().rev().fold(UBig::ZERO, |sum, limb| (sum << 64) + UBig::from(*limb));
    let ring = ConstDivisor::new(UBig::ONE << 320);
    let inverse = (-ring.reduce(r)).inv().map_or(UBig::ZERO, |inverse| inverse.residue());
    [0, 64, 128, 192, 256]
        .map(|low| u64::try_from((&inverse >> low) & UBig::from(u64::MAX)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalars::fields;
    use crate::with_curve;

    fn integer(words: impl DoubleEndedIterator<Item = u64>, bits: usize) -> UBig {
        words.rev().fold(UBig::ZERO, |sum, word| (sum << bits) + UBig::from(word))
    }

    fn compare<F: Scalar>() {
        let factors = [F::ZERO, F::ONE, F::from(2u64), -F::ONE, -F::from(2u64), F::GENERATOR.pow([12345])];
        let Limbs { values, quotients } = limbs(&factors).expect("room");
        let r = integer(F::MODULUS.as_ref().iter().copied(), 64);
        for (factor, (value, low)) in factors.iter().zip(values.iter().zip(&quotients)) {
            let of = |limbs: &[u32]| integer(limbs.iter().map(|limb| u64::from(*limb)), NARROW);
            let w = integer(factor.into_bigint().as_ref().iter().copied(), 64);
            let quotient = [&low[..], &value[LIMBS..=LIMBS]].concat();
            assert_eq!(of(&value[..LIMBS]), w);
            assert_eq!(of(&quotient), (w << (NARROW * LIMBS)) / &r);
            assert!(value[..=LIMBS].iter().chain(low).all(|limb| limb >> NARROW == 0), "{value:?}, {low:?}");
        }
    }

    #[test]
    fn quotients_are_those_of_the_definition() {
        for name in fields() {
            with_curve!(name, C => compare::<crate::curve::ScalarField<C>>());
        }
    }
}
