//! Temporary files that become outputs, and their removal when a signal ends the process.

use super::place::folder;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// The temporary files of this process.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Locks the list, even after a panic elsewhere: the list is consistent at any moment.
fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A guard: while it exists, no output is begun or finished.
#[derive(Debug)]
pub struct Removed {
    _list: MutexGuard<'static, Vec<PathBuf>>,
}

/// Removes the temporary files of unfinished outputs. Meant for a process that is about to end
/// without returning from [`write_whole`](super::write_whole), for example by a signal. Threads that
/// begin or finish an output wait until the returned guard is dropped.
#[must_use]
pub fn remove_unfinished() -> Removed {
    let mut list = unfinished();
    for path in list.drain(..) {
        // The file may already be gone, and there is no one to report an error to.
        let _ = fs::remove_file(path);
    }
    Removed { _list: list }
}

/// A temporary file in the folder of the output that it becomes. It is removed when dropped.
pub(super) struct Unfinished {
    file: NamedTempFile,
    /// Declared after the file, so that it is dropped after the file.
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
    /// Creates a file in the folder of `target`, with the owner and mode that `target` has or would
    /// get.
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
            // The process's umask removes bits from this mode.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        // The list stays locked while the file is created, so that no signal handler runs in
        // between.
        let mut list = unfinished();
        let file = builder.tempfile_in(folder(target)).map_err(|e| {
            // Only the kind is kept: the full text names the temporary file.
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

    /// Renames the file to the output, after it is on the disk: after a power failure the output is
    /// either the old file or the new one, never a part of it.
    pub(super) fn replace(self, target: &Path) -> io::Result<()> {
        let Unfinished { file, listed } = self;
        sync(file.as_file())?;
        {
            // After a signal has removed the file, the list stays locked until the process ends.
            let _list = unfinished();
            file.persist(target).map_err(|e| e.error)?;
        }
        drop(listed);
        // This brings the new name to the disk. The output is complete even if it fails.
        #[cfg(unix)]
        let _ = File::open(folder(target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

/// Brings a file to the disk if its file system supports that.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => {
            Ok(())
        }
        outcome => outcome,
    }
}

/// Gives a file the mode of the file that it replaces and, as far as the system permits, its owner.
fn keep_owner_and_mode(file: &File, present: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let own = file.metadata()?;
        // Only the superuser can change a file's owner; any member of a group can set that group.
        if own.uid() != present.uid() && fchown(file, Some(present.uid()), None).is_err() {
            log::debug!("the owner of the replaced file cannot be kept");
        }
        if own.gid() != present.gid() && fchown(file, None, Some(present.gid())).is_err() {
            log::debug!("the group of the replaced file cannot be kept");
        }
    }
    // The mode is set after the owner, because a change of owner clears mode bits.
    file.set_permissions(present.permissions())
}
