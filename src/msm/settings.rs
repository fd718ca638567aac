//! Options of the method: how a GPU stores points and computes multiplications.

use super::{Accumulators, Addends, Balance, Precompute, Reduction};
use crate::curve::coordinates::{Coordinates, XYZZ};

/// The number of threads that share the entries, if there are enough entries. An H200 has 132
/// multiprocessors; 24 workgroups for each are a multiple of those that run at once, so that no
/// multiprocessor is idle at the end (2^18 threads, 31.03 workgroups for each, take 4% longer).
pub(super) const THREADS: u64 = 132 * 24 * 64;

/// The options of a [`Multiplication`](super::Multiplication)'s method. None of them changes the
/// sum. The CPU engine ignores them.
///
/// ```
/// use wgalois::msm::{Precompute, Settings};
///
/// let settings = Settings::default().with_precompute(Precompute::Windows).with_width(16);
/// assert_eq!(settings.width, Some(16));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The multiples that are stored of every point.
    pub precompute: Precompute,
    /// The coordinates of sums.
    pub coordinates: &'static Coordinates,
    /// The distribution of the sorted entries among threads.
    pub balance: Balance,
    /// The place of the sums that threads accumulate.
    pub accumulators: Accumulators,
    /// The number of affine points that an addition to an accumulator takes.
    pub addends: Addends,
    /// The reduction of buckets.
    pub reduction: Reduction,
    /// The bits of a window; `None` for those that the plan expects to be fastest.
    pub width: Option<u32>,
    /// The number of rounds of adding up pairs; `None` for that which the plan expects to be fastest.
    pub pair_rounds: Option<u32>,
    /// The number of GPU threads that share the accumulation, at least 1.
    pub threads: u64,
    /// True if the plan is for one run.
    pub is_for_one_run: bool,
}

/// The most rounds of adding up pairs: they leave a 256th of a bucket's entries.
pub const MAX_PAIR_ROUNDS: u32 = 8;

impl Default for Settings {
    fn default() -> Self {
        Settings {
            precompute: Precompute::default(),
            coordinates: &XYZZ,
            balance: Balance::default(),
            accumulators: Accumulators::default(),
            addends: Addends::default(),
            reduction: Reduction::default(),
            width: None,
            pair_rounds: None,
            threads: THREADS,
            is_for_one_run: false,
        }
    }
}

impl Settings {
    /// Sets the multiples to store of every point; [`Precompute::Glv`] by default.
    #[must_use]
    pub fn with_precompute(self, precompute: Precompute) -> Self {
        Settings { precompute, ..self }
    }

    /// Sets the bits of a window, from [`MIN_WIDTH`](super::MIN_WIDTH) to
    /// [`MAX_WIDTH`](super::MAX_WIDTH). With `None` the plan takes the fastest.
    #[must_use]
    pub fn with_width(self, width: impl Into<Option<u32>>) -> Self {
        Settings { width: width.into(), ..self }
    }

    /// Sets the number of rounds that add up the entries of each bucket in pairs of affine points, before the
    /// remaining entries are added to the bucket one at a time: at most
    /// [`MAX_PAIR_ROUNDS`](super::MAX_PAIR_ROUNDS). With `None` the plan takes the fastest number,
    /// which is 0 with whole buckets a thread and with [`Addends::Two`].
    #[must_use]
    pub fn with_pair_rounds(self, rounds: impl Into<Option<u32>>) -> Self {
        Settings { pair_rounds: rounds.into(), ..self }
    }

    /// Prepares for one run: the plan counts the time in which a GPU allocates and releases its working memory, as if
    /// it were a part of the run, and so takes less memory and more device time. Unless this is set, a plan is for
    /// bases that are multiplied many times. [`multiply`](super::multiply) and its other forms set it.
    #[must_use]
    pub fn for_one_run(self) -> Self {
        Settings { is_for_one_run: true, ..self }
    }

    /// Sets the coordinates of sums; [`XYZZ`] by default.
    #[must_use]
    pub fn with_coordinates(self, coordinates: &'static Coordinates) -> Self {
        Settings { coordinates, ..self }
    }

    /// Sets the distribution of the sorted entries among threads; equal slices by default.
    #[must_use]
    pub fn with_balance(self, balance: Balance) -> Self {
        Settings { balance, ..self }
    }

    /// Sets the place of the sums that threads accumulate; registers unless set.
    #[must_use]
    pub fn with_accumulators(self, accumulators: Accumulators) -> Self {
        Settings { accumulators, ..self }
    }

    /// Sets the number of affine points that an addition to an accumulator takes; one unless set.
    #[must_use]
    pub fn with_addends(self, addends: Addends) -> Self {
        Settings { addends, ..self }
    }

    /// Sets the reduction of buckets; layers of scale 2 unless set.
    #[must_use]
    pub fn with_reduction(self, reduction: Reduction) -> Self {
        Settings { reduction, ..self }
    }

    /// Sets the number of GPU threads that share the accumulation, at least 1.
    #[must_use]
    pub fn with_threads(self, threads: u64) -> Self {
        Settings { threads, ..self }
    }
}
