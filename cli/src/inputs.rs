//! The inputs of a run: all are known before any work is done, so that no output destroys one.

use super::outputs::is_stdout;
use crate::prelude::*;
use std::fs::{self, Metadata};

/// A file itself, whatever its names are: links, hard ones too, and descriptors lead to the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
    #[cfg(not(unix))]
    path: PathBuf,
}

impl Identity {
    /// Returns the file at a path; `None` if there is none, or if it is a pipe or a terminal, which no output destroys.
    pub fn of(path: &Path) -> Option<Self> {
        Self::known(&fs::metadata(path).ok()?, path)
    }

    /// Returns the file that is standard input, if it is a file.
    pub fn of_stdin() -> Option<Self> {
        Self::of_stream(&std::io::stdin())
    }

    /// Returns the file that is standard output, if it is a file.
    pub fn of_stdout() -> Option<Self> {
        Self::of_stream(&std::io::stdout())
    }

    #[cfg(unix)]
    fn known(found: &Metadata, _: &Path) -> Option<Self> {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        let is_kept = found.is_file() || found.file_type().is_block_device();
        is_kept.then(|| Identity { device_and_inode: (found.dev(), found.ino()) })
    }

    #[cfg(not(unix))]
    fn known(found: &Metadata, path: &Path) -> Option<Self> {
        let path = found.is_file().then(|| fs::canonicalize(path).ok()).flatten()?;
        Some(Identity { path })
    }

    #[cfg(unix)]
    fn of_stream(stream: &impl std::os::fd::AsFd) -> Option<Self> {
        let file = fs::File::from(stream.as_fd().try_clone_to_owned().ok()?);
        Self::known(&file.metadata().ok()?, Path::new("-"))
    }

    #[cfg(not(unix))]
    fn of_stream<S>(_: &S) -> Option<Self> {
        None
    }
}

/// The inputs of a run, by their names and by the files that these are.
#[derive(Default)]
pub struct Inputs {
    files: Vec<(PathBuf, Option<Identity>)>,
}

impl Inputs {
    /// Returns the inputs of these names; `-` is standard input.
    pub fn of(paths: Vec<PathBuf>) -> Self {
        let identified = |path: PathBuf| {
            // The same name stands for standard output.
            let identity =
                if is_stdout(&path) { Identity::of_stdin() } else { Identity::of(&Source::file_of(&path)) };
            (path, identity)
        };
        Inputs { files: paths.into_iter().map(identified).collect() }
    }

    /// Returns the name of the input that is this file, if one is.
    pub fn name_of(&self, file: &Identity) -> Option<&Path> {
        let found = self.files.iter().find(|(_, input)| input.as_ref() == Some(file));
        found.map(|(path, _)| &**path)
    }

    /// Returns the name of the input that is the file at this path, if one is.
    pub fn at(&self, path: &Path) -> Option<&Path> {
        self.name_of(&Identity::of(path)?)
    }

    /// True if standard output is redirected to one of these files.
    pub fn has_stdout(&self) -> bool {
        Identity::of_stdout().is_some_and(|stdout| self.name_of(&stdout).is_some())
    }

    /// True if a verb declared an input of this name.
    pub fn declares(&self, path: &Path) -> bool {
        self.files.iter().any(|(declared, _)| declared == path)
    }
}
