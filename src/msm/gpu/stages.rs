//! The steps of a multiplication, each recorded as its dispatches, in the order in which
//! they run.

use super::accumulation::{
    AccumulateBucketParams, AccumulateBuffers, AccumulateParams, AccumulateTwoParams, AccumulateWholeBuffers,
    AccumulateWholeParams, CLEARING, ClearBuffers, ClearParams, FoldBuffers, FoldParams, GatherBuffers,
    GatherParams,
};
use super::digits::{DigitsBuffers, DigitsParams, OffsetsBuffers, OffsetsParams};
use super::formulas::{Ends, WORKGROUP};
use super::kernels::{Accumulation, PointKernels};
use super::part::{Entries, Part};
use super::workspace::Workspace;
use crate::Result;
use crate::gpu::{Pipeline, Recorder, Written};
use crate::msm::tiling::FOLD;

/// The number of workgroups for `threads` threads.
fn groups(threads: u32) -> u32 {
    threads.div_ceil(WORKGROUP)
}

/// Step 1: converts scalars, from number `first` of a buffer on, to entries.
pub(super) fn digits(
    recorder: &mut Recorder,
    pipeline: &Pipeline,
    part: &Part,
    (scalars, first): (&wgpu::Buffer, u32),
    workspace: &Workspace,
) -> Result<()> {
    let scheme = part.scheme();
    let params = DigitsParams {
        first,
        vectors: part.vectors,
        len: part.len as u32,
        stride: part.stride as u32,
        segment: part.segment() as u32,
        width: scheme.width,
        windows: if scheme.halves { scheme.sets } else { scheme.sets * scheme.entries_per_set() },
        sets: scheme.sets,
        first_set: part.sets[0],
        last_set: part.sets[1],
        odd: u32::from(scheme.odd),
        last_level: scheme.levels - 1,
        top_bits: scheme.top_bits,
        last_bucket: scheme.buckets() - 1,
    };
    let buffers =
        DigitsBuffers { scalars, keys: workspace.keys.written()?, values: workspace.values.written()? };
    recorder.dispatch(pipeline, "digits", &buffers, &params, groups(part.vectors * part.len as u32))
}

/// Step 2: sorts the entries of each set by bucket.
pub(super) fn sort<'w>(
    recorder: &mut Recorder,
    part: &Part<'w>,
    workspace: &'w Workspace,
) -> Result<Entries<'w>> {
    let shape = (part.set_count() as usize, part.segment());
    let unsorted = (&workspace.keys, &workspace.values);
    let (keys, values) = workspace.sort.record(recorder, unsorted, shape, part.scheme().key_bits())?;
    Ok(part.sorted(keys, values, &workspace.offsets))
}

/// Finds the first entry of each bucket in the sorted list.
pub(super) fn offsets(
    recorder: &mut Recorder,
    pipeline: &Pipeline,
    part: &Part,
    entries: &Entries,
) -> Result<()> {
    let all_buckets = part.all_buckets();
    let params = OffsetsParams { all_buckets, buckets: entries.buckets, segment: entries.segment };
    let buffers = OffsetsBuffers { keys: entries.keys.whole()?, offsets: entries.offsets.written()? };
    recorder.dispatch(pipeline, "offsets", &buffers, &params, groups(all_buckets + 1))
}

/// Sets the bucket sums to infinity if they begin with `part`.
pub(super) fn clear(
    recorder: &mut Recorder,
    pipeline: &Pipeline,
    part: &Part,
    sum_words: usize,
    sums: &wgpu::Buffer,
) -> Result<()> {
    if !part.fresh {
        return Ok(());
    }
    let vectors = part.all_buckets() * sum_words as u32 / 4;
    let buffers = ClearBuffers { sums: Written(sums) };
    recorder.dispatch(pipeline, "clear", &buffers, &ClearParams { vectors }, vectors.div_ceil(CLEARING))
}

