//! How a multiplication is cut to fit a device, and how wide its windows are.

use super::{MAX_WIDTH, MIN_WIDTH, Precompute, Scheme};
use crate::{Error, Result};

/// What a device and a curve allow.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// 32-bit words that one binding holds, a power of two.
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
}

/// How one multiplication is cut up: bases into chunks, each with its part of the table,
/// bucket sets into groups. A group of sets is accumulated over all chunks before the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Digits and buckets.
    pub scheme: Scheme,
    /// Bases of a chunk.
    pub chunk: usize,
    /// Bucket sets of a group.
    pub group: u32,
    /// Entries of a group and chunk that one thread accumulates.
    pub slice: usize,
}

/// Threads among which entries are shared out, where there are enough of them.
pub const THREADS: u64 = 1 << 18;
/// A slice has at least so many entries, as far as there are that many.
const MIN_SLICE: u64 = 16;

impl Plan {
    /// The plan for `n` bases, with windows of `width` bits or of those that promise to be
    /// fastest.
    ///
    /// # Errors
    /// [`Error::Usage`] for a width that is none; [`Error::OutOfMemory`] where not even the
    /// smallest pieces fit.
    pub fn new(n: usize, precompute: Precompute, width: Option<u32>, limits: &Limits) -> Result<Self> {
        if let Some(width) = width {
            return Self::with_width(n, precompute, width, limits);
        }
        let plans = (MIN_WIDTH..=MAX_WIDTH).map(|width| Self::with_width(n, precompute, width, limits));
        let best = plans.filter_map(Result::ok).min_by(|a, b| a.nanoseconds(n).total_cmp(&b.nanoseconds(n)));
        best.ok_or_else(|| too_small(limits))
    }

    fn with_width(n: usize, precompute: Precompute, width: u32, limits: &Limits) -> Result<Self> {
        let n = n.max(1) as u64;
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
            return Err(too_small(limits));
        }
        // Where there are several chunks, powers of two: then each lies in one binding of
        // scalars, which are shorter than points.
        let chunk = if chunk < n { 1 << chunk.ilog2() } else { n };
        let fits = |group: u32| {
            let (entries, slots) = pieces(&scheme, group, chunk, limits);
            entries <= limits.binding_words
                && slots * limits.sum_words <= limits.binding_words
                && workspace_bytes(&scheme, group, entries, slots, limits) <= limits.memory / 2
        };
        let group = (1..=scheme.sets).rev().find(|&group| fits(group)).ok_or_else(|| too_small(limits))?;
        // Groups of nearly equal size.
        let group = scheme.sets.div_ceil(scheme.sets.div_ceil(group));
        let (entries, _) = pieces(&scheme, group, chunk, limits);
        Ok(Plan { scheme, chunk: chunk as usize, group, slice: slice(entries, limits) as usize })
    }

    /// Threads that accumulate `entries` entries.
    pub fn threads(&self, entries: usize) -> usize {
        entries.div_ceil(self.slice)
    }

    /// Slots for the partial sums of a group and chunk.
    pub fn slots(&self) -> usize {
        self.threads(self.entries()) + self.all_buckets()
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

    /// The device time that an H200 needs for BLS12-381, in nanoseconds, from measured rates
    /// of the steps. Other devices and fields scale nearly alike, so that the best width is
    /// nearly the same.
    fn nanoseconds(&self, n: usize) -> f64 {
        /// A mixed addition at full occupancy.
        const ADD: f64 = 0.52;
        /// Two additions of sums a bucket: the reduction.
        const REDUCE: f64 = 1.25;
        /// An addition of a partial sum, and its way through memory.
        const GATHER: f64 = 0.75;
        /// Moving a key and a value by one digit of up to eight bits.
        const SORT: f64 = 0.03;
        /// A dispatch of few threads that each add two points.
        const LATENCY: f64 = 12_000.0;
        let scheme = &self.scheme;
        let entries = n as f64 * f64::from(scheme.windows);
        let sums = f64::from(scheme.sets) * f64::from(scheme.weights());
        let chunks = n.div_ceil(self.chunk) as f64;
        let groups = f64::from(scheme.sets.div_ceil(self.group));
        let partials = (entries / self.slice as f64) + sums * chunks;
        let digits = f64::from(scheme.key_bits().div_ceil(8));
        let layers = f64::from(scheme.weights().ilog2());
        entries * (ADD + SORT * digits)
            + sums * REDUCE
            + partials * GATHER
            + groups * LATENCY * (layers + 4.0 * chunks)
    }
}

