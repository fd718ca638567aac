//! Finding the adapters, and choosing among them by a selection.

use std::sync::Mutex;
use std::time::Duration;

use web_time::Instant;

use super::Adapter;
#[cfg(not(target_arch = "wasm32"))]
use super::Adapters;
use super::adapter::{AdapterDescription, kind};
use crate::lock::lock;
use crate::{Error, Result};

/// The environment variables that choose the adapter and the graphics APIs.
const ADAPTER_NAME: &str = "WGPU_ADAPTER_NAME";
const BACKEND: &str = "WGPU_BACKEND";

/// Returns the value of an environment variable, or `None` if it is unset or empty.
fn variable(name: &str) -> Option<String> {
    Some(std::env::var_os(name)?.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
}

/// Returns the graphics APIs to search for adapters.
fn backends() -> Result<wgpu::Backends> {
    let Some(list) = variable(BACKEND) else { return Ok(wgpu::Backends::PRIMARY) };
    if let Some(unknown) = list.split(',').find(|name| wgpu::Backends::from_comma_list(name).is_empty()) {
        let error = Error::unknown("graphics API", unknown.trim(), ["vulkan", "metal", "dx12", "gl"]);
        return Err(error.of(format!("{BACKEND}={list}")));
    }
    Ok(wgpu::Backends::from_comma_list(&list))
}

/// The instance of these APIs. Each is loaded once and stays: NVIDIA's driver fails after it was loaded and unloaded some ten
/// times in one process.
fn instance(backends: wgpu::Backends) -> wgpu::Instance {
    static LOADED: Mutex<Vec<(wgpu::Backends, wgpu::Instance)>> = Mutex::new(Vec::new());
    let mut loaded = lock(&LOADED);
    if let Some((_, instance)) = loaded.iter().find(|(own, _)| *own == backends) {
        return instance.clone();
    }
    // wgpu reads its other environment variables here. Only the wanted APIs are loaded: OpenGL takes some hundredths of a
    // second.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle_from_env()
    });
    loaded.push((backends, instance.clone()));
    instance
}

/// The adapters that wgpu finds, in the order discrete, integrated, virtual, other, software. Searching takes some
/// hundredths of a second, so that one search serves to choose and to open.
pub struct Found {
    adapters: Vec<wgpu::Adapter>,
    described: Vec<AdapterDescription>,
    search_time: Duration,
}

impl Found {
    /// Searches.
    pub async fn search_async() -> Result<Self> {
        let (begin, backends) = (Instant::now(), backends()?);
        let instance = instance(backends);
        let mut adapters = instance.enumerate_adapters(backends).await;
        adapters.sort_by_key(|adapter| kind(adapter.get_info().device_type).0);
        // Without GPUs none is found.
        #[cfg(feature = "cpu-only")]
        adapters.clear();
        #[cfg(feature = "cpu-only")]
        let described = Vec::new();
        #[cfg(not(feature = "cpu-only"))]
        let described = adapters.iter().map(AdapterDescription::of).collect();
        let search_time = begin.elapsed();
        log::debug!("{} adapters found in {search_time:?}", adapters.len());
        Ok(Found { adapters, described, search_time })
    }

    /// The blocking form of [`search_async`](Self::search_async).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn search() -> Result<Self> {
        super::block_on::block_on(Self::search_async())
    }

    /// The descriptions, in the order of the indices.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn described(&self) -> &[AdapterDescription] {
        &self.described
    }

    pub(super) fn search_time(&self) -> Duration {
        self.search_time
    }

    pub(super) fn adapter(&self, index: usize) -> &wgpu::Adapter {
        &self.adapters[index]
    }

    /// Returns the indices of the adapters that a selection names.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn choose_all(&self, select: &Adapters) -> Result<Vec<usize>> {
        let adapters = &self.described;
        let Some(first) = adapters.first() else {
            return Err(Error::NoDevice("no adapter was found".into()));
        };
        let indices: Vec<usize> = match select {
            Adapters::All => {
                // A machine with a GPU often has a software driver too, and some list a GPU once for each API.
                let is_of_all = |adapter: &AdapterDescription| {
                    adapter.backend == first.backend && adapter.is_software() == first.is_software()
                };
                (0..adapters.len()).filter(|&index| is_of_all(&adapters[index])).collect()
            }
            Adapters::Name(text) => {
                let text = text.to_ascii_lowercase();
                (0..adapters.len()).filter(|&index| adapters[index].matches(&text)).collect()
            }
            Adapters::Indices(indices) => indices.clone(),
        };
        match indices.iter().find(|&&index| index >= adapters.len()) {
            None if !indices.is_empty() => Ok(indices),
            None => Err(Error::NoDevice(format!("no adapter is named by {select}"))),
            Some(index) => {
                let last = adapters.len() - 1;
                Err(Error::NoDevice(format!("{index} is not among the adapters, which are 0 to {last}")))
            }
        }
    }

    /// Returns the index of the adapter that a selection names.
    pub fn choose(&self, select: &Adapter) -> Result<usize> {
        let described = &self.described;
        let named = |name: &str| described.iter().position(|d| d.matches(&name.to_ascii_lowercase()));
        let (index, wanted) = match (select, variable(ADAPTER_NAME)) {
            (Adapter::First, Some(name)) => (named(&name), format!("{ADAPTER_NAME}={name}")),
            (Adapter::First, None) => (Some(0), select.to_string()),
            (Adapter::Index(index), _) => (Some(*index), select.to_string()),
            (Adapter::Name(text), _) => (named(text), select.to_string()),
        };
        index.filter(|&index| index < described.len()).ok_or_else(|| {
            let names: Vec<_> =
                described.iter().enumerate().map(|(i, d)| format!("{i}: {}", d.name)).collect();
            Error::NoDevice(match &names[..] {
                [] => {
                    let among = variable(BACKEND).map(|list| format!(" with {BACKEND}={list}"));
                    format!("no adapter was found{}", among.unwrap_or_default())
                }
                _ => format!("{wanted} is not among the adapters ({})", names.join(", ")),
            })
        })
    }
}

