//! The bytes of an input file and positions in it.

use super::identify;
use std::ops::Range;
use std::path::{Path, PathBuf};
use web_time::Instant;
use wgalois::parallel::*;
use wgalois::{Error, Fault, Place, Position, Result};

// A browser has no files, only bytes.
#[cfg(not(target_arch = "wasm32"))]
mod file;
mod gzip;
#[cfg(not(target_arch = "wasm32"))]
mod pages;

/// The bytes of an input and its name.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    bytes: Bytes,
    /// Bytes of memory that readers count beside what they allocate.
    held: u64,
    /// When readers are to end.
    end: Option<Instant>,
    /// The array of an archive that the caller chose.
    member: Option<String>,
    /// The fault of a file that begins as one of gzip does, and was not expanded.
    damage: Option<Damage>,
}

/// A fault of a compressed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    pub at: usize,
    pub what: &'static str,
}

#[derive(Debug)]
enum Bytes {
    Owned(Vec<u8>),
    #[cfg(not(target_arch = "wasm32"))]
    Mapped {
        map: memmap2::Mmap,
        /// Bytes that count as a copy, which a reader with a larger limit would make.
        copied: u64,
        /// The first byte that no block of the file system holds, if there is one.
        hole: Option<usize>,
    },
}

impl Source {
    /// Wraps bytes that are already in memory; messages use `name`.
    pub fn from_bytes(name: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Source {
        let bytes = Bytes::Owned(bytes.into());
        Source { path: name.into(), bytes, held: 0, end: None, member: None, damage: None }
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Owned(bytes) => bytes,
            #[cfg(not(target_arch = "wasm32"))]
            Bytes::Mapped { map, .. } => map,
        }
    }

    /// Declares that the caller holds `bytes` of memory. Readers count them against their limit, beside what
    /// they allocate, so that an error states the limit that suffices for both.
    #[must_use]
    pub fn with_held(self, bytes: u64) -> Self {
        Source { held: bytes, ..self }
    }

    /// Sets the time at which readers end that are not yet done. Those of Boolean equations look at it after
    /// some thousands of terms; other readers take time in proportion to the file, and do not.
    #[must_use]
    pub fn with_end(self, end: Option<Instant>) -> Self {
        Source { end, ..self }
    }

    /// Returns an error at the time of [`with_end`](Self::with_end).
    pub fn check_end(&self) -> Result<()> {
        match self.end.is_some_and(|end| Instant::now() >= end) {
            true => Err(wgalois::timeline::late()),
            false => Ok(()),
        }
    }

    /// Returns the first byte that no block of the file system holds, which reads as 0, if there is one and the system
    /// says so.
    pub fn hole(&self) -> Option<usize> {
        match &self.bytes {
            Bytes::Owned(_) => None,
            #[cfg(not(target_arch = "wasm32"))]
            Bytes::Mapped { hole, .. } => *hole,
        }
    }

    /// Returns the bytes of [`with_held`](Self::with_held).
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Returns the bytes of memory that the source takes: none for a mapped file.
    pub fn owned_bytes(&self) -> u64 {
        match &self.bytes {
            Bytes::Owned(bytes) => bytes.capacity() as u64,
            #[cfg(not(target_arch = "wasm32"))]
            Bytes::Mapped { copied, .. } => *copied,
        }
    }

    /// Brings the bytes of a mapped file into memory, so that later reads do not wait for the disk.
    pub fn load(&self) {
        const PAGE: usize = 4096;
        let touched = self.bytes().par_chunks(PAGE).map(|page| page[0]).reduce(|| 0, |a, b| a ^ b);
        std::hint::black_box(touched);
    }

    /// Says that this part of the bytes is not read again soon: of a mapped file, its pages leave the memory of this process. They come
    /// back if they are read all the same.
    #[cfg_attr(target_arch = "wasm32", expect(unused_variables, reason = "no file is mapped there"))]
    pub fn release(&self, part: Range<usize>) {
        match &self.bytes {
            Bytes::Owned(_) => {}
            #[cfg(not(target_arch = "wasm32"))]
            Bytes::Mapped { map, .. } => pages::release(map, part),
        }
    }

    /// Returns the array that the caller chose of an archive: `hx` of `file.npz:hx`.
    pub fn member(&self) -> Option<&str> {
        self.member.as_deref()
    }

