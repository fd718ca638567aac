//! The caller's choice of an adapter.

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

impl fmt::Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Adapter::First => f.write_str("gpu"),
            Adapter::Index(index) => write!(f, "{index}"),
            Adapter::Name(name) => f.write_str(name),
        }
    }
}
