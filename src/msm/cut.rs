//! How a multiplication is cut to fit a device, and how wide its windows are.

use super::{MAX_WIDTH, MIN_WIDTH, Precompute, Scheme};
use crate::{Error, Result};

/// What a device and a curve allow.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// 32-bit words that one binding holds.
    pub binding_words: u64,
    /// Bytes of device memory that tables and workspace may take.
    pub memory: u64,
    /// Threads among which the entries of one accumulation are shared out.
    pub threads: u64,
    /// Bits of r.
    pub scalar_bits: u32,
    /// Words of a stored affine point.
    pub point_words: u64,
    /// Words of a point in accumulation.
    pub sum_words: u64,
    /// Words of a field element in a list.
    pub element_words: u64,
}

/// What the caller chooses; the rest is what promises to be fastest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Bits of a window.
    pub width: Option<u32>,
    /// How often entries are added up in pairs before they are accumulated, at most
    /// [`MAX_PAIR_ROUNDS`].
    pub pair_rounds: Option<u32>,
}

/// How one multiplication is cut up: bases into chunks, each with its part of the table,
/// bucket sets into groups. A group of sets is accumulated over all chunks before the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Digits and buckets.
    pub scheme: Scheme,
    /// Bases of a chunk.
    pub chunk: usize,
    /// Bucket sets of a group.
    pub group: u32,
    /// How often the entries of a bucket are added up in pairs first.
    pub rounds: u32,
    /// What is then left of the entries of a group and chunk is accumulated in slices of so
    /// many, one a thread.
    pub slice: usize,
}

/// Slots that one folding takes together.
pub(super) const FOLD: u32 = 16;
/// Threads among which entries are shared out, where there are enough of them: on an H200, of 132
/// multiprocessors, 24 workgroups for each, a multiple of those that run at once, so that none is
/// idle at the end (2^18 threads, 31.03 for each, take 4% longer).
pub const THREADS: u64 = 132 * 24 * 64;
/// Rounds of adding up pairs at most: then a bucket has a 256th of its entries left.
pub const MAX_PAIR_ROUNDS: u32 = 8;
/// Rounds of adding up pairs that can pay at the lengths measured, and for points of how many words:
/// in the smaller fields, of 254 and 315 bits, a pair costs more than it saves.
const WORTHWHILE_ROUNDS: u32 = 2;
const WORTHWHILE_WORDS: u64 = 24;
/// A slice has at least so many entries, as far as there are that many.
const MIN_SLICE: u64 = 16;

impl Cut {
    /// The plan for `n` bases that promises to be fastest of those that `choice` leaves.
    ///
    /// # Errors
    /// [`Error::Usage`] for a width that is none or too many rounds of pairs;
    /// [`Error::OutOfMemory`] where not even the smallest pieces fit.
    pub fn new(n: usize, precompute: Precompute, choice: Choice, limits: &Limits) -> Result<Self> {
        let plan = Self::best(n, precompute, choice, limits)?;
        plan.ok_or_else(|| too_small(n, precompute, choice, limits))
    }

    /// The same; none where not even the smallest pieces fit.
    fn best(n: usize, precompute: Precompute, choice: Choice, limits: &Limits) -> Result<Option<Self>> {
        let widths = choice.width.map_or(MIN_WIDTH..=MAX_WIDTH, |width| width..=width);
        let worthwhile = if limits.point_words < WORTHWHILE_WORDS { 0 } else { WORTHWHILE_ROUNDS };
        let rounds = choice.pair_rounds.map_or(0..=worthwhile, |rounds| rounds..=rounds);
        let choices = widths.flat_map(|width| rounds.clone().map(move |rounds| (width, rounds)));
        let plans = choices.map(|choice| Self::with(n as u64, precompute, choice, limits));
        let plans: Vec<Cut> = plans.filter_map(Result::transpose).collect::<Result<_>>()?;
        let time = |plan: &Cut| plan.nanoseconds(n, limits.scalar_bits);
        Ok(plans.into_iter().reduce(|best, plan| if time(&best) <= time(&plan) { best } else { plan }))
    }

