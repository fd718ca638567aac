//! The caller's choice of a GPU.

use std::fmt;

/// A selection among the adapters that wgpu finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Adapter {
    /// The first in the order discrete, integrated, virtual, software; the one that
    /// `WGPU_ADAPTER_NAME` names, where that variable is set.
    #[default]
    First,
    /// The adapter with this index in the list of [`adapters`](super::adapters).
    Index(usize),
    /// The first whose name, driver, vendor or backend contains this text, in lower case.
    Name(String),
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