impl Adapter {
    /// The adapter for the `n`-th of several processes on a host: adapter `n` of those that the selection names,
    /// beginning again after the last. [`Adapter::First`] names those of the kind of the first, such as discrete.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn of_process(&self, n: usize) -> Result<Adapter> {
        self.nth_of(n, &adapters()?, variable(ADAPTER_NAME).as_deref())
    }

    /// [`of_process`](Self::of_process) of these adapters, where the environment may name some.
    #[cfg(not(target_arch = "wasm32"))]
    fn nth_of(
        &self,
        n: usize,
        adapters: &[AdapterDescription],
        environment: Option<&str>,
    ) -> Result<Adapter> {
        let text = match self {
            Adapter::Index(_) => return Ok(self.clone()),
            Adapter::Name(text) => Some(text.as_str()),
            Adapter::First => environment,
        };
        let text = text.map(str::to_ascii_lowercase);
        let is_named = |adapter: &AdapterDescription| match &text {
            Some(text) => adapter.matches(text),
            None => adapters.first().is_some_and(|first| first.kind == adapter.kind),
        };
        let named: Vec<usize> = (0..adapters.len()).filter(|&index| is_named(&adapters[index])).collect();
        match named[..] {
            [] => Err(Error::NoDevice(format!("no adapter is named {self}"))),
            _ => Ok(Adapter::Index(named[n % named.len()])),
        }
    }
}

/// Returns the descriptions of all adapters, in the order of their indices.
#[cfg(not(target_arch = "wasm32"))]
pub fn adapters() -> Result<Vec<AdapterDescription>> {
    Ok(Found::search()?.described)
}

/// True if the environment names an adapter (`WGPU_ADAPTER_NAME`).
#[cfg(not(target_arch = "wasm32"))]
pub fn adapter_is_named() -> bool {
    variable(ADAPTER_NAME).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(name: &str, kind: &'static str) -> AdapterDescription {
        AdapterDescription {
            name: name.to_owned(),
            vendor: "NVIDIA".to_owned(),
            backend: "vulkan".to_owned(),
            driver: String::new(),
            kind,
            int64: false,
            subgroups: false,
            subgroup_sizes: [0; 2],
            timestamps: false,
            pipeline_cache: false,
            max_binding_bytes: 0,
            max_buffer_bytes: 0,
            max_workgroup_bytes: 0,
            max_workgroup_invocations: 0,
            max_storage_bindings: 0,
            memory: None,
        }
    }

    #[test]
    fn processes_of_a_host_take_the_named_adapters_in_turn() {
        let adapters =
            [adapter("H200", "discrete"), adapter("H200", "discrete"), adapter("llvmpipe", "software")];
        let taken = |select: &Adapter, environment| -> Vec<Adapter> {
            (0..4).map(|n| select.nth_of(n, &adapters, environment).unwrap()).collect()
        };
        let indices = |all: [usize; 4]| all.map(Adapter::Index).to_vec();
        assert_eq!(taken(&Adapter::First, None), indices([0, 1, 0, 1]));
        assert_eq!(taken(&Adapter::First, Some("LLVM")), indices([2; 4]));
        assert_eq!(taken(&Adapter::Name("nvidia".to_owned()), Some("LLVM")), indices([0, 1, 2, 0]));
        assert_eq!(taken(&Adapter::Name("h200".to_owned()), None), indices([0, 1, 0, 1]));
        assert_eq!(taken(&Adapter::Index(1), None), indices([1; 4]));
        let missing = Adapter::Name("lacking".to_owned()).nth_of(0, &adapters, None);
        assert!(matches!(missing, Err(Error::NoDevice(_))));
        assert!(matches!(Adapter::First.nth_of(0, &[], None), Err(Error::NoDevice(_))));
    }
}
