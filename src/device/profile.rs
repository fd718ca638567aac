//! The properties of a device that plans depend on.

use std::borrow::Cow;

use super::CpuRecord;
use crate::gpu::{AdapterDescription, Gpu, GpuProfile, Options, assumed_memory};

/// The properties of a device that a plan depends on. An adapter has a profile before it is opened.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The engine.
    pub engine: Engine,
    /// Bytes of host memory that a run may use in addition to its inputs; `u64::MAX` for no limit.
    pub host_memory: u64,
    /// Bytes of device memory that a run may use. Where a device has no limit, 32 GiB are assumed.
    pub device_memory: u64,
}

/// The kind of an engine, with its properties.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Engine {
    /// The CPU engine.
    Cpu(CpuProfile),
    /// A GPU.
    Gpu(GpuProfile),
    /// A group of GPUs, at least one.
    Group(Vec<Member>),
    /// Several processes, each with such an engine.
    Processes {
        /// The number of processes, at least 1.
        size: usize,
        /// The engine of each.
        each: Box<Engine>,
    },
}

/// The properties of the CPU engine that plans depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuProfile {
    /// Number of worker threads, at least 1.
    pub threads: usize,
    /// The rates by which times are estimated.
    pub record: CpuRecord,
}

impl CpuProfile {
    /// So many threads, with the shipped record.
    pub const fn of_threads(threads: usize) -> Self {
        CpuProfile { threads, record: CpuRecord::Shipped }
    }

    /// The CPU engine on all threads, with the shipped record.
    pub fn all_threads() -> Self {
        Self::of_threads(crate::parallel::threads())
    }

    /// The threads of several such processes.
    pub(crate) fn times(self, processes: usize) -> Self {
        CpuProfile { threads: self.threads.saturating_mul(processes), ..self }
    }

    /// One of the threads.
    pub(crate) fn one_thread(self) -> Self {
        CpuProfile { threads: 1, ..self }
    }
}

/// A GPU of a group. Its device memory is that of the group's profile.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name of the GPU.
    pub name: String,
    /// The properties of the GPU.
    pub gpu: GpuProfile,
    /// Bytes of its memory that are in use already.
    pub used_memory: u64,
    /// Its speed as a fraction of that of the fastest of the group; 0 if it is lost.
    pub speed: f64,
}

/// The engine of a device that is no group.
pub enum OneEngine<'p> {
    /// The CPU engine.
    Cpu(CpuProfile),
    /// A GPU.
    Gpu(&'p GpuProfile),
}

impl Engine {
    fn gpu(&self) -> Option<&GpuProfile> {
        match self {
            Engine::Gpu(gpu) => Some(gpu),
            Engine::Cpu { .. } => None,
            Engine::Group(members) => fastest(members).map(|member| &member.gpu),
            Engine::Processes { each, .. } => each.gpu(),
        }
    }

    fn one(&self) -> OneEngine<'_> {
        match (self, self.gpu()) {
            (_, Some(gpu)) => OneEngine::Gpu(gpu),
            (Engine::Cpu(cpu), None) => OneEngine::Cpu(*cpu),
            (Engine::Processes { each, .. }, None) => each.one(),
            // A group has a member; without one, nothing runs.
            (_, None) => OneEngine::Cpu(CpuProfile::of_threads(1)),
        }
    }
}

impl Profile {
    /// Returns the profile of an adapter opened with `options`.
    pub fn of_adapter(adapter: &AdapterDescription, options: &Options) -> Self {
        Profile {
            engine: Engine::Gpu(adapter.profile(options)),
            host_memory: options.host_memory,
            device_memory: assumed_memory(options.memory),
        }
    }

    /// Returns the profile of an open GPU. Memory that device vectors use already is not available to a plan.
    pub fn of_gpu(gpu: &Gpu) -> Self {
        let profile = Self::of_adapter(gpu.adapter(), gpu.options());
        match gpu.options().memory {
            // The memory is assumed, and what is used is no more known than the rest.
            u64::MAX => profile,
            limit => profile.with_device_memory(limit.saturating_sub(gpu.memory_in_use())),
        }
    }

    /// Returns the properties of the GPU, or `None` for the CPU engine. Of a group, those of its fastest GPU; of processes,
    /// those of one.
    pub fn gpu(&self) -> Option<&GpuProfile> {
        self.engine.gpu()
    }

    /// Returns the number of devices: of a group, that of its GPUs; of processes, those of one.
    pub fn device_count(&self) -> usize {
        match &self.engine {
            Engine::Group(members) => members.len(),
            _ => 1,
        }
    }

    /// Returns the engine that does work which is not shared: of a group, its fastest GPU; of processes, that of one.
    pub fn one_engine(&self) -> OneEngine<'_> {
        self.engine.one()
    }

    /// Returns the profile of the device that does work which is not shared: of a group, its fastest GPU; of processes, the
    /// device of one.
    pub fn of_one(&self) -> Cow<'_, Profile> {
        match &self.engine {
            Engine::Group(members) => match fastest(members) {
                Some(member) => Cow::Owned(self.of_member(member, 1)),
                None => Cow::Borrowed(self),
            },
            Engine::Processes { each, .. } => {
                Cow::Owned(Profile { engine: (**each).clone(), ..self.clone() })
            }
            _ => Cow::Borrowed(self),
        }
    }

    /// Returns the profile of a member of this group, when `sharing` members share the host's memory.
    pub fn of_member(&self, member: &Member, sharing: usize) -> Profile {
        let host_memory = match self.host_memory {
            u64::MAX => u64::MAX,
            bytes => bytes / sharing.max(1) as u64,
        };
        Profile {
            engine: Engine::Gpu(member.gpu.clone()),
            host_memory,
            device_memory: self.device_memory.saturating_sub(member.used_memory),
        }
    }

    /// Returns the profile of `size` processes that each compute on such a device.
    pub(crate) fn of_processes(self, size: usize) -> Self {
        Profile { engine: Engine::Processes { size, each: Box::new(self.engine) }, ..self }
    }

    /// Returns the profile with at most `bytes` of device memory.
    #[must_use]
    pub fn with_device_memory(self, bytes: u64) -> Self {
        Profile { device_memory: self.device_memory.min(bytes), ..self }
    }
}

/// Returns the fastest member of a group, the first of equal ones.
fn fastest(members: &[Member]) -> Option<&Member> {
    members.iter().rev().max_by(|a, b| a.speed.total_cmp(&b.speed))
}
