//! Recording dispatches, and handing them to the device in submissions of bounded length.

use std::time::Duration;

use web_time::Instant;

use super::block_on::block_on;
use super::device::Gpu;
use super::kernel::Pipeline;
use super::staging::{self, Way};
use crate::timeline::Phase;
use crate::{Error, Result};

/// Workgroups in one dimension of a grid, everywhere.
const MAX_GROUPS: u32 = 65_535;
/// Bytes between the parameters of two dispatches: every limit on offsets divides it.
pub(super) const PARAMS_STRIDE: usize = 256;
/// Dispatches a submission at most: their parameters stay small, and a profile's queries
/// fit one query set.
const MAX_STEPS: usize = 1024;

/// Dispatches in the order in which they run; each sees what those before it wrote.
pub struct Recorder<'g> {
    gpu: &'g Gpu,
    steps: Vec<Step>,
    params: Vec<u8>,
    /// Expected device time of the steps, in nanoseconds.
    cost: f64,
    /// Whether long work is cut into several submissions.
    paced: bool,
}

pub(super) struct Step {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    pub(super) buffers: Vec<wgpu::Buffer>,
    pub(super) kernel: &'static str,
    stage: String,
    pub(super) groups: u32,
    /// For a record: what the kernel is.
    #[cfg(test)]
    pub(super) source: (&'static super::Kernel, std::sync::Arc<str>),
}

impl<'g> Recorder<'g> {
    pub(super) fn new(gpu: &'g Gpu, paced: bool) -> Self {
        Recorder { gpu, steps: Vec::new(), params: Vec::new(), cost: 0.0, paced }
    }

    /// Runs `groups` workgroups of a kernel on `buffers`, in the order of its bindings, with
    /// `params`, in the order of its parameters. `stage` is what timelines call it.
    ///
    /// Work that would make the submission too long goes to the device before this returns.
    ///
    /// # Errors
    /// [`Error::Device`] where buffers or parameters do not fit the kernel's declaration.
    pub fn dispatch(
        &mut self,
        pipeline: &Pipeline,
        stage: &str,
        buffers: &[&wgpu::Buffer],
        params: &[u32],
        groups: u32,
    ) -> Result<()> {
        let kernel = pipeline.kernel;
        if buffers.len() != kernel.bindings.len() || params.len() != kernel.params.len() {
            return Err(Error::Device(format!(
                "{}: {} buffers and {} parameters where {} and {} are declared",
                kernel.name,
                buffers.len(),
                params.len(),
                kernel.bindings.len(),
                kernel.params.len()
            )));
        }
        let mut first = 0;
        while first < groups {
            let room = if self.paced { self.gpu.pace().room(kernel.name, self.cost) } else { u32::MAX };
            if (room == 0 || self.paced && self.steps.len() == MAX_STEPS) && !self.steps.is_empty() {
                self.submit()?;
                continue;
            }
            let count = room.clamp(1, groups - first);
            self.push(pipeline, stage, buffers, params, first, count);
            first += count;
            if first < groups {
                self.submit()?;
                // The first stretch of an unknown kernel is short, and tells how long the
                // next may be.
                if !self.gpu.pace().knows(kernel.name) {
                    self.gpu.wait()?;
                }
            }
        }
        Ok(())
    }

    /// Hands what is recorded to the device, without waiting for it.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] and other faults of the driver.
    pub fn submit(&mut self) -> Result<()> {
        if self.steps.is_empty() {
            return Ok(());
        }
        if self.gpu.is_timed() {
            let time = self.submit_timed()?;
            self.gpu.spend(time);
            return Ok(());
        }
        if self.gpu.options().profile && self.gpu.has_timestamps() {
            return self.submit_profiled();
        }
        #[cfg(test)]
        let params = self.params.clone();
        let (steps, bindings) = self.take()?;
        let submit =
            || self.gpu.submit(|encoder| encode_pass(encoder, None, steps.iter().zip(&bindings).enumerate()));
        #[cfg(test)]
        if super::trace::is_on() {
            return super::trace::record(self.gpu, &steps, &params, submit);
        }
        submit()
    }

    /// Runs what is recorded in one pass, waits, and returns the device's own time for it.
    ///
    /// # Errors
    /// [`Error::Device`] where the device has no timestamps.
    pub(super) fn submit_timed(&mut self) -> Result<Duration> {
        if !self.gpu.has_timestamps() {
            return Err(Error::Device("this device has no timestamps".into()));
        }
        let (steps, bindings) = self.take()?;
        let queries = Queries::new(self.gpu, 1)?;
        self.gpu.submit(|encoder| {
            encode_pass(encoder, Some((&queries.set, 0)), steps.iter().zip(&bindings).enumerate());
            queries.resolve(encoder);
        })?;
        let [(start, end)] = queries.read(self.gpu)?[..] else { return Ok(Duration::ZERO) };
        Ok(end - start)
    }

