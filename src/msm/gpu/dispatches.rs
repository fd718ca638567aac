//! The number of dispatches of a multiplication, as [`Resident`](super::Resident) records them.

use crate::msm::tiling::{Cut, FOLD, left};
use crate::msm::{Balance, Reduction, Settings};
use crate::primitives::{Scan, Sort};

/// Returns the dispatches of multiplying `vectors` vectors of `n` points together, in parts of at most `part`; `None` for
/// the forms of the literature, which are not counted. Coordinates may lie in an extension.
pub(in crate::msm) fn dispatches(
    (n, vectors): (usize, usize),
    part: usize,
    cut: &Cut,
    settings: &Settings,
    is_extended: bool,
) -> Option<u64> {
    if settings.balance != Balance::Slices || settings.reduction == Reduction::PrefixSums {
        return None;
    }
    let scheme = &cut.scheme;
    let excess = scheme.excess_buckets() > 0 || scheme.weights() == 1;
    let reduction = settings.reduction.digits(scheme.weights()).len() as u64 + u64::from(excess);
    let lengths =
        |whole: usize, most: usize| (0..whole).step_by(most.max(1)).map(move |first| most.min(whole - first));
    let groups = || lengths(scheme.sets as usize, cut.group as usize);
    let of_part = |points: usize| -> u64 {
        let of_group = |sets| {
            reduction
                + lengths(points, cut.chunk)
                    .map(|len| of_chunk(len, vectors * sets, cut, is_extended))
                    .sum::<u64>()
        };
        groups().map(of_group).sum()
    };
    Some(lengths(n, part).map(of_part).sum())
}

/// The dispatches from digits to bucket sums, for `len` points of a chunk and `sets` bucket sets of all vectors.
fn of_chunk(len: usize, sets: usize, cut: &Cut, is_extended: bool) -> u64 {
    let scheme = &cut.scheme;
    let segment = len * scheme.entries_per_set() as usize;
    let buckets = sets * scheme.buckets() as usize;
    let sort = Sort::dispatches(sets, segment, scheme.key_bits());
    let offsets = u64::from(cut.by_bucket() || cut.rounds > 0);
    // Halve, find pairs, forward, invert, backward; in an extension slopes and sums instead of backward.
    let pairs = u64::from(cut.rounds) * (5 + u64::from(is_extended) + Scan::dispatches(buckets + 1));
    let entries = left((sets * segment) as u64, buckets as u64, cut.rounds) as usize;
    let folds = u64::from((cut.threads(entries) as u32).checked_ilog(FOLD).unwrap_or(0));
    let (digits, clear, accumulate, gather) = (1, 1, 1, 1);
    digits + sort + offsets + pairs + clear + accumulate + folds + gather
}
