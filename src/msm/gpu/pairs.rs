//! Affine additions before the accumulation: each round adds up the entries of each bucket in
//! pairs, which leaves half as many ("two affine points first" in Chen, Peng, Dai, Luo, He, TCHES
//! 2024). The plan sets the number of rounds. An affine addition costs six multiplications and its
//! share of one inversion for many (Montgomery's trick), a mixed addition in the best coordinates
//! ten.

use super::formulas::WORKGROUP;
use super::inverses::{InversesBuffers, InversesParams, SHARED_INVERSIONS};
use super::pair_kernels::{
    HalveBuffers, HalveParams, Last, PairBackwardBuffers, PairBackwardParams, PairBuffers,
    PairForwardBuffers, PairForwardParams, PairKernels, PairParams, PairSlopesBuffers, PairSumsBuffers,
    PairSumsParams, Runner,
};
use super::part::{Entries, Part};
use crate::Result;
use crate::field::BigField;
use crate::gpu::{DeviceVec, Gpu, Recorder, Written};
use crate::msm::Cut;
use crate::msm::tiling::{self, pair_shares};
use crate::primitives::Scan;

/// The working memory of adding up pairs.
pub(super) struct PairMemory {
    pairs: DeviceVec<u32>,
    products: DeviceVec<u32>,
    totals: DeviceVec<u32>,
    scan: Scan,
    rounds: Vec<Round>,
}

/// The entries that one round leaves.
struct Round {
    keys: DeviceVec<u32>,
    values: DeviceVec<u32>,
    offsets: DeviceVec<u32>,
    sums: DeviceVec<u32>,
}

impl PairMemory {
    /// The buffers of entries and points.
    pub(super) fn vectors(&self) -> Vec<&DeviceVec<u32>> {
        let rounds =
            self.rounds.iter().flat_map(|round| [&round.keys, &round.values, &round.offsets, &round.sums]);
        [&self.pairs, &self.products, &self.totals].into_iter().chain(rounds).collect()
    }

    /// Allocates the buffers for `cut`; `None` if it adds up no pairs.
    pub(super) fn new(gpu: &Gpu, cut: &Cut, field: &BigField) -> Result<Option<Self>> {
        if cut.rounds == 0 {
            return Ok(None);
        }
        let element = field.element_words();
        let (buckets, most) = (cut.all_buckets(), cut.left(cut.entries(), 1));
        let round = |round| {
            let left = cut.left(cut.entries(), round);
            Ok(Round {
                keys: gpu.zeros_whole(left)?,
                values: gpu.zeros_whole(left)?,
                offsets: gpu.zeros_whole(buckets + 1)?,
                sums: gpu.zeros_whole(left * field.affine_words())?,
            })
        };
        Ok(Some(PairMemory {
            pairs: gpu.zeros_whole(2 * most)?,
            products: gpu.zeros_whole(most * element)?,
            totals: gpu.zeros_whole(
                pair_shares(most as u64, field.degree > 1) as usize * field.prime().element_words(),
            )?,
            scan: Scan::new(gpu, buckets + 1)?,
            rounds: (1..=cut.rounds).map(round).collect::<Result<_>>()?,
        }))
    }
}

/// Runs all rounds of adding up pairs. Returns the remaining entries, which are to be accumulated.
pub(super) fn add_pairs<'w>(
    recorder: &mut Recorder,
    kernels: &PairKernels,
    part: &Part,
    sorted: Entries<'w>,
    memory: &'w PairMemory,
) -> Result<Entries<'w>> {
    let mut entries = sorted;
    for round in &memory.rounds {
        entries = add_once(recorder, kernels, part, &entries, (memory, round))?;
    }
    Ok(entries)
}

fn add_once<'w>(
    recorder: &mut Recorder,
    kernels: &PairKernels,
    part: &Part,
    entries: &Entries<'w>,
    (memory, round): (&'w PairMemory, &'w Round),
) -> Result<Entries<'w>> {
    let buckets = part.all_buckets();
    let left = tiling::left(entries.len.into(), buckets.into(), 1) as u32;
    let (old_offsets, offsets) = (entries.offsets.whole()?, round.offsets.whole()?);
    let groups = |threads: u32| threads.div_ceil(WORKGROUP);
    let params = HalveParams { all_buckets: buckets };
    let buffers = HalveBuffers { offsets: old_offsets, halves: Written(offsets) };
    recorder.dispatch(&kernels.halve, "pair", &buffers, &params, groups(buckets + 1))?;
    memory.scan.record(recorder, offsets, buckets as usize + 1)?;

    let (pairs, points) = (memory.pairs.whole()?, entries.points.whole()?);
    let buffers = PairBuffers {
        keys: entries.keys.whole()?,
        values: entries.values.whole()?,
        offsets: old_offsets,
        new_offsets: offsets,
        new_keys: round.keys.written()?,
        new_values: round.values.written()?,
        pairs: Written(pairs),
    };
    let params = PairParams {
        all_buckets: buckets,
        buckets: entries.buckets,
        segment: entries.segment,
        last: entries.len - 1,
        new_bound: left,
    };
    recorder.dispatch(&kernels.pair, "pair", &buffers, &params, groups(entries.len))?;

    let threads = pair_shares(left.into(), matches!(kernels.last, Last::Extended { .. })) as u32;
    let (products, totals) = (memory.products.whole()?, memory.totals.whole()?);
    let buffers = PairForwardBuffers { points, pairs, products: Written(products), totals: Written(totals) };
    let params = PairForwardParams { threads, pairs: left };
    recorder.dispatch(&kernels.forward, "pair forward", &buffers, &params, groups(threads))?;
    let inverting = threads.div_ceil(SHARED_INVERSIONS);
    let params = InversesParams { threads: inverting, len: threads };
    let buffers = InversesBuffers { elements: Written(totals) };
    recorder.dispatch(&kernels.inverses, "invert", &buffers, &params, kernels.inverses.groups(inverting))?;
    let (inverses, sums) = (totals, round.sums.written()?);
    let params = |kernel: &Runner| {
        let [adding, last] = kernel.turns;
        PairBackwardParams { threads, pairs: left, adding, last }
    };
    match &kernels.last {
        Last::Backward(backward) => {
            let buffers = PairBackwardBuffers { points, pairs, products, inverses, sums };
            let params = params(backward);
            recorder.dispatch(
                &backward.pipeline,
                "pair backward",
                &buffers,
                &params,
                backward.pipeline.groups(threads),
            )?;
        }
        Last::Extended { slopes, sums: adding } => {
            let buffers = PairSlopesBuffers { points, pairs, products: Written(products), inverses };
            let params = params(slopes);
            recorder.dispatch(
                &slopes.pipeline,
                "pair slopes",
                &buffers,
                &params,
                slopes.pipeline.groups(threads),
            )?;
            let params = PairSumsParams { pairs: left, last: adding.turns[1] };
            let buffers = PairSumsBuffers { points, pairs, slopes: products, sums };
            recorder.dispatch(
                &adding.pipeline,
                "pair sums",
                &buffers,
                &params,
                adding.pipeline.groups(left),
            )?;
        }
    }
    Ok(Entries {
        points: &round.sums,
        keys: &round.keys,
        values: &round.values,
        offsets: &round.offsets,
        len: left,
        // The keys are bucket numbers among all sets.
        segment: left,
        buckets: 0,
    })
}
