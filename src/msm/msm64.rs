//! Sums of many points times factors of 64 bits on the host, for [`verify`](super::verify).
//!
//! Pippenger's method (1976) with signed digits and buckets in affine coordinates:
//!
//! ```text
//! for each block of points and each window of bits, as a separate task:
//!     sort the points by the digits of their factors into buckets
//!     until no bucket has more than one point:
//!         add the points of each bucket in pairs, with one inversion for many slopes
//!     add up digit * bucket
//! add up the blocks; put the windows together by Horner's rule
//! ```
//!
//! It shares no code with the engines: neither with the kernels nor with blst nor with [`buckets`](super::buckets), the CPU
//! engine on curves other than BLS12-381, but for the field arithmetic of arkworks.

use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, Field};

use crate::curve::{Affine, Curve, Projective};
use crate::parallel::*;

/// The maximum number of points of a block.
const BLOCK: usize = 1 << 16;
/// The fewest points of a block, if there are several blocks.
const MIN_BLOCK: usize = 1 << 10;
/// The number of additions that share an inversion.
const BATCH: usize = 1 << 10;

/// Bytes that a task takes for each point of its block.
fn task_bytes<C: Curve>() -> u64 {
    300 * C::BaseField::extension_degree()
}

/// The number of points of a block.
fn block_of(points: usize) -> usize {
    points.div_ceil(threads()).clamp(MIN_BLOCK, BLOCK)
}

/// The maximum number of bytes that [`short_msm`] takes for this number of points.
pub(super) fn short_bytes<C: Curve>(points: usize) -> u64 {
    let block = block_of(points).min(points) as u64;
    task_bytes::<C>() * block * threads() as u64
}

/// The sum of `factors[i]` times `points[i]`, on all threads. Both slices have the same length;
/// points lie on the curve, infinity included.
pub(super) fn short_msm<C: Curve>(points: &[Affine<C>], factors: &[u64]) -> Projective<C> {
    let block = block_of(points.len());
    let digits = Digits::new(block.min(points.len()));
    let blocks: Vec<_> = points.chunks(block).zip(factors.chunks(block)).collect();
    let tasks: Vec<_> =
        (0..digits.windows).flat_map(|w| blocks.iter().map(move |&block| (w, block))).collect();
    let sums: Vec<Projective<C>> = tasks
        .par_iter()
        .map(|&(window, (points, factors))| window_sum(points, factors, digits, window))
        .collect();
    sums.chunks(blocks.len().max(1)).rev().fold(Projective::ZERO, |mut sum, blocks| {
        for _ in 0..digits.width {
            sum.double_in_place();
        }
        sum + blocks.iter().sum::<Projective<C>>()
    })
}

/// The signed digits of a 64-bit factor t: t is the sum of digit w times 2^(`width` w).
#[derive(Clone, Copy, Debug)]
struct Digits {
    width: u32,
    windows: u32,
    /// 2^(`width` - 1) in each window but the last. The digits of t are the unsigned digits of
    /// t + `offset`, minus 2^(`width` - 1) in these windows.
    offset: u128,
}

impl Digits {
    /// Chooses the digits with the least work for `n` points: an addition per point, and two slower
    /// ones per bucket.
    fn new(n: usize) -> Self {
        let work = |&width: &u32| Self::windows(width) as usize * (n + (5 << (width - 1)));
        Self::of_width((2..=16).min_by_key(work).unwrap_or(2))
    }

    fn of_width(width: u32) -> Self {
        let windows = Self::windows(width);
        let offset = (0..windows - 1).map(|w| 1 << (width * w + width - 1)).sum();
        Digits { width, windows, offset }
    }

    /// The number of windows for one bit more than t has, so that the last digit, which has no offset,
    /// is at most 2^(`width` - 1), too.
    fn windows(width: u32) -> u32 {
        (u64::BITS + 1).div_ceil(width)
    }

    /// The largest magnitude of a digit.
    fn largest(self) -> usize {
        1 << (self.width - 1)
    }

