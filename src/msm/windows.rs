//! The scheme by which scalars are cut into digits, and digits are assigned to buckets.

use ark_ff::PrimeField;

use super::precompute::{MAX_WIDTH, MIN_WIDTH, Precompute};
use crate::curve::Curve;
use crate::{Error, Result};

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

impl Scheme {
    /// Makes the scheme for scalars of these bits in windows of `width` bits, with tables of up to
    /// `max_levels` points per base.
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