    fn push(
        &mut self,
        pipeline: &Pipeline,
        stage: &str,
        buffers: &[&wgpu::Buffer],
        params: &[u32],
        first: u32,
        count: u32,
    ) {
        let words: Vec<u32> = [first, first + count].into_iter().chain(params.iter().copied()).collect();
        self.params.extend_from_slice(bytemuck::cast_slice(&words));
        self.params.resize(self.params.len().next_multiple_of(PARAMS_STRIDE), 0);
        self.cost += self.gpu.pace().cost(pipeline.kernel.name, count);
        self.steps.push(Step {
            pipeline: pipeline.pipeline.clone(),
            layout: pipeline.layout.clone(),
            buffers: buffers.iter().map(|&buffer| buffer.clone()).collect(),
            kernel: pipeline.kernel.name,
            stage: stage.to_owned(),
            groups: count,
            #[cfg(test)]
            source: (pipeline.kernel, pipeline.wgsl.clone()),
        });
    }

    /// Takes the steps out, with their parameters on the device and a bind group each.
    fn take(&mut self) -> Result<(Vec<Step>, Vec<wgpu::BindGroup>)> {
        let (steps, params) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.params));
        self.cost = 0.0;
        for step in &steps {
            self.gpu.pace().submitted(step.kernel, step.groups);
            self.gpu.timeline().count(&step.stage, 1);
        }
        let bindings = self.gpu.guarded(|device| {
            let uniform = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("params"),
                size: params.len() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            self.gpu.queue().write_buffer(&uniform, 0, &params);
            steps.iter().map(|step| bind_group(device, step, &uniform)).collect()
        })?;
        Ok((steps, bindings))
    }

    fn submit_profiled(&mut self) -> Result<()> {
        let (steps, bindings) = self.take()?;
        let queries = Queries::new(self.gpu, steps.len() as u32)?;
        self.gpu.submit(|encoder| {
            for step in steps.iter().zip(&bindings).enumerate() {
                encode_pass(encoder, Some((&queries.set, 2 * step.0 as u32)), std::iter::once(step));
            }
            queries.resolve(encoder);
        })?;
        let times = queries.read(self.gpu)?;
        // The device's clock has an origin of its own: its last stamp is about now.
        let (now, last) = (Instant::now(), times.last().map(|(_, end)| *end).unwrap_or_default());
        for (step, (start, end)) in steps.iter().zip(times) {
            let ago = last.saturating_sub(start);
            let begin = now.checked_sub(ago).unwrap_or(now);
            self.gpu.timeline().push(Phase::Device, &step.stage, begin, end.saturating_sub(start));
        }
        Ok(())
    }
}

/// Begin and end stamps of a number of passes.
struct Queries {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    count: u32,
}

impl Queries {
    fn new(gpu: &Gpu, passes: u32) -> Result<Self> {
        let count = 2 * passes;
        let buffer = |device: &wgpu::Device, usage| {
            let size = u64::from(count) * 8;
            let label = Some("timestamps");
            device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        };
        gpu.guarded(|device| Queries {
            set: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count,
            }),
            resolved: buffer(device, wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readable: buffer(device, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            count,
        })
    }

    fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.set, 0..self.count, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readable, 0, self.readable.size());
    }

    /// Waits, and returns begin and end of every pass since the device's origin of time.
    fn read(&self, gpu: &Gpu) -> Result<Vec<(Duration, Duration)>> {
        let size = self.readable.size();
        block_on(staging::map(gpu, std::slice::from_ref(&self.readable), &[size], Way::Download))?;
        let view = self.readable.slice(..).get_mapped_range();
        let view = view.map_err(|e| Error::Device(format!("cannot see the timestamps: {e}")))?;
        let period = f64::from(gpu.queue().get_timestamp_period());
        let time = |bytes: &[u8]| {
            let ticks = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            Duration::from_nanos((ticks as f64 * period) as u64)
        };
        Ok(view.chunks_exact(16).map(|pair| (time(&pair[..8]), time(&pair[8..]))).collect())
    }
}

fn encode_pass<'s>(
    encoder: &mut wgpu::CommandEncoder,
    stamps: Option<(&wgpu::QuerySet, u32)>,
    steps: impl Iterator<Item = (usize, (&'s Step, &'s wgpu::BindGroup))>,
) {
    let timestamp_writes = stamps.map(|(query_set, first)| wgpu::ComputePassTimestampWrites {
        query_set,
        beginning_of_pass_write_index: Some(first),
        end_of_pass_write_index: Some(first + 1),
    });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
    for (i, (step, bindings)) in steps {
        pass.set_pipeline(&step.pipeline);
        pass.set_bind_group(0, bindings, &[(i * PARAMS_STRIDE) as u32]);
        let columns = step.groups.min(MAX_GROUPS);
        pass.dispatch_workgroups(columns, step.groups.div_ceil(columns), 1);
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
