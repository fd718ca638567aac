//! The steps of a multiplication on the host, written for readability: each kernel is tested against
//! one of them. Together they compute the whole sum.

use ark_ec::{AffineRepr, PrimeGroup};
use ark_ff::{AdditiveGroup, BitIteratorBE};

use crate::curve::{Affine, Curve, Projective, ScalarInt};
use crate::msm::finish::SetSums;
use crate::msm::{Reduction, Scheme};

/// The sum by its definition: each point by doublings and additions.
pub(in crate::msm) fn by_definition<C: Curve>(points: &[Affine<C>], scalars: &[ScalarInt]) -> Projective<C> {
    let multiple = |(point, scalar)| {
        let mut multiple = Projective::<C>::ZERO;
        for bit in BitIteratorBE::without_leading_zeros(scalar) {
            multiple.double_in_place();
            if bit {
                multiple += point;
            }
        }
        multiple
    };
    points.iter().zip(scalars).map(multiple).sum()
}

/// A bucket within its set, and a point: an index into the table with the sign in bit 31, or
/// [`NOTHING`].
pub(in crate::msm) type Entry = (u32, u32);

/// Marks the entry of a digit that is 0.
pub(in crate::msm) const NOTHING: u32 = u32::MAX;

/// The table of the bases: level a of base i, or its image at level 1, is at a * n + i.
pub(in crate::msm) fn table<C: Curve>(scheme: &Scheme, points: &[Affine<C>]) -> Vec<Affine<C>> {
    if let Some(halving) = C::halving().filter(|_| scheme.halves) {
        let image = |point: &Affine<C>| match point.is_zero() {
            true => *point,
            false => Affine::<C>::new_unchecked(halving.x * point.x, halving.y * point.y),
        };
        return points.iter().copied().chain(points.iter().map(image)).collect();
    }
    let mut level: Vec<Projective<C>> = points.iter().map(|point| (*point).into()).collect();
    let mut table = Vec::new();
    for _ in 0..scheme.levels {
        table.extend(level.iter().map(|point| Affine::from(*point)));
        for point in &mut level {
            for _ in 0..scheme.level_doublings() {
                point.double_in_place();
            }
        }
    }
    table
}

/// Step 1: the entries of every set. Entry a * n + i is that of scalar i and the set's window
/// number a, or its half number a.
pub(in crate::msm) fn entries<C: Curve>(scheme: &Scheme, scalars: &[ScalarInt]) -> Vec<Vec<Entry>> {
    let n = scalars.len();
    let nothing = (scheme.buckets() - 1, NOTHING);
    let mut sets = vec![vec![nothing; n * scheme.entries_per_set() as usize]; scheme.sets as usize];
    for (i, scalar) in scalars.iter().enumerate() {
        for (window, destination) in scheme.destinations::<C>(i as u32, scalar).into_iter().enumerate() {
            let Some(d) = destination else { continue };
            let place = window / scheme.sets as usize * n + i;
            let value = (d.level * n as u32 + i as u32) | (u32::from(d.negative) << 31);
            sets[d.set as usize][place] = (d.bucket, value);
        }
    }
    sets
}

/// Step 2: each set sorted by bucket.
pub(in crate::msm) fn sort(sets: &mut [Vec<Entry>]) {
    for set in sets {
        set.sort_by_key(|(bucket, _)| *bucket);
    }
}

/// The entries that remain after `rounds` rounds of adding up those of each bucket in pairs: buckets among
/// all sets, and points.
pub(in crate::msm) fn add_pairs<C: Curve>(
    scheme: &Scheme,
    sets: &[Vec<Entry>],
    table: &[Affine<C>],
    rounds: u32,
) -> Vec<(u32, Affine<C>)> {
    let numbered = sets.iter().zip(0..).flat_map(|(set, s)| set.iter().map(move |entry| (s, entry)));
    let mut entries: Vec<(u32, Affine<C>)> = numbered
        .map(|(set, (bucket, value))| (set * scheme.buckets() + bucket, point(table, *value).into()))
        .collect();
    for _ in 0..rounds {
        let buckets = entries.chunk_by(|left, right| left.0 == right.0);
        let sum = |pair: &[(u32, Affine<C>)]| {
            (pair[0].0, pair.iter().map(|(_, point)| *point).sum::<Projective<C>>().into())
        };
        entries = buckets.flat_map(|bucket| bucket.chunks(2).map(sum)).collect();
    }
    entries
}

/// Step 3, first half: the partial sums of each slice. The sum of a bucket that an earlier slice began
/// is at 2 slice, the sum of a bucket that the slice begins and a later one continues at 2 slice + 1.
pub(in crate::msm) fn partials<C: Curve>(
    sets: &[Vec<Entry>],
    table: &[Affine<C>],
    slice: usize,
) -> Vec<Option<Projective<C>>> {
    let numbered = sets.iter().zip(0..).flat_map(|(set, s)| set.iter().map(move |entry| (s, entry)));
    let entries: Vec<((usize, u32), u32)> =
        numbered.map(|(set, (bucket, value))| ((set, *bucket), *value)).collect();
    let mut slots = vec![None; 2 * entries.len().div_ceil(slice)];
    let mut begin = 0;
    for bucket in entries.chunk_by(|left, right| left.0 == right.0) {
        let slices = [begin / slice, (begin + bucket.len() - 1) / slice];
        for (i, (_, value)) in bucket.iter().enumerate().filter(|_| slices[0] < slices[1]) {
            let met = (begin + i) / slice;
            let slot = 2 * met + usize::from(met == slices[0]);
            *slots[slot].get_or_insert(Projective::ZERO) += point(table, *value);
        }
        begin += bucket.len();
    }
    slots
}

