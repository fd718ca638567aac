//! The properties of a device that plans depend on.

use std::borrow::Cow;

use super::budget::Budget;
use super::{CROWDED, CpuRecord};
use crate::gpu::{AdapterDescription, Gpu, GpuProfile, Options, Origin};

/// The properties of a device that a plan depends on. An adapter has a profile before it is opened.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The engine.
    pub engine: Engine,
    /// Bytes of host memory that a run may use in addition to its inputs; `u64::MAX` for no limit.
    pub host_memory: u64,
    /// Bytes of device memory that a run may use: what the driver reports, or the user's limit if that is less. A group's
    /// members have bounds of their own besides.
    pub device_memory: u64,
    /// What the driver reports: bounds that the user's limit does not move.
    pub budget: Budget,
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

    /// The number of threads among all that would do as much: few threads are faster, since they share no cores.
    pub fn parallel(self) -> f64 {
        let (own, all) = (self.threads.max(1) as f64, crate::parallel::threads().max(1) as f64);
        if own >= all {
            return own;
        }
        // Rates are those of a thread among all.
        let idle = (all - own) / (all - 1.0);
        own * (1.0 + (self.record.seconds(&CROWDED) - 1.0) * idle)
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

/// A GPU of a group.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name of the GPU.
    pub name: String,
    /// The properties of the GPU.
    pub gpu: GpuProfile,
    /// Bytes of its memory that a run may use, at most those of the group's profile.
    pub device_memory: u64,
    /// What its driver reports.
    pub budget: Budget,
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
            device_memory: adapter.memory_bound(options),
            budget: Budget::of(adapter.reported_memory(options), 0),
        }
    }

    /// Returns the profile of an open GPU. Memory that device vectors use already is not available to a plan.
    pub fn of_gpu(gpu: &Gpu) -> Self {
        let (adapter, options) = (gpu.adapter(), gpu.options());
        Profile {
            engine: Engine::Gpu(gpu.profile()),
            device_memory: gpu.memory_left(),
            budget: Budget::of(adapter.reported_memory(options), gpu.memory_on_device()),
            ..Self::of_adapter(adapter, options)
        }
    }

    /// Returns the profile of a group, whose members share the host's memory. Those without memory of their own get equal parts of
    /// it.
    pub(crate) fn of_group(mut members: Vec<Member>, host_memory: u64) -> Self {
        let sharing = members.iter().filter(|member| member.budget.is_shared()).count() as u64;
        let shared = members.iter().map(|member| member.budget.shared).min().unwrap_or(u64::MAX);
        for member in members.iter_mut().filter(|member| member.budget.is_shared()) {
            member.budget.device = member.budget.device.min(shared / sharing);
            member.device_memory = member.device_memory.min(member.budget.device);
        }
        let device = members.iter().map(|member| member.budget.device).max().unwrap_or(0);
        let budget = Budget { device, shared };
        let device_memory = members.iter().map(|member| member.device_memory).max().unwrap_or(0);
        Profile { engine: Engine::Group(members), host_memory, device_memory, budget }
    }

    /// Returns the member of a group of `devices` such devices; `None` for the CPU engine.
    pub(crate) fn as_member(&self, name: String) -> Option<Member> {
        let &Profile { device_memory, budget, .. } = self;
        Some(Member { name, gpu: self.gpu()?.clone(), device_memory, budget, speed: 1.0 })
    }

    /// Returns the properties of the GPU, or `None` for the CPU engine. Of a group, those of its fastest GPU; of processes,
    /// those of one.
    pub fn gpu(&self) -> Option<&GpuProfile> {
        self.engine.gpu()
    }

    /// Returns the host's threads, for work that they do beside a GPU: with the machine's rates if those of the GPU are its own.
    pub fn host(&self) -> CpuProfile {
        match (&self.engine, self.gpu()) {
            (Engine::Cpu(cpu), _) => *cpu,
            (_, Some(gpu)) if gpu.record.origin == Origin::Measured => {
                CpuProfile { record: CpuRecord::Measured, ..CpuProfile::all_threads() }
            }
            _ => CpuProfile::all_threads(),
        }
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
        let part = |bytes: u64| if bytes == u64::MAX { bytes } else { bytes / sharing.max(1) as u64 };
        let (host_memory, shared) = (part(self.host_memory), part(self.budget.shared));
        // The host's part of the work of a GPU with memory of its own is where other members have theirs.
        let (host_memory, shared) = match member.budget.is_shared() {
            true => (host_memory, shared),
            false => (host_memory.min(shared), u64::MAX),
        };
        Profile {
            engine: Engine::Gpu(member.gpu.clone()),
            host_memory,
            device_memory: self.device_memory.min(member.device_memory),
            budget: Budget { shared, ..member.budget },
        }
    }

    /// Returns the bytes that the host and one device may take together. A group of which only some members have the host's memory
    /// has no such bound: those of its members keep to it.
    pub(crate) fn shared_memory(&self) -> u64 {
        match &self.engine {
            Engine::Group(members) if members.iter().any(|member| !member.budget.is_shared()) => u64::MAX,
            _ => self.budget.shared,
        }
    }

    /// Returns the profile of `size` processes that each compute on such a device.
    pub(crate) fn of_processes(self, size: usize) -> Self {
        Profile { engine: Engine::Processes { size, each: Box::new(self.engine) }, ..self }
    }

    /// Returns the profile with the user's limits of memory in place of those that it was made with: what drivers report bounds
    /// them.
    #[must_use]
    pub fn with_limits(&self, host_memory: u64, device_memory: u64) -> Self {
        let mut engine = self.engine.clone();
        if let Engine::Group(members) = &mut engine {
            for member in members {
                member.device_memory = member.budget.device.min(device_memory);
            }
        }
        Profile { engine, host_memory, device_memory: self.budget.device.min(device_memory), ..*self }
    }

    /// Returns the profile of a part of the work, beside which other parts take `bytes` of host memory.
    #[must_use]
    pub fn beside(&self, bytes: u64) -> Self {
        let host_memory = self.host_memory.saturating_sub(bytes);
        Profile { host_memory, budget: self.budget.beside(bytes), ..self.clone() }
    }

    /// Returns the profile of such a device, no group, with any memory: for a part of work of which the whole is checked.
    #[must_use]
    pub fn unbounded(&self) -> Self {
        let budget = Budget::default();
        Profile { engine: self.engine.clone(), host_memory: u64::MAX, device_memory: u64::MAX, budget }
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
