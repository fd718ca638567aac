//! Temporary files that become outputs, and their removal when a signal ends the process.

use super::place::folder;
#[cfg(target_os = "linux")]
use super::unnamed;
use std::fs::{self, File, Metadata};
use std::io;
#[cfg(target_os = "linux")]
use std::io::Seek;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// The temporary files of this process that have a name.
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

/// A temporary file in the folder of the output that it becomes. It is gone when dropped.
pub(super) enum Unfinished {
    /// It has no name: nothing is left of it, in whatever way the process ends.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// It has a name, because the system or the file system has no other files.
    Named(Named),
}

/// A temporary file with a name. It is removed when dropped, or when a signal that the program heeds ends the process.
pub(super) struct Named {
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

/// The mode of new files, from which the process's umask removes bits.
const NEW: u32 = 0o666;
/// The mode of a file that is to have that of a present one: until then it is the user's own.
const OWN: u32 = 0o600;

impl Unfinished {
    /// Creates a file in the folder of `target`, with the owner and mode that `target` has or would
    /// get.
    pub(super) fn beside(target: &Path) -> io::Result<Self> {
        let present = fs::metadata(target).ok();
        if present.as_ref().is_some_and(|present| present.permissions().readonly()) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let mode = if present.is_some() { OWN } else { NEW };
        let unfinished = Self::within(folder(target), mode)?;
        if let Some(present) = present {
            keep_owner_and_mode(unfinished.file(), &present)?;
        }
        Ok(unfinished)
    }

    fn within(folder: &Path, mode: u32) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed::create(folder, mode)? {
            return Ok(Unfinished::Unnamed(file));
        }
        Named::within(folder, mode).map(Unfinished::Named)
    }

    pub(super) fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Unfinished::Unnamed(file) => file,
            Unfinished::Named(named) => named.file.as_file(),
        }
    }

    /// Gives the file the name of the output, after it is on the disk: after a power failure the output is
    /// either the old file or the new one, never a part of it.
    pub(super) fn replace(self, target: &Path) -> io::Result<()> {
        sync(self.file())?;
        match self {
            #[cfg(target_os = "linux")]
            Unfinished::Unnamed(file) => name(file, target)?,
            Unfinished::Named(named) => named.rename(target)?,
        }
        // This brings the new name to the disk. The output is complete even if it fails.
        #[cfg(unix)]
        let _ = File::open(folder(target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

/// The names of temporary files, next to their outputs.
fn names() -> tempfile::Builder<'static, 'static> {
    let mut names = tempfile::Builder::new();
    names.prefix(".wgalois-");
    names
}

impl Named {
    pub(super) fn within(
        folder: &Path,
        #[cfg_attr(not(unix), expect(unused))] mode: u32,
    ) -> io::Result<Self> {
        #[cfg_attr(not(unix), expect(unused_mut))]
        let mut builder = names();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        // The list stays locked while the file is created, so that no signal handler runs in
        // between.
        let mut list = unfinished();
        // Only the kind is kept: the full text names the temporary file.
        let file = builder.tempfile_in(folder).map_err(|e| io::Error::from(e.kind()))?;
        let listed = Listed(file.path().to_owned());
        list.push(file.path().to_owned());
        drop(list);
        Ok(Named { file, listed })
    }

    /// Renames the file to `target`.
    fn rename(self, target: &Path) -> io::Result<()> {
        let Named { file, listed } = self;
        {
            // After a signal has removed the file, the list stays locked until the process ends.
            let _list = unfinished();
            file.persist(target).map_err(|e| e.error)?;
        }
        drop(listed);
        Ok(())
    }
}

/// Gives a file the name `target`. No system call replaces a name by a file without one, so that the file gets
/// a temporary name first where `target` is taken.
#[cfg(target_os = "linux")]
fn name(file: File, target: &Path) -> io::Result<()> {
    let linked = {
        // A signal handler waits until no temporary name is there.
        let _list = unfinished();
        match unnamed::link(&file, target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                names().make_in(folder(target), |path| unnamed::link(&file, path))
            }
            Ok(()) => return Ok(()),
            Err(error) => Err(error),
        }
        .map(|named| named.persist(target).map(drop).map_err(|e| e.error))
    };
    match linked {
        Ok(renamed) => renamed,
        // The system lets no file get a name, in a sandbox for example, but may let a new one be made.
        Err(error) => {
            log::debug!("a file without a name is copied, because it can get none: {error}");
            copy(file, target)
        }
    }
}

/// Gives `target` the contents of a file, through a temporary file with a name.
#[cfg(target_os = "linux")]
fn copy(mut file: File, target: &Path) -> io::Result<()> {
    let named = Named::within(folder(target), OWN)?;
    file.seek(io::SeekFrom::Start(0))?;
    io::copy(&mut file, &mut named.file.as_file())?;
    keep_owner_and_mode(named.file.as_file(), &file.metadata()?)?;
    sync(named.file.as_file())?;
    named.rename(target)
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
