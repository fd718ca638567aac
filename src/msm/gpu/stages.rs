//! The steps of a multiplication, each recorded as its dispatches, in the order in which
//! they run.

use super::kernels::{CLEARING, PointKernels, WORKGROUP};
use super::workspace::Workspace;
use crate::Result;
use crate::gpu::{DeviceVec, Pipeline, Recorder};
use crate::msm::plan::FOLD;
use crate::msm::{Plan, Scheme};

/// What is accumulated at once: some bucket sets of one chunk of bases.
pub(super) struct Part<'a> {
    pub(super) plan: &'a Plan,
    /// The chunk's table: level a of base i at a * `stride` + i.
    pub(super) table: &'a DeviceVec<u32>,
    /// Bases of the chunk.
    pub(super) stride: usize,
    /// How many scalars there are, at most `stride`.
    pub(super) len: usize,
    /// The bucket sets, from the first to the one after the last.
    pub(super) sets: [u32; 2],
    /// Whether the bucket sums begin with this part.
    pub(super) fresh: bool,
}

impl<'a> Part<'a> {
    fn scheme(&self) -> &Scheme {
        &self.plan.scheme
    }

    fn set_count(&self) -> u32 {
        self.sets[1] - self.sets[0]
    }

    /// Entries of one set.
    fn segment(&self) -> usize {
        self.len * self.scheme().entries_per_set() as usize
    }

    fn entries(&self) -> usize {
        self.segment() * self.set_count() as usize
    }

    pub(super) fn all_buckets(&self) -> u32 {
        self.set_count() * self.scheme().buckets()
    }

    /// Threads that accumulate `entries`.
    fn threads(&self, entries: &Entries) -> u32 {
        self.plan.threads(entries.len as usize) as u32
    }

    /// What kernels are told of entries and buckets.
    fn of(&self, entries: &Entries) -> [u32; 4] {
        [entries.len, entries.segment, entries.buckets, self.all_buckets()]
    }

    /// All entries of the part, sorted.
    pub(super) fn sorted<'w>(
        &self,
        keys: &'w DeviceVec<u32>,
        values: &'w DeviceVec<u32>,
        workspace: &'w Workspace,
    ) -> Entries<'w>
    where
        'a: 'w,
    {
        Entries {
            points: self.table,
            keys,
            values,
            offsets: &workspace.offsets,
            len: self.entries() as u32,
            segment: self.segment() as u32,
            buckets: self.scheme().buckets(),
        }
    }
}

/// Workgroups for so many threads.
fn groups(threads: u32) -> u32 {
    threads.div_ceil(WORKGROUP)
}

/// Step 1: scalars, from the number `first` of a buffer on, to entries.
pub(super) fn digits(
    recorder: &mut Recorder,
    pipeline: &Pipeline,
    part: &Part,
    (scalars, first): (&wgpu::Buffer, u32),
    workspace: &Workspace,
) -> Result<()> {
    let scheme = part.scheme();
    let params = [
        first,
        part.len as u32,
        part.stride as u32,
        part.segment() as u32,
        scheme.width,
        scheme.sets * scheme.entries_per_set(),
        scheme.sets,
        part.sets[0],
        part.sets[1],
        u32::from(scheme.odd),
        scheme.levels - 1,
    ];
    let buffers = [scalars, workspace.keys.whole()?, workspace.values.whole()?];
    recorder.dispatch(pipeline, "digits", &buffers, &params, groups(part.len as u32))
}

/// Sorted entries, and the points that they mean.
#[derive(Clone, Copy)]
pub(super) struct Entries<'w> {
    /// What the entries' values are indices of: affine points.
    pub(super) points: &'w DeviceVec<u32>,
    pub(super) keys: &'w DeviceVec<u32>,
    pub(super) values: &'w DeviceVec<u32>,
    /// Each bucket's first entry, and the end.
    pub(super) offsets: &'w DeviceVec<u32>,
    /// How many there are.
    pub(super) len: u32,
    /// An entry's bucket among all sets is its key plus its place / `segment` times `buckets`.
    pub(super) segment: u32,
    pub(super) buckets: u32,
}

/// Step 2: entries sorted by bucket, each set on its own. Returns keys and values.
pub(super) fn sort<'w>(
    recorder: &mut Recorder,
    part: &Part<'w>,
    workspace: &'w Workspace,
) -> Result<Entries<'w>> {
    let shape = (part.set_count() as usize, part.segment());
    let unsorted = (&workspace.keys, &workspace.values);
    let (keys, values) = workspace.sort.record(recorder, unsorted, shape, part.scheme().key_bits())?;
    Ok(part.sorted(keys, values, workspace))
}

