//! Opening a device, or taking one that is open.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use web_time::Instant;

use super::faults::{Faults, from_wgpu};
use super::{Gpu, Opened, Usage};
use crate::gpu::Adapter;
use crate::gpu::adapter::AdapterDescription;
use crate::gpu::adapter_search::Found;
use crate::gpu::block_on::block_on;
use crate::gpu::cache::DiskCache;
use crate::gpu::kernel::Arithmetic;
use crate::gpu::options::{Options, Records};
use crate::gpu::pipelines::Pipelines;
use crate::gpu::translations::Translations;
use crate::gpu::watchdog::Watchdog;
#[cfg(not(target_arch = "wasm32"))]
use crate::parallel::*;
use crate::threads;
use crate::{Error, Result};

/// Size in bytes of the memory blocks that hold small buffers on the device; on the host, half of it.
const BLOCK: u64 = 8 << 20;

impl Gpu {
    /// Opens the first adapter with all its features and limits. Without a GPU, that may be a software
    /// driver; [`Device::auto`](crate::Device::auto) chooses the CPU engine in that case.
    pub fn new() -> Result<Self> {
        Self::open(&Adapter::First, Options::default())
    }

    /// The asynchronous form of [`Gpu::new`], for browsers, where a thread must not block.
    pub async fn new_async() -> Result<Self> {
        Self::open_async(&Adapter::First, Options::default()).await
    }

    /// Opens an adapter with `options`.
    pub fn open(adapter: &Adapter, options: Options) -> Result<Self> {
        block_on(Self::open_async(adapter, options))
    }

    /// The asynchronous form of [`Gpu::open`], for browsers.
    pub async fn open_async(adapter: &Adapter, options: Options) -> Result<Self> {
        let found = Found::search_async().await?;
        let index = found.choose(adapter)?;
        Self::of(found.adapter(index), (Some(index), found.search_time()), options).await
    }