    /// The magnitude of digit `window` of `factor`, and whether it is negative.
    fn digit(self, factor: u64, window: u32) -> (usize, bool) {
        let digits = (u128::from(factor) + self.offset) >> (self.width * window);
        let unsigned = digits as usize % (2 * self.largest());
        let zero = if window + 1 < self.windows { self.largest() } else { 0 };
        (unsigned.abs_diff(zero), unsigned < zero)
    }
}

/// The sum of digit `window` of each factor times its point.
fn window_sum<C: Curve>(points: &[Affine<C>], factors: &[u64], digits: Digits, window: u32) -> Projective<C> {
    let mut buckets = Buckets::new(points, factors, |factor| digits.digit(factor, window), digits.largest());
    while buckets.counts.iter().any(|&count| count > 1) {
        buckets = buckets.add_pairs();
    }
    // Summing the running sums of the buckets from the last one down counts bucket i, which
    // belongs to digit i + 1, i + 1 times.
    let (mut running, mut sum) = (Projective::<C>::ZERO, Projective::<C>::ZERO);
    let mut points = buckets.points.iter().rev();
    for &count in buckets.counts.iter().rev() {
        points.by_ref().take(count).for_each(|point| running += point);
        sum += running;
    }
    sum
}

/// Points sorted by bucket.
struct Buckets<C: Curve> {
    points: Vec<Affine<C>>,
    /// The number of points of each bucket.
    counts: Vec<usize>,
}

impl<C: Curve> Buckets<C> {
    /// Sorts the points whose digit is not 0, with its sign, by the magnitude of the digit.
    fn new(
        points: &[Affine<C>],
        factors: &[u64],
        digit: impl Fn(u64) -> (usize, bool),
        largest: usize,
    ) -> Self {
        let mut counts = vec![0; largest];
        let useful = || {
            let digits = factors.iter().map(|&factor| digit(factor));
            points.iter().zip(digits).filter(|(point, (size, _))| *size > 0 && !point.is_zero())
        };
        useful().for_each(|(_, (size, _))| counts[size - 1] += 1);
        let mut places: Vec<usize> = counts
            .iter()
            .scan(0, |end, &count| {
                *end += count;
                Some(*end - count)
            })
            .collect();
        let mut sorted = vec![Affine::identity(); counts.iter().sum()];
        for (point, (size, negative)) in useful() {
            sorted[places[size - 1]] = if negative { -*point } else { *point };
            places[size - 1] += 1;
        }
        Buckets { points: sorted, counts }
    }

    /// Returns buckets with the same sums and half as many points in each, rounded up.
    fn add_pairs(&self) -> Self {
        let mut sums = Vec::with_capacity(self.points.len() / 2 + self.counts.len());
        let mut additions = Additions::default();
        let mut rest = &self.points[..];
        for &count in &self.counts {
            let (bucket, others) = rest.split_at(count);
            rest = others;
            for pair in bucket.chunks(2) {
                match *pair {
                    [left, right] => additions.push(left, right, &mut sums),
                    _ => sums.extend_from_slice(pair),
                }
            }
        }
        additions.finish(&mut sums);
        Buckets { points: sums, counts: self.counts.iter().map(|count| count.div_ceil(2)).collect() }
    }
}

/// Additions that wait for the inverses of their slopes' denominators.
struct Additions<C: Curve> {
    waiting: Vec<Addition<C>>,
}

/// Two points, neither infinity, whose sum is not infinity either.
struct Addition<C: Curve> {
    left: Affine<C>,
    right: Affine<C>,
    /// The denominator of the slope of the line through them, never 0.
    denominator: C::BaseField,
    /// The place of the sum.
    place: usize,
}

impl<C: Curve> Default for Additions<C> {
    fn default() -> Self {
        Additions { waiting: Vec::with_capacity(BATCH) }
    }
}

