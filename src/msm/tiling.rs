//! The cut of one multiplication to fit the buffers and the memory of a GPU, and the memory that it
//! takes.

use std::fmt;

use super::speeds::Speeds;
use super::{Balance, ScalarBits, Scheme, Settings};
use crate::curve::Curve;
use crate::field::BigField;
use crate::primitives::{Scan, Sort};

/// The limits that a device and a curve set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// 32-bit words that one binding holds.
    pub(super) binding_words: u64,
    /// Bytes of device memory in all.
    pub(super) memory: u64,
    /// Threads that share the entries of one accumulation.
    pub(super) threads: u64,
    /// Bits of the scalars.
    pub(super) scalar_bits: ScalarBits,
    /// Words of a stored affine point.
    pub(super) point_words: u64,
    /// Words of a point in accumulation.
    pub(super) sum_words: u64,
    /// Words of a coordinate in a list.
    pub(super) element_words: u64,
    /// Words of a coordinate of a sum.
    pub(super) lazy_words: u64,
    /// True if coordinates lie in an extension.
    pub(super) extended: bool,
    /// The number of vectors of scalars on the device at a time, 1 or 2.
    pub(super) vectors: u64,
    /// True if the working memory is allocated for one run.
    pub(super) once: bool,
    /// The most vectors of scalars that are multiplied together.
    pub(super) most_together: usize,
    /// Bits of a digit of a bucket's number in the reduction.
    pub(super) digit_bits: u32,
    /// Bits and degree of the field of the coordinates.
    pub(super) field: Option<(usize, usize)>,
    /// The speeds of the device.
    pub(super) speeds: Speeds,
}

impl Limits {
    /// Those of the device, and of multiplications of `vectors` vectors.
    pub(super) fn new<C: Curve>(
        settings: &Settings,
        vectors: usize,
        [binding_bytes, memory]: [u64; 2],
        speeds: Speeds,
    ) -> Self {
        let (field, coordinates) = (BigField::of::<C::BaseField>(), settings.coordinates);
        Limits {
            binding_words: binding_bytes / 4,
            memory,
            threads: settings.threads,
            scalar_bits: ScalarBits::of::<C>(),
            point_words: field.affine_words() as u64,
            sum_words: coordinates.words(&field) as u64,
            element_words: field.element_words() as u64,
            lazy_words: (field.degree * field.lazy_words) as u64,
            extended: field.degree > 1,
            vectors: vectors.clamp(1, 2) as u64,
            once: settings.is_for_one_run,
            most_together: if settings.balance == Balance::Slices { vectors } else { 1 },
            digit_bits: settings.reduction.digit_bits(),
            field: Some((field.bits, field.degree)),
            speeds,
        }
    }
}

/// The cut of one multiplication. Its bases are divided into chunks, each with its own table, and its
/// bucket sets into groups:
///
/// ```text
/// for each group of bucket sets:
///     for each chunk of bases:
///         scalars -> digits -> sorted entries -> sums of pairs (`rounds` times)
///                 -> slices, one per thread -> bucket sums
///     bucket sums -> a few sums for each set
/// ```
///
/// Where one group has all bucket sets and one chunk all bases, several vectors of scalars are multiplied together: the
/// bucket sets of all of them go through the same dispatches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The scheme of digits and buckets.
    pub scheme: Scheme,
    /// The number of bases of a chunk.
    pub chunk: usize,
    /// The number of bucket sets of a group.
    pub group: u32,
    /// The number of rounds that first add up the entries of a bucket in pairs.
    pub rounds: u32,
    /// The number of entries of a slice, which one thread accumulates after the rounds of pairs.
    pub slice: usize,
    /// The number of vectors of scalars that are multiplied together.
    pub together: usize,
}

/// The number of partial sums that one folding adds up.
pub(super) const FOLD: u32 = 4;
/// The number of pairs whose denominators a thread multiplies, and in an extension the most of them.
const PAIR_SHARES: [u64; 2] = [16, 32];
/// The number of shares that an extension has before they become larger: with fewer of them, multiprocessors of an H200 would
/// be idle at the end of a round.
const MANY_SHARES: u64 = 1 << 18;
/// The number of coordinates of the sums from which a level of a table is made.
const DOUBLED: u64 = 4;
/// The number of points of a table that share one inversion.
pub(super) const TABLE_SHARE: usize = 32;
/// The least number of entries of a slice, if there are that many.
const MIN_SLICE: u64 = 16;
/// The number of times that a chunk is halved if the table of a larger one cannot be built.
const SMALLER_CHUNKS: u32 = 4;
/// Bytes of a scalar.
const SCALAR: u64 = 32;
/// The most entries of vectors that are multiplied together. The dispatches of this many take some eight times as long as
/// their longest chains of additions; with more, the host would fill and copy longer before the device can begin.
const MOST_ENTRIES: u64 = 1 << 24;

