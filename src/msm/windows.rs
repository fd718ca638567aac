//! The scheme by which scalars are cut into digits, and digits are assigned to buckets.

use ark_ff::{BigInteger, PrimeField};

use super::Precompute;
use crate::curve::{Curve, ScalarInt};
use crate::{Error, Result};

/// The largest window.
pub const MAX_WIDTH: u32 = 24;
/// The smallest window.
pub const MIN_WIDTH: u32 = 2;

/// The scheme by which the scalars of one multiplication are cut into digits, and digits are assigned to
/// buckets.
///
/// A scalar k or, with the point negated, r - k, whichever is smaller, is written in base
/// 2^c with digits from -2^(c-1) + 1 to 2^(c-1); the smaller of the two has `windows` such
/// digits, where `windows` times c is at least the number of bits of r. Window j belongs to bucket set
/// j mod `sets`, and its digits multiply 2^(c `sets` a) P, a = j / `sets`: that is table
/// level a. Without tables there is a set for every window.
///
/// With `halves` each of the scalar's two halves has `windows` digits, and level a of the table belongs to half a.
///
/// Bucket i of a set collects what the digit i + 1 multiplies. With `odd` digits the table
/// levels are doublings instead: a digit o 2^h, o odd, sends level h to bucket (o - 1) / 2,
/// and where h passes the last level tau, level tau to bucket 2^(c-2) + v - 1,
/// v = o 2^(h - tau - 1).
///
/// The topmost window may have few bits, so that its digits meet few buckets. Where its set has no other window, its entries
/// are spread over all buckets: bucket d - 1 + x 2^`top_bits` also collects what the digit d multiplies, for every x, and
/// the digit's weight is in the low bits of the bucket's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scheme {
    /// The number c of bits of a window.
    pub width: u32,
    /// The number of windows of a scalar, or of each of its halves.
    pub windows: u32,
    /// The number of bucket sets.
    pub sets: u32,
    /// The number of points stored for each base.
    pub levels: u32,
    /// True if levels are doublings and digits are odd.
    pub odd: bool,
    /// True if scalars are divided into halves.
    pub halves: bool,
    /// The low bits of a bucket's number in the topmost window's set that its digits fill.
    pub top_bits: u32,
}

/// Bits of the scalars of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarBits {
    /// Bits of the group order r. The smaller one of k and r - k has fewer.
    pub whole: u32,
    /// One more than the bits of a half; `None` if scalars are not divided.
    pub half: Option<u32>,
}

impl ScalarBits {
    /// Those of the scalars of `C`.
    pub fn of<C: Curve>() -> Self {
        ScalarBits {
            whole: C::ScalarField::MODULUS_BIT_SIZE,
            half: C::halving().map(|halving| halving.bits() + 1),
        }
    }
}

/// The bucket to which a digit sends its point, and the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The set of buckets.
    pub set: u32,
    /// The bucket within the set.
    pub bucket: u32,
    /// The level of the table that the point comes from.
    pub level: u32,
    /// True if the point is negated.
    pub negative: bool,
}

impl Scheme {
    /// Makes the scheme for scalars of these bits in windows of `width` bits, with tables of up to
    /// `max_levels` points per base.
    ///
    /// # Errors
    /// [`Error::Setting`] for a width outside [`MIN_WIDTH`] to [`MAX_WIDTH`].
    pub fn new(bits: ScalarBits, width: u32, precompute: Precompute, max_levels: u32) -> Result<Self> {
        if !(MIN_WIDTH..=MAX_WIDTH).contains(&width) {
            let (value, least, most) = (width.into(), MIN_WIDTH.into(), MAX_WIDTH.into());
            return Err(Error::Setting { what: "window width", value, least, most });
        }
        let of_windows = |windows| Scheme {
            width,
            windows,
            sets: windows,
            levels: 1,
            odd: false,
            halves: false,
            top_bits: width - 1,
        };
        let windows = bits.whole.div_ceil(width);
        let plain = of_windows(windows);
        Ok(match precompute {
            Precompute::Plain => plain,
            Precompute::Glv => match bits.half {
                Some(half) if max_levels > 1 => {
                    Scheme { levels: 2, halves: true, ..of_windows(half.div_ceil(width)) }
                }
                _ => plain,
            },
            Precompute::Doublings(tau) => {
                // The largest digit is 2^(c-1).
                let levels = tau.min(width - 1).min(max_levels.max(1) - 1) + 1;
                Scheme { levels, odd: true, ..plain }
            }
            Precompute::Windows => {
                let sets = windows.div_ceil(max_levels.clamp(1, windows));
                Scheme { sets, levels: windows.div_ceil(sets), ..plain }
            }
        })
    }

