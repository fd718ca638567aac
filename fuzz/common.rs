//! What the properties share: sources and outputs in memory, and the tokens of a text.

use std::io::{self, Write};

use wgalois::Result;
use wgalois_io::Source;

use super::watched::read_within;

pub fn source(data: &[u8]) -> Source {
    Source::from_bytes("input", data)
}

pub fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("writing to memory");
    bytes
}

/// Reads a value, writes it and reads it again. Returns the value.
pub fn round_trip<T: PartialEq>(
    data: &[u8],
    read: impl Fn(&Source, u64) -> Result<T>,
    size: impl Fn(&T) -> usize,
    write: impl FnOnce(&mut dyn Write, &T) -> io::Result<()>,
) -> Option<T> {
    let value = read_within(data, &read, size)?;
    let bytes = written(|out| write(out, &value));
    assert!(read(&source(&bytes), 1 << 30).expect("what was written") == value);
    Some(value)
}

/// Returns the tokens between white space.
pub fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let space = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    text.split(move |byte| space(byte)).filter(|word| !word.is_empty())
}

/// Returns the value of at least one decimal digit, below 2^64.
pub fn decimal(digits: &[u8]) -> Option<u64> {
    let digits = Some(digits).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
