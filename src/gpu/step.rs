//! The steps of a submission: dispatches with their buffers, encoded as compute passes.

use super::device::Gpu;
use super::encode::Encoders;
use crate::Result;
use crate::timeline::Launch;

/// Maximum number of workgroups in one dimension of a grid, on every device: WebGPU's default limit.
const MAX_GROUPS: u32 = 65_535;
/// Bytes between the parameters of two dispatches: a multiple of every device's offset alignment.
pub(super) const PARAMS_STRIDE: usize = 256;
/// Number of steps before one among which a step with the same bind group is looked for.
const ALIKE: usize = 4;

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
    #[cfg(test)]
    pub(super) source: (&'static super::Kernel, std::sync::Arc<str>),
}

impl Step {
    /// Describes the step in timelines.
    pub(super) fn launch(&self) -> Launch {
        let bound_bytes = self.buffers.iter().map(wgpu::Buffer::size).sum();
        Launch { first: self.first, count: self.groups, total: self.total, bound_bytes }
    }
}

/// Encodes the steps, with one compute pass per command buffer. The query set `stamps` gets the times at the
/// beginning of the first pass and at the end of the last.
pub(super) fn encode(
    encoders: &mut Encoders<'_>,
    stamps: Option<&wgpu::QuerySet>,
    steps: &[Step],
    bindings: &[wgpu::BindGroup],
) {
    let mut begin = 0;
    while begin < steps.len() {
        let len = 1 + steps[begin + 1..].iter().take_while(|step| !step.is_first).count();
        let end = begin + len;
        let stamps = stamps.map(|set| (set, (begin == 0).then_some(0), (end == steps.len()).then_some(1)));
        let stamps = stamps.filter(|(_, first, last)| first.is_some() || last.is_some());
        encode_pass(encoders.begin(), stamps, (begin..end).map(|i| (i, (&steps[i], &bindings[i]))));
        begin = end;
    }
}

pub(super) fn encode_pass<'s>(
    encoder: &mut wgpu::CommandEncoder,
    stamps: Option<(&wgpu::QuerySet, Option<u32>, Option<u32>)>,
    steps: impl Iterator<Item = (usize, (&'s Step, &'s wgpu::BindGroup))>,
) {
    let timestamp_writes = stamps.map(|(query_set, first, last)| wgpu::ComputePassTimestampWrites {
        query_set,
        beginning_of_pass_write_index: first,
        end_of_pass_write_index: last,
    });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
    for (i, (step, bindings)) in steps {
        pass.set_pipeline(&step.pipeline);
        pass.set_bind_group(0, bindings, &[(i * PARAMS_STRIDE) as u32]);
        let columns = step.groups.min(MAX_GROUPS);
        pass.dispatch_workgroups(columns, step.groups.div_ceil(columns), 1);
    }
}

impl Gpu {
    /// Uploads the parameters of `steps`, which lie [`PARAMS_STRIDE`] apart and are about to be submitted, and returns a
    /// bind group for each.
    pub(super) fn bind(&self, steps: &[&Step], params: &[u8]) -> Result<Vec<wgpu::BindGroup>> {
        let mut pace = self.pace();
        steps.iter().for_each(|step| pace.submitted(step.kernel, step.groups));
        drop(pace);
        self.guarded(|device| {
            let uniform = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("params"),
                size: params.len() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            self.queue().write_buffer(&uniform, 0, params);
            let mut groups: Vec<wgpu::BindGroup> = Vec::with_capacity(steps.len());
            for (i, step) in steps.iter().enumerate() {
                // Calls that follow each other often bind the same buffers.
                let same = |j: &usize| steps[*j].layout == step.layout && steps[*j].buffers == step.buffers;
                let known = (i.saturating_sub(ALIKE)..i).rev().find(same);
                groups.push(match known {
                    Some(j) => groups[j].clone(),
                    None => bind_group(device, step, &uniform),
                });
            }
            groups
        })
    }
}

fn bind_group(device: &wgpu::Device, step: &Step, uniform: &wgpu::Buffer) -> wgpu::BindGroup {
    let params =
        wgpu::BufferBinding { buffer: uniform, offset: 0, size: wgpu::BufferSize::new(PARAMS_STRIDE as u64) };
    let params = wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(params) };
    let storage = step.buffers.iter().zip(1..);
    let storage = storage
        .map(|(buffer, binding)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
    let entries: Vec<_> = std::iter::once(params).chain(storage).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &step.layout,
        entries: &entries,
    })
}