    /// Spreads the entries of the topmost window over all buckets of its set, if they are alone there, for scalars of these
    /// bits and a reduction by digits of `digit_bits` bits of a bucket's number.
    #[must_use]
    pub fn spread(self, bits: ScalarBits, digit_bits: u32) -> Self {
        if self.odd || self.levels > 1 && !self.halves {
            return self;
        }
        // With the carry a digit of t bits is at most 2^t.
        let top_bits = self.filled(bits).next_multiple_of(digit_bits.max(1)).min(self.width - 1);
        Scheme { top_bits, ..self }
    }

    /// Bits of the topmost window that scalars of these bits fill.
    pub(super) fn filled(&self, bits: ScalarBits) -> u32 {
        // The smaller one of k and r - k lacks the topmost bit; so does a half.
        let bits = bits.half.filter(|_| self.halves).unwrap_or(bits.whole) - 1;
        bits.saturating_sub(self.width * (self.windows - 1))
    }

    /// The next smaller number of levels that a scheme of this width can have, `None` after one level. Windows are shared by
    /// more sets then.
    pub(super) fn fewer_levels(&self) -> Option<u32> {
        let fewer = match self.odd || self.halves {
            true => self.levels - 1,
            false => (self.sets + 1..=self.windows)
                .map(|sets| self.windows.div_ceil(sets))
                .find(|&fewer| fewer < self.levels)?,
        };
        Some(fewer).filter(|&fewer| fewer > 0)
    }

    /// True if levels of the table are made by doublings.
    pub(super) fn has_multiples(&self) -> bool {
        self.levels > 1 && !self.halves
    }

    /// The number of doublings between a table level and the next; not for halves.
    pub fn level_doublings(&self) -> u32 {
        if self.odd { 1 } else { self.width * self.sets }
    }

    /// The number of entries that one scalar sends to one set.
    pub fn entries_per_set(&self) -> u32 {
        if self.odd { 1 } else { self.levels }
    }

    /// The number of buckets of a set, those beyond the table included.
    pub fn buckets(&self) -> u32 {
        self.weights() + self.excess_buckets()
    }

    /// The number of buckets of a set after those beyond the table are folded in, a power of two. Their
    /// weights are 1, 2, 3, ..., or with odd digits 1, 3, 5, ....
    pub fn weights(&self) -> u32 {
        if self.odd { 1 << (self.width - 2) } else { 1 << (self.width - 1) }
    }

    /// The number of buckets for digits with more factors 2 than the table has doublings.
    pub fn excess_buckets(&self) -> u32 {
        if self.odd { (1 << (self.width - 1)) >> self.levels } else { 0 }
    }

    /// The number of bits of a bucket's number within its set, at least one.
    pub fn key_bits(&self) -> u32 {
        (32 - (self.buckets() - 1).leading_zeros()).max(1)
    }

    /// The weight of bucket i of a set, i below [`Scheme::weights`].
    pub fn weight(&self, set: u32, bucket: u32) -> u32 {
        match self.odd {
            true => 2 * bucket + 1,
            false if set + 1 == self.sets => (bucket & ((1 << self.top_bits) - 1)) + 1,
            false => bucket + 1,
        }
    }