impl Cut {
    /// The cut of `n` bases by a scheme: the largest chunks and groups that fit. `None` if not even the
    /// smallest fit.
    pub(super) fn new(n: u64, scheme: Scheme, rounds: u32, limits: &Limits) -> Option<Self> {
        let n = n.max(1);
        let doubled = if scheme.has_multiples() { DOUBLED * limits.lazy_words } else { 0 };
        let per_base = (u64::from(scheme.levels) * limits.point_words).max(doubled);
        let per_set = u64::from(scheme.entries_per_set());
        // Indices have 31 bits. A chunk's table, the sums from which a level of it is made, and its entries for one set must
        // fit a binding each.
        let chunk = n
            .min(limits.binding_words / per_base)
            .min(limits.binding_words / per_set)
            .min((1 << 31) / per_set);
        if chunk == 0 {
            return None;
        }
        // The sizes of several chunks are powers of two: then each chunk's scalars, which are shorter
        // than points, lie in one binding.
        let largest = if chunk < n { 1 << chunk.ilog2() } else { n };
        // Building the table of a large chunk can take more memory than the multiplication.
        let smaller = (1..=SMALLER_CHUNKS).map(|k| (1 << n.ilog2()) >> k);
        let smaller = smaller.filter(|&chunk: &u64| chunk > 0 && chunk < largest);
        std::iter::once(largest).chain(smaller).find_map(|chunk| {
            let cut = |group: u32| Self::with_group(scheme, rounds, group, chunk, limits);
            let group = (1..=scheme.sets).rev().find(|&group| cut(group).fits(n, limits))?;
            // Make groups of nearly equal size.
            Some(cut(scheme.sets.div_ceil(scheme.sets.div_ceil(group))))
        })
    }

    /// Cuts with smaller groups, which take less working memory and one pass over the scalars more for each group.
    pub(super) fn smaller_groups(self, limits: &Limits) -> impl Iterator<Item = Self> {
        let sets = self.scheme.sets;
        let groups =
            (2..=sets).map(move |groups| sets.div_ceil(groups)).filter(move |&group| group < self.group);
        groups.map(move |group| Self::with_group(self.scheme, self.rounds, group, self.chunk as u64, limits))
    }

    fn with_group(scheme: Scheme, rounds: u32, group: u32, chunk: u64, limits: &Limits) -> Self {
        Cut { scheme, chunk: chunk as usize, group, rounds, slice: 1, together: 1 }.with_slices(limits)
    }

    /// Divides the entries among the threads.
    fn with_slices(mut self, limits: &Limits) -> Self {
        let accumulated = self.left(self.entries(), self.rounds) as u64;
        self.slice = accumulated.div_ceil(limits.threads.max(1)).max(MIN_SLICE) as usize;
        self
    }

    /// This cut of `n` bases for as many vectors together as may be, fit, and are worthwhile; `None` for one.
    pub(super) fn for_several(self, n: u64, limits: &Limits) -> Option<Self> {
        let is_whole = self.group == self.scheme.sets && self.chunk as u64 >= n;
        // Longer vectors gain less from company than from copies beside the work on the vector before.
        if !is_whole || self.entries() as u64 > MOST_ENTRIES / 8 {
            return None;
        }
        let worthwhile = (MOST_ENTRIES / (self.entries() as u64).max(1)).min(limits.most_together as u64);
        let fewer = std::iter::successors(Some(worthwhile as usize), |together| Some(together / 2));
        let cuts = fewer.take_while(|&together| together > 1);
        cuts.map(|together| Cut { together, ..self }.with_slices(limits)).find(|cut| cut.fits(n, limits))
    }

    fn fits(&self, n: u64, limits: &Limits) -> bool {
        let of_pair = limits.point_words.max(limits.element_words);
        let sums = (self.slots() + self.all_buckets()) as u64 * limits.sum_words;
        let scalars = SCALAR / 4 * self.chunk as u64 * self.together as u64;
        self.entries() as u64 <= limits.binding_words
            && (self.together == 1 || scalars <= limits.binding_words)
            && self.pairs() as u64 * of_pair <= limits.binding_words
            && sums <= limits.binding_words
            && self.workspace_bytes(limits) <= limits.memory / 2
            && self.device_bytes(n, limits) <= limits.memory
    }

    /// The maximum number of bytes of device memory that `n` bases and multiplications by them take at a time.
    pub(super) fn device_bytes(&self, n: u64, limits: &Limits) -> u64 {
        let levels = u64::from(self.scheme.levels);
        let tables = (4 * levels * limits.point_words).saturating_mul(n);
        // While a chunk's table is built: its points as uploaded, and for the next level the points,
        // the running products and the products of each thread.
        let chunk = n.min(self.chunk as u64);
        let shares = chunk.div_ceil(TABLE_SHARE as u64);
        let level = DOUBLED * chunk * limits.lazy_words + (chunk + shares) * limits.element_words;
        let level = if self.scheme.has_multiples() { level } else { 0 };
        let building = 4 * (chunk * limits.point_words + level);
        let sums_a_set = u64::from(self.scheme.weights().ilog2() + 1);
        let vectors = limits.vectors.saturating_mul(self.together as u64);
        let results = 4 * u64::from(self.scheme.sets) * sums_a_set * limits.sum_words;
        let running = self
            .workspace_bytes(limits)
            .saturating_add(vectors.saturating_mul(SCALAR.saturating_mul(n).saturating_add(results)));
        tables.saturating_add(building.max(running))
    }