/// Step 3: adds up the sorted list to bucket sums. Equal slices of it also leave, stored after those, partial
/// sums of the buckets that several slices share.
pub(super) fn accumulate(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    part: &Part,
    entries: &Entries,
    sums: &wgpu::Buffer,
) -> Result<()> {
    let Ends { adding: last_adding, doubling: last_doubling } = kernels.accumulating.ends;
    let (threads, slice, all_buckets) = (part.threads(entries), part.cut.slice as u32, part.all_buckets());
    let fresh = u32::from(part.fresh);
    let &Entries { len, segment, buckets, .. } = entries;
    let (points, values) = (entries.points.whole()?, entries.values.whole()?);
    let sums = Written(sums);
    let by_slice = AccumulateBuffers { points, keys: entries.keys.whole()?, values, sums };
    let by_bucket = AccumulateWholeBuffers { points, offsets: entries.offsets.whole()?, values, sums };
    let groups = |threads: u32| kernels.accumulating.groups(threads);
    let pipeline = &kernels.accumulate;
    match kernels.form {
        Accumulation::Slices => {
            let params = AccumulateParams {
                last_adding,
                last_doubling,
                threads,
                slice,
                entries: len,
                segment,
                buckets,
                all_buckets,
                fresh,
            };
            recorder.dispatch(pipeline, "accumulate", &by_slice, &params, groups(threads))
        }
        Accumulation::SlicesByTwo(pair) => {
            let params = AccumulateTwoParams {
                last_adding,
                last_doubling,
                last_pairing: pair.adding,
                last_pair_doubling: pair.doubling,
                threads,
                slice,
                entries: len,
                segment,
                buckets,
                all_buckets,
                fresh,
            };
            recorder.dispatch(pipeline, "accumulate", &by_slice, &params, groups(threads))
        }
        Accumulation::Whole => {
            let params = AccumulateWholeParams { last_adding, last_doubling, threads, slice, all_buckets };
            recorder.dispatch(pipeline, "accumulate", &by_bucket, &params, groups(threads))
        }
        Accumulation::Each => {
            let params = AccumulateBucketParams { last_adding, last_doubling, all_buckets, fresh };
            recorder.dispatch(pipeline, "accumulate", &by_bucket, &params, groups(all_buckets))
        }
    }
}

/// The rest of step 3: adds up the partial sums to the sums of their buckets.
pub(super) fn gather(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    part: &Part,
    entries: &Entries,
    sums: &wgpu::Buffer,
) -> Result<()> {
    let Ends { adding, doubling } = kernels.folding.ends;
    let (threads, slice, all_buckets) = (part.threads(entries), part.cut.slice as u32, part.all_buckets());
    let (keys, sums) = (entries.keys.whole()?, Written(sums));
    let mut stride = 1;
    while stride <= threads / FOLD {
        let params = FoldParams {
            last_adding: adding,
            last_doubling: doubling,
            threads,
            block: stride * FOLD,
            step: stride,
            slice,
            entries: entries.len,
            segment: entries.segment,
            buckets: entries.buckets,
            all_buckets,
        };
        let groups = kernels.folding.groups(threads);
        recorder.dispatch(&kernels.fold, "fold", &FoldBuffers { keys, sums }, &params, groups)?;
        stride *= FOLD;
    }
    let Ends { adding, doubling } = kernels.gathering.ends;
    let params = GatherParams {
        last_adding: adding,
        last_doubling: doubling,
        threads,
        slice,
        entries: entries.len,
        segment: entries.segment,
        buckets: entries.buckets,
        all_buckets,
        stride,
    };
    let groups = kernels.gathering.groups(if kernels.by_bucket { all_buckets } else { threads });
    let buffers = GatherBuffers { keys, offsets: entries.offsets.whole()?, sums };
    recorder.dispatch(&kernels.gather, "gather", &buffers, &params, groups)
}
