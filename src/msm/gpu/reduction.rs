//! The reduction of bucket sums: its kernels, and the steps of each way.
//!
//! ```text
//! bucket sums --> [excess buckets of odd digits, to those of their odd part]
//!     Layers(s):   groups of s neighbours --> one sum each, and an array more, weighted by digits; again
//!     PrefixSums:  runs of 8 --> sums of suffixes of each run --> of twice as long runs; again
//!                  --> their total, by halves
//! --> a few sums a set, for the host
//! ```

use std::sync::Arc;

use super::by_element::{self, REDUCE_BY_ELEMENT};
use super::formulas::{Adder, Ends, full_variants, other_full_variants, point_kernel};
use super::workspace::Workspace;
use crate::field::BigField;
use crate::gpu::{Gpu, Pipeline, Recorder, Variant, Written};
use crate::msm::{Cut, Reduction, Scheme};
use crate::{Error, Result};

point_kernel! {
    /// Adds the buckets beyond the table to those of their odd parts.
    static EXCESS = "msm/odd_digit_overflow", full_variants;
    ExcessBuffers { sums: read array<vec4<u32>>, weights: read_write array<vec4<u32>> }
    ExcessParams {
        /// Sums to write.
        sums,
        /// Weights of a set.
        weights,
        /// Buckets of a set.
        buckets,
    }
}

point_kernel! {
    /// Computes one layer of the reduction of buckets.
    static REDUCE = "msm/reduce", full_variants;
    LayerBuffers { input: read array<vec4<u32>>, output: read_write array<vec4<u32>> }
    ReduceParams {
        /// Arrays of sums.
        arrays,
        /// Half the length of an array.
        half,
    }
}

point_kernel! {
    /// Computes one layer of the reduction by digits in a base above 2.
    static REDUCE_DIGITS = "msm/reduce_digits", other_full_variants;
    LayerBuffers
    ReduceDigitsParams {
        /// Arrays of sums.
        arrays,
        /// Groups of an array.
        groups,
        /// Points of a group.
        scale,
    }
}

point_kernel! {
    /// Computes the sums of suffixes of short runs.
    static SUFFIX_RUNS = "msm/suffix_runs", other_full_variants;
    SuffixesBuffers { sums: read_write array<vec4<u32>> }
    SuffixRunsParams {
        /// Runs of all sets.
        runs,
        /// Points of a run.
        run,
    }
}

point_kernel! {
    /// Joins the sums of suffixes of two runs side by side.
    static SUFFIX_JOIN = "msm/suffix_join", other_full_variants;
    SuffixesBuffers
    SuffixJoinParams {
        /// Points of the first runs of all pairs.
        points,
        /// Points of a run.
        run,
    }
}

point_kernel! {
    /// Computes one layer of the total of the sums of suffixes.
    static SUFFIX_TOTAL = "msm/suffix_total", other_full_variants;
    LayerBuffers
    SuffixTotalParams {
        /// New points of all sets.
        points,
        /// Points of a set.
        len,
        /// New points of a set.
        new_len,
        /// Places between a set's new points.
        point_stride,
        /// Places between the first new points of two sets.
        set_stride,
    }
}

/// Points of a run whose sums of suffixes one thread computes.
const RUN: u32 = 8;

/// The kernels of one way of reducing, in one system of coordinates.
pub(super) struct ReductionKernels {
    pipelines: ReductionPipelines,
    /// Only for odd digits with buckets beyond the table, and for sets of one bucket.
    excess: Option<Arc<Pipeline>>,
    /// The dispatches of these kernels, unless the pipelines say otherwise.
    adder: Adder,
}

enum ReductionPipelines {
    /// The first kernel that is for enough sums applies.
    Halves(Vec<Halves>),
    Digits(Arc<Pipeline>),
    Suffixes {
        runs: Arc<Pipeline>,
        join: Arc<Pipeline>,
        total: Arc<Pipeline>,
    },
}