    /// Bytes of the working memory for one group and chunk.
    pub(super) fn workspace_bytes(&self, limits: &Limits) -> u64 {
        let (entries, buckets) = (self.entries() as u64, self.all_buckets() as u64);
        let offsets = buckets + 1;
        let of_round = |round| {
            let left = self.left(self.entries(), round) as u64;
            (2 + limits.point_words) * left + offsets
        };
        let pairing = match self.rounds {
            0 => 0,
            rounds => {
                let (pairs, scan) = (self.pairs() as u64, Scan::bytes(offsets));
                let shares = pair_shares(pairs, limits.extended);
                // Of each share a product is inverted; in an extension one of norms.
                let inverted = if limits.extended { limits.element_words / 2 } else { limits.element_words };
                let lists = 2 * pairs + pairs * limits.element_words + shares * inverted;
                4 * (lists + (1..=rounds).map(of_round).sum::<u64>()) + scan
            }
        };
        let sums = buckets + (self.slots() + self.sums()) as u64;
        let segments = self.sets() as u64;
        4 * (2 * entries + offsets + sums * limits.sum_words)
            + pairing
            + Sort::bytes(segments, entries / segments)
    }

    /// The number of pairs of the first round.
    pub(super) fn pairs(&self) -> usize {
        if self.rounds > 0 { self.left(self.entries(), 1) } else { 0 }
    }

    /// The maximum number of entries that `rounds` rounds of adding up pairs can leave of `entries`.
    pub(super) fn left(&self, entries: usize, rounds: u32) -> usize {
        left(entries as u64, self.all_buckets() as u64, rounds) as usize
    }

    /// The number of threads that accumulate `entries` entries.
    pub(super) fn threads(&self, entries: usize) -> usize {
        entries.div_ceil(self.slice)
    }

    /// The number of slots for the partial sums of a group and chunk: two per thread.
    pub(super) fn slots(&self) -> usize {
        2 * self.threads(self.left(self.entries(), self.rounds))
    }

    /// True if partial sums are gathered by a thread for each bucket: if there are fewer buckets than
    /// slices, most slices begin no bucket.
    pub(super) fn by_bucket(&self) -> bool {
        self.all_buckets() < self.threads(self.left(self.entries(), self.rounds))
    }

    /// The number of buckets or slices that gathering looks at.
    pub(super) fn gathered(&self) -> u32 {
        match self.by_bucket() {
            true => self.all_buckets() as u32,
            false => self.threads(self.left(self.entries(), self.rounds)) as u32,
        }
    }

    /// The number of bucket sets of a full group, those of vectors together counted for each.
    pub(super) fn sets(&self) -> usize {
        self.together * self.group as usize
    }

    /// The number of entries of a full group and chunk.
    pub fn entries(&self) -> usize {
        self.sets() * self.chunk * self.scheme.entries_per_set() as usize
    }

    /// The number of buckets of a full group.
    pub(super) fn all_buckets(&self) -> usize {
        self.sets() * self.scheme.buckets() as usize
    }

    /// The number of bucket sums of a full group.
    pub(super) fn sums(&self) -> usize {
        self.sets() * self.scheme.weights() as usize
    }
}

/// The number of shares of some pairs, each with one inversion. It grows with that of the pairs.
pub(super) fn pair_shares(pairs: u64, is_extended: bool) -> u64 {
    let [share, largest] = PAIR_SHARES;
    let shares = pairs.div_ceil(share);
    if is_extended { shares.min(MANY_SHARES.max(pairs.div_ceil(largest))) } else { shares }
}

/// The maximum number of entries that `rounds` rounds of adding up pairs can leave: a round leaves a nonempty bucket
/// half of its entries, rounded up.
pub(super) fn left(entries: u64, buckets: u64, rounds: u32) -> u64 {
    (0..rounds).fold(entries, |entries, _| (entries + entries.min(buckets)) / 2)
}

/// The number of parts of `part` points.
pub(super) fn parts(points: usize, part: usize) -> usize {
    points.div_ceil(part.max(1)).max(1)
}

/// Writes the line of a plan that states the parts.
pub(super) fn write_parts(f: &mut fmt::Formatter<'_>, points: usize, part: usize) -> fmt::Result {
    writeln!(f, "parts          {} of {part} points", parts(points, part))
}
