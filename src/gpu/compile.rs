//! Compiling a kernel's declaration to a pipeline for one device: each is compiled once, and those of a task in
//! parallel.

use std::borrow::Borrow;
use std::sync::Arc;
use std::time::Duration;

use web_time::Instant;

use super::binding::Access;
use super::cache::DiskCache;
use super::clock::CANARY;
use super::compile_queue::Haste;
use super::device::Gpu;
use super::kernel::{Arithmetic, Kernel, Pipeline, Variant};
use super::pipelines::Slot;
use super::profile::begin_seconds;
use super::shader;
use super::translations::Translations;
use crate::lock::lock;
use crate::timeline::Phase;
use crate::{Error, Result};

impl Gpu {
    /// Returns the kernel compiled for this device. The first call compiles it, with the help of the cache on
    /// disk; later calls return the same pipeline.
    pub fn pipeline(&self, kernel: &'static Kernel, variant: &Variant) -> Result<Arc<Pipeline>> {
        let arithmetic = self.arithmetic_of(variant.family());
        // A measurement, for which others wait, must not wait for one of them.
        let haste = if kernel.name == CANARY.name { Haste::AtOnce } else { Haste::Composing };
        let pipeline = self.pipeline_with(kernel, variant, arithmetic, haste)?;
        #[cfg(any(test, debug_assertions))]
        self.note_asked(kernel, variant, &pipeline);
        Ok(pipeline)
    }

    /// [`pipeline`](Self::pipeline) with this arithmetic, whatever the record says: at once, or else in the order of the queue.
    pub(super) fn pipeline_with(
        &self,
        kernel: &'static Kernel,
        variant: &Variant,
        arithmetic: Arithmetic,
        haste: Haste,
    ) -> Result<Arc<Pipeline>> {
        self.reached();
        let slot = self.slot(kernel, variant, arithmetic);
        // A thread that needs the same kernel waits here, since compiling it twice takes longer. There is no
        // deadlock: the thread that holds the lock compiles and waits for no other slot.
        let mut slot = lock(&slot);
        if let Some(pipeline) = &*slot {
            return Ok(Arc::clone(pipeline));
        }
        let cache = self.opened.pipelines.cache.as_ref();
        let handle = cache.and_then(DiskCache::handle);
        let compiled = compile(self, (kernel, variant), arithmetic, handle, haste);
        let pipeline = match (compiled, cache) {
            // The cache may be the cause of the error, and must not make a run fail: try without it.
            (Err(Error::Shader(_) | Error::Device(_)), Some(cache)) if handle.is_some() => {
                let pipeline = compile(self, (kernel, variant), arithmetic, None, haste)?;
                cache.distrust();
                pipeline
            }
            (compiled, _) => compiled?,
        };
        let pipeline = Arc::new(pipeline);
        if let Some(cache) = cache {
            cache.changed();
        }
        *slot = Some(Arc::clone(&pipeline));
        Ok(pipeline)
    }

    /// Compiles a kernel although it may be compiled already, to see how long that takes.
    pub(super) fn compile_anew(
        &self,
        kernel: &'static Kernel,
        variant: &Variant,
        arithmetic: Arithmetic,
    ) -> Result<Pipeline> {
        self.reached();
        let cache = self.opened.pipelines.cache.as_ref().and_then(DiskCache::handle);
        compile(self, (kernel, variant), arithmetic, cache, Haste::AtOnce)
    }

    /// Does what compiles the kernels of a plan, which said how long that takes: later plans say how long it took.
    pub(crate) fn compare_compiling<T>(
        &self,
        planned: Duration,
        prepare: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let begin = Duration::from_secs_f64(begin_seconds(self.device_record()));
        self.opened.pipelines.compare(planned.saturating_sub(begin), prepare)
    }

    /// Writes the compiled kernels to the disk for later runs, where the driver permits it. Dropping the last clone of the device
    /// does so, too: this is for programs that end without it.
    pub fn keep_compiled(&self) {
        self.opened.pipelines.keep();
    }