    fn with(
        n: u64,
        precompute: Precompute,
        (width, rounds): (u32, u32),
        limits: &Limits,
    ) -> Result<Option<Self>> {
        if rounds > MAX_PAIR_ROUNDS {
            return Err(Error::Usage(format!("{rounds} rounds of pairs: at most {MAX_PAIR_ROUNDS}")));
        }
        let n = n.max(1);
        // The tables may take half of the memory, the workspace the other.
        let max_levels = limits.memory / 2 / (4 * n * limits.point_words);
        let max_levels = u32::try_from(max_levels).unwrap_or(u32::MAX);
        let scheme = Scheme::new(limits.scalar_bits, width, precompute, max_levels)?;
        let per_base = u64::from(scheme.levels) * limits.point_words;
        let per_set = u64::from(scheme.entries_per_set());
        // Indices have 31 bits, and a chunk's entries for one set must fit a binding.
        let chunk = n
            .min(limits.binding_words / per_base)
            .min(limits.binding_words / per_set)
            .min((1 << 31) / per_set);
        if chunk == 0 {
            return Ok(None);
        }
        // Where there are several chunks, powers of two: then each lies in one binding of
        // scalars, which are shorter than points.
        let chunk = if chunk < n { 1 << chunk.ilog2() } else { n };
        let fits = |group: u32| {
            let pieces = Pieces::new(&scheme, rounds, group, chunk, limits);
            pieces.entries <= limits.binding_words
                && pieces.pairs * limits.point_words.max(limits.element_words) <= limits.binding_words
                && (pieces.slots + pieces.buckets) * limits.sum_words <= limits.binding_words
                && pieces.bytes <= limits.memory / 2
        };
        let Some(group) = (1..=scheme.sets).rev().find(|&group| fits(group)) else { return Ok(None) };
        // Groups of nearly equal size.
        let group = scheme.sets.div_ceil(scheme.sets.div_ceil(group));
        let slice = Pieces::new(&scheme, rounds, group, chunk, limits).slice as usize;
        Ok(Some(Cut { scheme, chunk: chunk as usize, group, rounds, slice }))
    }

    /// Bytes of device memory that the tables of `n` bases and the workspace take.
    pub fn bytes(&self, n: usize, limits: &Limits) -> u64 {
        let table = 4 * n as u64 * u64::from(self.scheme.levels) * limits.point_words;
        table + Pieces::new(&self.scheme, self.rounds, self.group, self.chunk as u64, limits).bytes
    }

    /// The most entries that `rounds` rounds of adding up pairs can leave of `entries`.
    pub fn left(&self, entries: usize, rounds: u32) -> usize {
        left(entries as u64, self.all_buckets() as u64, rounds) as usize
    }

    /// Threads that accumulate `entries` entries.
    pub fn threads(&self, entries: usize) -> usize {
        entries.div_ceil(self.slice)
    }

    /// Places for the partial sums of a group and chunk: two a thread.
    pub fn slots(&self) -> usize {
        2 * self.threads(self.left(self.entries(), self.rounds))
    }

    /// Whether partial sums are gathered by a thread for each bucket: where buckets are fewer than
    /// slices, most slices begin none.
    pub fn by_bucket(&self) -> bool {
        self.all_buckets() < self.threads(self.left(self.entries(), self.rounds))
    }

    /// Entries of a full group and chunk.
    pub fn entries(&self) -> usize {
        self.group as usize * self.chunk * self.scheme.entries_per_set() as usize
    }

    /// Buckets of a full group.
    pub fn all_buckets(&self) -> usize {
        (self.group * self.scheme.buckets()) as usize
    }

    /// Bucket sums of a full group.
    pub fn sums(&self) -> usize {
        (self.group * self.scheme.weights()) as usize
    }

    /// The device time that an H200 needs for BLS12-381, in nanoseconds, from the times of the
    /// steps at 2^20 to 2^24 points and of the whole at 2^18. Other devices and fields scale
    /// nearly alike, so that the best width is nearly the same.
    fn nanoseconds(&self, n: usize, scalar_bits: u32) -> f64 {
        /// A mixed addition at full occupancy.
        const ADD: f64 = 0.51;
        /// An affine addition of a pair.
        const PAIR: f64 = 0.425;
        /// Two additions of sums a bucket: the reduction.
        const REDUCE: f64 = 1.85;
        /// An addition of a partial sum.
        const GATHER: f64 = 1.1;
        /// The way of a bucket's sum through memory.
        const SUM: f64 = 0.25;
        /// Cutting a scalar into digits, all of them for every group of sets.
        const DIGITS: f64 = 0.07;
        /// Moving a key and a value by one digit of up to eight bits.
        const SORT: f64 = 0.018;
        /// An addition that others wait for.
        const STEP: f64 = 25_000.0;
        /// A dispatch, and how many there are beside those of the reduction.
        const DISPATCH: f64 = 4_000.0;
        const DISPATCHES: f64 = 16.0;
        /// A round of pairs, with an inversion that others wait for; and a later one, whose points
        /// lie side by side.
        const ROUND: f64 = 350_000.0;
        const LATER_ROUND: f64 = 200_000.0;
        let scheme = &self.scheme;
        let entries = n as f64 * f64::from(scheme.windows);
        let sums = f64::from(scheme.sets) * f64::from(scheme.weights());
        let chunks = n.div_ceil(self.chunk) as f64;
        let groups = f64::from(scheme.sets.div_ceil(self.group));
        // What a round leaves of entries spread over all buckets.
        let (mut accumulated, mut pairs) = (entries, 0.0);
        for _ in 0..self.rounds {
            accumulated = (accumulated + accumulated.min(sums * chunks)) / 2.0;
            pairs += accumulated;
        }
        // Every slice ends in a bucket that another begins in.
        let partials = accumulated / self.slice as f64;
        let digits = f64::from(scheme.key_bits().div_ceil(8));
        let layers = f64::from(scheme.weights().ilog2());
        let rounds = match self.rounds {
            0 => 0.0,
            rounds => ROUND + f64::from(rounds - 1) * LATER_ROUND,
        };
        let overhead = DISPATCHES * DISPATCH + rounds;
        groups * n as f64 * DIGITS
            + accumulated * ADD
            + pairs * PAIR
            + entries * SORT * digits
            + sums * REDUCE
            + partials * GATHER
            + sums * chunks * SUM
            + STEP * (groups * layers + chunks * self.crowding(scalar_bits))
            + groups * chunks * overhead
    }

