//! `--format` and `--output-format` of coefficients.

use std::path::Path;
use wgalois::io::coefficients::Format;

#[derive(Clone, Copy, clap::ValueEnum)]
enum Name {
    /// Decimal numbers between white space
    Text,
    /// NumPy's array file
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

/// The format of inputs and of the output.
#[derive(clap::Args)]
pub struct Formats {
    /// Format of every file; otherwise the ending tells (.npy; .raw, .bin, .u32; else text)
    #[arg(long, value_name = "FORMAT")]
    format: Option<Name>,
    /// Format of the output, where it is another
    #[arg(long, value_name = "FORMAT")]
    output_format: Option<Name>,
}

impl Formats {
    pub fn input(&self, path: &Path) -> Format {
        self.format.map_or_else(|| Format::of(path), Format::from)
    }

    /// The format to write; stdout is text unless said otherwise.
    pub fn output(&self, path: Option<&Path>) -> Format {
        choose(self.output_format.or(self.format), path)
    }
}

/// The format of an output alone.
#[derive(clap::Args)]
pub struct OutputFormat {
    /// Format of the output; otherwise the ending tells (.npy; .raw, .bin, .u32; else text)
    #[arg(long, value_name = "FORMAT")]
    format: Option<Name>,
}

impl OutputFormat {
    pub fn of(&self, path: Option<&Path>) -> Format {
        choose(self.format, path)
    }
}

fn choose(name: Option<Name>, path: Option<&Path>) -> Format {
    match (name, path) {
        (Some(name), _) => name.into(),
        (None, Some(path)) => Format::of(path),
        (None, None) => Format::Text,
    }
}
