//! The two engines, GPU and CPU, behind one type, and the choice between them.

mod budget;
mod cpu_record;
mod group;
mod processes;
mod profile;
mod select;
mod several;
mod simd;

pub use budget::Budget;
pub use cpu_record::{COPIED, CROWDED, CpuRecord, FRESH, Rate, SHARED, typical};
pub use group::Group;
pub(crate) use group::divide;
pub use processes::Processes;
pub use profile::{CpuProfile, Engine, Member, OneEngine, Profile};
pub use select::Select;
pub use simd::Simd;

use crate::gpu::{Family, Gpu};
use crate::timeline::Timeline;
use crate::{Error, Result};

/// An engine that computes: a GPU, or the CPU engine.
#[derive(Clone, Debug)]
pub enum Device {
    /// The CPU engine.
    Cpu(Cpu),
    /// A GPU through wgpu.
    Gpu(Gpu),
    /// Several GPUs that share the work. Work that cannot be shared runs on the fastest.
    Group(Group),
    /// Several processes that share the work. Work that cannot be shared runs on the device of process 0.
    Processes(Processes),
}

/// A device that is no group.
#[derive(Clone, Copy, Debug)]
pub enum One<'d> {
    /// The CPU engine.
    Cpu(&'d Cpu),
    /// A GPU.
    Gpu(&'d Gpu),
}

/// The CPU engine. By default it uses all cores and the widest vector instructions of the machine.
#[derive(Clone, Debug)]
pub struct Cpu {
    /// Number of worker threads; 0 means one per core.
    pub threads: usize,
    /// Bytes of host memory that a run may use in addition to its inputs.
    pub memory: u64,
    /// The vector instructions that the GF(2) code uses. They are a setting of the device, not of a problem:
    /// they change the speed of every method and the result of none.
    pub simd: Simd,
    /// The rates by which plans estimate times; by default those of the machines that they name.
    pub record: CpuRecord,
    /// The record of the engine's work. By default it keeps no events.
    pub timeline: Timeline,
}

impl Default for Cpu {
    fn default() -> Self {
        let (record, timeline) = Default::default();
        Cpu { threads: 0, memory: u64::MAX, simd: Simd::best(), record, timeline }
    }
}

impl Cpu {
    /// Returns the number of worker threads: `threads`, or one per core if that is 0.
    pub fn thread_count(&self) -> usize {
        if self.threads > 0 { self.threads } else { crate::parallel::threads() }
    }
}

impl Device {
    /// The record of the device's work.
    pub fn timeline(&self) -> &Timeline {
        match self {
            Device::Cpu(cpu) => &cpu.timeline,
            Device::Gpu(gpu) => gpu.timeline(),
            Device::Group(group) => group.timeline(),
            Device::Processes(processes) => processes.own().timeline(),
        }
    }

    /// The CPU engine, of several processes that of process 0; `None` for GPUs.
    pub fn cpu_mut(&mut self) -> Option<&mut Cpu> {
        match self {
            Device::Cpu(cpu) => Some(cpu),
            Device::Gpu(_) | Device::Group(_) => None,
            Device::Processes(processes) => processes.own_mut().cpu_mut(),
        }
    }

    /// Returns the device with a measured record, for work that multiplies numbers of `families`; `None` for the CPU engine, and
    /// if nothing is missing. See [`Gpu::tuned`]; of a group, one of each model is measured.
    pub fn tuned(&self, families: &[Family], again: bool) -> Result<Option<Self>> {
        self.tuned_while(families, again, &mut || ())
    }

    /// [`tuned`](Self::tuned) with work for meanwhile: see [`Gpu::tuned_while`]. A group and processes do not call it.
    pub fn tuned_while(
        &self,
        families: &[Family],
        again: bool,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Option<Self>> {
        match self {
            Device::Cpu(_) => Ok(None),
            Device::Gpu(gpu) => Ok(gpu.tuned_while(families, again, meanwhile)?.map(Device::Gpu)),
            Device::Group(group) => Ok(group.tuned(families, again)?.map(Device::Group)),
            Device::Processes(processes) => Ok(processes.tuned(families, again)?.map(Device::Processes)),
        }
    }

    /// Returns the properties of the device that plans depend on.
    pub fn profile(&self) -> Profile {
        match self {
            Device::Cpu(cpu) => Profile {
                engine: Engine::Cpu(CpuProfile { threads: cpu.thread_count(), record: cpu.record }),
                host_memory: cpu.memory,
                device_memory: 0,
                budget: Budget::default(),
            },
            Device::Gpu(gpu) => Profile::of_gpu(gpu),
            Device::Group(group) => group.profile(),
            Device::Processes(processes) => processes.own().profile().of_processes(processes.size()),
        }
    }

    /// The device that does work which is not shared: of a group, its fastest GPU; of processes, the device of process 0.
    pub fn one(&self) -> One<'_> {
        match self {
            Device::Cpu(cpu) => One::Cpu(cpu),
            Device::Gpu(gpu) => One::Gpu(gpu),
            Device::Group(group) => One::Gpu(group.one().1),
            Device::Processes(processes) => processes.own().one(),
        }
    }

    /// True if both are the CPU engine, or the same open GPU.
    pub(crate) fn is_same(&self, other: &Device) -> bool {
        match (self, other) {
            (Device::Cpu(_), Device::Cpu(_)) => true,
            (Device::Gpu(one), Device::Gpu(other)) => one.is_same_device(other),
            _ => false,
        }
    }

    /// Runs `work`, which is not shared, on the device of process 0; on the fastest GPU of a group, or on the next if that is
    /// lost and the group keeps going.
    pub(crate) async fn on_one<T>(&self, mut work: impl AsyncFnMut(&Device) -> Result<T>) -> Result<T> {
        let group = match self {
            Device::Group(group) => group,
            Device::Processes(processes) => return work(processes.own()).await,
            one => return work(one).await,
        };
        loop {
            let (number, gpu) = group.one();
            match work(&Device::Gpu(gpu.clone())).await {
                Err(error @ (Error::DeviceLost(_) | Error::Device(_))) => group.note_loss(number, error)?,
                outcome => return outcome,
            }
        }
    }
}
