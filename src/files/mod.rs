//! Output files that appear complete or not at all.

pub mod cached;
mod place;
mod unfinished;
#[cfg(target_os = "linux")]
mod unnamed;

pub use place::destination;
pub use unfinished::{Removed, remove_unfinished};

use crate::{Error, Result};
use place::{expect_folder, target};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use unfinished::Unfinished;

/// Writes the file `path` through `write`. The data go to a temporary file in the same folder, which
/// replaces `path` after it is complete and on the disk.
///
/// Symbolic links are followed, including links to a target that does not exist yet. A replaced file
/// keeps its mode, and its owner and group if the system permits. Pipes and devices are written
/// to directly. After an error the file is unchanged. An [`Error`](enum@Error) that `write` returns within one of the system's comes back
/// as it was.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut write = Some(write);
    replace_whole(path, &mut |out| write.take().map_or(Ok(()), |write| write(out)))
}

/// Writes the contents of a file, once.
type Contents<'a> = dyn FnMut(&mut dyn Write) -> io::Result<()> + 'a;

/// [`write_whole`] behind a pointer.
fn replace_whole(path: &Path, write: &mut Contents) -> Result<()> {
    let replace = |staged: Option<(Unfinished, PathBuf)>| {
        staged.map_or(Ok(()), |(unfinished, target)| unfinished.replace(&target))
    };
    stage(path, write)
        .and_then(replace)
        .map_err(|e| e.downcast::<Error>().unwrap_or_else(|e| Error::file(path, e)))
}

/// Writes several files, each as [`write_whole`] does, but none replaces another before all are complete and on the
/// disk. After an error all files are unchanged, unless the replacing itself failed.
pub fn write_together<D: AsRef<[u8]>>(files: &[(&Path, D)]) -> Result<()> {
    let staged = |(path, data): &(&Path, D)| {
        stage(path, &mut |out| out.write_all(data.as_ref())).map_err(|e| Error::file(path, e))
    };
    let staged = files.iter().map(staged).collect::<Result<Vec<_>>>()?;
    for ((path, _), staged) in files.iter().zip(staged) {
        if let Some((unfinished, target)) = staged {
            unfinished.replace(&target).map_err(|e| Error::file(path, e))?;
        }
    }
    Ok(())
}

/// Writes the data to a temporary file, and returns it with the path that it is to have. Pipes and devices are written to
/// directly.
fn stage(path: &Path, write: &mut Contents) -> io::Result<Option<(Unfinished, PathBuf)>> {
    let Some(target) = target(path)? else {
        return fill(&File::options().write(true).open(path)?, write).map(|()| None);
    };
    expect_folder(&target)?;
    let unfinished = Unfinished::beside(&target)?;
    fill(unfinished.file(), write)?;
    Ok(Some((unfinished, target)))
}

/// Checks that [`write_whole`] can write to `path`, before the work for it is done.
pub fn check_writable(path: &Path) -> Result<()> {
    let check = || {
        let Some(target) = target(path)? else { return Ok(()) };
        expect_folder(&target)?;
        Unfinished::beside(&target).map(drop)
    };
    check().map_err(|e| Error::file(path, e))
}

/// Removes the regular file that [`write_whole`] would replace; a pipe or a device stays. Returns true if there was one.
pub fn remove_output(path: &Path) -> Result<bool> {
    let remove = || match target(path)?.map(std::fs::remove_file) {
        None => Ok(false),
        Some(Ok(())) => Ok(true),
        Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Some(Err(error)) => Err(error),
    };
    remove().map_err(|e| Error::file(path, e))
}

fn fill(file: &File, write: &mut Contents) -> io::Result<()> {
    let mut buffered = BufWriter::with_capacity(1 << 18, file);
    write(&mut buffered)?;
    buffered.flush()
}

#[cfg(test)]
mod tests;
