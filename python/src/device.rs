//! The devices that calls name: found, opened once, and kept open.

use crate::prelude::*;
use std::ops::Deref;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use pyo3::types::{PyBool, PyDict};
use wgalois::gpu::{self, AdapterDescription, Gpu};
use wgalois::task::Planned;
use wgalois::timeline::Timeline;
use wgalois::{Cpu, Group, Select, Setup};

use crate::forks;

/// The text of a `device=`: a string, or an integer for the number of an adapter.
pub struct DeviceName(String);

impl FromPyObject<'_, '_> for DeviceName {
    type Error = PyErr;

    fn extract(device: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(name) = device.extract::<String>() {
            return Ok(DeviceName(name));
        }
        let is_bool = device.is_instance_of::<PyBool>();
        match device.extract::<usize>() {
            Ok(number) if !is_bool => Ok(DeviceName(number.to_string())),
            _ => {
                let expected = "a name, or the number of an adapter, was expected";
                let message = format!("device={}: {expected}", device.repr()?);
                raised(device.py(), Err(Error::Usage(message)))
            }
        }
    }
}

impl Deref for DeviceName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// What is open: opening a GPU takes longer than most work.
struct Open {
    /// The GPUs. An adapter is open once, whatever name it was given, so that arrays of one adapter fit together; twice
    /// only for a group that names it twice.
    gpus: Vec<Gpu>,
    /// The devices by the selection that named them.
    named: Vec<(Select, Device)>,
}

static OPEN: Mutex<Open> = Mutex::new(Open { gpus: Vec::new(), named: Vec::new() });

