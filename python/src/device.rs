//! The devices that calls name: found, opened once, and kept open.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use wgalois::gpu::{self, AdapterDescription};
use wgalois::task::{Plan, Problem};
use wgalois::timeline::Timeline;
use wgalois::{Cpu, Device, Error, Result, Select};

use crate::work;

/// The open GPUs and groups, by the selection that opened them: opening one takes longer than most work.
static OPEN: Mutex<Vec<(Select, Device)>> = Mutex::new(Vec::new());

/// The device that `name` selects for a problem, with the meaning of the program's `--device`. Ctrl-C stops its work.
///
/// # Errors
/// Those of [`Device::select`].
pub fn select(name: &str, problem: &impl Problem) -> Result<Device> {
    let device = selected(name, problem)?;
    work::stops(&device);
    Ok(device)
}

fn selected(name: &str, problem: &impl Problem) -> Result<Device> {
    let Ok(select) = name.parse::<Select>();
    if select == Select::Cpu {
        return Ok(Device::Cpu(Cpu::default()));
    }
    if let Some(device) = opened(&select) {
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
    let device = Device::select(&select, problem, Cpu::default(), gpu::Options::default())?.device;
    // Of several named GPUs, a small problem opens only one, which a later one would miss.
    let is_whole = !matches!((&select, &device), (Select::Group(_), Device::Gpu(_)));
    if is_whole && !matches!(device, Device::Cpu(_)) {
        OPEN.lock().unwrap_or_else(PoisonError::into_inner).push((select, device.clone()));
    }
    Ok(device)
}

fn opened(select: &Select) -> Option<Device> {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let (_, device) = open.iter().find(|(opened, _)| opened == select)?;
    Some(match device {
        // A record for this call: one that lives as long as the interpreter would grow without end.
        Device::Gpu(gpu) => Device::Gpu(
            gpu.with_options(gpu::Options { timeline: Timeline::default(), ..gpu.options().clone() }),
        ),
        other => other.clone(),
    })
}

/// The device on which data stay, of one that was selected: of a group its first member.
///
/// # Errors
/// [`Error::NoDevice`] for a group without members.
pub fn one(device: Device) -> Result<Device> {
    match device {
        Device::Group(group) => match group.members().first() {
            Some(gpu) => Ok(Device::Gpu(gpu.clone())),
            None => Err(Error::NoDevice("a group without members".into())),
        },
        one => Ok(one),
    }
}

/// Forgets all open devices: after one was lost, the next call opens its device anew.
pub fn close_all() {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner).clear();
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
    }
}

/// The adapters that `device=` can name, as dictionaries, in order of preference.
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let adapters = work::run(py, (), |()| gpu::adapters())?;
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
