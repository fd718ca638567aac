//! The device of a verb, opened for its problem.

use super::super::streams::write_stdout;
use super::plans::Demands;
use crate::prelude::*;
use std::sync::Arc;
use wgalois::gpu::{self, Adapter, Adapters};
use wgalois::processes::Kind;
use wgalois::task::{Planned, Profile};
use wgalois::timeline::Timeline;
use wgalois::{Choice, Cpu, Group, One, Processes, Select, Setup, Simd};

impl Context {
    /// True if the user named several GPUs.
    pub fn names_a_group(&self) -> bool {
        matches!(self.options.device, Select::Group(_))
    }

    /// Opens the device on which this process computes its share of the work, of the kind that process 0 chose: the
    /// GPU of its place on the host, or the CPU engine.
    pub fn device_of_share(&self, kind: Kind, threads: usize, simd: Simd) -> Result<Device> {
        let (memory, timeline) = (self.memory(), self.timeline.clone());
        let local_rank = self.processes().map_or(0, |processes| processes.identity().local_rank);
        let device = match (kind, &self.options.device) {
            (Kind::Cpu, _) => Device::Cpu(Cpu { threads, memory, simd, timeline, ..Cpu::default() }),
            (Kind::Gpu, select) => {
                let first = Adapter::First;
                let named = if let Select::Gpu(adapter) = select { adapter } else { &first };
                let host = gpu::Options { host_memory: memory, ..gpu::Options::default() };
                Device::Gpu(Gpu::open(&named.of_process(local_rank)?, self.gpu_options(host))?)
            }
        };
        log::info!("device: {}", device_name(&device));
        Ok(device)
    }

    /// The device that the user selected.
    pub fn selected(&self) -> &Select {
        &self.options.device
    }

    /// True if the plan is all that the user wants (`--plan`).
    pub fn only_plans(&self) -> bool {
        self.options.plan
    }

    /// True if the user named a GPU, or several.
    pub fn names_gpu(&self) -> bool {
        matches!(self.options.device, Select::Gpu(_) | Select::Group(_))
    }

    /// The CPU engine on all threads of the run, for checks.
    pub fn host(&self) -> Device {
        Device::Cpu(Cpu::default())
    }

    /// [`host`](Self::host) for work that needs no other device: that is the plan of `--plan`, which ends the verb (`None`),
    /// and a note if the user named a device.
    pub fn host_alone(&self, work: &str) -> Result<Option<Device>> {
        if self.options.plan {
            if !self.json() {
                write_stdout(|out| writeln!(out, "{work} runs on the host, without a device"))?;
            }
            return Ok(None);
        }
        if !matches!(self.options.device, Select::Auto | Select::Cpu) {
            self.note(&format!("--device: {work} runs on the host"));
        }
        Ok(Some(self.host()))
    }

    /// Says that an option which was given has no effect on the CPU engine.
    pub fn note_of_gpus(&self, device: &Device, option: &str, is_given: bool) {
        if is_given && matches!(device.one(), One::Cpu(_)) {
            self.note(&format!("{option} chooses among kernels of a GPU; the CPU engine has its own method"));
        }
    }

    /// Returns the plan of a problem and the device that the user selected. With `--plan` it prints
    /// the plan and returns `None`; the verb then ends. Where `--memory` is too small, the error states a size that
    /// suffices for the rest of the verb.
    pub fn plan<P: Problem>(&self, problem: &P) -> Result<Option<(Device, Planned<P>)>> {
        self.plan_with(problem, Demands::default())
    }

    /// [`plan`](Self::plan) with demands that the problem does not state.
    pub fn plan_with<P: Problem>(
        &self,
        problem: &P,
        demands: Demands,
    ) -> Result<Option<(Device, Planned<P>)>> {
        self.plan_compiling(problem, demands, |device, plan| plan.compile(device))
    }

    /// [`plan_with`](Self::plan_with) of a problem whose kernels `compile` compiles: on a GPU that is measured first, it begins
    /// meanwhile.
    pub fn plan_compiling<P: Problem>(
        &self,
        problem: &P,
        demands: Demands,
        compile: impl FnOnce(&Device, &Planned<P>) -> Result<()> + Send + 'static,
    ) -> Result<Option<(Device, Planned<P>)>> {
        let Choice { device, plan, .. } = self.choose_compiling(problem, demands, compile)?;
        Ok(self.take(&plan)?.map(|()| (device, plan)))
    }

