//! The steps of a multiplication, each recorded as its dispatches, in the order in which
//! they run.

use super::kernels::{PointKernels, WORKGROUP};
use super::workspace::Workspace;
use crate::Result;
use crate::gpu::{DeviceVec, Pipeline, Recorder};
use crate::msm::{Plan, Scheme};

/// Slots that one folding takes together.
const FOLD: u32 = 16;

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

impl Part<'_> {
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

    fn threads(&self) -> u32 {
        self.plan.threads(self.entries()) as u32
    }

    fn all_buckets(&self) -> u32 {
        self.set_count() * self.scheme().buckets()
    }

    fn sums(&self) -> u32 {
        self.set_count() * self.scheme().weights()
    }

    fn slots(&self) -> u32 {
        self.threads() + self.all_buckets()
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

/// Step 2: entries sorted by bucket, each set on its own. Returns keys and values.
pub(super) fn sort<'w>(
    recorder: &mut Recorder,
    part: &Part,
    workspace: &'w Workspace,
) -> Result<(&'w DeviceVec<u32>, &'w DeviceVec<u32>)> {
    let shape = (part.set_count() as usize, part.segment());
    let unsorted = (&workspace.keys, &workspace.values);
    workspace.sort.record(recorder, unsorted, shape, part.scheme().key_bits())
}

/// Where each bucket begins in the sorted list.
pub(super) fn offsets(
    recorder: &mut Recorder,
    pipeline: &Pipeline,
    part: &Part,
    keys: &DeviceVec<u32>,
    workspace: &Workspace,
) -> Result<()> {
    let params = [part.all_buckets(), part.scheme().buckets(), part.segment() as u32];
    let buffers = [keys.whole()?, workspace.offsets.whole()?];
    recorder.dispatch(pipeline, "offsets", &buffers, &params, groups(part.all_buckets() + 1))
}

/// Step 3: equal slices of the sorted list to partial sums.
pub(super) fn accumulate(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    part: &Part,
    (keys, values): (&DeviceVec<u32>, &DeviceVec<u32>),
    workspace: &Workspace,
) -> Result<()> {
    let [adding, all] = kernels.mixed.ends;
    let params = [
        adding,
        all,
        part.threads(),
        part.plan.slice as u32,
        part.entries() as u32,
        part.segment() as u32,
        part.scheme().buckets(),
    ];
    let buffers = [
        kernels.mixed.steps.whole()?,
        part.table.whole()?,
        keys.whole()?,
        values.whole()?,
        workspace.partials.whole()?,
    ];
    recorder.dispatch(&kernels.accumulate, "accumulate", &buffers, &params, groups(part.threads()))
}

/// Step 3 as a baseline does it: whole buckets to their sums.
pub(super) fn accumulate_whole(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    pipeline: &Pipeline,
    part: &Part,
    values: &DeviceVec<u32>,
    workspace: &Workspace,
) -> Result<()> {
    let [adding, all] = kernels.mixed.ends;
    let params = [adding, all, part.threads(), part.plan.slice as u32, part.all_buckets()];
    let buffers = [
        kernels.mixed.steps.whole()?,
        part.table.whole()?,
        workspace.offsets.whole()?,
        values.whole()?,
        workspace.sums.whole()?,
    ];
    recorder.dispatch(pipeline, "accumulate", &buffers, &params, groups(part.threads()))
}

/// The rest of step 3: partial sums to bucket sums.
pub(super) fn gather(
    recorder: &mut Recorder,
    kernels: &PointKernels,
    part: &Part,
    workspace: &Workspace,
    sums: &wgpu::Buffer,
) -> Result<()> {
    let [adding, all] = kernels.full.ends;
    let slice = part.plan.slice as u32;
    let (steps, offsets) = (kernels.full.steps.whole()?, workspace.offsets.whole()?);
    let partials = workspace.partials.whole()?;
    let mut block = 1;
    while block <= part.threads() / FOLD {
        block *= FOLD;
        let blocks = part.slots() / block;
        let params = [adding, all, blocks, block, slice, part.all_buckets()];
        recorder.dispatch(&kernels.fold, "fold", &[steps, offsets, partials], &params, groups(blocks))?;
    }
    let scheme = part.scheme();
    let params =
        [adding, all, part.sums(), scheme.weights(), scheme.buckets(), slice, block, u32::from(part.fresh)];
    let buffers = [steps, offsets, partials, sums];
    recorder.dispatch(&kernels.gather, "gather", &buffers, &params, groups(part.sums()))
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
    let [adding, all] = kernels.full.ends;
    let steps = kernels.full.steps.whole()?;
    let (mut input, mut output) = (workspace.sums.whole()?, workspace.spare_sums.whole()?);
    let layers = scheme.weights().ilog2();
    for layer in 0..layers {
        let half = sets * (scheme.weights() >> (layer + 1));
        let arrays = layer + 1;
        let target = if arrays == layers { results } else { output };
        let params = [adding, all, arrays, half];
        recorder.dispatch(
            &kernels.reduce,
            "reduce",
            &[steps, input, target],
            &params,
            groups(arrays * half),
        )?;
        (input, output) = (output, input);
    }
    Ok(())
}
