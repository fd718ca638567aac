//! The options of the GPU's method, all combinations of which are timed.

use crate::names::{Named, named};
use wgalois::curve::coordinates::{Coordinates, HOMOGENEOUS, JACOBIAN, XYZZ};
use wgalois::msm::{
    Accumulators, Addends, Balance, MAX_PAIR_ROUNDS, MAX_WIDTH, MIN_WIDTH, Precompute, Reduction, Settings,
};

/// The options of the GPU's method.
#[derive(clap::Args)]
pub(super) struct MethodGrid {
    /// The multiples of every point to store: none; one, which divides scalars into halves, where that is expected to be
    /// faster; its doublings up to 2^T; or those for all windows
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "none|halves|doublings:T|windows",
        default_values_t = [Precompute::default()]
    )]
    precompute: Vec<Precompute>,
    /// Bits of a scalar per window [default: the width expected to be fastest]
    #[arg(long, value_delimiter = ',', value_name = "C", value_parser = clap::value_parser!(u32).range(i64::from(MIN_WIDTH)..=i64::from(MAX_WIDTH)))]
    window: Vec<u32>,
    /// Number of rounds in which the points of a bucket are first added in pairs, as affine points;
    /// 0 adds one point at a time [default: the number expected to be fastest]
    #[arg(long, value_delimiter = ',', value_name = "ROUNDS", value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_PAIR_ROUNDS)))]
    pairs: Vec<u32>,
    /// Coordinates of the sums
    #[arg(long, value_parser = named(COORDINATES), value_delimiter = ',', default_value = "xyzz")]
    coordinates: Vec<&'static Coordinates>,
    /// Distribution of the sorted digits among the threads
    #[arg(long, value_parser = named(BALANCES), value_delimiter = ',', default_value = "slices")]
    balance: Vec<Balance>,
    /// Place of the sums that threads accumulate
    #[arg(long, value_parser = named(ACCUMULATORS), value_delimiter = ',', default_value = "registers")]
    accumulators: Vec<Accumulators>,
    /// Number of affine points that an addition to such a sum takes, 1 or 2
    #[arg(long, value_delimiter = ',', value_name = "POINTS", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=2))]
    addends: Vec<u32>,
    /// How the sums of buckets are added up: layers by digits in base 2, 4 or 8, or sums of suffixes
    #[arg(long, value_delimiter = ',', value_name = "layers:SCALE|prefix-sums", default_value = "layers:2")]
    reduction: Vec<Reduction>,
    /// Number of threads that share the accumulation, as a power of two
    #[arg(long, value_delimiter = ',', value_name = "LOG2", value_parser = clap::value_parser!(u32).range(6..=24))]
    threads: Vec<u32>,
}

const COORDINATES: &[Named<&Coordinates>] =
    &[("xyzz", "", &XYZZ), ("jacobian", "", &JACOBIAN), ("homogeneous", "", &HOMOGENEOUS)];

const BALANCES: &[Named<Balance>] = &[
    ("slices", "Equal slices", Balance::Slices),
    ("buckets", "Whole buckets, those that begin in a slice", Balance::Buckets),
    ("each", "One thread a bucket", Balance::BucketEach),
];

const ACCUMULATORS: &[Named<Accumulators>] =
    &[("registers", "", Accumulators::Registers), ("workgroup", "Workgroup memory", Accumulators::Workgroup)];

impl MethodGrid {
    /// Returns every option, and whether it was given.
    pub fn given(&self) -> [(&'static str, bool); 9] {
        [
            ("--window", !self.window.is_empty()),
            ("--pairs", !self.pairs.is_empty()),
            ("--threads", !self.threads.is_empty()),
            ("--precompute", self.precompute != [Precompute::default()]),
            ("--coordinates", self.coordinates.iter().any(|own| own.name != XYZZ.name)),
            ("--balance", self.balance != [Balance::Slices]),
            ("--accumulators", self.accumulators != [Accumulators::Registers]),
            ("--addends", self.addends != [1]),
            ("--reduction", self.reduction != [Reduction::default()]),
        ]
    }

    /// Returns for every option the number of its values, and that of a row, whose fields `text` knows.
    pub fn parts(&self, text: impl Fn(&str) -> String) -> [(usize, String); 8] {
        [
            (self.precompute.len(), format!("stored {}", text("precompute"))),
            (self.window.len(), format!("c {}", text("width"))),
            (self.pairs.len(), format!("pairs {}", text("pair_rounds"))),
            (self.coordinates.len(), text("coordinates")),
            (self.balance.len(), text("balance")),
            (self.accumulators.len(), text("accumulators")),
            (self.addends.len(), format!("{} at a time", text("addends"))),
            (self.reduction.len(), text("reduction")),
        ]
    }

    /// Returns all combinations of the options.
    pub fn settings(&self) -> Vec<Settings> {
        let all = vec![Settings::default()];
        let all = each(all, &self.precompute, Settings::with_precompute);
        let all = each(all, &optional(&self.window), Settings::with_width);
        let all = each(all, &optional(&self.pairs), Settings::with_pair_rounds);
        let all = each(all, &self.coordinates, Settings::with_coordinates);
        let all = each(all, &self.balance, Settings::with_balance);
        let all = each(all, &self.accumulators, Settings::with_accumulators);
        let all = each(all, &self.addends, |settings, addends| {
            settings.with_addends(if addends == 2 { Addends::Two } else { Addends::One })
        });
        let all = each(all, &self.reduction, Settings::with_reduction);
        each(all, &optional(&self.threads), |settings, log| {
            log.map_or(settings, |log| settings.with_threads(1 << log))
        })
    }
}

/// Returns all combinations of an element of `all` with one of `choices`.
fn each<T: Copy>(all: Vec<Settings>, choices: &[T], set: impl Fn(Settings, T) -> Settings) -> Vec<Settings> {
    all.iter().flat_map(|settings| choices.iter().map(|choice| set(*settings, *choice))).collect()
}

/// Returns the given values, or a single `None` if there are none.
fn optional(values: &[u32]) -> Vec<Option<u32>> {
    if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
}