    /// [`plan`](Self::plan) of a problem, or of another that `refine` makes of it for the device.
    pub fn plan_refined<P: Problem>(
        &self,
        problem: &P,
        refine: impl FnOnce(&Device, &Planned<P>) -> Result<Option<P>>,
    ) -> Result<Option<(Device, Planned<P>)>> {
        let Choice { device, plan, .. } = self.choose(problem, Demands::default())?;
        let plan = match refine(&device, &plan)? {
            Some(problem) => self.plan_within(&problem, &device.profile(), Demands::default())?,
            None => plan,
        };
        Ok(self.take(&plan)?.map(|()| (device, plan)))
    }

    /// Opens the device that the user selected, or that is the best for a problem.
    pub fn choose<P: Problem>(&self, problem: &P, demands: Demands) -> Result<Choice<P>> {
        self.choose_compiling(problem, demands, |device, plan| plan.compile(device))
    }

    /// [`choose`](Self::choose) with what compiles the kernels of a plan, for the time in which a GPU is measured.
    fn choose_compiling<P: Problem>(
        &self,
        problem: &P,
        demands: Demands,
        compile: impl FnOnce(&Device, &Planned<P>) -> Result<()> + Send + 'static,
    ) -> Result<Choice<P>> {
        let plan = |profile: &Profile| self.plan_within(problem, profile, demands);
        let setup = self.setup(demands)?;
        let mut choice = match self.opened_device(&setup)? {
            Some(device) => Choice { plan: plan(&device.profile())?, device, reason: None },
            None => self.open(|| Device::select_by(&self.options.device, plan, setup))?,
        };
        let mut compile = Some(compile);
        let mut meanwhile = || {
            if let Some(compile) = compile.take().filter(|_| !self.options.plan) {
                self.compile_early(&choice.device, &choice.plan, compile);
            }
        };
        if let Some(device) = self.tuned(&choice.device, &problem.families(), &mut meanwhile)? {
            choice.plan = plan(&device.profile())?;
            choice.device = device;
        }
        if let Device::Group(group) = choice.device {
            choice.device = Device::Group(group.with_keep_going(self.options.keep_going));
        }
        self.announce(&choice.device, choice.reason.as_deref());
        Ok(choice)
    }

    /// What a device is opened with for a verb with these demands.
    fn setup(&self, demands: Demands) -> Result<Setup> {
        let memory = self.free().saturating_sub(demands.beside);
        let timeline = self.timeline.clone();
        if self.processes().is_some() && self.names_a_group() {
            return Err(Error::needs("each of several processes", "one GPU: --device gpu"));
        }
        let profile = self.profiles();
        let gpu = gpu::Options { profile, host_memory: memory, ..gpu::Options::default() };
        let record = self.cpu_record();
        let cpu = Cpu { threads: demands.threads, memory, timeline, record, ..Cpu::default() };
        Ok(Setup { cpu, gpu: self.gpu_options(gpu), processes: self.processes().cloned() })
    }

    /// The device of a GPU that was opened early.
    fn opened_device(&self, setup: &Setup) -> Result<Option<Device>> {
        let Some(gpu) = self.opened_early(&setup.gpu) else { return Ok(None) };
        let own = Device::Gpu(gpu?);
        Ok(Some(match &setup.processes {
            Some(processes) => Device::Processes(Processes::new(Arc::clone(processes), own)?),
            None => own,
        }))
    }

    /// True if every dispatch is timed. Each dispatch then gets its own pass, which costs some
    /// microseconds, so this is on only if the times will be shown.
    fn profiles(&self) -> bool {
        self.json() || self.options.profile || self.options.trace.is_some()
    }

    /// Returns GPU options with the user's memory limit and this run's timeline. A brief run takes compact texts: on an H200 a first
    /// proof of 2^16 to 2^20 constraints took 0.35 to 0.5 s less with them, and the device 1 ms more of 43 (2026-11-30).
    pub fn gpu_options(&self, options: gpu::Options) -> gpu::Options {
        let (memory, timeline) = (self.options.memory.unwrap_or(u64::MAX), self.timeline.clone());
        let options = gpu::Options { memory, timeline, ..options }.restricted_by_environment();
        gpu::Options { compact: options.compact.or(self.is_brief.then_some(true)), ..options }
    }