/// A kernel for layers of halves.
struct Halves {
    pipeline: Arc<Pipeline>,
    adder: Adder,
    /// The most sums of a layer that it is for.
    most: u32,
}

/// The bucket sums of some sets.
pub(super) struct Buckets<'a> {
    pub(super) scheme: &'a Scheme,
    pub(super) sets: u32,
}

impl ReductionKernels {
    /// Compiles the kernels. `by_one` is the variant of those in which one thread computes a sum, with their dispatches;
    /// `elements` is the field, if the coordinates are those in which a sum can have a thread for each element.
    pub(super) fn new(
        gpu: &Gpu,
        reduction: Reduction,
        cut: &Cut,
        (adds_points, adder): (&Variant, Adder),
        elements: Option<&BigField>,
    ) -> Result<Self> {
        let scheme = &cut.scheme;
        // This kernel also copies the sums of sets of one bucket, which need no reduction, to the results.
        let has_excess = scheme.excess_buckets() > 0 || scheme.weights() == 1;
        let pipelines = || {
            Ok(match reduction {
                Reduction::Layers(..=2) => {
                    let by_element = elements.map(|field| {
                        let pipeline =
                            gpu.pipeline(&REDUCE_BY_ELEMENT, &by_element::variant(field, gpu.arithmetic()))?;
                        let (adder, most) = (by_element::adder(field), by_element::most(field));
                        Ok(Halves { pipeline, adder, most })
                    });
                    let is_enough =
                        elements.is_some_and(|field| cut.all_buckets() as u32 / 2 <= by_element::most(field));
                    let by_one = (!is_enough).then(|| {
                        Ok(Halves { pipeline: gpu.pipeline(&REDUCE, adds_points)?, adder, most: u32::MAX })
                    });
                    ReductionPipelines::Halves(by_element.into_iter().chain(by_one).collect::<Result<_>>()?)
                }
                Reduction::Layers(_) => {
                    ReductionPipelines::Digits(gpu.pipeline(&REDUCE_DIGITS, adds_points)?)
                }
                Reduction::PrefixSums => {
                    let kernels = [&SUFFIX_RUNS, &SUFFIX_JOIN, &SUFFIX_TOTAL];
                    let [runs, join, total] = gpu.pipelines(kernels.map(|kernel| (kernel, adds_points)))?;
                    ReductionPipelines::Suffixes { runs, join, total }
                }
            })
        };
        let excess = || has_excess.then(|| gpu.pipeline(&EXCESS, adds_points)).transpose();
        let (pipelines, excess) = gpu.beside(pipelines, excess)?;
        Ok(ReductionKernels { pipelines, excess, adder })
    }
}

