//! The caller's choice of adapters.

use std::fmt;

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