    /// Additions one after another where the topmost window, of the few bits that the others
    /// leave it, crowds all entries of a chunk into few buckets.
    fn crowding(&self, scalar_bits: u32) -> f64 {
        let fold = f64::from(FOLD);
        let scheme = &self.scheme;
        // The smaller one of k and r - k lacks the topmost bit.
        let top_bits = (scalar_bits - 1).saturating_sub(scheme.width * (scheme.windows - 1));
        let buckets = f64::from(scheme.weights().min(1 << top_bits));
        let entries = self.chunk as f64 / f64::from(1 << self.rounds);
        let partials = (entries / buckets / self.slice as f64).max(1.0);
        let levels = (partials.ln() / fold.ln()).floor();
        levels * (fold - 1.0) + partials.min(2.0 * (fold - 1.0) * (levels + 1.0))
    }
}

/// The most entries that `rounds` rounds of adding up pairs can leave: a bucket that is not
/// empty has half of its entries left, rounded up.
pub(super) fn left(entries: u64, buckets: u64, rounds: u32) -> u64 {
    (0..rounds).fold(entries, |entries, _| (entries + entries.min(buckets)) / 2)
}

/// What a group and chunk takes.
struct Pieces {
    entries: u64,
    /// Pairs of the first round.
    pairs: u64,
    slice: u64,
    slots: u64,
    buckets: u64,
    /// Bytes of the workspace.
    bytes: u64,
}

impl Pieces {
    fn new(scheme: &Scheme, rounds: u32, group: u32, chunk: u64, limits: &Limits) -> Self {
        let of_sets = |count: u32| u64::from(group) * u64::from(count);
        let (buckets, sums) = (of_sets(scheme.buckets()), of_sets(scheme.weights()));
        let entries = of_sets(scheme.entries_per_set()) * chunk;
        let pairs = if rounds > 0 { left(entries, buckets, 1) } else { 0 };
        let accumulated = left(entries, buckets, rounds);
        let slice = accumulated.div_ceil(limits.threads.max(1)).max(MIN_SLICE);
        let slots = 2 * accumulated.div_ceil(slice);
        // Keys, values, their doubles for sorting; of each round of pairs keys, values, offsets
        // and sums, and the pairs and products of the first; partial sums; bucket sums twice.
        let of_round = |round| (2 + limits.point_words) * left(entries, buckets, round) + buckets;
        let pairing = (2 + limits.element_words) * pairs + (1..=rounds).map(of_round).sum::<u64>();
        let words = 2 * entries + pairing + (slots + buckets + sums) * limits.sum_words;
        let bytes = 4 * words + crate::primitives::Sort::bytes(entries);
        Pieces { entries, pairs, slice, slots, buckets, bytes }
    }
}

/// The refusal of a plan, with what the smallest one takes.
fn too_small(n: usize, precompute: Precompute, choice: Choice, limits: &Limits) -> Error {
    let fits = |limits: Limits| matches!(Cut::best(n, precompute, choice, &limits), Ok(Some(_)));
    let with_memory = |memory| fits(Limits { memory, ..*limits });
    let doubled = |from: u64| (0..from.leading_zeros()).map(move |k| from << k);
    if let Some(enough) = doubled(limits.memory.max(1)).find(|&memory| with_memory(memory)) {
        let (mut too_little, mut enough) = (limits.memory.max(enough / 2), enough);
        while enough - too_little > 1 {
            let middle = too_little.midpoint(enough);
            *(if with_memory(middle) { &mut enough } else { &mut too_little }) = middle;
        }
        return Error::OutOfMemory(format!(
            "the smallest plan for {n} points takes {enough} bytes of device memory, and {} may be planned for",
            limits.memory
        ).into());
    }
    // Past what bytes can be counted in there is nothing to name.
    let with_binding = |binding_words| fits(Limits { binding_words, memory: u64::MAX, ..*limits });
    let enough = doubled(4 * limits.binding_words.max(1)).find(|bytes| with_binding(bytes / 4));
    Error::OutOfMemory(
        format!(
            "the smallest plan for {n} points takes bindings of {} bytes, and {} may be bound",
            enough.unwrap_or(u64::MAX),
            4 * limits.binding_words
        )
        .into(),
    )
}

#[cfg(test)]
mod tests;
