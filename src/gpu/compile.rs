//! Compiling a kernel's declaration to a pipeline for one device.

use web_time::Instant;

use super::device::Gpu;
use super::kernel::{Access, Kernel, Pipeline, Variant};
use super::shader;
use crate::{Error, Result};

/// Compiles one variant of a kernel.
///
/// # Errors
/// [`Error::Shader`] with the file and line of a fault.
pub(super) fn compile(
    gpu: &Gpu,
    kernel: &'static Kernel,
    variant: &Variant,
    cache: Option<&wgpu::PipelineCache>,
) -> Result<Pipeline> {
    let begin = Instant::now();
    let text = shader::compose(kernel, variant, gpu.arithmetic())?;
    let built = gpu.guarded(|device| {
        let module = module(gpu, device, kernel, &text.text);
        let layout = bind_group_layout(device, kernel);
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(kernel.name),
            bind_group_layouts: &[Some(&layout)],
            ..wgpu::PipelineLayoutDescriptor::default()
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(kernel.name),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: gpu.options().checked,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache,
        });
        Pipeline {
            kernel,
            layout,
            pipeline,
            #[cfg(test)]
            wgsl: text.text.as_str().into(),
        }
    });
    log::info!("{}: pipeline made in {:.0} ms", kernel.name, begin.elapsed().as_secs_f64() * 1e3);
    built.map_err(|e| match e {
        Error::Device(message) => text.explain(&format!("{}: {message}", kernel.name)),
        other => other,
    })
}

fn module(gpu: &Gpu, device: &wgpu::Device, kernel: &Kernel, text: &str) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(kernel.name),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    };
    if gpu.options().checked {
        return device.create_shader_module(descriptor);
    }
    // SAFETY: the crate's own kernels index within their bindings and their loops terminate;
    // the tests run them with the checks enabled.
    unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}

fn bind_group_layout(device: &wgpu::Device, kernel: &Kernel) -> wgpu::BindGroupLayout {
    let entry = |binding: usize, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
        count: None,
    };
    let params = entry(0, wgpu::BufferBindingType::Uniform, true);
    let storage = kernel.bindings.iter().enumerate().map(|(slot, binding)| {
        let read_only = binding.access == Access::Read;
        entry(slot + 1, wgpu::BufferBindingType::Storage { read_only }, false)
    });
    let entries: Vec<_> = std::iter::once(params).chain(storage).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(kernel.name),
        entries: &entries,
    })
}
