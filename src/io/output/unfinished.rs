//! Temporary files that are to become outputs, and how they are removed when a signal ends the
//! process.

use super::place::folder;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// The temporary files of this process.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Locks also after a panic elsewhere: the list is whole at any moment.
fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While this lives, no output is begun or finished.
#[derive(Debug)]
pub struct Removed {
    _list: MutexGuard<'static, Vec<PathBuf>>,
}

/// Removes the temporary files of outputs that are not finished, for a process that is about to end
/// without a return from [`write_whole`](super::write_whole), as by a signal. Whoever wants to begin or finish an output
/// then waits until the returned value is dropped.
#[must_use]
pub fn remove_unfinished() -> Removed {
    let mut list = unfinished();
    for path in list.drain(..) {
        // It may be gone already, and there is nobody to tell.
        let _ = fs::remove_file(path);
    }
    Removed { _list: list }
}

/// A temporary file beside the output that it is to become; dropped, it is removed.
pub(super) struct Unfinished {
    file: NamedTempFile,
    /// Dropped after the file.
    listed: Listed,
}

/// The entry of a temporary file in the list.
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

impl Unfinished {
    /// A file in the folder of `target`, with the owner and mode that `target` has or would get.
    pub(super) fn beside(target: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".wgalois-");
        let present = fs::metadata(target).ok();
        if present.as_ref().is_some_and(|present| present.permissions().readonly()) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        #[cfg(unix)]
        if present.is_none() {
            use std::os::unix::fs::PermissionsExt;
            // The process's mask takes away from these.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        // The list is held while the file is made, so that no signal comes between.
        let mut list = unfinished();
        let file = builder.tempfile_in(folder(target)).map_err(|e| {
            // The kind alone: the full text names the temporary file.
            io::Error::from(e.kind())
        })?;
        let listed = Listed(file.path().to_owned());
        list.push(file.path().to_owned());
        drop(list);
        if let Some(present) = present {
            keep_owner_and_mode(file.as_file(), &present)?;
        }
        Ok(Unfinished { file, listed })
    }

    pub(super) fn file(&self) -> &File {
        self.file.as_file()
    }

    /// Makes it the output, once it is on the disk: after a power failure the output is the old one
    /// or the new one, and no half of it.
    pub(super) fn replace(self, target: &Path) -> io::Result<()> {
        let Unfinished { file, listed } = self;
        sync(file.as_file())?;
        {
            // A signal that removed the file holds the list until the process ends.
            let _list = unfinished();
            file.persist(target).map_err(|e| e.error)?;
        }
        drop(listed);
        // The name is on the disk with the folder. The output is whole without it.
        #[cfg(unix)]
        let _ = File::open(folder(target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

/// Brings a file to the disk, where its file system can.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => {
            Ok(())
        }
        outcome => outcome,
    }
}

/// Gives a file the owner, as far as the system permits, and the mode of the file that it replaces.
fn keep_owner_and_mode(file: &File, present: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let own = file.metadata()?;
        // Only the superuser gives files away; a group is given by any of its members.
        if own.uid() != present.uid() && fchown(file, Some(present.uid()), None).is_err() {
            log::debug!("the owner of the replaced file cannot be kept");
        }
        if own.gid() != present.gid() && fchown(file, None, Some(present.gid())).is_err() {
            log::debug!("the group of the replaced file cannot be kept");
        }
    }
    // After the owner, a change of which takes bits of the mode away.
    file.set_permissions(present.permissions())
}