/// Where each bucket begins in the sorted list.
pub(super) fn offsets(
    recorder: &mut Recorder,
    pipeline: &Pipeline,
    part: &Part,
    entries: &Entries,
) -> Result<()> {
    let params = [part.all_buckets(), entries.buckets, entries.segment];
    let buffers = [entries.keys.whole()?, entries.offsets.whole()?];
    recorder.dispatch(pipeline, "offsets", &buffers, &params, groups(part.all_buckets() + 1))
}

/// Makes the sums of `part` infinity, where they begin with it.
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
    recorder.dispatch(pipeline, "clear", &[sums], &[vectors], vectors.div_ceil(CLEARING))
}

/// Step 3: equal slices of the sorted list to bucket sums and, behind those, partial sums of the
/// buckets that several slices met.
pub(super) fn accumulate(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    part: &Part,
    entries: &Entries,
    sums: &wgpu::Buffer,
) -> Result<()> {
    let [adding, doubling] = kernels.mixed;
    let (threads, slice) = (part.threads(entries), part.plan.slice as u32);
    let params =
        [&[adding, doubling, threads, slice], &part.of(entries)[..], &[u32::from(part.fresh)]].concat();
    let buffers = [entries.points.whole()?, entries.keys.whole()?, entries.values.whole()?, sums];
    recorder.dispatch(&kernels.accumulate, "accumulate", &buffers, &params, groups(threads))
}

/// Step 3 as a baseline does it: whole buckets to their sums.
pub(super) fn accumulate_whole(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    pipeline: &Pipeline,
    part: &Part,
    entries: &Entries,
    sums: &wgpu::Buffer,
) -> Result<()> {
    let [adding, doubling] = kernels.mixed;
    let threads = part.threads(entries);
    let params = [adding, doubling, threads, part.plan.slice as u32, part.all_buckets()];
    let buffers = [entries.points.whole()?, entries.offsets.whole()?, entries.values.whole()?, sums];
    recorder.dispatch(pipeline, "accumulate", &buffers, &params, groups(threads))
}

/// The rest of step 3: partial sums to the sums of their buckets.
pub(super) fn gather(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    part: &Part,
    entries: &Entries,
    sums: &wgpu::Buffer,
) -> Result<()> {
    let [adding, doubling] = kernels.full;
    let (threads, slice) = (part.threads(entries), part.plan.slice as u32);
    let keys = entries.keys.whole()?;
    let of_entries = part.of(entries);
    let mut block = 1;
    while block <= threads / FOLD {
        block *= FOLD;
        let blocks = threads / block;
        let params = [&[adding, doubling, blocks, block, slice], &of_entries[..]].concat();
        recorder.dispatch(&kernels.fold, "fold", &[keys, sums], &params, groups(blocks))?;
    }
    let params = [&[adding, doubling, threads, slice], &of_entries[..], &[block]].concat();
    let gathering = if kernels.by_bucket { part.all_buckets() } else { threads };
    let buffers = [keys, entries.offsets.whole()?, sums];
    recorder.dispatch(&kernels.gather, "gather", &buffers, &params, groups(gathering))
}

/// Step 4: bucket sums of `sets` sets to `log2 weights + 1` sums a set, in layers. The last
/// layer writes to `results`.
pub(super) fn reduce(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    scheme: &Scheme,
    sets: u32,
    workspace: &Workspace,
    results: &wgpu::Buffer,
) -> Result<()> {
    let [adding, doubling] = kernels.full;
    let (mut input, mut output) = (workspace.sums.whole()?, workspace.spare_sums.whole()?);
    let layers = scheme.weights().ilog2();
    if let Some(excess) = &kernels.excess {
        let target = if layers == 0 { results } else { output };
        let weights = sets * scheme.weights();
        let params = [adding, doubling, weights, scheme.weights(), scheme.buckets()];
        recorder.dispatch(excess, "reduce", &[input, target], &params, groups(weights))?;
        (input, output) = (output, input);
    }
    for layer in 0..layers {
        let half = sets * (scheme.weights() >> (layer + 1));
        let arrays = layer + 1;
        let target = if arrays == layers { results } else { output };
        let params = [adding, doubling, arrays, half];
        recorder.dispatch(&kernels.reduce, "reduce", &[input, target], &params, groups(arrays * half))?;
        (input, output) = (output, input);
    }
    Ok(())
}
