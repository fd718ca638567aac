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
        let adapters = adapters()?;
        let text = match self {
            Adapter::Name(text) => Some(text.clone()),
            _ => named_by_environment(),
        };
        let is_named = |adapter: &AdapterDescription| match &text {
            Some(text) => adapter.matches(&text.to_ascii_lowercase()),
            None => adapters.first().is_some_and(|first| first.kind == adapter.kind),
        };
        let named: Vec<usize> = (0..adapters.len()).filter(|&index| is_named(&adapters[index])).collect();
        match self {
            Adapter::Index(_) => Ok(self.clone()),
            _ if named.is_empty() => Err(Error::NoDevice(format!("no adapter is named {self}"))),
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
