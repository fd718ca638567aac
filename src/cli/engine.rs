//! Chooses the engine from `--device` and the kind of task.

use wgalois::gpu::{self, Adapter, Gpu};
use wgalois::timeline::Timeline;
use wgalois::{Cpu, Device, Error, Result, Select};

/// The kind of task, from which `auto` chooses the engine.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    /// Work that only a GPU can do: `auto` takes a GPU, without a fallback.
    Gpu,
}

impl Task {
    /// True if a real GPU could finish sooner than the CPU engine, including the start of the device
    /// and the transfers in both directions.
    fn is_worth_a_gpu(self) -> bool {
        match self {
            Task::Gpu => true,
        }
    }
}

/// An engine that is ready to use.
pub struct Choice {
    pub device: Device,
    /// The name shown to users.
    pub name: String,
    /// The reason why `auto` took it; `None` if the user named it.
    pub why: Option<&'static str>,
}

/// Opens the engine that `select` names. A GPU is opened with `options`; the CPU engine writes to
/// the same timeline.
///
/// # Errors
/// [`Error::NoDevice`] if a GPU was asked for and there is none. Only `auto` falls back to the CPU
/// engine.
pub fn open(select: &Select, task: Task, options: &gpu::Options) -> Result<Choice> {
    let timeline = &options.timeline;
    let gpu = |adapter: &Adapter| Gpu::open(adapter, options.clone());
    match select {
        Select::Cpu => Ok(cpu(timeline, None)),
        Select::Auto if names_adapter() => Ok(on(gpu(&Adapter::First)?, None)),
        Select::Auto if matches!(task, Task::Gpu) => {
            Ok(on(gpu(&Adapter::First)?, Some("only a GPU does this")))
        }
        Select::Auto if !task.is_worth_a_gpu() => Ok(cpu(timeline, Some("the task is small"))),
        Select::Auto => match gpu(&Adapter::First) {
            Ok(gpu) if gpu.adapter().is_software() => {
                Ok(cpu(timeline, Some("the only graphics driver is a software one")))
            }
            Ok(gpu) => Ok(on(gpu, Some("the task is large"))),
            Err(Error::NoDevice(_)) => Ok(cpu(timeline, Some("no GPU was found"))),
            Err(error) => Err(error),
        },
        Select::Gpu(adapter) => Ok(on(gpu(adapter)?, None)),
    }
}

/// True if the environment names an adapter, which has the same effect as `--device NAME`.
fn names_adapter() -> bool {
    std::env::var_os("WGPU_ADAPTER_NAME").is_some_and(|name| !name.is_empty())
}

fn cpu(timeline: &Timeline, why: Option<&'static str>) -> Choice {
    let cpu = Cpu { timeline: timeline.clone(), ..Cpu::default() };
    let device = Device::Cpu(cpu);
    Choice { name: name(&device), device, why }
}

fn on(gpu: Gpu, why: Option<&'static str>) -> Choice {
    let device = Device::Gpu(gpu);
    Choice { name: name(&device), device, why }
}

/// Returns a device's name as shown to users.
pub fn name(device: &Device) -> String {
    match device {
        Device::Cpu(cpu) => match cpu.thread_count() {
            1 => "CPU engine, 1 thread".to_owned(),
            threads => format!("CPU engine, {threads} threads"),
        },
        Device::Gpu(gpu) => {
            let adapter = gpu.adapter();
            let software = if adapter.is_software() { ", a software driver" } else { "" };
            format!("{} ({}{software})", adapter.name, adapter.backend)
        }
    }
}
