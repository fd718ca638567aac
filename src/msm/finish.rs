//! The last step, on the host: combines the few sums of each bucket set to one point.

use ark_ec::CurveGroup;
use ark_ff::AdditiveGroup;
use rayon::prelude::*;

use super::{Reduction, Scheme};
use crate::curve::coordinates::Coordinates;
use crate::curve::{Affine, Curve, Projective};
use crate::field::{BigField, Reader};

/// The sums of one bucket set: first that of all its buckets, then for each digit of a bucket's number, by
/// [`Reduction::digits`], that of the buckets weighted by the digit.
pub(super) type SetSums<C> = Vec<Projective<C>>;

/// The sum over all sets of 2^(c set) times the set's weighted sum of buckets, by Horner's
/// rule: at most c doublings a set. A bucket's weight is its number plus one or, with odd
/// digits, twice its number plus one. `sums` reads the sums of a set.
pub(super) fn combine<C: Curve, S: Sync>(
    scheme: &Scheme,
    reduction: Reduction,
    sets: &[S],
    sums: impl Fn(&S) -> SetSums<C> + Sync,
) -> Affine<C> {
    let digits = reduction.digits(scheme.weights());
    let weighted = |set: &S| weighted(scheme, &digits, &sums(set));
    // A single set takes less time than waking other threads.
    let weighted: Vec<Projective<C>> = match sets {
        [set] => vec![weighted(set)],
        _ => sets.par_iter().map(weighted).collect(),
    };
    let mut result = Projective::<C>::ZERO;
    for sum in weighted.iter().rev() {
        for _ in 0..scheme.width {
            result.double_in_place();
        }
        result += sum;
    }
    result.into_affine()
}

fn weighted<C: Curve>(scheme: &Scheme, digits: &[u32], sums: &[Projective<C>]) -> Projective<C> {
    let Some((all, of_digits)) = sums.split_first() else { return Projective::ZERO };
    let mut numbers = Projective::<C>::ZERO;
    for (bits, sum) in digits.iter().zip(of_digits).rev() {
        for _ in 0..*bits {
            numbers.double_in_place();
        }
        numbers += sum;
    }
    if scheme.odd {
        numbers.double_in_place();
    }
    numbers + all
}

/// Reads points in the device's form: lazily reduced, with third coordinate 0 for infinity.
pub(super) struct PointReader<C: Curve> {
    coordinates: &'static Coordinates,
    elements: Reader<C::BaseField>,
    /// 32-bit words of a coordinate and of a point.
    coordinate_words: usize,
    words: usize,
}

impl<C: Curve> PointReader<C> {
    pub(super) fn new(coordinates: &'static Coordinates, field: &BigField) -> Self {
        let (elements, words) = (field.reader(), coordinates.words(field));
        PointReader { coordinates, elements, coordinate_words: field.degree * field.lazy_words, words }
    }

    /// 32-bit words of a point.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Reads the point that `words` hold.
    pub(super) fn read(&self, words: &[u32]) -> Projective<C> {
        let elements = words.chunks(self.coordinate_words).take(self.coordinates.size());
        let values: Vec<_> = elements.map(|words| self.elements.read(words)).collect();
        match self.coordinates.to_jacobian(&values) {
            Some([x, y, z]) => Projective::new_unchecked(x, y, z),
            None => Projective::ZERO,
        }
    }
}