    /// The destination of each window's digit of `scalar`, or of each of its halves. The scalar is below r and has this number in
    /// its vector. `None` for a digit 0.
    pub fn destinations<C: Curve>(&self, number: u32, scalar: &ScalarInt) -> Vec<Option<Destination>> {
        let mut opposite = C::ScalarField::MODULUS;
        opposite.sub_with_borrow(scalar);
        let flipped = opposite < *scalar;
        let magnitude = if flipped { opposite } else { *scalar };
        let halves = C::halving().filter(|_| self.halves).map(|halving| halving.halves(&magnitude));
        let parts = match halves {
            None => vec![(magnitude.as_ref().to_vec(), flipped)],
            Some(halves) => halves
                .map(|(half, negative)| (vec![half as u64, (half >> 64) as u64], flipped ^ negative))
                .to_vec(),
        };
        let mut destinations = Vec::new();
        for ((magnitude, negative), part) in parts.iter().zip(0..) {
            let mut carry = 0;
            for window in 0..self.windows {
                let mut digit = bits(magnitude, window * self.width, self.width) + carry;
                carry = u32::from(digit > 1 << (self.width - 1));
                if carry == 1 {
                    digit = (1 << self.width) - digit;
                }
                let (set, level) = (window % self.sets, part + window / self.sets);
                let sign = (number, negative ^ (carry == 1));
                destinations.push(self.destination((set, level), window, digit, sign));
            }
        }
        destinations
    }

    fn destination(
        &self,
        (set, level): (u32, u32),
        window: u32,
        digit: u32,
        (number, negative): (u32, bool),
    ) -> Option<Destination> {
        if digit == 0 {
            return None;
        }
        let tau = self.levels - 1;
        let twos = digit.trailing_zeros();
        let (bucket, level) = match self.odd {
            false if window + 1 == self.windows => {
                let others = (u64::from(number) << self.top_bits) as u32 & (self.weights() - 1);
                (digit - 1 + others, level)
            }
            false => (digit - 1, level),
            true if twos <= tau => ((digit >> twos) / 2, twos),
            true => (self.weights() + (digit >> (tau + 1)) - 1, tau),
        };
        Some(Destination { set, bucket, level, negative })
    }
}

/// Returns `width` bits of an integer from bit `start` on.
pub(super) fn bits(words: &[u64], start: u32, width: u32) -> u32 {
    let word = |i: u32| u128::from(words.get(i as usize).copied().unwrap_or(0));
    let pair = word(start / 64) | word(start / 64 + 1) << 64;
    (pair >> (start % 64)) as u32 & ((1 << width) - 1)
}

#[cfg(test)]
mod tests {
    use ark_ff::{Field, UniformRand};
    use ark_std::rand::SeedableRng;

    use super::*;
    use crate::curve::CurveName;

    /// The scalar that a list of destinations represents.
    fn value<C: Curve>(scheme: &Scheme, destinations: &[Option<Destination>]) -> C::ScalarField {
        let two = C::ScalarField::from(2u64);
        let terms = destinations.iter().flatten().map(|d| {
            let weight = match d.bucket.checked_sub(scheme.weights()) {
                None => u64::from(scheme.weight(d.set, d.bucket)),
                Some(excess) => 2 * u64::from(excess + 1),
            };
            let level = match C::halving().filter(|_| scheme.halves) {
                Some(halving) => C::ScalarField::from(halving.factor).pow([u64::from(d.level)]),
                None => two.pow([u64::from(d.level * scheme.level_doublings())]),
            };
            let value = C::ScalarField::from(weight) * two.pow([u64::from(d.set * scheme.width)]) * level;
            if d.negative { -value } else { value }
        });
        terms.sum()
    }

