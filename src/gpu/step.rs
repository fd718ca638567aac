//! The steps of a submission: dispatches with their buffers, encoded as compute passes.

use super::encode::Encoders;
use crate::timeline::Launch;

/// Maximum number of workgroups in one dimension of a grid, on every device: WebGPU's default limit.
const MAX_GROUPS: u32 = 65_535;
/// Bytes between the parameters of two dispatches: a multiple of every device's offset alignment.
pub(super) const PARAMS_STRIDE: usize = 256;

/// A recorded dispatch.
pub(super) struct Step {
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) buffers: Vec<wgpu::Buffer>,
    pub(super) kernel: &'static str,
    pub(super) stage: String,
    pub(super) groups: u32,
    /// The first workgroup of the dispatch that the step runs, and the number of all.
    pub(super) first: u32,
    pub(super) total: u32,
    /// True if the step begins a command buffer.
    pub(super) is_first: bool,
    /// The kernel and its WGSL text, for a trace.
    #[cfg(any(test, debug_assertions))]
    pub(super) source: (&'static super::Kernel, std::sync::Arc<str>),
}

impl Step {
    /// Describes the step in timelines.
    pub(super) fn launch(&self) -> Launch {
        let bound_bytes = self.buffers.iter().map(wgpu::Buffer::size).sum();
        Launch { first: self.first, count: self.groups, total: self.total, bound_bytes }
    }
}

/// The query set of a compute pass, and which of its queries get the times at the pass's beginning and end.
type Stamps<'q> = (&'q wgpu::QuerySet, Option<u32>, Option<u32>);

/// Encodes the steps, with one compute pass per command buffer; they are dispatches `first`, `first + 1`, ... of their
/// submission, which has the bind groups. The query set `stamps` gets the times at the beginning of the first pass and at the
/// end of the last.
pub(super) fn encode_steps(
    encoders: &mut Encoders<'_>,
    stamps: Option<&wgpu::QuerySet>,
    steps: &[&Step],
    first: usize,
    bindings: &[wgpu::BindGroup],
) {
    let mut begin = 0;
    while begin < steps.len() {
        let len = 1 + steps[begin + 1..].iter().take_while(|step| !step.is_first).count();
        let end = begin + len;
        let stamps = stamps.map(|set| (set, (begin == 0).then_some(0), (end == steps.len()).then_some(1)));
        let stamps = stamps.filter(|(_, first, last)| first.is_some() || last.is_some());
        let encoder = if steps[begin].is_first { encoders.begin() } else { encoders.current() };
        encode_pass(encoder, stamps, &steps[begin..end], first + begin, bindings);
        begin = end;
    }
}

/// Encodes one compute pass of the steps.
pub(super) fn encode_pass(
    encoder: &mut wgpu::CommandEncoder,
    stamps: Option<Stamps<'_>>,
    steps: &[&Step],
    first: usize,
    bindings: &[wgpu::BindGroup],
) {
    let timestamp_writes = stamps.map(|(query_set, first, last)| wgpu::ComputePassTimestampWrites {
        query_set,
        beginning_of_pass_write_index: first,
        end_of_pass_write_index: last,
    });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
    for (step, i) in steps.iter().zip(first..) {
        pass.set_pipeline(&step.pipeline);
        pass.set_bind_group(0, &bindings[i], &[(i * PARAMS_STRIDE) as u32]);
        let columns = step.groups.min(MAX_GROUPS);
        pass.dispatch_workgroups(columns, step.groups.div_ceil(columns), 1);
    }
}
