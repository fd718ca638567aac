//! Multi-scalar multiplication on the host by sums of affine points.
//!
//! ```text
//! cut the smaller one of k and r - k into signed digits            a short scalar's higher digits are 0
//! some windows of digits at a time:
//!     sort the points by the magnitudes of their digits            entries: the point's number, and a sign; beside the windows before
//!     for each piece of the sorted lists, as long as a cache holds:
//!         add pairs of one bucket until each has one point         one inversion a round
//!     join the pieces; reduce the buckets in layers
//! put the windows together by Horner's rule
//! ```
//!
//! Pieces are equally long, however the entries are distributed: scalars that are all alike take no longer than others.
//!
//! The sum of b B_b over m buckets is reduced with m additions of affine points to half as many buckets: for b = 2 q + r it is
//! 2 times the sum of q (B_2q + B_(2q+1)), and the sum of those with an odd number. Running sums would take an addition
//! of 10 and one of 14 products for each bucket, where the layers take two of 6.

use std::sync::Mutex;

use ark_ff::AdditiveGroup;

use super::affine_sums::{Adder, INVERSION, halve, sum};
use super::signed_digits::{Digits, Number, SCALARS, WIDEST, lengths, number};
use crate::curve::{Affine, Curve, Projective, ScalarField, added, added_affine, doubled, multiplied};
use crate::lock::lock;
use crate::parallel::*;

/// The entries of a piece: their points and sums stay in a core's cache.
const PIECE: usize = 1 << 12;
/// Buckets that are left to running sums.
const FEW: usize = 32;
/// The fewest buckets that a task reduces.
const LAYERED: usize = 1 << 11;

/// [`sum_of_multiples`](super::sum_of_multiples), compiled where it is called.
pub(super) fn sum_of_multiples<C: Curve>(points: &[Affine<C>], scalars: &[ScalarField<C>]) -> Projective<C> {
    let mut numbers: Vec<Number> =
        points.par_iter().zip(scalars).map(|(point, scalar)| number::<C>(point, scalar)).collect();
    let digits = Digits::new(&lengths(&numbers));
    numbers.par_iter_mut().with_min_len(SCALARS).for_each(|number| digits.shift(number));
    let sort = |windows: &[u32]| -> Vec<Sorted> {
        let sorted = windows.par_iter().with_max_len(1);
        sorted.map(|&window| Sorted::new(&numbers, digits, window)).collect()
    };
    let windows: Vec<u32> = (0..digits.windows).rev().collect();
    let mut batches = windows.chunks(at_a_time(points.len(), threads()));
    let (mut next, spare, mut sum) = (batches.next().map(sort), Spare::default(), Projective::ZERO);
    while let Some(sorted) = next.take() {
        let following = batches.next();
        // The next windows are sorted meanwhile.
        let of_windows;
        (of_windows, next) = join(|| sums_of_windows(&sorted, points, &spare), || following.map(sort));
        for of_window in of_windows {
            for _ in 0..digits.width {
                sum = doubled(sum);
            }
            sum = added(sum, &of_window);
        }
    }
    sum
}

/// The windows whose points are added up at a time: as many as there are threads or, if each has many pieces, fewer, which take less
/// memory.
fn at_a_time(points: usize, threads: usize) -> usize {
    const MANY: usize = 4;
    match points.div_ceil(PIECE) >= MANY * threads {
        true => threads.div_ceil(MANY),
        false => threads,
    }
}

/// The additions of [`sum_of_multiples`] for this number of points and these digits, in units of one of affine points.
pub(super) fn additions(points: usize, digits: Digits) -> f64 {
    /// Running sums take 27 products a bucket, in two additions, where one of affine points takes six.
    const RUNNING: f64 = 4.5;
    let (entries, buckets) = (points as f64, digits.largest() as f64);
    let pieces = points.div_ceil(PIECE) as f64;
    // Pairs are halved until each bucket has one point; layers, of two additions a bucket, until few buckets are left.
    let rounds = (entries / buckets + 1.0).log2() + 1.0;
    let parts = (buckets / LAYERED as f64).max(1.0);
    let layers = (buckets / parts / FEW as f64).log2().max(0.0);
    let layered = if layers > 0.0 { 2.0 * buckets } else { 0.0 };
    let running = RUNNING * (FEW as f64).min(buckets) * parts;
    let of_window = entries + layered + running + INVERSION * (rounds * pieces + 2.0 * layers * parts);
    // In the end points are doubled once a bit.
    f64::from(digits.windows) * (of_window + f64::from(digits.width))
}

