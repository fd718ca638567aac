//! The rules of digits on the host: where each digit of a scalar sends its point. The kernel `digits` is tested against them.

use ark_ff::{BigInteger, Field, PrimeField, UniformRand};
use ark_std::rand::SeedableRng;

use crate::curve::{Curve, CurveName, ScalarInt};
use crate::msm::{Precompute, ScalarBits, Scheme};

/// The bucket to which a digit sends its point, and the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::msm) struct Destination {
    /// The set of buckets.
    pub(in crate::msm) set: u32,
    /// The bucket within the set.
    pub(in crate::msm) bucket: u32,
    /// The level of the table that the point comes from.
    pub(in crate::msm) level: u32,
    /// True if the point is negated.
    pub(in crate::msm) negative: bool,
}

impl Scheme {
    /// The weight of bucket i of a set, i below [`Scheme::weights`].
    fn weight(&self, set: u32, bucket: u32) -> u32 {
        match self.odd {
            true => 2 * bucket + 1,
            false if set + 1 == self.sets => (bucket & ((1 << self.top_bits) - 1)) + 1,
            false => bucket + 1,
        }
    }

    /// The destination of each window's digit of `scalar`, or of each of its halves. The scalar is below r and has this number in
    /// its vector. `None` for a digit 0.
    pub(in crate::msm) fn destinations<C: Curve>(
        &self,
        number: u32,
        scalar: &ScalarInt,
    ) -> Vec<Option<Destination>> {
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
fn bits(words: &[u64], start: u32, width: u32) -> u32 {
    let word = |i: u32| u128::from(words.get(i as usize).copied().unwrap_or(0));
    let pair = word(start / 64) | word(start / 64 + 1) << 64;
    (pair >> (start % 64)) as u32 & ((1 << width) - 1)
}

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
