//! Which device the caller wants.

use std::fmt;
use std::str::FromStr;

/// A selection of a device, as `--device` takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Select {
    /// The fastest for the task at hand: a GPU, or the CPU engine where that wins or no GPU is there.
    #[default]
    Auto,
    /// The CPU engine.
    Cpu,
    /// The first adapter in the order discrete, integrated, virtual, software.
    Gpu,
    /// The adapter with this index in the list of `wgalois devices`.
    Index(usize),
    /// The first adapter whose name, driver, vendor or backend contains this text, in any case.
    Name(String),
}

impl FromStr for Select {
    type Err = std::convert::Infallible;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Ok(match (s.to_ascii_lowercase().as_str(), s.parse()) {
            ("auto" | "", _) => Select::Auto,
            ("cpu", _) => Select::Cpu,
            ("gpu", _) => Select::Gpu,
            (_, Ok(index)) => Select::Index(index),
            (lower, Err(_)) => Select::Name(lower.to_owned()),
        })
    }
}

/// As `--device` takes it.
impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Select::Auto => f.write_str("auto"),
            Select::Cpu => f.write_str("cpu"),
            Select::Gpu => f.write_str("gpu"),
            Select::Index(index) => write!(f, "{index}"),
            Select::Name(name) => f.write_str(name),
        }
    }
}
