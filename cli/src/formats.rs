//! `--format` and `--output-format` of coefficients.

use super::outputs::ending;
use std::path::Path;
use wgalois::Result;
use wgalois_io::Source;
use wgalois_io::coefficients::Format;

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

/// The endings of files of coefficients.
const ENDINGS: &[&str] = &["txt", "text", "out", "dat", "npy", "raw", "bin", "u32"];

/// The formats of the inputs and of the output.
#[derive(clap::Args)]
pub struct Formats {
    /// Format of every file [default: by ending: .npy is npy; .raw, .bin and .u32 are raw; any other is
    /// text]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Name>,
    /// Format of the output [default: by ending; for a file without one, that of the first input; for stdout,
    /// that of --format, or text]
    #[arg(long, value_name = "FORMAT")]
    output_format: Option<Name>,
}

impl Formats {
    pub fn input(&self, path: &Path) -> Format {
        self.format.map_or_else(|| Format::of(path), Format::from)
    }

    /// Refuses a file whose format is that of its ending only, where it is something else than that.
    ///
    /// # Errors
    /// [`Error::Format`](wgalois::Error::Format).
    pub fn expect(&self, source: &Source, format: Format) -> Result<()> {
        match (self.format, format) {
            (None, Format::Raw) => source.expect_numbers("--format raw"),
            _ => Ok(()),
        }
    }

    /// Returns the format of the output at `path`, where `first` is the first input; stdout is text unless an option
    /// says otherwise.
    pub fn output(&self, path: Option<&Path>, first: &Path) -> Format {
        let named = self.output_format.map(Format::from);
        match path {
            None => named.or(self.format.map(Format::from)).unwrap_or(Format::Text),
            Some(path) if ending(path).is_some() => named.unwrap_or_else(|| Format::of(path)),
            Some(_) => named.unwrap_or_else(|| self.input(first)),
        }
    }

    /// Returns the endings that `-o` may have if the option names no format.
    pub fn endings(&self) -> Option<&'static [&'static str]> {
        self.output_format.is_none().then_some(ENDINGS)
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
        match (self.output_format, path) {
            (Some(name), _) => name.into(),
            (None, Some(path)) => Format::of(path),
            (None, None) => Format::Text,
        }
    }

    /// Returns the endings that `-o` may have if the option names no format.
    pub fn endings(&self) -> Option<&'static [&'static str]> {
        self.output_format.is_none().then_some(ENDINGS)
    }
}
