//! Signed digits of scalars on the host, for [`buckets`](super::buckets).

use ark_ec::AffineRepr;
use ark_ff::{BigInteger, PrimeField};

use crate::curve::{Affine, Curve, ScalarField, ScalarInt};
use crate::parallel::*;

/// The widest digits: a window has half as many buckets as they have values.
pub(super) const WIDEST: u32 = 18;
/// The scalars that a thread handles at a time.
pub(super) const SCALARS: usize = 1 << 10;
/// Where a magnitude has its sign: it has at most 254 bits, and the offset of its digits adds at most one.
const SIGN: u64 = 1 << 63;

/// The smaller one of k and r - k, and the sign that makes k of it.
pub(super) type Number = [u64; 4];

/// 0 where the point is infinity.
pub(super) fn number<C: Curve>(point: &Affine<C>, scalar: &ScalarField<C>) -> Number {
    if point.is_zero() {
        return [0; 4];
    }
    let mut integer: ScalarInt = scalar.into_bigint();
    if integer <= ScalarField::<C>::MODULUS_MINUS_ONE_DIV_TWO {
        return integer.0;
    }
    let mut negative = ScalarField::<C>::MODULUS;
    negative.sub_with_borrow(&integer);
    integer = negative;
    integer.0[3] |= SIGN;
    integer.0
}

/// How many numbers have each number of bits.
pub(super) fn lengths(numbers: &[Number]) -> [usize; 256] {
    let of_part = |numbers: &[Number]| {
        let mut lengths = [0; 256];
        for &[a, b, c, d] in numbers {
            lengths[ScalarInt::new([a, b, c, d & !SIGN]).num_bits() as usize & 255] += 1;
        }
        lengths
    };
    let join = |mut sum: [usize; 256], part: [usize; 256]| {
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        sum
    };
    numbers.par_chunks(SCALARS).map(of_part).reduce(|| [0; 256], join)
}

/// Signed digits of numbers below 2^254: a number is the sum of digit w times 2^(`width` w).
#[derive(Clone, Copy, Debug)]
pub(super) struct Digits {
    pub width: u32,
    pub windows: u32,
    /// 2^(`width` - 1) in each window but the last. The digits of a number are the unsigned digits of its sum with the
    /// offset, minus 2^(`width` - 1) in these windows.
    offset: ScalarInt,
}

impl Digits {
    /// Those with the least work for numbers of these lengths: an addition for each digit that is not 0, and two for each
    /// bucket.
    pub fn new(lengths: &[usize; 256]) -> Self {
        let longest = lengths.iter().rposition(|&count| count > 0).unwrap_or(0) as u32;
        if longest == 0 {
            return Digits { width: 2, windows: 0, offset: ScalarInt::default() };
        }
        let work = |&width: &u32| {
            // A carry out of the highest digit is as likely as not to need one more.
            let additions =
                |(bits, &count): (u32, &usize)| count * (2 * bits + 1).div_ceil(2 * width) as usize;
            let entries: usize = (1..).zip(&lengths[1..]).map(additions).sum();
            entries + ((Self::windows(width, longest) as usize) << width)
        };
        Self::of_width((2..=WIDEST).min_by_key(work).unwrap_or(2), longest)
    }

    /// Those in windows of `width` bits, for numbers of at most `longest` bits.
    pub fn of_width(width: u32, longest: u32) -> Self {
        let windows = Self::windows(width, longest);
        let mut offset = ScalarInt::default();
        for bit in (0..windows - 1).map(|w| width * w + width - 1) {
            offset.0[bit as usize / 64] |= 1 << (bit % 64);
        }
        Digits { width, windows, offset }
    }

    /// One bit more than the numbers have, so that the last digit, which has no offset, is at most 2^(`width` - 1), too.
    fn windows(width: u32, longest: u32) -> u32 {
        (longest + 1).div_ceil(width)
    }

    /// The largest magnitude of a digit.
    pub fn largest(self) -> usize {
        1 << (self.width - 1)
    }

    /// Adds the offset to a number.
    pub fn shift(self, number: &mut Number) {
        let sign = number[3] & SIGN;
        number[3] ^= sign;
        let mut sum = ScalarInt::new(*number);
        sum.add_with_carry(&self.offset);
        *number = sum.0;
        number[3] |= sign;
    }

    /// The magnitude of digit `window` of a shifted number, and whether it is negative.
    pub fn digit(self, number: &Number, window: u32) -> (usize, bool) {
        let bit = self.width * window;
        let (word, shift) = (bit as usize / 64, bit % 64);
        let clear = |i: usize| if i == 3 { number[3] & !SIGN } else { number[i] };
        let mut digits = clear(word) >> shift;
        if shift + self.width > 64 && word < 3 {
            digits |= clear(word + 1) << (64 - shift);
        }
        let unsigned = digits as usize % (2 * self.largest());
        let zero = if window + 1 < self.windows { self.largest() } else { 0 };
        (unsigned.abs_diff(zero), (unsigned < zero) != (number[3] & SIGN != 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Bn254;
    use ark_ff::{AdditiveGroup, Field};
    use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

    type F = ScalarField<Bn254>;

    #[test]
    fn digits_are_those_of_the_scalar() {
        let point = Affine::<Bn254>::generator();
        let half = F::from(F::MODULUS_MINUS_ONE_DIV_TWO);
        let mut scalars = vec![F::ZERO, F::ONE, -F::ONE, half, half + F::ONE, F::from(1u64 << 63)];
        scalars.extend(crate::msm::random_scalars::<Bn254>(5, &mut ChaCha8Rng::seed_from_u64(1)));
        let numbers: Vec<_> = scalars.iter().map(|scalar| number::<Bn254>(&point, scalar)).collect();
        let longest = lengths(&numbers).iter().rposition(|&count| count > 0).unwrap() as u32;
        for width in 2..=WIDEST {
            let digits = Digits::of_width(width, longest);
            for (&scalar, mut number) in scalars.iter().zip(numbers.clone()) {
                digits.shift(&mut number);
                let mut sum = F::ZERO;
                for window in (0..digits.windows).rev() {
                    let (magnitude, is_negative) = digits.digit(&number, window);
                    assert!(magnitude <= digits.largest());
                    let digit = F::from(magnitude as u64);
                    sum = sum * F::from(1u64 << width) + if is_negative { -digit } else { digit };
                }
                assert_eq!(sum, scalar, "{width}");
            }
        }
    }

    #[test]
    fn short_scalars_have_few_digits() {
        let point = Affine::<Bn254>::generator();
        let digits = |scalars: &[F]| {
            let numbers: Vec<_> = scalars.iter().map(|scalar| number::<Bn254>(&point, scalar)).collect();
            Digits::new(&lengths(&numbers))
        };
        assert_eq!(digits(&[F::ZERO; 3]).windows, 0);
        assert_eq!(digits(&[F::ONE, -F::ONE]).windows, 1);
        assert!(digits(&[F::from(255u64); 1000]).windows <= 2);
    }
}
