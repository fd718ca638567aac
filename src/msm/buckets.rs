//! Multi-scalar multiplication on the host by sums of affine points.
//!
//! ```text
//! cut the smaller one of k and r - k into signed digits            every digit of a short scalar but the first few is 0
//! for each window of digits and each range of buckets, as a task of its own:
//!     sort the points by the magnitudes of their digits            entries: the point's number, and a sign
//!     for each piece of the sorted list, as large as the cache holds:
//!         add pairs of one bucket until each has one point         one inversion a round
//!     reduce the buckets in layers
//! put the windows together by Horner's rule
//! ```
//!
//! A bucket may be longer than a piece, so that scalars which are all alike take no longer than others.
//!
//! The sum of b B_b over m buckets is reduced with m additions of affine points to half as many buckets: for b = 2 q + r it is
//! 2 times the sum of q (B_2q + B_(2q+1)), and the sum of those with an odd number. Running sums would take an addition
//! of 10 and one of 14 products for each bucket, where the layers take two of 6.

use ark_ec::{AffineRepr, PrimeGroup};
use ark_ff::{AdditiveGroup, BigInteger, PrimeField};
use rayon::prelude::*;

use super::affine_sums::{Adder, halve, sum};
use crate::curve::{Affine, Curve, Projective, ScalarField, ScalarInt};

/// The entries of a piece: their points and sums stay in a core's cache.
const PIECE: usize = 1 << 12;
/// The widest digits: a task has half as many buckets as they have values.
const WIDEST: u32 = 18;
/// Buckets that are left to running sums.
const FEW: usize = 32;
/// Tasks for each thread, so that none waits long for the last.
const TASKS: usize = 8;
/// The scalars that a thread cuts at a time.
const SCALARS: usize = 1 << 10;
/// Where a magnitude has its sign: it has at most 254 bits, and the offset of its digits adds at most one.
const SIGN: u64 = 1 << 63;

/// The sum of `scalars[i]` times `points[i]`, on all threads. Both slices have the same length, less than 2^31; points are on
/// the curve, infinity included.
pub(super) fn sum_by_buckets<C: Curve>(
    points: &[Affine<C>],
    scalars: &[ScalarField<C>],
) -> Projective<C> {
    let mut numbers: Vec<Number> =
        points.par_iter().zip(scalars).map(|(point, scalar)| number::<C>(point, scalar)).collect();
    let lengths = lengths(&numbers);
    let digits = Digits::new(&lengths);
    numbers.par_iter_mut().with_min_len(SCALARS).for_each(|number| digits.shift(number));
    let ranges = (TASKS * rayon::current_num_threads()).div_ceil(digits.windows.max(1) as usize);
    let range = digits.largest().div_ceil(ranges).max(FEW);
    let ranges: Vec<usize> = (0..digits.largest()).step_by(range).collect();
    let tasks: Vec<_> =
        (0..digits.windows).rev().flat_map(|w| ranges.iter().map(move |&first| (w, first))).collect();
    let sums: Vec<Projective<C>> = tasks
        .into_par_iter()
        .with_max_len(1)
        .map(|(window, first)| {
            let buckets = first..(first + range).min(digits.largest());
            let sorted = Sorted::new(&numbers, |number| digits.digit(number, window), &buckets);
            reduce(sorted.sums(points), first)
        })
        .collect();
    sums.chunks(ranges.len().max(1)).fold(Projective::ZERO, |mut sum, of_window| {
        for _ in 0..digits.width {
            sum.double_in_place();
        }
        sum + of_window.iter().sum::<Projective<C>>()
    })
}

/// The maximum number of bytes of [`sum_by_buckets`] for this number of points on this number of threads.
pub(super) fn bytes<C: Curve>(points: u64, threads: u64) -> u64 {
    let point = size_of::<Affine<C>>() as u64;
    // Codes and entries of all points, the buckets with their starts in the widest digits that such a number of points
    // gets, and as many points again for layers.
    let buckets = points.max(2).next_power_of_two().min(1 << (WIDEST - 1));
    let task = 8 * points + (3 * point + 8) * buckets + 4 * point * PIECE as u64;
    // Numbers are collected from an iterator of known length.
    points.saturating_mul(size_of::<Number>() as u64).saturating_add(threads.saturating_mul(task))
}

