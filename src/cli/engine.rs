//! From `--device` and the size of a task to the engine that does it.

use wgalois::gpu::{self, Adapter, Gpu};
use wgalois::timeline::Timeline;
use wgalois::{Cpu, Device, Error, Result, Select};

/// What is to be done, for `auto` to know where it is done fastest.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    /// What only a GPU can do: `auto` takes one, and falls back to nothing.
    Gpu,
}

impl Task {
    /// Whether a real GPU could finish sooner than the CPU engine, the start of the device
    /// and the way there and back included.
    fn is_worth_a_gpu(self) -> bool {
        match self {
            Task::Gpu => true,
        }
    }
}

/// An engine, ready.
pub struct Choice {
    pub device: Device,
    /// Its name for users.
    pub name: String,
    /// Why `auto` took it; `None` where the user named it.
    pub why: Option<&'static str>,
}

/// Opens what `select` asks for; a GPU is opened with `options`, whose timeline the CPU engine
/// writes to as well.
///
/// # Errors
/// [`Error::NoDevice`] where a GPU was asked for and there is none: nothing falls back but `auto`.
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

/// Whether the environment asks for an adapter by name, which is as good as `--device NAME`.
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

/// A device's name for users.
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
