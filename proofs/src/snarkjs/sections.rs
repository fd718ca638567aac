//! Containers of numbered sections, `.r1cs`, `.zkey` and `.wtns`.

use std::io::{self, Write};

use ark_ff::{BigInteger, PrimeField};

use wgalois::{Error, Fault, Result};
use wgalois_io::Source;

/// A section of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its number.
    pub number: u32,
    /// The offset of its content in the file.
    pub offset: usize,
    /// The bytes of its content.
    pub bytes: usize,
}

/// The sections of a file.
pub(super) struct Sections<'s> {
    pub(super) source: &'s Source,
    list: Vec<Section>,
}

/// One section, read from its begin.
#[derive(Clone, Copy)]
pub(super) struct Reader<'s> {
    source: &'s Source,
    number: u32,
    /// The offset of what comes next.
    at: usize,
    end: usize,
}

impl<'s> Sections<'s> {
    /// Reads the list of sections of a file that begins with four letters.
    pub(super) fn new(source: &'s Source, letters: &[u8; 4]) -> Result<Self> {
        let name = String::from_utf8_lossy(letters);
        let bytes = source.bytes();
        if !bytes.starts_with(letters) {
            return Err(source.byte_error(0, format!("expected a file of snarkjs that begins with {name}")));
        }
        let mut reader = Reader { source, number: 0, at: 4, end: bytes.len() };
        let version = reader.word("the version")?;
        if !(1..=2).contains(&version) {
            return Err(source.byte_error(4, format!("version {version} of {name}; 1 and 2 are read")));
        }
        let count = reader.word("the number of sections")?;
        let mut list: Vec<Section> = Vec::new();
        // Every section takes 12 bytes or more, so the list is not longer than the file justifies.
        for _ in 0..count {
            let place = reader.at;
            let number = reader.word("the number of a section")?;
            let length = reader.long("the length of a section")?;
            let left = bytes.len() - reader.at;
            let length = usize::try_from(length).ok().filter(|&length| length <= left).ok_or_else(|| {
                source.byte_error(
                    place,
                    format!("section {number} should have {length} bytes, and {left} are left in the file"),
                )
            })?;
            if list.iter().any(|other| other.number == number) {
                return Err(source.byte_error(place, format!("section {number} occurs twice")));
            }
            // Formats have a dozen sections.
            if list.len() == 64 {
                return Err(source.byte_error(place, "more than 64 sections"));
            }
            list.push(Section { number, offset: reader.at, bytes: length });
            reader.at += length;
        }
        match bytes.len() - reader.at {
            0 => Ok(Sections { source, list }),
            rest => Err(source.byte_error(reader.at, format!("{rest} bytes after the last section"))),
        }
    }

    /// The sections.
    pub(super) fn list(&self) -> &[Section] {
        &self.list
    }

    /// Says that a section was read, and will not be again: a large key need not stay in memory beside what was made of it.
    pub(super) fn release(&self, number: u32) {
        if let Some(section) = self.list.iter().find(|section| section.number == number) {
            self.source.release(section.offset..section.offset + section.bytes);
        }
    }

    /// A section's content.
    pub(super) fn section(&self, number: u32, what: &str) -> Result<Reader<'s>> {
        let found = self.list.iter().find(|other| other.number == number);
        let Some(&Section { number, offset: at, bytes }) = found else {
            return Err(self.source.error(format!("there is no section {number}, {what}")));
        };
        Ok(Reader { source: self.source, number, at, end: at + bytes })
    }
}

impl<'s> Reader<'s> {
    /// The bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.end - self.at
    }

    /// The offset of what comes next.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// The reader of the same section at a later offset of the file.
    pub(super) fn at(self, place: usize) -> Self {
        Reader { at: place.clamp(self.at, self.end), ..self }
    }

    /// An error at an offset of the file.
    pub(super) fn error_at(&self, place: usize, fault: impl Into<Fault>) -> Error {
        self.source.byte_error(place, fault.into().within("section", self.number as usize))
    }

    /// The next bytes.
    pub(super) fn bytes(&mut self, count: usize, what: &str) -> Result<&'s [u8]> {
        if count > self.left() {
            let message = format!("{what} takes {count} bytes, where {} are left", self.left());
            return Err(match self.number {
                0 => self.source.byte_error(self.at, message),
                _ => self.error_at(self.at, message),
            });
        }
        self.at += count;
        Ok(&self.source.bytes()[self.at - count..self.at])
    }

    /// The next word of 32 bits.
    pub(super) fn word(&mut self, what: &str) -> Result<u32> {
        let bytes = self.bytes(4, what)?;
        Ok(bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)))
    }

    /// The next word of 64 bits.
    pub(super) fn long(&mut self, what: &str) -> Result<u64> {
        let bytes = self.bytes(8, what)?;
        Ok(bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)))
    }

    /// All that is left, which must be `count` records of `size` bytes.
    pub(super) fn records(&mut self, count: usize, size: usize, what: &str) -> Result<&'s [u8]> {
        let (found, place) = (self.left(), self.at);
        match count.checked_mul(size) {
            Some(expected) if expected == found => self.bytes(found, what),
            _ => Err(self.error_at(
                place,
                format!("{found} bytes, where {count} {what} of {size} bytes were expected"),
            )),
        }
    }

    /// Refuses content that is left.
    pub(super) fn finish(&self) -> Result<()> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.error_at(self.at, format!("{left} bytes more than expected"))),
        }
    }
}

/// The little-endian bytes of a modulus, as headers have them.
pub(super) fn modulus<F: PrimeField>() -> Vec<u8> {
    F::MODULUS.to_bytes_le()
}

/// Writes the head of a container.
pub(super) fn write_head(
    out: &mut dyn Write,
    letters: &[u8; 4],
    version: u32,
    sections: u32,
) -> io::Result<()> {
    out.write_all(letters)?;
    out.write_all(&version.to_le_bytes())?;
    out.write_all(&sections.to_le_bytes())
}

/// Writes a modulus behind the number of its bytes.
pub(super) fn write_modulus<F: PrimeField>(out: &mut dyn Write) -> io::Result<()> {
    let bytes = modulus::<F>();
    out.write_all(&(bytes.len() as u32).to_le_bytes())?;
    out.write_all(&bytes)
}

/// Writes a section's number and length, which its content follows.
pub(super) fn write_section(out: &mut dyn Write, number: u32, length: usize) -> io::Result<()> {
    out.write_all(&number.to_le_bytes())?;
    out.write_all(&(length as u64).to_le_bytes())
}
