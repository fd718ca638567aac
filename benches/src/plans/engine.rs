//! The engines of the comparison. A GPU is opened anew for each run, as a program does, or stays open, as on a page.

use std::time::Duration;

use web_time::Instant;

#[cfg(not(target_arch = "wasm32"))]
use wgalois::Group;
#[cfg(not(target_arch = "wasm32"))]
use wgalois::gpu::Adapters;
use wgalois::gpu::{Adapter, AdapterDescription, Family, Gpu, Options};
use wgalois::timeline::Timeline;
use wgalois::{Cpu, Device, Result};

/// What a GPU's engine is called.
pub fn name_of(adapter: &AdapterDescription) -> String {
    // A browser may keep it to itself.
    let name = if adapter.name.is_empty() { "GPU" } else { &adapter.name };
    format!("{name} ({})", adapter.backend)
}

/// An engine of the comparison.
pub struct Engine {
    /// Its name.
    pub name: String,
    kind: Kind,
    /// The times that opening it took.
    pub(super) openings: Vec<f64>,
}

enum Kind {
    Cpu(Cpu),
    Gpu(Adapter, Options),
    #[cfg(not(target_arch = "wasm32"))]
    Group(Adapters, Options),
    Open(Gpu),
}

impl Engine {
    /// The CPU engine.
    pub fn cpu(cpu: Cpu) -> Self {
        Engine { name: crate::CPU_ENGINE.to_owned(), kind: Kind::Cpu(cpu), openings: Vec::new() }
    }

    /// The adapter that `adapter` chooses, of this description, opened with `options`.
    pub fn gpu(description: &AdapterDescription, adapter: Adapter, options: Options) -> Self {
        let name = name_of(description);
        Engine { name, kind: Kind::Gpu(adapter, options), openings: Vec::new() }
    }

    /// A group of GPUs, opened with `options`.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn group(name: String, adapters: Adapters, options: Options) -> Self {
        Engine { name, kind: Kind::Group(adapters, options), openings: Vec::new() }
    }

    /// A GPU that stays open, with the kernels that it has compiled: a browser keeps none on the disk for a page.
    pub fn open_gpu(gpu: Gpu) -> Self {
        let name = name_of(gpu.adapter());
        Engine { name, kind: Kind::Open(gpu), openings: Vec::new() }
    }

    /// True if each run opens it anew.
    pub(super) fn is_opened_anew(&self) -> bool {
        !matches!(self.kind, Kind::Cpu(_) | Kind::Open(_))
    }

    /// True if it stays open, with what its first runs compile.
    pub(super) fn stays_open(&self) -> bool {
        matches!(self.kind, Kind::Open(_))
    }

    /// Opens it, with compiled pipelines from the disk or, without `cache`, none, and measures what its record lacks for these
    /// families. The timeline of what is opened anew is its own.
    pub(super) async fn open(&mut self, cache: bool, families: &[Family]) -> Result<Device> {
        let begin = Instant::now();
        let timeline = Timeline::with_events();
        let device = match &self.kind {
            Kind::Cpu(cpu) => return Ok(Device::Cpu(Cpu { timeline, ..cpu.clone() })),
            Kind::Open(gpu) => return Ok(Device::Gpu(gpu.clone())),
            Kind::Gpu(adapter, options) => {
                Device::Gpu(Gpu::open_async(adapter, Options { cache, timeline, ..options.clone() }).await?)
            }
            #[cfg(not(target_arch = "wasm32"))]
            Kind::Group(adapters, options) => {
                Device::Group(Group::open(adapters, Options { cache, timeline, ..options.clone() })?)
            }
        };
        self.openings.push(begin.elapsed().as_secs_f64());
        Ok(device.tuned(families, false)?.unwrap_or(device))
    }

    /// The median time of opening it; none for the CPU engine, and for what stays open.
    pub(super) fn opening(&self) -> Duration {
        Duration::from_secs_f64(super::median(self.openings.clone()).unwrap_or(0.0))
    }

    /// True if the device is this engine, or a GPU like it.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn is(&self, device: &Device) -> bool {
        match (&self.kind, device) {
            (Kind::Cpu(_), Device::Cpu(_)) | (Kind::Group(..), Device::Group(_)) => true,
            (Kind::Gpu(Adapter::Index(index), _), Device::Gpu(gpu)) => gpu.index() == Some(*index),
            (Kind::Gpu(..) | Kind::Open(_), Device::Gpu(_)) => true,
            _ => false,
        }
    }
}
