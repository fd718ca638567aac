//! The bytes of an input file and the places in it.

use crate::{Error, Result};
use memmap2::Mmap;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Files from this size on are mapped, not copied.
const MAP_FROM: u64 = 1 << 16;

/// The bytes of an input, with its name.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Owned(Vec<u8>),
    Mapped(Mmap),
}

impl Source {
    /// The bytes of the file `path`; `-` is standard input. A large regular file is mapped,
    /// so that it costs no memory of its own; a pipe is read, up to `limit` bytes.
    ///
    /// # Errors
    /// [`Error::File`] where it cannot be read, [`Error::Input`] for a pipe with more than
    /// `limit` bytes.
    pub fn open(path: &Path, limit: u64) -> Result<Source> {
        if path == Path::new("-") {
            return Self::read(path, io::stdin().lock(), limit);
        }
        let file = File::open(path).map_err(|e| Error::file(path, e))?;
        let metadata = file.metadata().map_err(|e| Error::file(path, e))?;
        if !metadata.is_file() || metadata.len() < MAP_FROM {
            return Self::read(path, file, limit);
        }
        // SAFETY: the map is read-only and private to this value. As with every map, another
        // process that cuts the file short while it is read ends this one.
        let map = unsafe { Mmap::map(&file) }.map_err(|e| Error::file(path, e))?;
        Ok(Source { path: path.to_owned(), bytes: Bytes::Mapped(map) })
    }

    /// Bytes that are in memory already, under a name for messages.
    pub fn from_bytes(name: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Source {
        Source { path: name.into(), bytes: Bytes::Owned(bytes.into()) }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }

    /// Brings the bytes of a mapped file into memory, so that reading takes no time later.
    pub fn load(&self) {
        const PAGE: usize = 4096;
        let touched = self.bytes().par_chunks(PAGE).map(|page| page[0]).reduce(|| 0, |a, b| a ^ b);
        std::hint::black_box(touched);
    }

    /// The file as the caller named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An error at byte `offset` of a text: `file:line:column: message`, both counted from 1,
    /// columns in characters.
    pub fn text_error(&self, offset: usize, message: impl Into<String>) -> Error {
        let before = &self.bytes()[..offset.min(self.bytes().len())];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        // Continuation bytes of UTF-8 start no character.
        let column = 1 + before[line_start..].iter().filter(|&&b| b & 0xc0 != 0x80).count();
        let place = format!("{}:{line}:{column}", self.path.display());
        Error::Format { place, message: message.into() }
    }

    /// An error at byte `offset` of binary data: `file: byte N: message`, counted from 0.
    pub fn byte_error(&self, offset: usize, message: impl Into<String>) -> Error {
        let place = format!("{}: byte {offset}", self.path.display());
        Error::Format { place, message: message.into() }
    }

    /// An error about the file as a whole: `file: message`.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::Format { place: self.path.display().to_string(), message: message.into() }
    }

    fn read(path: &Path, stream: impl Read, limit: u64) -> Result<Source> {
        let mut bytes = Vec::new();
        let read = stream.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|e| Error::file(path, e))?;
        if bytes.len() as u64 > limit {
            let message =
                format!("{}: more than the {limit} bytes of memory that may be used", path.display());
            return Err(Error::Input(message));
        }
        Ok(Source { path: path.to_owned(), bytes: Bytes::Owned(bytes) })
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
    fn mapped_and_read_files_hold_the_same() {
        let folder = tempfile::tempdir().unwrap();
        for size in [0, 1, MAP_FROM as usize - 1, MAP_FROM as usize, MAP_FROM as usize + 1] {
            let bytes: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            let path = folder.path().join("file");
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(Source::open(&path, u64::MAX).unwrap().bytes(), bytes);
        }
    }

    #[test]
    fn a_stream_past_the_limit_is_refused() {
        assert!(Source::read(Path::new("-"), &[0u8; 10][..], 10).is_ok());
        assert_eq!(Source::read(Path::new("-"), &[0u8; 11][..], 10).unwrap_err().exit_code(), 3);
    }
}
