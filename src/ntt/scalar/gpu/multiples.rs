//! The factors of a transform's table as passes take them: as three multiples, in limbs.

use super::modulus_limbs::PARTS;
use crate::Result;
use crate::huge_pages::zeros;
use crate::parallel::*;
use crate::scalars::Scalar;

/// Limbs of a multiple, and of each part of a scalar that is multiplied by one.
const LIMBS: usize = 9;
const PART_LIMBS: usize = LIMBS / PARTS;
/// Bytes of a factor: seven vectors of four words.
pub(in crate::ntt::scalar) const FACTOR_BYTES: u64 = 7 * 16;
/// Bytes of a factor in the longest of the tables.
pub(super) const LONGEST_BYTES: u64 = 3 * 16;

/// The multiples w 2^(3 b), w 2^(6 b) and w 2^(9 b) mod r of the factors w of a table, in limbs of b bits. Of each vector
/// of four words, those of all factors lie together, so that threads that read neighbours read contiguous memory:
///
/// ```text
/// tables[0]   limbs 0 to 3 of the first multiples | limbs 4 to 7 | limbs 8 of all three, and a zero
/// tables[1]   limbs 0 to 3 of the second multiples | limbs 4 to 7
/// tables[2]   limbs 0 to 3 of the third multiples | limbs 4 to 7
/// ```
pub(super) struct Multiples {
    pub tables: [Vec<[u32; 4]>; PARTS],
}

impl Multiples {
    /// The multiples of these factors, in limbs of `bits` bits.
    pub fn of<F: Scalar>(factors: &[F], bits: usize) -> Result<Self> {
        let len = factors.len();
        let mut tables = [zeros(3 * len)?, zeros(2 * len)?, zeros(2 * len)?];
        let shift = F::from(2u64).pow([(bits * PART_LIMBS) as u64]);
        let shifts: [F; PARTS] = std::array::from_fn(|part| shift.pow([1 + part as u64]));
        let [first, second, third] = &mut tables;
        let (first_low, rest) = first.split_at_mut(len);
        let (first_middle, highest) = rest.split_at_mut(len);
        let (second_low, second_middle) = second.split_at_mut(len);
        let (third_low, third_middle) = third.split_at_mut(len);
        let low = first_low.par_iter_mut().zip(second_low).zip(third_low);
        let middle = first_middle.par_iter_mut().zip(second_middle).zip(third_middle);
        factors.par_iter().zip(low).zip(middle).zip(highest).with_min_len(1 << 10).for_each(
            |(((factor, ((a, b), c)), ((d, e), f)), highest)| {
                let multiples = shifts.map(|shift| (*factor * shift).into_bigint());
                for (i, (low, middle)) in [(a, d), (b, e), (c, f)].into_iter().enumerate() {
                    let limb = |k: usize| limb(multiples[i].as_ref(), bits, k);
                    *low = std::array::from_fn(limb);
                    *middle = std::array::from_fn(|k| limb(4 + k));
                    highest[i] = limb(LIMBS - 1);
                }
            },
        );
        Ok(Multiples { tables })
    }
}

/// Limb `i` of an integer, of `bits` bits.
fn limb(x: &[u64], bits: usize, i: usize) -> u32 {
    let word = |i: usize| u128::from(x.get(i).copied().unwrap_or(0));
    let bit = bits * i;
    let pair = word(bit / 64) | word(bit / 64 + 1) << 64;
    (pair >> (bit % 64)) as u32 & ((1 << bits) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::scalar_fields;
    use crate::ntt::scalar::gpu::modulus_limbs::{NARROW, WIDE};
    use crate::with_curve;
    use dashu_int::UBig;

    fn integer(words: impl DoubleEndedIterator<Item = u64>, bits: usize) -> UBig {
        words.rev().fold(UBig::ZERO, |sum, word| (sum << bits) + UBig::from(word))
    }

    fn compare<F: Scalar>(bits: usize) {
        let factors = [F::ZERO, F::ONE, F::from(2u64), -F::ONE, -F::from(2u64), F::GENERATOR.pow([12345])];
        let n = factors.len();
        let Multiples { tables } = Multiples::of(&factors, bits).expect("room");
        let r = integer(F::MODULUS.as_ref().iter().copied(), 64);
        for (i, factor) in factors.iter().enumerate() {
            let w = integer(factor.into_bigint().as_ref().iter().copied(), 64);
            for (part, table) in tables.iter().enumerate() {
                let limbs = [&table[i][..], &table[n + i], &[tables[0][2 * n + i][part]]].concat();
                assert!(limbs.iter().all(|limb| limb >> bits == 0), "{limbs:?}");
                let multiple = integer(limbs.iter().map(|limb| u64::from(*limb)), bits);
                assert_eq!(multiple, (w.clone() << (3 * bits * (part + 1))) % &r, "{factor}, {part}");
            }
        }
    }

    #[test]
    fn multiples_are_those_of_the_definition() {
        for name in scalar_fields() {
            for bits in [NARROW, WIDE] {
                with_curve!(name, C => compare::<crate::curve::ScalarField<C>>(bits));
            }
        }
    }
}
