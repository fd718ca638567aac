//! The steps of a submission: dispatches with their buffers, encoded as compute passes.

use super::encode::Encoders;
use crate::timeline::Launch;

/// Maximum number of workgroups in one dimension of a grid, on every device: WebGPU's default limit.
const MAX_GROUPS: u32 = 65_535;
/// Bytes between the parameters of two dispatches: a multiple of every device's offset alignment.
pub(super) const PARAMS_STRIDE: usize = 256;

/// The columns and rows of the grid of so many workgroups. Its last row may have more of them than are wanted.
fn grid(groups: u32) -> [u32; 2] {
    let columns = groups.clamp(1, MAX_GROUPS);
    [columns, groups.div_ceil(columns)]
}

/// The workgroups of the next part of a dispatch of which `left` remain, if a part may have `room`.
///
/// A part that another one follows has as many as its grid. The workgroups that its last row would have beyond them are those of the
/// next part, and a kernel that changes data in place would run twice on them.
pub(super) fn part(room: u32, left: u32) -> u32 {
    let most = room.clamp(1, left);
    if most == left || most <= MAX_GROUPS { most } else { most - most % MAX_GROUPS }
}

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
        let [columns, rows] = grid(step.groups);
        pass.dispatch_workgroups(columns, rows, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_workgroup_of_a_dispatch_runs_twice() {
        let sizes = [1, 2, MAX_GROUPS - 1, MAX_GROUPS, MAX_GROUPS + 1, 131_072, 524_288, u32::MAX / 2];
        for total in sizes {
            for room in sizes.into_iter().chain([0, 100_000, u32::MAX]) {
                let (mut first, mut parts) = (0, 0);
                while first < total && parts < 1000 {
                    let count = part(room, total - first);
                    let covered = grid(count).map(u64::from).iter().product::<u64>();
                    assert!(covered >= u64::from(count) && count <= room.max(1));
                    first += count;
                    parts += 1;
                    assert!(first == total || covered == u64::from(count), "{total} {room}");
                }
            }
        }
    }
}
