//! The kernels of wgalois: templates of WGSL, which its module `gpu` renders and compiles.

/// A template.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Template {
    /// Its path below this folder, with slashes.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Returns all templates, sorted by name.
///
/// # Errors
/// A message, if this is a development build of the workspace, whose templates stay on disk, and they cannot be read there.
#[cfg(not(from_disk))]
pub fn templates() -> Result<Vec<Template>, String> {
    const TEMPLATES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/templates.rs"));
    let template = |&(name, text): &(&str, &str)| Template { name: name.to_owned(), text: text.to_owned() };
    Ok(TEMPLATES.iter().map(template).collect())
}

#[cfg(from_disk)]
pub use disk::templates;

#[cfg(from_disk)]
mod disk {
    use std::path::Path;
    use std::{fs, io};

    use super::Template;

    /// Returns all templates, sorted by name.
    ///
    /// # Errors
    /// A message, if this development build, whose templates stay on disk, cannot read them there.
    pub fn templates() -> Result<Vec<Template>, String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut templates = Vec::new();
        collect(folder, folder, &mut templates).map_err(|error| {
            format!(
                "the kernels of this development build, in {}: {error}; a release build contains them",
                folder.display()
            )
        })?;
        templates.sort();
        Ok(templates)
    }

    fn collect(root: &Path, folder: &Path, templates: &mut Vec<Template>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                collect(root, &path, templates)?;
            } else if path.extension().is_some_and(|e| e == "wgsl") {
                let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                templates.push(Template { name, text: fs::read_to_string(&path)? });
            }
        }
        Ok(())
    }
}
