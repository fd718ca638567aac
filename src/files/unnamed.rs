//! Files without a name, which the system removes when the process ends in whatever way, until they get a name.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Creates a file without a name in a folder, with `mode` less the bits of the process's umask. `None` if the file system
/// has no such files, or if they could get no name later.
pub fn create(folder: &Path, mode: u32) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(mode).custom_flags(libc::O_TMPFILE);
    match options.open(folder) {
        Ok(file) => Ok(Path::new(&link_of(&file)).exists().then_some(file)),
        // File systems without such files answer with the first, kernels without them with the others.
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::EOPNOTSUPP | libc::EISDIR | libc::ENOENT | libc::EINVAL)
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Gives a file the name `path`, which no file may have. If the name is taken, the error is
/// [`AlreadyExists`](io::ErrorKind::AlreadyExists).
pub fn link(file: &File, path: &Path) -> io::Result<()> {
    let (from, to) = (CString::new(link_of(file))?, CString::new(path.as_os_str().as_bytes())?);
    // SAFETY: both pointers are those of strings that end with a zero byte and outlive the call.
    let linked = unsafe {
        libc::linkat(libc::AT_FDCWD, from.as_ptr(), libc::AT_FDCWD, to.as_ptr(), libc::AT_SYMLINK_FOLLOW)
    };
    if linked == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The symbolic link by which the system knows an open file.
fn link_of(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}
