//! The caller's choice of an adapter.

use std::fmt;

#[cfg(not(target_arch = "wasm32"))]
use super::adapter::{AdapterDescription, adapters, named_by_environment};
#[cfg(not(target_arch = "wasm32"))]
use crate::{Error, Result};

/// A selection of one of the adapters that wgpu finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Adapter {
    /// The adapter that `WGPU_ADAPTER_NAME` names, if that variable is set; otherwise the first in the order
    /// discrete, integrated, virtual, other, software.
    #[default]
    First,
    /// The adapter with this index in the list of [`adapters`](super::adapters).
    Index(usize),
    /// The first adapter whose name, driver, vendor or backend contains this text, ignoring case.
    Name(String),
}

impl Adapter {
    /// The adapter for the `n`-th of several processes on a host: adapter `n` of those that the selection names,
    /// beginning again after the last. [`Adapter::First`] names those of the kind of the first, such as discrete.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if the selection names none.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn of_process(&self, n: usize) -> Result<Adapter> {
        self.nth_of(n, &adapters()?, named_by_environment().as_deref())
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

/// A selection of several of the adapters that wgpu finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Adapters {
    /// All GPUs of the first adapter's graphics API; its software drivers if it has no GPU.
    All,
    /// All adapters whose name, driver, vendor or backend contains this text, ignoring case.
    Name(String),
    /// The adapters with these indices in the list of [`adapters`](super::adapters). An index that stands
    /// twice is opened twice.
    Indices(Vec<usize>),
}

impl fmt::Display for Adapters {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Adapters::All => f.write_str("all"),
            Adapters::Name(name) => write!(f, "all:{name}"),
            Adapters::Indices(indices) => {
                let indices: Vec<_> = indices.iter().map(usize::to_string).collect();
                f.write_str(&indices.join(","))
            }
        }
    }
}

impl fmt::Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Adapter::First => f.write_str("gpu"),
            Adapter::Index(index) => write!(f, "{index}"),
            Adapter::Name(name) => f.write_str(name),
        }
    }
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