/// Works on what is open.
fn open<T>(work: impl FnOnce(&mut Open) -> T) -> T {
    work(&mut OPEN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The device that `name` selects for a problem, with the meaning of the program's `--device`. Ctrl-C stops its work.
pub fn select(name: &str, problem: &impl Problem) -> Result<Device> {
    let device = of_this_call(selected(name, problem)?);
    work::stops(&device)?;
    Ok(device)
}

/// True if `name` selects the CPU engine for every short problem.
pub fn is_cpu_if_short(name: &str) -> bool {
    name.eq_ignore_ascii_case("cpu") || matches!(name, "auto" | "") && !gpu::adapter_is_named()
}

fn selected(name: &str, problem: &impl Problem) -> Result<Device> {
    let Ok(select) = name.parse::<Select>();
    if select == Select::Cpu {
        return Ok(Device::Cpu(Cpu::default()));
    }
    let named =
        |open: &mut Open| open.named.iter().find(|(other, _)| *other == select).map(|(_, d)| d.clone());
    let known = open(named);
    if select == Select::Auto && is_left_to_cpu(problem, known.is_some()) {
        return Ok(Device::Cpu(Cpu::default()));
    }
    forks::load_drivers()?;
    if let Some(device) = known {
        if select != Select::Auto {
            return Ok(device);
        }
        // The GPU is open, so that its time no longer counts the opening.
        let cpu = Device::Cpu(Cpu::default());
        let time = |device: &Device| problem.plan(device).map(|plan| plan.cost().time);
        return Ok(match (time(&cpu), time(&device)) {
            (Ok(on_cpu), Ok(on_gpu)) if on_gpu < on_cpu => device,
            (Err(_), Ok(_)) => device,
            _ => cpu,
        });
    }
    let device = Device::select(&select, problem, Setup::default())?.device;
    // Of several named GPUs, a small problem opens only one, which a later one would miss.
    let is_whole = !matches!((&select, &device), (Select::Group(_), Device::Gpu(_)));
    open(|open| {
        let device = open.known(device)?;
        if is_whole && !matches!(device, Device::Cpu(_)) {
            open.named.push((select, device.clone()));
        }
        Ok(device)
    })
}

/// True if there can be no GPU in this process, or if the CPU engine computes a problem before a GPU would be open.
fn is_left_to_cpu(problem: &impl Problem, is_open: bool) -> bool {
    if gpu::adapter_is_named() {
        return false;
    }
    // It is in a file, which takes longer to read than short work.
    static OPENING: OnceLock<Duration> = OnceLock::new();
    let is_short = |plan: Planned<_>| plan.cost().time < *OPENING.get_or_init(gpu::shortest_opening);
    forks::lacks_drivers() || !is_open && problem.plan(&Device::Cpu(Cpu::default())).is_ok_and(is_short)
}

impl Open {
    /// The device with the GPUs that were open before in the place of those that were opened again, which close.
    fn known(&mut self, device: Device) -> Result<Device> {
        let mut taken = Vec::new();
        match device {
            Device::Gpu(gpu) => Ok(Device::Gpu(self.known_gpu(&gpu, &mut taken))),
            Device::Group(group) => {
                let known = group.members().iter().map(|gpu| self.known_gpu(gpu, &mut taken)).collect();
                Group::new(known).map(Device::Group)
            }
            cpu => Ok(cpu),
        }
    }

    /// The open GPU of the same adapter that is not among those `taken`; this one if there is none.
    fn known_gpu(&mut self, gpu: &Gpu, taken: &mut Vec<Gpu>) -> Gpu {
        let is_free = |known: &&Gpu| {
            known.index() == gpu.index() && !taken.iter().any(|taken| taken.is_same_device(known))
        };
        let known = self.gpus.iter().find(is_free).cloned().unwrap_or_else(|| {
            self.gpus.push(gpu.clone());
            gpu.clone()
        });
        taken.push(known.clone());
        known
    }
}

/// The device with a record of its own, so that Ctrl-C ends the work of one call and of no other.
fn of_this_call(device: Device) -> Device {
    let timeline = Timeline::default();
    match device {
        Device::Gpu(gpu) => Device::Gpu(gpu.with_options(gpu::Options { timeline, ..gpu.options().clone() })),
        Device::Group(group) => Device::Group(group.with_timeline(&timeline)),
        cpu => cpu,
    }
}

/// The device on which data stay, of one that was selected: of a group its first member.
pub fn one(device: Device) -> Result<Device> {
    match device {
        Device::Group(group) => match group.members().first() {
            Some(gpu) => Ok(Device::Gpu(gpu.clone())),
            None => Err(Error::NoDevice("a group without members".into())),
        },
        one => Ok(one),
    }
}

/// Forgets the devices that were lost: the next call that names one opens it anew.
pub fn forget_lost() {
    let is_lost = |device: &Device| match device {
        Device::Cpu(_) | Device::Processes(_) => false,
        Device::Gpu(gpu) => gpu.is_lost(),
        Device::Group(group) => group.members().iter().any(Gpu::is_lost),
    };
    open(|open| {
        open.gpus.retain(|gpu| !gpu.is_lost());
        open.named.retain(|(_, device)| !is_lost(device));
    });
}

/// The name of a device, for messages and attributes.
pub fn name(device: &Device) -> String {
    match device {
        Device::Cpu(_) => "cpu".into(),
        Device::Gpu(gpu) => gpu.adapter().name.clone(),
        Device::Group(group) => {
            let names: Vec<&str> = group.members().iter().map(|gpu| gpu.adapter().name.as_str()).collect();
            names.join(", ")
        }
        Device::Processes(processes) => name(processes.own()),
    }
}

/// The adapters that ``device=`` can name, in order of preference.
///
/// Each is a dictionary: ``index`` (its number for ``device=``), ``name``, ``vendor``, ``backend`` (the graphics API: Vulkan,
/// Metal, DX12 or GL), ``driver``, ``kind`` (discrete, integrated, virtual, software or other), ``int64`` and
/// ``subgroups`` (whether shaders may use 64-bit integers and subgroup operations), ``timestamps`` (whether it times
/// kernels), ``max_binding_bytes`` and ``max_buffer_bytes``.
///
/// >>> import wgalois
/// >>> [adapter["index"] for adapter in wgalois.devices()] == list(range(len(wgalois.devices())))
/// True
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let adapters = work::run(py, (), |()| {
        forks::load_drivers()?;
        gpu::adapters()
    })?;
    adapters.iter().enumerate().map(|(index, adapter)| described(py, index, adapter)).collect()
}

fn described<'py>(
    py: Python<'py>,
    index: usize,
    adapter: &AdapterDescription,
) -> PyResult<Bound<'py, PyDict>> {
    let dictionary = PyDict::new(py);
    dictionary.set_item("index", index)?;
    dictionary.set_item("name", &adapter.name)?;
    dictionary.set_item("vendor", &adapter.vendor)?;
    dictionary.set_item("backend", &adapter.backend)?;
    dictionary.set_item("driver", &adapter.driver)?;
    dictionary.set_item("kind", adapter.kind)?;
    dictionary.set_item("int64", adapter.int64)?;
    dictionary.set_item("subgroups", adapter.subgroups)?;
    dictionary.set_item("timestamps", adapter.timestamps)?;
    dictionary.set_item("max_binding_bytes", adapter.max_binding_bytes)?;
    dictionary.set_item("max_buffer_bytes", adapter.max_buffer_bytes)?;
    Ok(dictionary)
}
