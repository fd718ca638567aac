//! Output files that appear whole or not at all.

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

/// Writes the file `path` through `write`: into a temporary file beside it, which takes its
/// place once everything is written and on the disk.
///
/// A symbolic link is followed, also to a target that is not there yet. A file that is replaced
/// keeps its mode, and its owner and group where the system permits. A pipe or a device is
/// written to directly.
///
/// # Errors
/// [`Error::File`]; the file is then as it was before.
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

/// Checks that [`write_whole`] has a place to write to, before work is done for it.
///
/// # Errors
/// [`Error::File`] where it has none.
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
