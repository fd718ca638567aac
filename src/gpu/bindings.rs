//! Bind groups and the buffer of parameters, kept between submissions: a program that repeats a call binds the same buffers,
//! and to make a bind group takes the host as long as to record the dispatch.

use std::collections::HashMap;

use super::step::{PARAMS_STRIDE, Step};

/// Bind groups that are kept at most.
const MAX_GROUPS: usize = 512;
/// The dispatches whose parameters the first buffer holds.
const FIRST_ROOM: usize = 256;

/// What dispatches of earlier submissions bound.
#[derive(Default)]
pub(super) struct Bindings {
    /// Holds the parameters of the dispatches of one submission at a time, [`PARAMS_STRIDE`] bytes each.
    params: Option<wgpu::Buffer>,
    groups: HashMap<(wgpu::BindGroupLayout, Vec<wgpu::Buffer>), wgpu::BindGroup>,
}

impl Bindings {
    /// Lets go of buffers that are to be freed. Small ones stay until the groups are too many.
    pub fn forget(&mut self, freed: &[wgpu::Buffer]) {
        if !freed.is_empty() {
            self.groups.retain(|(_, bound), _| !bound.iter().any(|buffer| freed.contains(buffer)));
        }
    }

    /// Returns a buffer for `bytes` bytes of parameters.
    pub fn params(&mut self, device: &wgpu::Device, bytes: usize) -> wgpu::Buffer {
        if let Some(known) = self.params.as_ref().filter(|known| known.size() >= bytes as u64) {
            return known.clone();
        }
        self.groups.clear();
        let params = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("params"),
            size: bytes.next_power_of_two().max(FIRST_ROOM * PARAMS_STRIDE) as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.params.insert(params).clone()
    }

    /// Returns the bind group of a step.
    pub fn group(&mut self, device: &wgpu::Device, step: &Step, params: &wgpu::Buffer) -> wgpu::BindGroup {
        if self.groups.len() >= MAX_GROUPS {
            self.groups.clear();
        }
        let key = (step.layout.clone(), step.buffers.clone());
        self.groups.entry(key).or_insert_with(|| bind_group(device, step, params)).clone()
    }
}

fn bind_group(device: &wgpu::Device, step: &Step, params: &wgpu::Buffer) -> wgpu::BindGroup {
    let params =
        wgpu::BufferBinding { buffer: params, offset: 0, size: wgpu::BufferSize::new(PARAMS_STRIDE as u64) };
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

#[cfg(test)]
mod tests {
    use crate::Device;
    use crate::field::BABY_BEAR;
    use crate::gpu::{Gpu, Options, test_devices};
    use crate::ntt::{PreparedTransform, Transform};
    use crate::task::Problem;

    const N: usize = 1 << 16;

    fn prepare(gpu: &Gpu, transform: &Transform) -> PreparedTransform {
        let device = Device::Gpu(gpu.clone());
        transform.plan(&device).unwrap().prepare(&device).unwrap()
    }

    #[test]
    fn repeated_calls_bind_nothing_new_and_freed_buffers_are_let_go() {
        let gpu = test_devices::open_another(Options::default());
        let transform = prepare(&gpu, &Transform::new(BABY_BEAR, N).unwrap());
        let mut vector = gpu.upload(&vec![1u32; N]).unwrap();
        let mut kept = || {
            transform.run_on_device(&mut vector).unwrap();
            gpu.wait().unwrap();
            gpu.bindings().groups.len()
        };
        // A vector and the scratch memory may take turns.
        let first = [0; 4].map(|_| kept())[3];
        assert!(first > 0);
        assert_eq!([0; 4].map(|_| kept())[3], first);
        let buffer = vector.whole().unwrap().clone();
        drop(vector);
        // The vector's memory is kept for another one, and so are the groups that bind it.
        let is_bound = || gpu.bindings().groups.keys().any(|(_, bound)| bound.contains(&buffer));
        assert!(is_bound());
        gpu.take_kept().unwrap();
        assert!(!is_bound());
    }

    /// Dispatches of one kernel with other parameters, some gathered before some that are submitted alone.
    #[test]
    fn submissions_keep_their_parameters() {
        let gpu = test_devices::open_another(Options::default());
        let there = Transform::new(BABY_BEAR, N).unwrap();
        let [there, back] = [there, there.inverted()].map(|transform| prepare(&gpu, &transform));
        let words: Vec<u32> = (0..N as u32).collect();
        let mut vectors = [0; 3].map(|_| gpu.upload(&words).unwrap());
        for _ in 0..3 {
            for vector in &mut vectors {
                there.run_on_device(vector).unwrap();
                if gpu.has_timestamps() {
                    gpu.device_time(|| back.run_on_device(vector)).unwrap();
                } else {
                    back.run_on_device(vector).unwrap();
                }
            }
        }
        for vector in &vectors {
            assert!(vector.download().unwrap() == words);
        }
    }
}
