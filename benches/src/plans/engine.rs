//! The engines of the comparison. A GPU is opened anew for each run, as a program does.

use std::time::{Duration, Instant};

use wgalois::gpu::{Adapter, Adapters, Family, Gpu, Options};
use wgalois::timeline::Timeline;
use wgalois::{Cpu, Device, Group, Result};

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
    Group(Adapters, Options),
}

impl Engine {
    /// The CPU engine.
    pub fn cpu(cpu: Cpu) -> Self {
        Engine { name: crate::CPU_ENGINE.to_owned(), kind: Kind::Cpu(cpu), openings: Vec::new() }
    }

    /// A GPU, opened with `options`.
    pub fn gpu(name: String, adapter: Adapter, options: Options) -> Self {
        Engine { name, kind: Kind::Gpu(adapter, options), openings: Vec::new() }
    }

    /// A group of GPUs, opened with `options`.
    pub fn group(name: String, adapters: Adapters, options: Options) -> Self {
        Engine { name, kind: Kind::Group(adapters, options), openings: Vec::new() }
    }

    /// True if it has kernels to compile.
    pub(super) fn compiles(&self) -> bool {
        !matches!(self.kind, Kind::Cpu(_))
    }

    /// Opens it, with compiled pipelines from the disk or, without `cache`, none, and measures what its record lacks for these
    /// families. Its timeline is its own.
    pub(super) fn open(&mut self, cache: bool, families: &[Family]) -> Result<Device> {
        let begin = Instant::now();
        let timeline = Timeline::with_events();
        let device = match &self.kind {
            Kind::Cpu(cpu) => return Ok(Device::Cpu(Cpu { timeline, ..cpu.clone() })),
            Kind::Gpu(adapter, options) => {
                Device::Gpu(Gpu::open(adapter, Options { cache, timeline, ..options.clone() })?)
            }
            Kind::Group(adapters, options) => {
                Device::Group(Group::open(adapters, Options { cache, timeline, ..options.clone() })?)
            }
        };
        self.openings.push(begin.elapsed().as_secs_f64());
        Ok(device.tuned(families, false)?.unwrap_or(device))
    }

    /// The median time of opening it; none for the CPU engine.
    pub(super) fn opening(&self) -> Duration {
        Duration::from_secs_f64(super::median(self.openings.clone()).unwrap_or(0.0))
    }

    /// True if the device is this engine, or a GPU like it.
    pub(super) fn is(&self, device: &Device) -> bool {
        match (&self.kind, device) {
            (Kind::Cpu(_), Device::Cpu(_)) | (Kind::Group(..), Device::Group(_)) => true,
            (Kind::Gpu(Adapter::Index(index), _), Device::Gpu(gpu)) => gpu.index() == Some(*index),
            (Kind::Gpu(..), Device::Gpu(_)) => true,
            _ => false,
        }
    }
}
