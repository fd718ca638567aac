//! Output files that appear complete or not at all.

mod place;
mod unfinished;

pub use place::destination;
pub use unfinished::{Removed, remove_unfinished};

use crate::{Error, Result};
use place::Place;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use unfinished::Unfinished;

/// Writes the file `path` through `write`. The data go to a temporary file in the same folder, which
/// replaces `path` after it is complete and on the disk.
///
/// Symbolic links are followed, including links to a target that does not exist yet. A replaced file
/// keeps its mode, and its owner and group if the system permits. Pipes and devices are written
/// to directly.
///
/// # Errors
/// [`Error::File`]; the file is then unchanged.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let replace = || match Place::of(path)? {
        Place::Special => fill(&File::options().write(true).open(path)?, write),
        Place::File(target) => {
            let unfinished = Unfinished::beside(&target)?;
            fill(unfinished.file(), write)?;
            unfinished.replace(&target)
        }
    };
    replace().map_err(|e| Error::file(path, e))
}

/// Checks that [`write_whole`] can write to `path`, before the work for it is done.
///
/// # Errors
/// [`Error::File`] if it cannot.
pub fn check_writable(path: &Path) -> Result<()> {
    let check = || match Place::of(path)? {
        Place::Special => Ok(()),
        Place::File(target) => Unfinished::beside(&target).map(drop),
    };
    check().map_err(|e| Error::file(path, e))
}

fn fill(file: &File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut buffered = BufWriter::with_capacity(1 << 18, file);
    write(&mut buffered)?;
    buffered.flush()
}

#[cfg(test)]
mod tests;