/// The maximum number of bytes of [`sum_of_multiples`] for this number of points on this number of threads.
pub(super) fn bytes<C: Curve>(points: u64, threads: u64) -> u64 {
    let point = size_of::<Affine<C>>() as u64;
    // A digit has fewer bits than the number of points and two: more buckets than points would be more work.
    let buckets = points.saturating_mul(2).next_power_of_two().min(1 << (WIDEST - 1));
    // The entries of a window, and the codes and entries of one that is sorted; the sums of its pieces, the buckets and their layers.
    let sums = points.min(buckets).saturating_add(points / PIECE as u64 + 1);
    let of_window = points.saturating_mul(12) + (sums + 3 * buckets).saturating_mul(point + 16);
    let of_piece = (4 * point + 32) * PIECE as u64;
    let [count, all] = [points, threads].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    points
        .saturating_mul(size_of::<Number>() as u64)
        .saturating_add((at_a_time(count, all) as u64).saturating_mul(of_window))
        .saturating_add(threads.saturating_mul(of_piece))
}

/// The sums of the points of `count` buckets; `bucket` is that of each point.
pub(super) fn sums_of_buckets<C: Curve>(
    points: &[Affine<C>],
    bucket: &[u32],
    count: usize,
) -> Vec<Affine<C>> {
    let codes = bucket.iter().map(|bucket| (bucket + 1) << 1).collect();
    bucket_sums(&[Sorted::of(codes, count)], points, &Spare::default()).pop().unwrap_or_default()
}

/// A factor of a point, not 0, as the entries of a window have it: twice its magnitude, plus 1 if it is negative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coded(u32);

impl Coded {
    /// The factor with this number: 0, 1, 2, 3 and so on are 1, -1, 2, -2 and so on.
    pub fn new(number: u32) -> Self {
        Coded(number + 2)
    }
}

/// The sum of multiples of points by these factors, of magnitudes up to `largest`, also outside the subgroup.
pub(super) fn sum_of_coded<C: Curve>(
    points: &[Affine<C>],
    factors: Vec<Coded>,
    largest: usize,
) -> Projective<C> {
    let codes = factors.into_iter().map(|factor| factor.0).collect();
    sums_of_windows(&[Sorted::of(codes, largest)], points, &Spare::default()).into_iter().sum()
}

/// The sums of some windows' digits times their points.
fn sums_of_windows<C: Curve>(
    sorted: &[Sorted],
    points: &[Affine<C>],
    spare: &Spare<C>,
) -> Vec<Projective<C>> {
    let of_window = |buckets: &Vec<Affine<C>>| {
        let parts = buckets.par_chunks(LAYERED).enumerate();
        parts.map(|(part, buckets)| reduce(buckets.to_vec(), part * LAYERED)).sum()
    };
    bucket_sums(sorted, points, spare).par_iter().with_max_len(1).map(of_window).collect()
}

/// The sums of the points of each bucket of some windows.
fn bucket_sums<C: Curve>(sorted: &[Sorted], points: &[Affine<C>], spare: &Spare<C>) -> Vec<Vec<Affine<C>>> {
    let pieces = |(window, sorted): (usize, &Sorted)| {
        (0..sorted.entries.len()).step_by(PIECE).map(move |first| (window, first)).collect::<Vec<_>>()
    };
    let pieces: Vec<(usize, usize)> = sorted.iter().enumerate().flat_map(pieces).collect();
    let sum = |&(window, first): &(usize, usize)| {
        spare.lend(|scratch| sorted[window].piece(first, points, scratch).sums(scratch))
    };
    let sums: Vec<Runs<C>> = pieces.par_iter().with_max_len(1).map(sum).collect();
    let windows: Vec<(usize, &Sorted)> = sorted.iter().enumerate().collect();
    let of_window = |&(window, sorted): &(usize, &Sorted)| {
        let first = pieces.partition_point(|piece| piece.0 < window);
        let end = pieces.partition_point(|piece| piece.0 <= window);
        let joined = Runs::join(&sums[first..end]).sums(&mut Scratch::default());
        let mut buckets = vec![Affine::identity(); sorted.ends.len()];
        for ((bucket, _), sum) in joined.runs.into_iter().zip(joined.points) {
            buckets[bucket] = sum;
        }
        buckets
    };
    windows.par_iter().with_max_len(1).map(of_window).collect()
}

