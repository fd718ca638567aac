//! Templates that the environment variable `WGALOIS_SHADERS` puts in place of those in the binary, for tests of faulty
//! devices: each file `FOLDER/NAME` replaces the template `NAME`. Builds of the library alone, without debug
//! assertions, ignore the variable.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use wgalois_shaders::TEMPLATES;

/// Returns true if templates are replaced. Nobody vouches for their indices: kernels then keep all of wgpu's checks.
pub fn in_use() -> bool {
    folder().is_some()
}

/// Returns the folder of the replacements, if the environment names one.
pub(super) fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER.get_or_init(|| std::env::var_os("WGALOIS_SHADERS").map(PathBuf::from)).as_deref()
}

/// Returns the texts under `folder` by the names of the templates that they replace. A folder without one of the
/// templates is a mistake.
pub(super) fn read(folder: &Path) -> Result<BTreeMap<&'static str, String>, String> {
    let mut texts = BTreeMap::new();
    for (name, _) in TEMPLATES {
        match std::fs::read_to_string(folder.join(name)) {
            Ok(text) => drop(texts.insert(*name, text)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(format!("WGALOIS_SHADERS: {}: {e}", folder.join(name).display())),
        }
    }
    match texts.is_empty() {
        true => Err(format!("WGALOIS_SHADERS: {} holds none of the templates", folder.display())),
        false => Ok(texts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_replaces_the_template_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path()).unwrap_err().contains("holds none of the templates"));
        std::fs::create_dir(folder.path().join("gf2")).unwrap();
        std::fs::write(folder.path().join("gf2/panel.wgsl"), "changed").unwrap();
        std::fs::write(folder.path().join("unknown.wgsl"), "unused").unwrap();
        let texts = read(folder.path()).unwrap();
        assert_eq!(texts.into_iter().collect::<Vec<_>>(), [("gf2/panel.wgsl", "changed".to_owned())]);
    }
}
