//! The steps of a multiplication, each recorded as its dispatches, in the order in which
//! they run.

use super::kernels::{
    AccumulateParams, AccumulateWholeParams, CLEARING, ClearParams, DigitsParams, Ends, ExcessParams,
    FoldParams, GatherParams, OffsetsParams, PointKernels, ReduceParams, WORKGROUP,
};
use super::part::{Entries, Part};
use super::workspace::Workspace;
use crate::Result;
use crate::gpu::{Pipeline, Recorder};
use crate::msm::Scheme;
use crate::msm::cut::FOLD;

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
        len: part.len as u32,
        stride: part.stride as u32,
        segment: part.segment() as u32,
        width: scheme.width,
        windows: scheme.sets * scheme.entries_per_set(),
        sets: scheme.sets,
        first_set: part.sets[0],
        last_set: part.sets[1],
        odd: u32::from(scheme.odd),
        last_level: scheme.levels - 1,
    };
    let buffers = [scalars, workspace.keys.whole()?, workspace.values.whole()?];
    recorder.dispatch(pipeline, "digits", &buffers, &params, groups(part.len as u32))
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
    let buffers = [entries.keys.whole()?, entries.offsets.whole()?];
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
    recorder.dispatch(pipeline, "clear", &[sums], &ClearParams { vectors }, vectors.div_ceil(CLEARING))
}

/// Step 3: adds up equal slices of the sorted list to bucket sums and, stored after those, partial sums
/// of the buckets that several slices share.
pub(super) fn accumulate(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    part: &Part,
    entries: &Entries,
    sums: &wgpu::Buffer,
) -> Result<()> {
    let Ends { adding, doubling } = kernels.mixed;
    let threads = part.threads(entries);
    let params = AccumulateParams {
        last_adding: adding,
        last_doubling: doubling,
        threads,
        slice: part.cut.slice as u32,
        entries: entries.len,
        segment: entries.segment,
        buckets: entries.buckets,
        all_buckets: part.all_buckets(),
        fresh: u32::from(part.fresh),
    };
    let buffers = [entries.points.whole()?, entries.keys.whole()?, entries.values.whole()?, sums];
    recorder.dispatch(&kernels.accumulate, "accumulate", &buffers, &params, groups(threads))
}

/// Step 3 of the baseline: adds up whole buckets.
pub(super) fn accumulate_whole(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    pipeline: &Pipeline,
    part: &Part,
    entries: &Entries,
    sums: &wgpu::Buffer,
) -> Result<()> {
    let Ends { adding, doubling } = kernels.mixed;
    let threads = part.threads(entries);
    let params = AccumulateWholeParams {
        last_adding: adding,
        last_doubling: doubling,
        threads,
        slice: part.cut.slice as u32,
        all_buckets: part.all_buckets(),
    };
    let buffers = [entries.points.whole()?, entries.offsets.whole()?, entries.values.whole()?, sums];
    recorder.dispatch(pipeline, "accumulate", &buffers, &params, groups(threads))
}

/// The rest of step 3: adds up the partial sums to the sums of their buckets.
pub(super) fn gather(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    part: &Part,
    entries: &Entries,
    sums: &wgpu::Buffer,
) -> Result<()> {
    let Ends { adding, doubling } = kernels.full;
    let (threads, slice, all_buckets) = (part.threads(entries), part.cut.slice as u32, part.all_buckets());
    let keys = entries.keys.whole()?;
    let mut block = 1;
    while block <= threads / FOLD {
        block *= FOLD;
        let blocks = threads / block;
        let params = FoldParams {
            last_adding: adding,
            last_doubling: doubling,
            blocks,
            block,
            slice,
            entries: entries.len,
            segment: entries.segment,
            buckets: entries.buckets,
            all_buckets,
        };
        recorder.dispatch(&kernels.fold, "fold", &[keys, sums], &params, groups(blocks))?;
    }
    let params = GatherParams {
        last_adding: adding,
        last_doubling: doubling,
        threads,
        slice,
        entries: entries.len,
        segment: entries.segment,
        buckets: entries.buckets,
        all_buckets,
        largest_block: block,
    };
    let gathering = if kernels.by_bucket { all_buckets } else { threads };
    let buffers = [keys, entries.offsets.whole()?, sums];
    recorder.dispatch(&kernels.gather, "gather", &buffers, &params, groups(gathering))
}

/// Step 4: reduces the bucket sums of `sets` sets to `log2 weights + 1` sums per set, in layers. The
/// last layer writes to `results`.
pub(super) fn reduce(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    scheme: &Scheme,
    sets: u32,
    workspace: &Workspace,
    results: &wgpu::Buffer,
) -> Result<()> {
    let Ends { adding, doubling } = kernels.full;
    let (mut input, mut output) = (workspace.sums.whole()?, workspace.spare_sums.whole()?);
    let layers = scheme.weights().ilog2();
    if let Some(excess) = &kernels.excess {
        let target = if layers == 0 { results } else { output };
        let params = ExcessParams {
            last_adding: adding,
            last_doubling: doubling,
            sums: sets * scheme.weights(),
            weights: scheme.weights(),
            buckets: scheme.buckets(),
        };
        recorder.dispatch(excess, "reduce", &[input, target], &params, groups(params.sums))?;
        (input, output) = (output, input);
    }
    for layer in 0..layers {
        let half = sets * (scheme.weights() >> (layer + 1));
        let arrays = layer + 1;
        let target = if arrays == layers { results } else { output };
        let params = ReduceParams { last_adding: adding, last_doubling: doubling, arrays, half };
        recorder.dispatch(&kernels.reduce, "reduce", &[input, target], &params, groups(arrays * half))?;
        (input, output) = (output, input);
    }
    Ok(())
}