/// The entries of a window, sorted by bucket. Bucket 0 has the digits 1 and -1.
struct Sorted {
    /// Twice the number of a point, plus 1 if it is subtracted.
    entries: Vec<u32>,
    /// Where the entries of each bucket end.
    ends: Vec<u32>,
}

impl Sorted {
    fn new(numbers: &[Number], digits: Digits, window: u32) -> Self {
        let code = |number: &Number| {
            let (magnitude, is_negative) = digits.digit(number, window);
            (magnitude as u32) << 1 | u32::from(is_negative)
        };
        Self::of(numbers.iter().map(code).collect(), digits.largest())
    }

    /// `codes` has twice the magnitude of each point's digit, plus 1 if it is negative; `buckets` is the largest magnitude.
    fn of(codes: Vec<u32>, buckets: usize) -> Self {
        let mut ends = vec![0u32; buckets];
        for code in &codes {
            // A digit 0 has no bucket.
            if let Some(count) = ends.get_mut((*code as usize >> 1).wrapping_sub(1)) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for end in &mut ends {
            // For now, where its entries begin.
            sum += std::mem::replace(end, sum);
        }
        let mut entries = vec![0; sum as usize];
        for (i, code) in (0..).zip(codes) {
            if let Some(end) = ends.get_mut((code as usize >> 1).wrapping_sub(1)) {
                entries[*end as usize] = i << 1 | code & 1;
                *end += 1;
            }
        }
        Sorted { entries, ends }
    }

    /// The points of the entries from `first` on, as many as a piece has, in memory of `scratch`.
    fn piece<C: Curve>(&self, first: usize, points: &[Affine<C>], scratch: &mut Scratch<C>) -> Runs<C> {
        let end = self.entries.len().min(first + PIECE);
        let point = |&entry: &u32| {
            let point = points[entry as usize >> 1];
            if entry & 1 == 1 { -point } else { point }
        };
        let mut own = std::mem::take(&mut scratch.points);
        own.clear();
        own.extend(self.entries[first..end].iter().map(point));
        let (mut runs, mut at) = (Vec::new(), first);
        let mut bucket = self.ends.partition_point(|&end| end as usize <= first);
        while at < end {
            let next = end.min(self.ends[bucket] as usize);
            if next > at {
                runs.push((bucket, next - at));
            }
            (at, bucket) = (next, bucket + 1);
        }
        Runs { points: own, runs }
    }
}

/// Points of buckets, one bucket after the other.
struct Runs<C: Curve> {
    points: Vec<Affine<C>>,
    /// The buckets and the numbers of their points.
    runs: Vec<(usize, usize)>,
}

/// What no thread uses now: to allocate as much for each piece would make threads wait for each other in the system.
struct Spare<C: Curve>(Mutex<Vec<Scratch<C>>>);

impl<C: Curve> Default for Spare<C> {
    fn default() -> Self {
        Spare(Mutex::default())
    }
}

impl<C: Curve> Spare<C> {
    /// Calls `work` with what was used before, if there is some.
    fn lend<T>(&self, work: impl FnOnce(&mut Scratch<C>) -> T) -> T {
        let mut scratch = lock(&self.0).pop().unwrap_or_default();
        let result = work(&mut scratch);
        lock(&self.0).push(scratch);
        result
    }
}

/// What the sums of a piece need.
struct Scratch<C: Curve> {
    points: Vec<Affine<C>>,
    sums: Vec<Affine<C>>,
    /// For each sum where its pair is and where it goes.
    pairs: Vec<(u32, u32)>,
    adder: Adder<C>,
}

impl<C: Curve> Default for Scratch<C> {
    fn default() -> Self {
        Scratch { points: Vec::new(), sums: Vec::new(), pairs: Vec::new(), adder: Adder::default() }
    }
}

impl<C: Curve> Runs<C> {
    /// The points of several lists, the last bucket of one of which may be the first of the next.
    fn join(lists: &[Self]) -> Self {
        let points = lists.iter().flat_map(|list| &list.points).copied().collect();
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for &(bucket, count) in lists.iter().flat_map(|list| &list.runs) {
            match runs.last_mut() {
                Some(last) if last.0 == bucket => last.1 += count,
                _ => runs.push((bucket, count)),
            }
        }
        Runs { points, runs }
    }

