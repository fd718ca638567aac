//! Output files that appear whole or not at all.

use crate::{Error, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Writes the file `path` through `write`: into a temporary file beside it, which takes its
/// place once everything is written. A pipe or a device is written to directly.
///
/// # Errors
/// [`Error::File`]; the file is then as it was before.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let failed = |e| Error::file(path, e);
    if is_special(path) {
        let file = File::options().write(true).open(path).map_err(failed)?;
        return fill(&file, write).map_err(failed);
    }
    let target = resolve(path);
    let temporary = create_beside(&target).map_err(failed)?;
    fill(temporary.as_file(), write).map_err(failed)?;
    temporary.persist(&target).map_err(|e| failed(e.error))?;
    Ok(())
}

/// Checks that [`write_whole`] has a place to write to, before work is done for it.
///
/// # Errors
/// [`Error::File`] where it has none.
pub fn check_writable(path: &Path) -> Result<()> {
    let failed = |e| Error::file(path, e);
    if path.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    if !is_special(path) {
        create_beside(&resolve(path)).map_err(failed)?;
    }
    Ok(())
}

/// Whether `path` is there and no regular file, so that replacing it would be wrong.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// The file that a symbolic link leads to, so that the link stays one.
fn resolve(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// A temporary file in the folder of `target`, with the permissions that `target` has or
/// would get.
fn create_beside(target: &Path) -> io::Result<NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".wgalois-");
    let present = fs::metadata(target).ok().map(|metadata| metadata.permissions());
    #[cfg(unix)]
    if present.is_none() {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let temporary = builder.tempfile_in(folder).map_err(|e| {
        // The kind alone: the full text names the temporary file.
        io::Error::from(e.kind())
    })?;
    if let Some(permissions) = present {
        if permissions.readonly() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        temporary.as_file().set_permissions(permissions)?;
    }
    Ok(temporary)
}

fn fill(file: &File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut buffered = BufWriter::with_capacity(1 << 18, file);
    write(&mut buffered)?;
    buffered.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_appears_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        for text in ["first", "second"] {
            write_whole(&path, |out| out.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn a_failure_leaves_everything_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let fail = |out: &mut dyn Write| {
            out.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        };
        assert_eq!(write_whole(&path, fail).unwrap_err().exit_code(), 6);
        assert!(names(folder.path()).is_empty());
        fs::write(&path, "before").unwrap();
        assert!(write_whole(&path, fail).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn places_that_cannot_be_written_are_refused_beforehand() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check_writable(&folder.path().join("out")).is_ok());
        let error = check_writable(&folder.path().join("none/out")).unwrap_err();
        assert!(!error.to_string().contains(".wgalois-"), "{error}");
        assert!(check_writable(folder.path()).is_err());
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write_whole(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write_whole(Path::new("/dev/null"), |out| out.write_all(b"gone")).unwrap();
    }
}
