//! Resolution of output names.

use crate::{Error, Result};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Maximum length of a chain of symbolic links, the same as Linux's.
const LINKS: usize = 40;

/// The regular file that an output's name denotes, which exists or will be created: its name after all links in the last
/// component are followed. None for a pipe or a device, which is written to and never replaced.
pub(super) fn target(path: &Path) -> io::Result<Option<PathBuf>> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let separator = |byte: u8| std::path::is_separator(char::from(byte));
    let names_folder = match bytes {
        [] => return Err(io::ErrorKind::NotFound.into()),
        [.., last, b'.'] => separator(*last),
        [.., last] => separator(*last),
    };
    if names_folder || path.file_name().is_none() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // A name that is too long, or a folder without permission to enter, is an error here.
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if found.is_file() => return fs::canonicalize(path).map(Some),
        Ok(_) => return Ok(None),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => (),
    }
    // The file does not exist: the name is unused, or is a link to an unused name.
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = folder(&target).join(next),
            Err(_) => return Ok(Some(target)),
        }
    }
    Err(io::Error::other("too many symbolic links, one after the other"))
}

/// Returns the folder of a file.
pub(super) fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Names the folder of a file if it does not exist.
pub(super) fn expect_folder(file: &Path) -> io::Result<()> {
    let folder = folder(file);
    match fs::metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let message = format!("there is no folder {}", crate::quoting::name(folder));
            Err(io::Error::new(io::ErrorKind::NotFound, message))
        }
        _ => Ok(()),
    }
}

/// Returns the regular file that [`write_whole`](super::write_whole) creates or replaces, in a
/// canonical spelling: two outputs with the same destination overwrite each other. Returns `None`
/// for a pipe or a device. A name of no place that can be written to is an error.
pub fn destination(path: &Path) -> Result<Option<PathBuf>> {
    let find = || {
        let Some(target) = target(path)? else { return Ok(None) };
        expect_folder(&target)?;
        let name = target.file_name().unwrap_or_default();
        Ok(Some(fs::canonicalize(folder(&target))?.join(name)))
    };
    find().map_err(|e| Error::file(path, e))
}