    /// Runs `open`, which opens a device; with `--profile` or `--trace` its time is recorded as preparing.
    fn open<T>(&self, open: impl FnOnce() -> T) -> T {
        time_opening(&self.timeline, open)
    }

    /// A GPU for work that only GPUs do, opened with `options`: the one that the user selected, or the
    /// first. Dispatches are timed one by one only if `options` say so. Refuses `--device cpu`.
    pub fn gpu(&self, options: gpu::Options) -> Result<Gpu> {
        let options = self.gpu_options(options);
        let (adapter, reason) = match &self.options.device {
            Select::Cpu => return Err(Error::needs("this", "a GPU: --device gpu")),
            Select::Group(_) => return Err(Error::needs("this", "one GPU: --device gpu")),
            Select::Auto => (&Adapter::First, Some("this needs a GPU")),
            Select::Gpu(adapter) => (adapter, None),
        };
        self.close_early();
        let gpu = self.open(|| Gpu::open(adapter, options))?;
        self.announce(&Device::Gpu(gpu.clone()), reason);
        Ok(gpu)
    }

    /// The GPUs that the user selected; all GPUs if nothing was selected. Refuses a single GPU and the CPU engine.
    pub fn group(&self) -> Result<Group> {
        let adapters = match &self.options.device {
            Select::Group(adapters) => adapters,
            Select::Auto => &Adapters::All,
            Select::Cpu | Select::Gpu(_) => {
                return Err(Error::needs("this", "a group of GPUs: --device all or 0,1"));
            }
        };
        let group = self.open(|| Group::open(adapters, self.gpu_options(gpu::Options::default())))?;
        self.announce(&Device::Group(group.clone()), None);
        Ok(group)
    }

    /// [`gpu`](Self::gpu) for work that is partly the CPU engine's: `None` if the user selected that, or selected no
    /// device and has no GPU.
    pub fn gpu_if_any(&self, options: gpu::Options) -> Result<Option<Gpu>> {
        let why = match &self.options.device {
            Select::Cpu => None,
            selected => match (selected, self.gpu(options)) {
                (Select::Auto, Err(Error::NoDevice(why))) => Some(why),
                (_, gpu) => return gpu.map(Some),
            },
        };
        self.announce(&self.host(), why.as_deref());
        Ok(None)
    }

    /// [`gpu`](Self::gpu) whose dispatches are timed if the user will see the times.
    pub fn profiled_gpu(&self) -> Result<Gpu> {
        self.gpu(gpu::Options { profile: self.profiles(), ..gpu::Options::default() })
    }

    /// [`gpu_if_any`](Self::gpu_if_any) whose dispatches are timed if the user will see the times.
    pub fn profiled_gpu_if_any(&self) -> Result<Option<Gpu>> {
        self.gpu_if_any(gpu::Options { profile: self.profiles(), ..gpu::Options::default() })
    }

    /// Reports the device, and the reason for it if the user did not name it.
    fn announce(&self, device: &Device, reason: Option<&str>) {
        let name = device_name(device);
        match reason {
            Some(reason) => self.note(&format!("{name}: {reason}")),
            None => log::info!("device: {name}"),
        }
        self.stay_open(device);
        self.report.borrow_mut().set_device(device, name);
    }
}

/// Runs `open`, which opens a device, as an event of a detailed timeline.
pub(super) fn time_opening<T>(timeline: &Timeline, open: impl FnOnce() -> T) -> T {
    match timeline.is_detailed() {
        true => timeline.time(Phase::Preparing, "open the device", open),
        false => open(),
    }
}

/// A device's name for users.
pub(super) fn device_name(device: &Device) -> String {
    match device {
        Device::Cpu(cpu) => match cpu.thread_count() {
            1 => "CPU engine, 1 thread".to_owned(),
            threads => format!("CPU engine, {threads} threads"),
        },
        Device::Gpu(gpu) => gpu_name(gpu),
        Device::Group(group) => {
            let names: Vec<_> = group.members().iter().map(gpu_name).collect();
            format!("{} devices: {}", names.len(), names.join("; "))
        }
        Device::Processes(processes) => device_name(processes.own()),
    }
}

/// The mark of a software driver in a device's name.
pub const SOFTWARE: &str = ", a software driver";

/// A GPU's name for users.
pub fn gpu_name(gpu: &Gpu) -> String {
    let adapter = gpu.adapter();
    let software = if adapter.is_software() { SOFTWARE } else { "" };
    format!("{} ({}{software})", adapter.name, adapter.backend)
}