impl<C: Curve> Additions<C> {
    /// Makes room for `left` + `right` at the end of `sums`.
    fn push(&mut self, left: Affine<C>, right: Affine<C>, sums: &mut Vec<Affine<C>>) {
        let sum = match (left.is_zero(), right.is_zero()) {
            (true, _) => right,
            (_, true) => left,
            _ if left.x == right.x && left.y == -right.y => Affine::identity(),
            _ => {
                let doubling = left.x == right.x;
                let denominator = if doubling { left.y.double() } else { right.x - left.x };
                self.waiting.push(Addition { left, right, denominator, place: sums.len() });
                left
            }
        };
        sums.push(sum);
        if self.waiting.len() == BATCH {
            self.finish(sums);
        }
    }

    /// Computes all sums and writes them to their places.
    fn finish(&mut self, sums: &mut [Affine<C>]) {
        // The inverse of the product of all denominators yields that of each (Montgomery 1987).
        let mut product = C::BaseField::ONE;
        let before: Vec<C::BaseField> = self
            .waiting
            .iter()
            .map(|addition| {
                let before = product;
                product *= addition.denominator;
                before
            })
            .collect();
        let Some(mut inverse) = product.inverse() else { return self.waiting.clear() };
        for (addition, before) in self.waiting.drain(..).zip(before).rev() {
            sums[addition.place] = addition.sum(inverse * before);
            inverse *= addition.denominator;
        }
    }
}

impl<C: Curve> Addition<C> {
    /// The sum, by the inverse of the denominator.
    fn sum(&self, inverse: C::BaseField) -> Affine<C> {
        let (left, right) = (&self.left, &self.right);
        // The tangent of y^2 = x^3 + b, or the line through both.
        let numerator = if left.x == right.x {
            let square = left.x.square();
            square.double() + square
        } else {
            right.y - left.y
        };
        let slope = numerator * inverse;
        let x = slope.square() - left.x - right.x;
        Affine::new_unchecked(x, slope * (left.x - x) - left.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{CurveName, ScalarInt};
    use crate::msm::tests::reference::by_definition;
    use crate::msm::tests::samples::{KINDS, sample};
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn digits_add_up_to_the_factor() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let edges = [0, 1, 2, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 0x8080_8080_8080_8080];
        let factors: Vec<u64> = edges.into_iter().chain((0..100).map(|_| random.next_u64())).collect();
        for width in 2..=16 {
            let digits = Digits::of_width(width);
            for &factor in &factors {
                let sum: i128 = (0..digits.windows)
                    .map(|w| {
                        let (size, negative) = digits.digit(factor, w);
                        assert!(size <= digits.largest());
                        let digit = (size as i128) << (width * w);
                        if negative { -digit } else { digit }
                    })
                    .sum();
                assert_eq!(sum, i128::from(factor), "{width}");
            }
        }
    }

    fn sums_are_right<C: Curve>() {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        for kind in KINDS {
            for n in [0, 1, 2, 3, 70] {
                let points = sample::<C>(kind, n).points;
                let mut factors: Vec<u64> = (0..n).map(|_| random.next_u64()).collect();
                for same in [false, true] {
                    if same {
                        factors.fill(u64::MAX - 5);
                    }
                    let integers: Vec<_> = factors.iter().map(|&t| ScalarInt::from(t)).collect();
                    assert_eq!(
                        short_msm(&points, &factors),
                        by_definition(&points, &integers),
                        "{kind:?} {n}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_kind_of_points_is_added_up() {
        for name in CurveName::all() {
            crate::with_curve!(name, C => sums_are_right::<C>());
        }
    }

    /// Several blocks, and several batches of additions.
    #[test]
    fn many_points_are_added_up() {
        use crate::curve::Bn254;
        let known = crate::msm::Known::<Bn254>::random(5 * MIN_BLOCK + 3, 3);
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let factors: Vec<u64> = known.points.iter().map(|_| random.next_u64()).collect();
        let scalars: Vec<_> = factors.iter().map(|&t| t.into()).collect();
        assert_eq!(short_msm(&known.points, &factors), known.sum(&scalars));
    }
}
