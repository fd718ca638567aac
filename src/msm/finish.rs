//! The last step, on the host: from each bucket set's few sums to one point.

use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;
use rayon::prelude::*;

use super::Scheme;
use crate::curve::coordinates::Coordinates;
use crate::curve::{Affine, Curve, Projective};
use crate::field::BigField;

/// The sums of one bucket set: of all its buckets, then, for each bit, of those buckets whose
/// number has the bit set.
pub(super) type SetSums<C> = Vec<Projective<C>>;

/// The sum over all sets of 2^(c set) times the set's weighted sum of buckets, by Horner's
/// rule: at most c doublings a set. A bucket's weight is its number plus one or, with odd
/// digits, twice its number plus one.
pub(super) fn combine<C: Curve>(scheme: &Scheme, sets: &[SetSums<C>]) -> Affine<C> {
    let mut result = Projective::<C>::ZERO;
    for sums in sets.iter().rev() {
        for _ in 0..scheme.width {
            result.double_in_place();
        }
        result += weighted(scheme, sums);
    }
    result.into_affine()
}

fn weighted<C: Curve>(scheme: &Scheme, sums: &[Projective<C>]) -> Projective<C> {
    let Some((all, bits)) = sums.split_first() else { return Projective::ZERO };
    let mut numbers = Projective::<C>::ZERO;
    for bit in bits.iter().rev() {
        numbers.double_in_place();
        numbers += bit;
    }
    if scheme.odd {
        numbers.double_in_place();
    }
    numbers + all
}

/// Points as the device stores them, lazily reduced, third coordinate 0 for infinity.
pub(super) fn points<C: Curve>(coordinates: &Coordinates, words: &[u32]) -> Vec<Projective<C>> {
    let field = BigField::of::<C::BaseField>();
    let elements = field.reader::<C::BaseField>();
    let point = |words: &[u32]| {
        let values: Vec<_> = words
            .chunks(field.lazy_words)
            .take(coordinates.size())
            .map(|words| elements.read(words))
            .collect();
        match coordinates.to_jacobian(&values) {
            Some([x, y, z]) => Projective::new_unchecked(x, y, z),
            None => Projective::ZERO,
        }
    };
    words.par_chunks(coordinates.words(&field)).map(point).collect()
}
