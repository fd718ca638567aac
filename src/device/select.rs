//! The caller's choice of a device, as given to `--device`.

use std::fmt;
use std::str::FromStr;

use crate::gpu::{Adapter, Adapters};

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
    /// Several GPUs; an error if there are none.
    Group(Adapters),
}

impl FromStr for Select {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "auto" | "" => Select::Auto,
            "cpu" => Select::Cpu,
            "gpu" => Select::Gpu(Adapter::First),
            "all" => Select::Group(Adapters::All),
            lower => match (lower.strip_prefix("all:"), numbers(lower).as_deref()) {
                (Some(name), _) if !name.is_empty() => Select::Group(Adapters::Name(name.to_owned())),
                (_, Some(&[index])) => Select::Gpu(Adapter::Index(index)),
                (_, Some(indices)) => Select::Group(Adapters::Indices(indices.to_vec())),
                _ => Select::Gpu(Adapter::Name(lower.to_owned())),
            },
        })
    }
}

/// The numbers between the commas of a text; `None` if something else is among them, since a name may contain
/// commas.
fn numbers(text: &str) -> Option<Vec<usize>> {
    text.split(',').map(|number| number.trim().parse().ok()).collect()
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Select::Auto => f.write_str("auto"),
            Select::Cpu => f.write_str("cpu"),
            Select::Gpu(adapter) => adapter.fmt(f),
            Select::Group(adapters) => adapters.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_and_of_several_devices() {
        let one = |name: &str| Select::Gpu(Adapter::Name(name.to_owned()));
        let several = |adapters| Select::Group(adapters);
        let cases = [
            ("auto", Select::Auto),
            ("", Select::Auto),
            ("CPU", Select::Cpu),
            ("gpu", Select::Gpu(Adapter::First)),
            ("1", Select::Gpu(Adapter::Index(1))),
            ("nvidia", one("nvidia")),
            ("llvmpipe (llvm 15, 256 bits)", one("llvmpipe (llvm 15, 256 bits)")),
            ("1,x", one("1,x")),
            ("all:", one("all:")),
            ("ALL", several(Adapters::All)),
            ("all:nvidia", several(Adapters::Name("nvidia".to_owned()))),
            ("0,1", several(Adapters::Indices(vec![0, 1]))),
            ("2, 2,0", several(Adapters::Indices(vec![2, 2, 0]))),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<Select>(), Ok(expected.clone()), "{text}");
            assert_eq!(expected.to_string().parse::<Select>(), Ok(expected));
        }
    }
}