    /// Returns the file's name as the caller gave it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns an error at byte `offset` of a text: `file:line:column: message`. Lines and columns
    /// count from 1, columns in characters.
    pub fn text_error(&self, offset: usize, fault: impl Into<Fault>) -> Error {
        let before = &self.bytes()[..offset.min(self.bytes().len())];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        // Continuation bytes of UTF-8 do not start a character.
        let column = 1 + before[line_start..].iter().filter(|&&b| b & 0xc0 != 0x80).count();
        self.error_at(Position::Character { line, column }, fault, (line, column) == (1, 1))
    }

    /// Returns an error at byte `offset` of binary data: `file: byte N: message`, where N counts
    /// from 0.
    pub fn byte_error(&self, offset: usize, fault: impl Into<Fault>) -> Error {
        self.error_at(Position::Byte(offset), fault, offset == 0)
    }

    /// [`byte_error`](Self::byte_error) in numbers without a beginning of their own: the file's kind is named wherever
    /// the fault is.
    pub fn number_error(&self, offset: usize, fault: impl Into<Fault>) -> Error {
        self.error_at(Position::Byte(offset), fault, true)
    }

    /// Refuses a file that is not binary numbers, which have no beginning of their own, but another kind of file or text.
    /// Numbers pass: of random ones, a file in 2^32 at most is refused. `option` is what reads the file all the same.
    /// The error says what the file is.
    pub fn expect_numbers(&self, option: &str) -> Result<()> {
        // Shorter texts are numbers too.
        const LEAST_TEXT: usize = 32;
        let bytes = self.bytes();
        let look = match bytes.len() >= LEAST_TEXT && identify::looks_like_text(bytes) {
            _ if identify::is_certain(bytes) => "",
            true => "; the file looks like text",
            false => return Ok(()),
        };
        let expected = "binary numbers were expected, by the ending of the name";
        Err(self.byte_error(0, format!("{expected}{look}; {option} says that they are")))
    }

    /// Refuses a file that is no text, by its first bytes and by the first byte that no block of the file system holds,
    /// before all of it is searched for words. The error is that of the file's beginning, which also tells its kind.
    pub fn expect_text(&self) -> Result<()> {
        const LOOKED_AT: usize = 1 << 12;
        if let Some(damage) = self.damage {
            return Err(self.byte_error(damage.at, damage.what));
        }
        let bytes = &self.bytes()[..self.bytes().len().min(LOOKED_AT)];
        let is_control = |byte: &u8| *byte < b' ' && !identify::is_space(*byte);
        let (place, message) = match (bytes.iter().position(is_control), self.hole()) {
            (Some(at), _) => (0, format!("no text: byte {at} is {:02X}", bytes[at])),
            (None, Some(at)) => (at, format!("no text: byte {at} is 00, and begins a hole of the file")),
            (None, None) => return Ok(()),
        };
        Err(self.text_error(place, message))
    }

    /// Returns an error about the whole file: `file: message`.
    pub fn error(&self, fault: impl Into<Fault>) -> Error {
        self.error_at(Position::Whole, fault, false)
    }

    /// An error that also says what the file is, if it is of a kind that no reader takes, or if `names_all`.
    fn error_at(&self, position: Position, fault: impl Into<Fault>, names_all: bool) -> Error {
        let kind = identify::identify(self.bytes()).filter(|kind| names_all || !kind.is_read);
        let note = kind.map_or_else(String::new, |kind| format!("; the file is {}", kind.name));
        let place = Place { path: self.path.clone(), position };
        Error::Format { place, fault: Box::new(fault.into()), note }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let source = Source::from_bytes("a.txt", "1 2\n\u{e4} 3\n");
        let place = |offset| source.text_error(offset, "here").to_string();
        assert_eq!(place(0), "a.txt:1:1: here");
        assert_eq!(place(2), "a.txt:1:3: here");
        assert_eq!(place(4), "a.txt:2:1: here");
        assert_eq!(place(7), "a.txt:2:3: here");
        assert_eq!(place(9), "a.txt:3:1: here");
        assert_eq!(place(1000), "a.txt:3:1: here");
    }

    #[test]
    fn numbers_name_a_file_of_another_kind_wherever_the_fault_is() {
        let error = |bytes: &[u8]| Source::from_bytes("f", bytes).number_error(32, "too large").to_string();
        assert_eq!(error(b"PK\x03\x04"), "f: byte 32: too large; the file is a zip archive, as .npz is");
        assert_eq!(error(b"\x01\x02\x03\x04"), "f: byte 32: too large");
    }
}
