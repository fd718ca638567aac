//! `--format` and `--output-format` of coefficients.

use std::path::Path;
use wgalois::io::coefficients::Format;

#[derive(Clone, Copy, clap::ValueEnum)]
enum Name {
    /// Decimal numbers separated by white space
    Text,
    /// NumPy's array format
    Npy,
    /// Little-endian 32-bit words
    Raw,
}

impl From<Name> for Format {
    fn from(name: Name) -> Format {
        match name {
            Name::Text => Format::Text,
            Name::Npy => Format::Npy,
            Name::Raw => Format::Raw,
        }
    }
}

/// The formats of the inputs and of the output.
#[derive(clap::Args)]
pub struct Formats {
    /// Format of every file [default: by ending: .npy is npy; .raw, .bin and .u32 are raw; any other is
    /// text]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Name>,
    /// Format of the output [default: that of --format, or by ending]
    #[arg(long, value_name = "FORMAT")]
    output_format: Option<Name>,
}

impl Formats {
    pub fn input(&self, path: &Path) -> Format {
        self.format.map_or_else(|| Format::of(path), Format::from)
    }

    /// Returns the format of the output; stdout is text unless an option says otherwise.
    pub fn output(&self, path: Option<&Path>) -> Format {
        choose(self.output_format.or(self.format), path)
    }
}

/// The format of an output alone.
#[derive(clap::Args)]
pub struct OutputFormat {
    /// Format of the output [default: by ending: .npy is npy; .raw, .bin and .u32 are raw; any other is
    /// text]
    #[arg(long, alias = "format", value_name = "FORMAT")]
    output_format: Option<Name>,
}

impl OutputFormat {
    pub fn of(&self, path: Option<&Path>) -> Format {
        choose(self.output_format, path)
    }
}

fn choose(name: Option<Name>, path: Option<&Path>) -> Format {
    match (name, path) {
        (Some(name), _) => name.into(),
        (None, Some(path)) => Format::of(path),
        (None, None) => Format::Text,
    }
}