/// Step 4: reduces the bucket sums to a few sums for each set, which
/// [`Reduction::digits`](crate::msm::Reduction) describes. The last layer writes to `results`.
pub(super) fn reduce(
    recorder: &mut Recorder,
    kernels: &ReductionKernels,
    buckets: &Buckets,
    reduction: Reduction,
    workspace: &Workspace,
    results: &wgpu::Buffer,
) -> Result<()> {
    let Ends { adding: last_adding, doubling: last_doubling } = kernels.adder.ends;
    let (mut input, mut output) = (workspace.sums.whole()?, workspace.spare_sums.whole()?);
    let (scheme, sets) = (buckets.scheme, buckets.sets);
    let groups = |sums: u32| kernels.adder.groups(sums);
    let weights = scheme.weights();
    if let Some(excess) = &kernels.excess {
        let target = if weights == 1 { results } else { output };
        let params = ExcessParams {
            last_adding,
            last_doubling,
            sums: sets * weights,
            weights,
            buckets: scheme.buckets(),
        };
        let buffers = ExcessBuffers { sums: input, weights: Written(target) };
        recorder.dispatch(excess, "reduce", &buffers, &params, groups(params.sums))?;
        (input, output) = (output, input);
    }
    let digits = reduction.digits(weights);
    let both = [input, output];
    match &kernels.pipelines {
        _ if digits.is_empty() => Ok(()),
        ReductionPipelines::Suffixes { runs, join, total } => {
            let buffers = SuffixesBuffers { sums: Written(input) };
            let run = RUN.min(weights);
            let params = SuffixRunsParams { last_adding, last_doubling, runs: sets * weights / run, run };
            recorder.dispatch(runs, "reduce", &buffers, &params, groups(params.runs))?;
            let points = sets * weights / 2;
            for run in std::iter::successors(Some(run), |run| Some(2 * run)).take_while(|run| *run < weights)
            {
                let params = SuffixJoinParams { last_adding, last_doubling, points, run };
                recorder.dispatch(join, "reduce", &buffers, &params, groups(points))?;
            }
            total_of_suffixes(recorder, kernels, total, (weights, sets), both, results)
        }
        ReductionPipelines::Halves(halves) => {
            layers(&digits, (weights, sets), both, results, |layer, buffers| {
                let (arrays, half) = (layer.arrays, layer.groups);
                let is_enough = |halves: &&Halves| arrays * half <= halves.most;
                let Some(Halves { pipeline, adder, .. }) = halves.iter().find(is_enough) else {
                    return Err(Error::Device(format!("no kernel for layers of {} sums", arrays * half)));
                };
                let Ends { adding: last_adding, doubling: last_doubling } = adder.ends;
                let params = ReduceParams { last_adding, last_doubling, arrays, half };
                recorder.dispatch(pipeline, "reduce", &buffers, &params, adder.groups(arrays * half))
            })
        }
        ReductionPipelines::Digits(pipeline) => {
            layers(&digits, (weights, sets), both, results, |layer, buffers| {
                let Layer { arrays, groups: of_array, scale } = layer;
                let params =
                    ReduceDigitsParams { last_adding, last_doubling, arrays, groups: of_array, scale };
                recorder.dispatch(pipeline, "reduce", &buffers, &params, groups(arrays * of_array))
            })
        }
    }
}

/// One layer of a reduction by digits: arrays of groups of `scale` points.
struct Layer {
    arrays: u32,
    groups: u32,
    scale: u32,
}

/// Calls `record` for each layer with its buffers.
fn layers<'b>(
    digits: &[u32],
    (weights, sets): (u32, u32),
    [mut input, mut output]: [&'b wgpu::Buffer; 2],
    results: &'b wgpu::Buffer,
    mut record: impl FnMut(Layer, LayerBuffers<'b>) -> Result<()>,
) -> Result<()> {
    let mut left = weights;
    for (bits, arrays) in digits.iter().zip(1..) {
        left >>= bits;
        let target = if arrays as usize == digits.len() { results } else { output };
        let buffers = LayerBuffers { input, output: Written(target) };
        record(Layer { arrays, groups: sets * left, scale: 1 << bits }, buffers)?;
        (input, output) = (output, input);
    }
    Ok(())
}

/// Adds up the sums of suffixes, by halves, until each set has its first one and the sum of the others.
fn total_of_suffixes(
    recorder: &mut Recorder,
    kernels: &ReductionKernels,
    pipeline: &Pipeline,
    (weights, sets): (u32, u32),
    [mut input, mut output]: [&wgpu::Buffer; 2],
    results: &wgpu::Buffer,
) -> Result<()> {
    let Ends { adding: last_adding, doubling: last_doubling } = kernels.adder.ends;
    let mut len = weights;
    loop {
        let new_len = (len / 2).max(2);
        let is_last = new_len == 2;
        let (point_stride, set_stride) = if is_last { (sets, 1) } else { (1, new_len) };
        let points = sets * new_len;
        let params =
            SuffixTotalParams { last_adding, last_doubling, points, len, new_len, point_stride, set_stride };
        let target = if is_last { results } else { output };
        let buffers = LayerBuffers { input, output: Written(target) };
        recorder.dispatch(pipeline, "reduce", &buffers, &params, kernels.adder.groups(points))?;
        if is_last {
            return Ok(());
        }
        (input, output) = (output, input);
        len = new_len;
    }
}
