//! Coefficients of polynomials, lowest degree first, and entries of transforms.
//!
//! | format | endings | holds |
//! |---|---|---|
//! | text | all others | decimal numbers separated by white space; written one per line |
//! | npy | `.npy` | NumPy's format, versions 1 to 3: read from integers of 8 to 64 bits, either byte order, any shape in C order; written as `<u4` (residues) or `<i8` (integers) |
//! | raw | `.raw`, `.bin`, `.u32` | little-endian 32-bit words, no header; residues only |
//!
//! The admissible coefficients are described by a [`Ring`]: [`Residues`] modulo a number,
//! [`Integers`] of 64 bits, or [`WideIntegers`] of 128.

mod npy;
mod raw;
mod ring;
mod text;

pub use ring::{Integers, Residues, Ring, WideIntegers};

use super::Source;
use super::identify::by_ending;
use super::npy_header::read_header;
use std::io::{self, Write};
use std::path::Path;
use wgalois::{Error, Result};

/// The file format of coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Decimal numbers separated by white space.
    Text,
    /// NumPy's array format.
    Npy,
    /// Little-endian 32-bit words.
    Raw,
}

impl Format {
    /// Returns the format that a file's ending names, and text if it names none.
    pub fn of(path: &Path) -> Format {
        use Format::*;
        by_ending(path, &[("npy", Npy), ("raw", Raw), ("bin", Raw), ("u32", Raw)]).unwrap_or(Text)
    }
}

/// Reads the coefficients of `source`: at least one, all in `ring`, in at most `memory` bytes.
pub fn read<R: Ring>(source: &Source, format: Format, ring: &R, memory: u64) -> Result<Vec<R::Value>> {
    let values = match format {
        Format::Text => text::read(source, ring, memory),
        Format::Npy => npy::read(source, ring, memory),
        Format::Raw => raw::read(source, ring, memory),
    }?;
    if values.is_empty() {
        return Err(source.error("empty, where at least one coefficient was expected"));
    }
    Ok(values)
}

/// Returns the sides of the array in `source`; only `.npy` states them, and other formats have none.
pub fn sides(source: &Source, format: Format) -> Result<Vec<u64>> {
    match format {
        Format::Npy => read_header(source).map(|(header, _)| header.shape),
        Format::Text | Format::Raw => Ok(Vec::new()),
    }
}

/// Returns the number of values that `source` holds by its length or its header; `None` for text, which does not tell.
pub fn count(source: &Source, format: Format) -> Result<Option<usize>> {
    match format {
        Format::Raw => Ok(Some(source.bytes().len() / size_of::<u32>())),
        Format::Npy => {
            let sides = sides(source, format)?;
            let count = sides.iter().try_fold(1u64, |count, &side| count.checked_mul(side));
            // The reader has messages for headers that do not fit the file.
            Ok(count.and_then(|count| usize::try_from(count).ok()))
        }
        Format::Text => Ok(None),
    }
}

/// Writes residues.
pub fn write_residues(out: &mut dyn Write, format: Format, values: &[u32]) -> io::Result<()> {
    write_array(out, format, values, &[])
}

/// Writes residues as an array of these sides, whose product is the number of values; one of one side if there are
/// none. Only `.npy` has sides.
pub fn write_array(out: &mut dyn Write, format: Format, values: &[u32], sides: &[u64]) -> io::Result<()> {
    match (format, sides) {
        (Format::Text, _) => super::text::write_integers(out, values),
        (Format::Npy, []) => npy::write(out, values, &[values.len() as u64]),
        (Format::Npy, sides) => npy::write(out, values, sides),
        (Format::Raw, _) => raw::write(out, values),
    }
}

/// Writes integers. Raw words cannot hold them: see [`check_integers`].
pub fn write_integers(out: &mut dyn Write, format: Format, values: &[i128]) -> io::Result<()> {
    match format {
        Format::Text => super::text::write_integers(out, values),
        Format::Npy => npy::write_wide(out, values),
        Format::Raw => Err(io::Error::new(io::ErrorKind::InvalidData, RAW_HOLDS)),
    }
}

const RAW_HOLDS: &str = "raw files hold residues modulo a prime; integers need text or npy";

/// Checks that `format` can hold integers at all. Raw words cannot.
pub fn check_integers(format: Format) -> Result<()> {
    match format {
        Format::Text | Format::Npy => Ok(()),
        Format::Raw => Err(Error::Usage(RAW_HOLDS.to_owned())),
    }
}

#[cfg(test)]
mod tests;