    fn digits_stand_for_their_scalar<C: Curve>() {
        let mut rng = ark_std::rand::rngs::StdRng::seed_from_u64(1);
        let bits = ScalarBits::of::<C>();
        let half = -C::ScalarField::from(1u64) / C::ScalarField::from(2u64);
        let mut scalars: Vec<C::ScalarField> = [0u64, 1, 2, 3, 1 << 15].map(Into::into).into();
        scalars.extend([-scalars[1], -scalars[2], half, half + scalars[1], half - scalars[1]]);
        if let Some(halving) = C::halving() {
            let m = C::ScalarField::from(halving.factor);
            let half = C::ScalarField::from(halving.factor / 2);
            scalars.extend([m, -m, half, half + scalars[1], half - scalars[1], m * half, m * half + half]);
            scalars.extend([m - scalars[1], m + scalars[1], m + half, m + half + scalars[1]]);
        }
        scalars.extend((0..bits.whole).map(|i| C::ScalarField::from(2u64).pow([u64::from(i)])));
        scalars.extend((0..20).map(|_| C::ScalarField::rand(&mut rng)));
        for width in [2, 3, 4, 7, 8, 13, 16, 24] {
            for (precompute, max_levels) in [
                (Precompute::Plain, 1),
                (Precompute::Glv, 2),
                (Precompute::Windows, u32::MAX),
                (Precompute::Windows, 3),
                (Precompute::Windows, 1),
                (Precompute::Doublings(0), u32::MAX),
                (Precompute::Doublings(2), u32::MAX),
                (Precompute::Doublings(30), u32::MAX),
            ] {
                let scheme = Scheme::new(bits, width, precompute, max_levels).unwrap();
                for (number, scalar) in scalars.iter().enumerate() {
                    let scheme = if number % 2 == 0 { scheme } else { scheme.spread(bits, 1) };
                    let destinations = scheme.destinations::<C>(number as u32, &scalar.into_bigint());
                    assert_eq!(value::<C>(&scheme, &destinations), *scalar, "{scheme:?} {scalar}");
                    for d in destinations.iter().flatten() {
                        assert!(d.set < scheme.sets && d.level < scheme.levels);
                        assert!(d.bucket < scheme.buckets());
                    }
                }
            }
        }
    }

    #[test]
    fn digits_stand_for_their_scalars() {
        for name in CurveName::all() {
            crate::with_curve!(name, C => digits_stand_for_their_scalar::<C>());
        }
    }

    #[test]
    fn shapes() {
        let bits = |whole| ScalarBits { whole, half: Some(128) };
        let plain = Scheme::new(bits(255), 16, Precompute::Plain, 1).unwrap();
        assert_eq!((plain.windows, plain.sets, plain.buckets(), plain.key_bits()), (16, 16, 1 << 15, 15));
        assert_eq!(
            (plain.top_bits, plain.spread(bits(255), 1).top_bits, plain.spread(bits(255), 3).top_bits),
            (15, 14, 15)
        );
        assert_eq!(
            Scheme::new(bits(253), 14, Precompute::Plain, 1).unwrap().spread(bits(253), 1).top_bits,
            0
        );
        let odd = Scheme::new(bits(255), 16, Precompute::Doublings(3), 99).unwrap();
        assert_eq!(odd.spread(bits(255), 1), odd);
        assert_eq!((odd.levels, odd.weights(), odd.excess_buckets()), (4, 1 << 14, 1 << 11));
        let all = Scheme::new(bits(255), 22, Precompute::Windows, 99).unwrap();
        assert_eq!((all.sets, all.levels, all.level_doublings()), (1, 12, 22));
        let some = Scheme::new(bits(255), 22, Precompute::Windows, 5).unwrap();
        assert_eq!((some.sets, some.levels, some.level_doublings()), (3, 4, 66));
        let halves = Scheme::new(bits(255), 19, Precompute::Glv, 2).unwrap();
        assert_eq!((halves.windows, halves.sets, halves.levels, halves.entries_per_set()), (7, 7, 2, 2));
        assert_eq!((halves.spread(bits(255), 1).top_bits, halves.fewer_levels()), (13, Some(1)));
        let one = Scheme::new(bits(255), 19, Precompute::Glv, 1).unwrap();
        assert_eq!(one, Scheme::new(bits(255), 19, Precompute::Plain, 1).unwrap());
        let none = ScalarBits { whole: 254, half: None };
        assert_eq!(Scheme::new(none, 16, Precompute::Glv, 9).unwrap().levels, 1);
        assert!(Scheme::new(bits(255), 1, Precompute::Plain, 1).is_err());
        assert!(Scheme::new(bits(255), 25, Precompute::Plain, 1).is_err());
    }
}