/// The smaller one of k and r - k, and the sign that makes k of it.
type Number = [u64; 4];

/// 0 where the point is infinity.
fn number<C: Curve>(point: &Affine<C>, scalar: &ScalarField<C>) -> Number {
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
fn lengths(numbers: &[Number]) -> [usize; 256] {
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
struct Digits {
    width: u32,
    windows: u32,
    /// 2^(`width` - 1) in each window but the last. The digits of a number are the unsigned digits of its sum with the
    /// offset, minus 2^(`width` - 1) in these windows.
    offset: ScalarInt,
}

impl Digits {
    /// Those with the least work for numbers of these lengths: an addition for each digit that is not 0, and two for each
    /// bucket.
    fn new(lengths: &[usize; 256]) -> Self {
        let longest = lengths.iter().rposition(|&count| count > 0).unwrap_or(0) as u32;
        if longest == 0 {
            return Digits { width: 2, windows: 0, offset: ScalarInt::default() };
        }
        let work = |&width: &u32| {
            // A carry out of the highest digit is as likely as not to need one more.
            let additions = |(bits, &count): (u32, &usize)| count * (2 * bits + 1).div_ceil(2 * width) as usize;
            let entries: usize = (1..).zip(&lengths[1..]).map(additions).sum();
            entries + ((Self::windows(width, longest) as usize) << width)
        };
        Self::of_width((2..=WIDEST).min_by_key(work).unwrap_or(2), longest)
    }

    fn of_width(width: u32, longest: u32) -> Self {
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
    fn largest(self) -> usize {
        1 << (self.width - 1)
    }

    /// Adds the offset to a number.
    fn shift(self, number: &mut Number) {
        let sign = number[3] & SIGN;
        number[3] ^= sign;
        let mut sum = ScalarInt::new(*number);
        sum.add_with_carry(&self.offset);
        *number = sum.0;
        number[3] |= sign;
    }

    /// The magnitude of digit `window` of a shifted number, and whether it is negative.
    fn digit(self, number: &Number, window: u32) -> (usize, bool) {
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

/// The entries of a range of buckets, sorted.
struct Sorted {
    /// Twice the number of a point, plus 1 if it is subtracted.
    entries: Vec<u32>,
    /// Where the entries of each bucket end.
    ends: Vec<u32>,
}

impl Sorted {
    /// Bucket 0 has the digits 1 and -1.
    fn new(
        numbers: &[Number],
        digit: impl Fn(&Number) -> (usize, bool),
        buckets: &std::ops::Range<usize>,
    ) -> Self {
        /// No entry.
        const NONE: u32 = u32::MAX;
        let mut ends = vec![0u32; buckets.len()];
        let code = |number: &Number| {
            let (magnitude, is_negative) = digit(number);
            // A digit 0 wraps around to a bucket that there is not.
            let bucket = magnitude.wrapping_sub(1).wrapping_sub(buckets.start);
            match ends.get_mut(bucket) {
                Some(count) => {
                    *count += 1;
                    (bucket as u32) << 1 | u32::from(is_negative)
                }
                None => NONE,
            }
        };
        let codes: Vec<u32> = numbers.iter().map(code).collect();
        let mut sum = 0;
        for end in &mut ends {
            // For now, where its entries begin.
            sum += std::mem::replace(end, sum);
        }
        let mut entries = vec![0; sum as usize];
        for (i, code) in (0..).zip(codes).filter(|&(_, code)| code != NONE) {
            let end = &mut ends[code as usize >> 1];
            entries[*end as usize] = i << 1 | code & 1;
            *end += 1;
        }
        Sorted { entries, ends }
    }

    /// The sums of the buckets.
    fn sums<C: Curve>(&self, points: &[Affine<C>]) -> Vec<Affine<C>> {
        let mut buckets = vec![Affine::identity(); if self.entries.is_empty() { 0 } else { self.ends.len() }];
        let mut piece = Piece::default();
        let mut start = 0;
        for (bucket, &end) in self.ends.iter().enumerate() {
            let mut entries = &self.entries[start as usize..end as usize];
            start = end;
            while !entries.is_empty() {
                let (some, rest) = entries.split_at(piece.room().min(entries.len()));
                piece.push(bucket, some, points);
                entries = rest;
                if piece.room() == 0 {
                    piece.move_to(&mut buckets);
                    if !entries.is_empty() {
                        piece.begin_with(bucket, std::mem::take(&mut buckets[bucket]));
                    }
                }
            }
        }
        piece.move_to(&mut buckets);
        buckets
    }
}

/// Some entries' points, bucket after bucket.
struct Piece<C: Curve> {
    points: Vec<Affine<C>>,
    /// The buckets and the number of their points.
    runs: Vec<(usize, usize)>,
    /// The next round's points, and for each sum where its pair is and where it goes.
    sums: Vec<Affine<C>>,
    pairs: Vec<(u32, u32)>,
    adder: Adder<C>,
}

impl<C: Curve> Default for Piece<C> {
    fn default() -> Self {
        let (points, sums, adder) = (Vec::new(), Vec::new(), Adder::default());
        Piece { points, runs: Vec::new(), sums, pairs: Vec::new(), adder }
    }
}

impl<C: Curve> Piece<C> {
    fn room(&self) -> usize {
        PIECE - self.points.len()
    }

    fn push(&mut self, bucket: usize, entries: &[u32], points: &[Affine<C>]) {
        let point = |&entry: &u32| {
            let point = points[entry as usize >> 1];
            if entry & 1 == 1 { -point } else { point }
        };
        self.points.extend(entries.iter().map(point));
        match self.runs.last_mut() {
            Some((last, count)) if *last == bucket => *count += entries.len(),
            _ => self.runs.push((bucket, entries.len())),
        }
    }

    /// Puts the sum of a bucket that has more entries before them.
    fn begin_with(&mut self, bucket: usize, sum: Affine<C>) {
        self.points.push(sum);
        self.runs.push((bucket, 1));
    }

    /// Adds up the points of each bucket, and moves the sums there.
    fn move_to(&mut self, buckets: &mut [Affine<C>]) {
        while self.halve() {}
        for ((bucket, _), sum) in self.runs.drain(..).zip(self.points.drain(..)) {
            buckets[bucket] = sum;
        }
    }

    /// Adds the points of each bucket in pairs; false if there are none.
    fn halve(&mut self) -> bool {
        self.pairs.clear();
        let (mut from, mut to) = (0, 0);
        self.sums.resize(self.points.len(), Affine::identity());
        for (_, count) in &mut self.runs {
            let half = *count / 2;
            self.pairs.extend((0..half).map(|i| ((from + 2 * i) as u32, (to + i) as u32)));
            if *count % 2 == 1 {
                self.sums[to + half] = self.points[from + *count - 1];
            }
            from += *count;
            *count -= half;
            to += *count;
        }
        if self.pairs.is_empty() {
            return false;
        }
        let (pairs, points, sums) = (&self.pairs, &self.points, &mut self.sums);
        let pair = |i: usize| {
            let from = pairs[i].0 as usize;
            [points[from], points[from + 1]]
        };
        self.adder.add(pairs.len(), pair, |i, sum| sums[pairs[i].1 as usize] = sum);
        self.sums.truncate(to);
        std::mem::swap(&mut self.points, &mut self.sums);
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
        weighted += running;
        running += bucket;
    }
    let weighted = layers.into_iter().rev().fold(weighted, |mut sum, layer| {
        sum.double_in_place();
        sum + layer
    });
    weighted + running.mul_bigint([first as u64 + 1])
}