    /// Opens an adapter that was found.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_found(found: &Found, index: usize, options: Options) -> Result<Self> {
        block_on(Self::of(found.adapter(index), (Some(index), found.search_time()), options))
    }

    /// Opens adapters that were found, each with `options`: at the same time, where the driver takes calls of
    /// several threads.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_all(found: &Found, indices: &[usize], options: &Options) -> Result<Vec<Self>> {
        let open =
            |(number, &index): (usize, &usize)| Self::open_found(found, index, options.of_member(number));
        match indices.iter().all(|&index| found.described()[index].takes_threads()) {
            true => indices.par_iter().enumerate().map(open).try_collect(),
            false => indices.iter().enumerate().map(open).collect(),
        }
    }

    /// Opens the device of an adapter, with its index if it has one, after a search that took so long.
    pub(super) async fn of(
        adapter: &wgpu::Adapter,
        (index, search_time): (Option<usize>, Duration),
        options: Options,
    ) -> Result<Self> {
        let begin = Instant::now();
        expect_compute(&adapter.get_info())?;
        let wanted = options.wanted_features() & adapter.features();
        let limits = if options.full_limits { adapter.limits() } else { wgpu::Limits::default() };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("wgalois"),
            required_features: wanted,
            required_limits: limits.clone(),
            // Small memory blocks: while the staging buffers fill the first blocks, every small
            // buffer allocates and frees a block of its own. With larger blocks, pinning 64 MiB of
            // host memory for each took longer than most kernels. Larger buffers are allocated alone.
            memory_hints: wgpu::MemoryHints::Manual { suballocated_device_memory_block_size: BLOCK..BLOCK },
            ..wgpu::DeviceDescriptor::default()
        };
        let opened = adapter.request_device(&descriptor).await;
        let (device, queue) = opened.map_err(|e| match threads::can_start(1) {
            true => Error::Device(format!("cannot open the device: {e}")),
            // Drivers start threads.
            false => {
                Error::OutOfMemory("cannot open the device: the system refuses a thread".to_owned().into())
            }
        })?;
        log::debug!("the device opened in {:?}", begin.elapsed());
        let opening = begin.elapsed() + search_time;
        Ok(Self::assemble((adapter, index, opening), (device, queue), (wanted, limits), options))
    }

    /// Takes a device that a program has opened already, with its queue and its adapter. It is used with the limits and,
    /// as far as `options` ask for them, the features with which it was opened.
    ///
    /// The device's handlers of uncaptured errors and of its loss are replaced by this crate's.
    pub fn from_device(
        adapter: &wgpu::Adapter,
        device: wgpu::Device,
        queue: wgpu::Queue,
        options: Options,
    ) -> Self {
        let (wanted, limits) = (options.wanted_features() & device.features(), device.limits());
        Self::assemble((adapter, None, Duration::ZERO), (device, queue), (wanted, limits), options)
    }

    fn assemble(
        (adapter, index, opening): (&wgpu::Adapter, Option<usize>, Duration),
        (device, queue): (wgpu::Device, wgpu::Queue),
        (wanted, limits): (wgpu::Features, wgpu::Limits),
        options: Options,
    ) -> Self {
        let faults = Arc::new(Faults::default());
        let reported = Arc::clone(&faults);
        device.on_uncaptured_error(Arc::new(move |e| reported.keep(from_wgpu(e))));
        let reported = Arc::clone(&faults);
        device.set_device_lost_callback(move |_, message| reported.lose(message));

        let description = AdapterDescription::of(adapter);
        let driver = (!description.takes_threads()).then(Mutex::default);
        let cache = (options.cache && wanted.contains(wgpu::Features::PIPELINE_CACHE))
            .then(|| DiskCache::open(&device, &adapter.get_info()))
            .flatten();
        let record = description.record(&options.records);
        // A device that a program opened itself tells no time.
        let keeps = options.cache && matches!(options.records, Records::Kept) && opening > Duration::ZERO;
        let opened = Arc::new(Opened {
            translations: Translations::open(adapter, wanted, &options),
            pipelines: Pipelines::new(cache, keeps.then(|| (description.clone(), opening))),
            arithmetic: Arithmetic {
                int64: wanted.contains(wgpu::Features::SHADER_INT64),
                compact: description.is_compact(&options),
                few_registers: description.has_few_registers(&options),
                subgroups: wanted.contains(wgpu::Features::SUBGROUP) && description.has_numbered_subgroups(),
            },
            timestamps: wanted.contains(wgpu::Features::TIMESTAMP_QUERY),
            staging: Arc::default(),
            pool: Mutex::default(),
            gathered: Mutex::default(),
            bindings: Mutex::default(),
            watchdog: Mutex::new(Watchdog::new(description.is_software())),
            adapter: description,
            index,
            opening,
            device,
            queue,
            limits,
            faults,
            driver,
            vector_bytes: Arc::default(),
        });
        Gpu { usage: Arc::new(Usage::new(options, record, &opened)), opened }
    }
}

/// Refuses an adapter whose OpenGL is older than compute shaders, which are in OpenGL from 4.3 on. wgpu asks EGL for OpenGL 3.3:
/// Mesa's drivers answer with the newest version that they have, NVIDIA's with 3.3.
fn expect_compute(info: &wgpu::AdapterInfo) -> Result<()> {
    let version: Option<Vec<u32>> =
        info.driver_info.split(['.', ' ']).take(2).map(|number| number.parse().ok()).collect();
    match version.as_deref() {
        // OpenGL ES says so before its version.
        Some(version @ [_, _]) if info.backend == wgpu::Backend::Gl && version < &[4, 3] => {
            let (name, own) = (&info.name, &info.driver_info);
            Err(Error::NoDevice(format!(
                "{name}: OpenGL {own} has no compute shaders, which need OpenGL 4.3"
            )))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opengl_without_compute_shaders_is_refused_by_its_version() {
        let refuses = |backend, driver_info: &str| {
            let info = wgpu::AdapterInfo {
                driver_info: driver_info.to_owned(),
                ..wgpu::AdapterInfo::new(wgpu::DeviceType::Other, backend)
            };
            expect_compute(&info).is_err()
        };
        // What NVIDIA's EGL, Mesa's and a phone's driver say.
        assert!(refuses(wgpu::Backend::Gl, "3.3.0 NVIDIA 580.159.04"));
        assert!(!refuses(wgpu::Backend::Gl, "4.5 (Core Profile) Mesa 22.3.6"));
        assert!(!refuses(wgpu::Backend::Gl, "OpenGL ES 3.2 V@0615.0"));
        assert!(!refuses(wgpu::Backend::Vulkan, "3.3.0"));
    }
}