/// Step 3: the sum of each bucket, directly from its entries.
pub(in crate::msm) fn bucket_sums<C: Curve>(
    scheme: &Scheme,
    sets: &[Vec<Entry>],
    table: &[Affine<C>],
) -> Vec<Projective<C>> {
    let buckets = scheme.buckets() as usize;
    let mut sums = vec![Projective::ZERO; sets.len() * buckets];
    for (set, entries) in sets.iter().enumerate() {
        for (bucket, value) in entries {
            sums[set * buckets + *bucket as usize] += point(table, *value);
        }
    }
    sums
}

/// With odd digits: the bucket sums after adding those beyond the table to the bucket of their odd part.
pub(in crate::msm) fn without_excess<C: Curve>(
    scheme: &Scheme,
    sums: &[Projective<C>],
) -> Vec<Projective<C>> {
    let weights = scheme.weights() as usize;
    let fold = |set: &[Projective<C>]| {
        let mut folded = set[..weights].to_vec();
        for (v, sum) in set[weights..].iter().enumerate() {
            // Bucket v = o 2^e lacks a factor 2^(e + 1).
            let twos = (v + 1).trailing_zeros();
            let mut multiple = *sum;
            for _ in 0..=twos {
                multiple.double_in_place();
            }
            folded[((v + 1) >> twos) / 2] += multiple;
        }
        folded
    };
    sums.chunks(scheme.buckets() as usize).flat_map(fold).collect()
}

/// Step 4: each set's sums, of all buckets and of the buckets weighted by each digit of their number.
pub(in crate::msm) fn reduce<C: Curve>(
    scheme: &Scheme,
    reduction: Reduction,
    sums: &[Projective<C>],
) -> Vec<SetSums<C>> {
    let digits = reduction.digits(scheme.weights());
    let reduce_set = |set: &[Projective<C>]| {
        let mut reduced = vec![set.iter().copied().sum()];
        let mut shift = 0;
        for bits in &digits {
            let mut of_digit = Projective::<C>::ZERO;
            for (sum, number) in set.iter().zip(0u64..) {
                of_digit += sum.mul_bigint([number >> shift & ((1 << bits) - 1)]);
            }
            reduced.push(of_digit);
            shift += bits;
        }
        reduced
    };
    sums.chunks(scheme.weights() as usize).map(reduce_set).collect()
}

fn point<C: Curve>(table: &[Affine<C>], value: u32) -> Projective<C> {
    match value {
        NOTHING => Projective::ZERO,
        _ if value >> 31 == 1 => (-table[(value & 0x7fff_ffff) as usize]).into(),
        _ => table[value as usize].into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::CurveName;
    use crate::msm::tests::samples::{KINDS, Sample, sample};
    use crate::msm::{Precompute, ScalarBits, finish};
    use ark_ec::CurveGroup;
    use ark_ff::PrimeField;

    fn steps_add_up<C: Curve>() {
        for kind in KINDS {
            let Sample { points, scalars } = sample::<C>(kind, 20);
            let integers: Vec<_> = scalars.iter().map(|k| k.into_bigint()).collect();
            let expected = by_definition(&points, &integers).into_affine();
            assert_eq!(crate::curve::sum_by_arkworks(&points, &integers), expected);
            let bits = ScalarBits::of::<C>();
            let of = |precompute| Scheme::new(bits, 5, precompute, 20).unwrap();
            let plain = of(Precompute::Plain);
            let spread = plain.spread(bits, 2);
            for scheme in
                [plain, spread, of(Precompute::Glv), of(Precompute::Windows), of(Precompute::Doublings(1))]
            {
                let table = table(&scheme, &points);
                let mut sets = entries::<C>(&scheme, &integers);
                sort(&mut sets);
                let sums = bucket_sums(&scheme, &sets, &table);
                // Digits of one and of two bits end where the topmost window's do.
                let any = scheme.top_bits == plain.top_bits;
                for reduction in Reduction::ALL.into_iter().take(if any { 4 } else { 2 }) {
                    let reduced = reduce(&scheme, reduction, &without_excess(&scheme, &sums));
                    let sum = finish::combine(&scheme, reduction, &reduced, SetSums::<C>::clone);
                    assert_eq!(sum, expected);
                }
                // With slices of one entry, every bucket of several entries is a sum of partial sums.
                let total: Projective<C> = partials(&sets, &table, 1).into_iter().flatten().sum();
                let several = |bucket: &[Entry]| match bucket.len() {
                    1 => Projective::<C>::ZERO,
                    _ => bucket.iter().map(|(_, value)| point(&table, *value)).sum(),
                };
                let all = |set: &Vec<Entry>| {
                    set.chunk_by(|left, right| left.0 == right.0).map(several).sum::<Projective<C>>()
                };
                assert_eq!(total, sets.iter().map(all).sum::<Projective<C>>());
            }
        }
    }

    #[test]
    fn the_steps_add_up_to_the_sum() {
        for name in CurveName::all() {
            crate::with_curve!(name, C => steps_add_up::<C>());
        }
    }
}
