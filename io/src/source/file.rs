//! Sources that are files and pipes.

use super::{Bytes, Source};
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use wgalois::{Error, Result, Shortage};

/// Files of at least this size are mapped, smaller ones are copied.
const MAP_FROM: u64 = 1 << 16;

/// Bytes of a pipe past the limit that are counted, so that the error can state its length.
const COUNTED: u64 = 1 << 30;

impl Source {
    /// Opens the file `path`; `-` is standard input. `file.npz:name` is the array `name` of the archive `file.npz`, unless a
    /// file has that name. A large regular file is mapped and needs no
    /// memory of its own. A pipe is read, up to `limit` bytes. A file that gzip compressed is [`expanded`](Self::expanded).
    pub fn open(path: &Path, limit: u64) -> Result<Source> {
        let source = Self::as_it_is(path, limit)?;
        let left = limit.saturating_sub(source.owned_bytes());
        if source.member.is_some() { Ok(source) } else { source.expanded(left) }
    }

    /// Opens a file without expanding it.
    fn as_it_is(path: &Path, limit: u64) -> Result<Source> {
        if path == Path::new("-") {
            return Self::read(path, io::stdin().lock(), limit);
        }
        let (opened, member) = file_and_member(path);
        let file = File::open(opened).map_err(|e| Error::file(path, e))?;
        let metadata = file.metadata().map_err(|e| Error::file(path, e))?;
        let (len, is_file) = (metadata.len(), metadata.is_file());
        if !is_file || len < MAP_FROM && len <= limit {
            return Ok(Source { member, ..Self::read(path, file, limit)? });
        }
        // SAFETY: the map is read-only and private to this value. If another process truncates the
        // file while it is read, the system ends this process, as with every map.
        let map = unsafe { Mmap::map(&file) }.map_err(|e| Error::file(path, e))?;
        // A small file is mapped only if there is no room for a copy. It counts as one, so that the reader refuses it
        // with a limit that suffices for the copy, too.
        let copied = if len < MAP_FROM { len } else { 0 };
        let hole = hole_of(&file).filter(|&at| map.get(at) == Some(&0));
        let bytes = Bytes::Mapped { map, copied, hole };
        Ok(Source { path: path.to_owned(), bytes, held: 0, end: None, member, damage: None })
    }

    /// Returns the file that [`open`](Self::open) opens for a path: of `file.npz:name`, the archive.
    pub fn file_of(path: &Path) -> PathBuf {
        file_and_member(path).0
    }

    fn read(path: &Path, mut stream: impl Read, limit: u64) -> Result<Source> {
        let mut bytes = Vec::new();
        let read = stream.by_ref().take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|e| Error::file(path, e))?;
        if bytes.len() as u64 > limit {
            let read = bytes.len() as u64;
            drop(bytes);
            let rest =
                io::copy(&mut stream.take(COUNTED), &mut io::sink()).map_err(|e| Error::file(path, e))?;
            let message = format!(
                "{}: more than the {limit} bytes of memory that may be used",
                wgalois::quoting::name(path)
            );
            let mut shortage = Shortage::of_host(message, read + rest, limit);
            shortage.needed = shortage.needed.filter(|_| rest < COUNTED);
            return Err(Error::TooLarge(shortage));
        }
        bytes.shrink_to_fit();
        Ok(Source::from_bytes(path, bytes))
    }
}

/// Returns the first byte that no block of the file system holds. Every file has such a byte at its end.
#[cfg(target_os = "linux")]
fn hole_of(file: &File) -> Option<usize> {
    use std::os::fd::AsRawFd;
    // SAFETY: the descriptor is that of an open file, whose position nothing else uses.
    let at = unsafe { libc::lseek(file.as_raw_fd(), 0, libc::SEEK_HOLE) };
    usize::try_from(at).ok()
}

/// Other systems are not asked.
#[cfg(not(target_os = "linux"))]
fn hole_of(_: &File) -> Option<usize> {
    None
}

/// Returns the file of a path, and the array that it chooses of an archive.
fn file_and_member(path: &Path) -> (PathBuf, Option<String>) {
    let chosen = if path.exists() { None } else { chosen(path) };
    chosen.map_or((path.to_owned(), None), |(path, name)| (path, Some(name)))
}

/// Returns the archive and the array that a path like `file.npz:name` names.
fn chosen(path: &Path) -> Option<(PathBuf, String)> {
    const ENDING: &str = ".npz";
    let (file, name) = path.to_str()?.rsplit_once(':')?;
    let is_archive = file.len() > ENDING.len() && file.to_ascii_lowercase().ends_with(ENDING);
    (is_archive && !name.is_empty()).then(|| (PathBuf::from(file), name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_was_released_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..5 << 16).map(|i: u32| (i % 251) as u8).collect();
        let path = folder.path().join("file");
        std::fs::write(&path, &bytes).unwrap();
        let source = Source::open(&path, u64::MAX).unwrap();
        let reversed = std::ops::Range { start: 1, end: 0 };
        for part in [0..bytes.len(), reversed, 5..1 << 17, 1 << 16..usize::MAX, usize::MAX - 1..usize::MAX] {
            assert_eq!(source.bytes(), bytes);
            source.release(part);
        }
        assert_eq!(source.bytes(), bytes);
    }

    /// The pages of maps that are in this process's memory, in KiB.
    #[cfg(target_os = "linux")]
    fn resident_of_files() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssFile:"))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_was_released_is_not_resident() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, vec![1; 64 << 20]).unwrap();
        let source = Source::open(&path, u64::MAX).unwrap();
        source.load();
        let loaded = resident_of_files();
        source.release(0..source.bytes().len());
        // Other tests' maps are some MiB.
        if let (Some(loaded), Some(left)) = (loaded, resident_of_files()) {
            assert!(loaded > left + (48 << 10), "{loaded}, {left} KiB");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_hole_of_a_large_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "1 2\n".repeat(1 << 15)).unwrap();
        let open = || Source::open(&path, u64::MAX).unwrap();
        assert!(open().expect_text().is_ok());
        // Some file systems have no holes.
        let file = File::options().write(true).open(&path).unwrap();
        if file.set_len(1 << 40).is_ok() && open().hole().is_some() {
            let error = open().expect_text().unwrap_err();
            assert!(error.to_string().contains("file:32769:1: no text: byte 131072 is 00"), "{error}");
        }
    }

    #[test]
    fn a_stream_past_the_limit_is_refused() {
        assert!(Source::read(Path::new("-"), &[0u8; 10][..], 10).is_ok());
        assert_eq!(Source::read(Path::new("-"), &[0u8; 11][..], 10).unwrap_err().exit_code(), 3);
    }
}