/// Entries and slots of a group and chunk.
fn pieces(scheme: &Scheme, group: u32, chunk: u64, limits: &Limits) -> (u64, u64) {
    let entries = u64::from(group) * chunk * u64::from(scheme.entries_per_set());
    let threads = entries.div_ceil(slice(entries, limits));
    (entries, threads + u64::from(group) * u64::from(scheme.buckets()))
}

fn slice(entries: u64, limits: &Limits) -> u64 {
    entries.div_ceil(limits.threads.max(1)).max(MIN_SLICE)
}

/// Keys, values, their doubles for sorting, partial sums, and bucket sums twice.
fn workspace_bytes(scheme: &Scheme, group: u32, entries: u64, slots: u64, limits: &Limits) -> u64 {
    let sums = u64::from(group) * u64::from(scheme.weights());
    8 * entries + crate::primitives::Sort::bytes(entries) + 4 * (slots + 2 * sums) * limits.sum_words
}

fn too_small(limits: &Limits) -> Error {
    Error::OutOfMemory(format!(
        "bindings of {} bytes and {} bytes of device memory are too little for any plan",
        4 * limits.binding_words,
        limits.memory
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits {
            binding_words: 1 << 28,
            memory: 64 << 30,
            threads: THREADS,
            scalar_bits: 255,
            point_words: 24,
            sum_words: 48,
        }
    }

    #[test]
    fn widths_grow_with_the_length() {
        let width = |n: usize, precompute| Plan::new(n, precompute, None, &limits()).unwrap().scheme.width;
        let plain: Vec<_> = (4..=24).map(|log| width(1 << log, Precompute::Plain)).collect();
        assert!(plain.is_sorted(), "{plain:?}");
        assert!((15..=17).contains(&plain[16]), "{plain:?}");
        assert!(width(1 << 20, Precompute::Windows) > width(1 << 20, Precompute::Plain));
    }

    #[test]
    fn plans_fit_their_limits() {
        for log in [0, 1, 10, 20, 24] {
            for binding in [1 << 16, 1 << 20, 1 << 25] {
                for precompute in [Precompute::Plain, Precompute::Doublings(5), Precompute::Windows] {
                    let limits = Limits { binding_words: binding, memory: 1 << 40, ..limits() };
                    let plan = Plan::new(1 << log, precompute, None, &limits).unwrap();
                    let table = plan.chunk as u64 * u64::from(plan.scheme.levels) * limits.point_words;
                    assert!(table <= binding && plan.entries() as u64 <= binding);
                    assert!(plan.slots() as u64 * limits.sum_words <= binding);
                    assert!(plan.group >= 1 && plan.chunk >= 1 && plan.slice >= 1);
                }
            }
        }
    }

    #[test]
    fn tables_shrink_where_memory_is_short() {
        let n = 1 << 20;
        let limits = Limits { memory: 2 * 5 * 96 * n as u64, ..limits() };
        let plan = Plan::new(n, Precompute::Windows, Some(16), &limits).unwrap();
        assert_eq!((plan.scheme.sets, plan.scheme.levels), (4, 4));
    }

    #[test]
    fn nothing_fits_next_to_nothing() {
        let limits = Limits { binding_words: 16, ..limits() };
        assert_eq!(Plan::new(1, Precompute::Plain, None, &limits).unwrap_err().exit_code(), 5);
        assert_eq!(Plan::new(1, Precompute::Plain, Some(40), &limits).unwrap_err().exit_code(), 2);
    }
}
