//! The caller's choice of a device, as given to `--device`.

use std::fmt;
use std::str::FromStr;

use crate::gpu::Adapter;

/// A selection of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Select {
    /// The device whose plan for the problem expects the shortest time.
    #[default]
    Auto,
    /// The CPU engine.
    Cpu,
    /// A GPU; an error if it is missing.
    Gpu(Adapter),
}

impl FromStr for Select {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "auto" | "" => Select::Auto,
            "cpu" => Select::Cpu,
            "gpu" => Select::Gpu(Adapter::First),
            lower => Select::Gpu(match lower.parse() {
                Ok(index) => Adapter::Index(index),
                Err(_) => Adapter::Name(lower.to_owned()),
            }),
        })
    }
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Select::Auto => f.write_str("auto"),
            Select::Cpu => f.write_str("cpu"),
            Select::Gpu(adapter) => adapter.fmt(f),
        }
    }
}
