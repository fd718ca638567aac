//! Files in the user's cache folder: they save time, and nothing that stands in their place makes a run fail or wait.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// The user's cache folder of this library, if the system has such folders. It need not exist.
pub fn folder() -> Option<PathBuf> {
    Some(directories::ProjectDirs::from("", "", "wgalois")?.cache_dir().to_owned())
}

/// Reads a regular file of at most `most` bytes. Anything else in its place, such as a pipe, is not opened for longer than it
/// takes to see that. If there is no file, the error is [`NotFound`](io::ErrorKind::NotFound); for what is no such
/// file, it is [`InvalidData`](io::ErrorKind::InvalidData).
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.len() > most {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::new();
    // It may grow meanwhile.
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file as [`write_whole`](super::write_whole) does, with the folders above it, unless something other than a regular
/// file stands in its place.
pub fn write(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(Error::file(path, io::Error::other("it is not a regular file")));
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
    }
    super::write_whole(path, write)
}

/// Opens a file without waiting: a pipe would wait for a writer.
#[cfg(target_os = "linux")]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

/// Opens a regular file: opening a pipe would wait for a writer.
#[cfg(not(target_os = "linux"))]
fn open(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_within_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/cache");
        assert_eq!(read(&path, 9).unwrap_err().kind(), io::ErrorKind::NotFound);
        write(&path, |out| out.write_all(b"123456789")).unwrap();
        assert_eq!(read(&path, 9).unwrap(), b"123456789");
        assert_eq!(read(&path, 8).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path(), 9).is_err());
        assert_eq!(write(folder.path(), |_| Ok(())).unwrap_err().exit_code(), 6);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_makes_nobody_wait() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(read(&path, 9).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(write(&path, |out| out.write_all(b"1")).unwrap_err().exit_code(), 6);
        for device in ["/dev/null", "/dev/zero"] {
            assert!(read(Path::new(device), 9).is_err(), "{device}");
        }
    }
}
