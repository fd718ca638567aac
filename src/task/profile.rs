//! The properties of a device that plans depend on.

use std::borrow::Cow;
use std::time::Duration;

use crate::gpu::Arithmetic;

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
    Cpu {
        /// Number of worker threads, at least 1.
        threads: usize,
    },
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

/// Bytes per second from the host's memory to an H200 and back, measured with 1 GiB. Other links were not measured.
pub const UPLOAD_RATE: f64 = 24e9;
pub const DOWNLOAD_RATE: f64 = 12e9;

/// The properties of a GPU that a plan depends on.
#[derive(Clone, Debug)]
pub struct GpuProfile {
    /// True if the driver computes on the CPU.
    pub is_software: bool,
    /// True if the driver says that the GPU has memory of its own.
    pub is_discrete: bool,
    /// The optional features that the arithmetic of kernels may use.
    pub arithmetic: Arithmetic,
    /// Maximum size of a chunk of a device vector in bytes; not necessarily a power of two.
    pub binding_bytes: u64,
    /// Maximum workgroup memory in bytes.
    pub workgroup_bytes: u32,
    /// Maximum number of invocations per workgroup.
    pub workgroup_invocations: u32,
    /// Time to open the device; zero if it is open.
    pub startup: Duration,
}

/// The engine of a device that is no group.
pub enum OneEngine<'p> {
    /// The CPU engine, with its threads.
    Cpu(usize),
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
            (Engine::Cpu { threads }, None) => OneEngine::Cpu(*threads),
            (Engine::Processes { each, .. }, None) => each.one(),
            // A group has a member; without one, nothing runs.
            (_, None) => OneEngine::Cpu(1),
        }
    }
}

impl Profile {
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
