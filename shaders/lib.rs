//! The kernels of wgalois: templates of WGSL, which its module `gpu` renders and compiles.

#[cfg(from_disk)]
mod walk;

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

/// Returns all templates, sorted by name.
///
/// # Errors
/// A message, if this development build, whose templates stay on disk, cannot read them there.
#[cfg(from_disk)]
pub fn templates() -> Result<Vec<Template>, String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |(name, file)| Ok(Template { name, text: std::fs::read_to_string(file)? });
    let templates: std::io::Result<_> =
        walk::templates(folder).and_then(|templates| templates.into_iter().map(read).collect());
    templates.map_err(|error| {
        format!(
            "the kernels of this development build, in {}: {error}; a release build contains them",
            folder.display()
        )
    })
}