    /// Returns several compiled kernels. Missing ones are compiled in parallel if threads are available. The error is
    /// that of the first kernel that does not compile.
    pub fn pipelines<const N: usize>(
        &self,
        wanted: [(&'static Kernel, &Variant); N],
    ) -> Result<[Arc<Pipeline>; N]> {
        let pipelines = self.pipelines_of(&wanted)?;
        exactly(pipelines)
    }

    /// [`Gpu::pipelines`] for any number of kernels.
    pub(crate) fn pipelines_of<V: Borrow<Variant> + Sync>(
        &self,
        wanted: &[(&'static Kernel, V)],
    ) -> Result<Vec<Arc<Pipeline>>> {
        let missing: Vec<_> = wanted.iter().filter(|wanted| self.is_missing(wanted)).collect();
        let pipeline = |(kernel, variant): &(&'static Kernel, V)| self.pipeline(kernel, variant.borrow());
        self.each(&missing, |wanted| pipeline(wanted))?;
        wanted.iter().map(pipeline).collect()
    }

    /// True if a kernel is neither compiled nor being compiled. Only then is it worth a thread.
    fn is_missing<V: Borrow<Variant>>(&self, (kernel, variant): &(&'static Kernel, V)) -> bool {
        self.slot(kernel, variant.borrow(), self.arithmetic_of(variant.borrow().family()))
            .try_lock()
            .is_ok_and(|slot| slot.is_none())
    }

    fn slot(&self, kernel: &'static Kernel, variant: &Variant, arithmetic: Arithmetic) -> Slot {
        self.opened.pipelines.slot((kernel.name, variant.identity(), arithmetic, self.options().checked))
    }
}

/// As many results as were asked for.
pub(crate) fn exactly<T, const N: usize>(results: Vec<T>) -> Result<[T; N]> {
    results.try_into().map_err(|_| Error::Device("not as many results as were asked for".into()))
}

/// What a driver makes a pipeline of.
enum Source<'t> {
    /// WGSL, which wgpu checks and translates.
    Text(&'t str),
    /// A translation that is kept.
    Spirv(&'t [u32]),
}

/// Compiles one variant of a kernel.
fn compile(
    gpu: &Gpu,
    of: (&'static Kernel, &Variant),
    arithmetic: Arithmetic,
    cache: Option<&wgpu::PipelineCache>,
    haste: Haste,
) -> Result<Pipeline> {
    let (kernel, variant) = of;
    let options = gpu.options();
    let kept = gpu.opened.translations.as_ref().filter(|_| !options.checked && options.altered.is_none());
    let kept = kept.and_then(|kept| Some((kept, Translations::name(kernel, variant, arithmetic)?)));
    let compose = || Ok(shader::compose(kernel, variant, arithmetic)?.altered(kernel, options.altered));
    let queue = &gpu.opened.pipelines.queue;
    let composing = queue.enter(haste);
    let found = kept.as_ref().and_then(|(kept, name)| kept.find(name));
    let text = if found.is_some() { None } else { Some(compose()?) };
    drop(composing);
    let length = match (&found, &text) {
        (Some(words), _) => size_of_val(&words[..]),
        (_, text) => text.as_ref().map_or(0, |text| text.text.len()),
    };
    let _turn = queue.enter(if haste == Haste::AtOnce { haste } else { Haste::Text(length) });
    let begin = Instant::now();
    let is_new = found.is_none();
    let make = || {
        let words = match (found, &kept, &text) {
            (None, Some((kept, name)), Some(text)) => kept.make(name, &text.text).ok(),
            (found, ..) => found,
        };
        // Whatever fails here fails below as well, where the error names the line, or is no fault of the kernel.
        let pipeline = words.and_then(|words| build(gpu, of, &Source::Spirv(&words), cache).ok());
        match pipeline {
            Some(pipeline) => Ok(pipeline),
            None => {
                let text = text.map_or_else(compose, Ok)?;
                build(gpu, of, &Source::Text(&text.text), cache).map_err(|e| match e {
                    Error::Device(message) => text.explain(&format!("{}: {message}", kernel.name)),
                    other => other,
                })
            }
        }
    };
    let pipeline = gpu.opened.pipelines.make(of, is_new, make)?;
    gpu.timeline().push(Phase::Preparing, kernel.name, begin, begin.elapsed());
    log::info!("{}: pipeline made in {:.0} ms", kernel.name, begin.elapsed().as_secs_f64() * 1e3);
    Ok(Pipeline {
        #[cfg(any(test, debug_assertions))]
        wgsl: compose()?.text.into(),
        ..pipeline
    })
}

/// Has the driver make a pipeline.
fn build(
    gpu: &Gpu,
    (kernel, variant): (&'static Kernel, &Variant),
    source: &Source<'_>,
    cache: Option<&wgpu::PipelineCache>,
) -> Result<Pipeline> {
    gpu.guarded(|device| {
        let module = match source {
            Source::Text(text) => module(gpu, device, kernel, text),
            Source::Spirv(words) => module_of_spirv(device, (kernel, variant), words),
        };
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
            workgroup: variant.workgroup,
            #[cfg(any(test, debug_assertions))]
            wgsl: "".into(),
        }
    })
}

fn module(gpu: &Gpu, device: &wgpu::Device, kernel: &Kernel, text: &str) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(kernel.name),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    };
    if gpu.options().checked || shader::replaced() {
        return device.create_shader_module(descriptor);
    }
    // SAFETY: the crate's own kernels index within their bindings and their loops terminate;
    // the tests run them with the checks enabled. Replaced templates were handled above.
    unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}

fn module_of_spirv(
    device: &wgpu::Device,
    (kernel, variant): (&Kernel, &Variant),
    words: &[u32],
) -> wgpu::ShaderModule {
    let entry_point =
        wgpu::PassthroughShaderEntryPoint { name: "main".into(), workgroup_size: (variant.workgroup, 1, 1) };
    let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
        label: Some(kernel.name),
        entry_points: vec![entry_point].into(),
        spirv: Some(words.into()),
        ..Default::default()
    };
    // SAFETY: as above; the words are what naga made of the kernel's text in this run, or in an earlier one of the same texts, which
    // their digest shows.
    unsafe { device.create_shader_module_passthrough(descriptor) }
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