    /// One point for each bucket. The memory of the points goes to `scratch`.
    fn sums(mut self, scratch: &mut Scratch<C>) -> Self {
        while self.halve(scratch) {}
        let own = self.points.to_vec();
        scratch.points = std::mem::replace(&mut self.points, own);
        self
    }

    /// Adds the points of each bucket in pairs; false if there are none.
    fn halve(&mut self, Scratch { sums, pairs, adder, .. }: &mut Scratch<C>) -> bool {
        if self.runs.iter().all(|&(_, count)| count < 2) {
            return false;
        }
        pairs.clear();
        let none = [Affine::identity(); 2];
        sums.resize(self.points.len(), Affine::identity());
        let (mut from, mut to) = (0, 0);
        for (_, count) in &mut self.runs {
            let half = *count / 2;
            pairs.extend((0..half).map(|i| ((from + 2 * i) as u32, (to + i) as u32)));
            if *count % 2 == 1 {
                sums[to + half] = self.points[from + *count - 1];
            }
            from += *count;
            *count -= half;
            to += *count;
        }
        let pair = |i: usize| {
            let from = pairs[i].0 as usize;
            // Never the default.
            self.points[from..].first_chunk().unwrap_or(&none)
        };
        adder.add(pairs.len(), pair, |i, sum| sums[pairs[i].1 as usize] = sum);
        sums.truncate(to);
        std::mem::swap(&mut self.points, sums);
        true
    }
}

/// The sum of (`first` + b + 1) times bucket b.
fn reduce<C: Curve>(mut buckets: Vec<Affine<C>>, first: usize) -> Projective<C> {
    let (mut adder, mut folded, mut layers) = (Adder::default(), Vec::new(), Vec::new());
    while buckets.len() > FEW {
        layers.push(sum(buckets.iter().skip(1).step_by(2).copied().collect()));
        halve(&mut adder, &buckets, &mut folded);
        std::mem::swap(&mut buckets, &mut folded);
    }
    // The running sums of the buckets from the last one down count bucket b b times; the last of them is the sum of all.
    let (mut running, mut weighted) = (Projective::<C>::ZERO, Projective::<C>::ZERO);
    for bucket in buckets.iter().rev() {
        weighted = added(weighted, &running);
        running = added_affine(running, bucket);
    }
    let layered = |sum, layer| added(doubled(sum), &layer);
    let weighted = layers.into_iter().rev().fold(weighted, layered);
    added(weighted, &multiplied(&running, first as u128 + 1))
}

#[cfg(test)]
mod tests {
    use ark_ec::PrimeGroup;
    use ark_ff::PrimeField;

    use super::*;
    use crate::curve::{CurveName, sum_by_arkworks};
    use crate::msm::tests::samples::{KINDS, sample};

    fn agrees_with_a_library<C: Curve>(lengths: &[usize]) {
        for kind in KINDS {
            for &n in lengths {
                let sample = sample::<C>(kind, n);
                let integers: Vec<_> = sample.scalars.iter().map(|scalar| scalar.into_bigint()).collect();
                let expected = sum_by_arkworks(&sample.points, &integers);
                assert_eq!(sum_of_multiples(&sample.points, &sample.scalars), expected, "{kind:?} {n}");
            }
        }
    }

    #[test]
    fn sums_are_those_of_a_library() {
        for name in CurveName::all() {
            crate::with_curve!(name, C => agrees_with_a_library::<C>(&[0, 1, 2, 3, 70]));
        }
        // More threads than cores, and than points.
        for threads in [1, 3, 50] {
            let agrees = || agrees_with_a_library::<crate::curve::Bn254>(&[0, 1, 2, 70]);
            Threads::new(threads).unwrap().run(agrees);
        }
        // Several pieces, also of one bucket.
        agrees_with_a_library::<crate::curve::Bn254>(&[2 * PIECE + 1]);
    }

    #[test]
    fn layers_weigh_the_buckets() {
        let g = Projective::<crate::curve::Bn254>::generator();
        for (count, first) in [(0, 0), (1, 0), (FEW, 3), (FEW + 1, 0), (2 * FEW + 1, 5), (1001, LAYERED)] {
            let buckets = (0..count as u64).map(|b| g.mul_bigint([b * b % 7]).into()).collect();
            let sum: u64 = (0..count as u64).map(|b| (first as u64 + b + 1) * (b * b % 7)).sum();
            assert_eq!(reduce(buckets, first), g.mul_bigint([sum]), "{count}");
        }
    }
}
