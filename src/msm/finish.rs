//! The last step, on the host: combines the few sums of each bucket set to one point.

use ark_ec::CurveGroup;
use ark_ff::{AdditiveGroup, Field};

use super::{Reduction, Scheme};
use crate::curve::coordinates::Coordinates;
use crate::curve::{Affine, Curve, Projective};
use crate::field::{BigField, Reader};
use crate::parallel::*;

/// The sums of one bucket set: first that of all its buckets, then for each digit of a bucket's number, by
/// [`Reduction::digits`], that of the buckets weighted by the digit.
pub(super) type SetSums<C> = Vec<Projective<C>>;

/// The number of tasks that share the sets, over a prime field; over an extension a task takes longer, so that there are more.
const TASKS: usize = 4;

/// The sum over all sets of 2^(c set) times the set's weighted sum of buckets, by Horner's rule. A bucket's weight is its
/// number plus one or, with odd digits, twice its number plus one; in the topmost window's set only the low bits of its
/// number count. `sums` reads the sums of a set.
pub(super) fn combine<C: Curve, S: Sync>(
    scheme: &Scheme,
    reduction: Reduction,
    sets: &[S],
    sums: impl Fn(&S) -> SetSums<C> + Sync,
) -> Affine<C> {
    let digits = reduction.digits(scheme.weights());
    let ends = digits.iter().scan(0, |end, bits| {
        *end += bits;
        Some(*end)
    });
    let in_top =
        if scheme.odd { digits.len() } else { ends.take_while(|end| *end <= scheme.top_bits).count() };
    let horner = |first: usize, group: &[S]| {
        let mut result = Projective::<C>::ZERO;
        for (i, set) in group.iter().enumerate().rev() {
            let digits = if first + i + 1 == sets.len() { &digits[..in_top] } else { &digits[..] };
            result = with_weighted(scheme, digits, &sums(set), result);
        }
        result
    };
    let tasks = TASKS * C::BaseField::extension_degree() as usize;
    let len = sets.len().div_ceil(tasks).max(1);
    let mut groups = vec![Projective::<C>::ZERO; sets.len().div_ceil(len)];
    // Other threads take as long to wake as this one takes for a group, so it works on the first.
    let tasks = groups.par_iter_mut().zip(sets.par_chunks(len)).enumerate();
    tasks.for_each_in_place(|(i, (sum, group))| *sum = horner(i * len, group));
    let mut result = Projective::<C>::ZERO;
    for sum in groups.iter().rev() {
        result = C::shifted_sum(result, scheme.width * len as u32, sum);
    }
    result.into_affine()
}

/// 2^c `result` plus the weighted sum of a set's buckets.
fn with_weighted<C: Curve>(
    scheme: &Scheme,
    digits: &[u32],
    sums: &[Projective<C>],
    mut result: Projective<C>,
) -> Projective<C> {
    let last = u32::from(scheme.odd);
    let (all, of_digits) =
        sums.split_first().map_or((Projective::<C>::ZERO, sums), |(all, rest)| (*all, rest));
    let mut times = scheme.width - last - digits.iter().sum::<u32>();
    for (bits, sum) in digits.iter().zip(of_digits).rev() {
        result = C::shifted_sum(result, times + bits, sum);
        times = 0;
    }
    C::shifted_sum(result, times + last, &all)
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
