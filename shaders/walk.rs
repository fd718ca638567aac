//! The templates below a folder, for the build and for development builds.

use std::io;
use std::path::{Path, PathBuf};

/// Returns the name of every template below `root`, its path there with slashes, and the file; in the order of the names.
pub fn templates(root: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    collect(root, &mut files)?;
    let named = |file: PathBuf| {
        let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        (name, file)
    };
    let mut templates: Vec<_> = files.into_iter().map(named).collect();
    templates.sort();
    Ok(templates)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "wgsl") {
            files.push(path);
        }
    }
    Ok(())
}
