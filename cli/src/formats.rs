//! `--format` and `--output-format` of coefficients.

use super::outputs::ending;
use crate::prelude::*;
use wgalois_io::coefficients::Format;

const FORMATS: &[Named<Format>] = &[
    ("text", "Decimal numbers separated by white space", Format::Text),
    ("npy", "NumPy's array format", Format::Npy),
    ("raw", "Little-endian 32-bit words", Format::Raw),
];

/// The endings of files of coefficients.
const ENDINGS: &[&str] = &["txt", "text", "out", "dat", "npy", "raw", "bin", "u32"];

/// The formats of the inputs and of the output.
#[derive(clap::Args)]
pub struct Formats {
    /// Format of every file [default: by ending: .npy is npy; .raw, .bin and .u32 are raw; any other is
    /// text]
    #[arg(long, value_name = "FORMAT", value_parser = named(FORMATS))]
    format: Option<Format>,
    /// Format of the output [default: by ending; for a file without one, that of the first input; for stdout,
    /// that of --format, or text]
    #[arg(long, value_name = "FORMAT", value_parser = named(FORMATS))]
    output_format: Option<Format>,
}

impl Formats {
    pub fn input(&self, path: &Path) -> Format {
        self.format.unwrap_or_else(|| Format::of(path))
    }

    /// Refuses a file whose format is that of its ending only, where it is something else than that.
    pub fn expect(&self, source: &Source, format: Format) -> Result<()> {
        match (self.format, format) {
            (None, Format::Raw) => source.expect_numbers("--format raw"),
            _ => Ok(()),
        }
    }

    /// Returns the format of the output at `path`, where `first` is the first input; stdout is text unless an option
    /// says otherwise.
    pub fn output(&self, path: Option<&Path>, first: &Path) -> Format {
        self.output_format.unwrap_or_else(|| match path {
            None => self.format.unwrap_or(Format::Text),
            Some(path) if ending(path).is_some() => Format::of(path),
            Some(_) => self.input(first),
        })
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
    #[arg(long, alias = "format", value_name = "FORMAT", value_parser = named(FORMATS))]
    output_format: Option<Format>,
}

impl OutputFormat {
    pub fn of(&self, path: Option<&Path>) -> Format {
        self.output_format.unwrap_or_else(|| path.map_or(Format::Text, Format::of))
    }

    /// Returns the endings that `-o` may have if the option names no format.
    pub fn endings(&self) -> Option<&'static [&'static str]> {
        self.output_format.is_none().then_some(ENDINGS)
    }
}
