//! Templates that the environment variable `WGALOIS_SHADERS` puts in place of those in the binary, for tests of faulty
//! devices: each file `FOLDER/NAME` replaces the template `NAME`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use wgalois_shaders::Template;

/// Returns true if templates are replaced. Nobody vouches for their indices: kernels then keep all of wgpu's checks.
pub fn in_use() -> bool {
    folder().is_some()
}

/// Returns the folder of the replacements, if the environment names one.
pub(super) fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER.get_or_init(|| std::env::var_os("WGALOIS_SHADERS").map(PathBuf::from)).as_deref()
}

/// Replaces the texts of the templates that `folder` has files for. A folder without any is a mistake.
pub(super) fn replace(templates: &mut [Template], folder: &Path) -> Result<(), String> {
    let mut replaced = 0;
    for template in templates {
        let path = folder.join(&template.name);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                template.text = text;
                replaced += 1;
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(format!("WGALOIS_SHADERS: {}: {e}", path.display())),
        }
    }
    match replaced {
        0 => Err(format!("WGALOIS_SHADERS: {} holds none of the templates", folder.display())),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_replaces_the_template_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let original = wgalois_shaders::templates().unwrap();
        let mut templates = original.clone();
        assert!(replace(&mut templates, folder.path()).unwrap_err().contains("holds none of the templates"));
        std::fs::create_dir(folder.path().join("gf2")).unwrap();
        std::fs::write(folder.path().join("gf2/panel.wgsl"), "changed").unwrap();
        std::fs::write(folder.path().join("unknown.wgsl"), "unused").unwrap();
        replace(&mut templates, folder.path()).unwrap();
        let changed: Vec<_> =
            templates.iter().zip(&original).filter(|(a, b)| a != b).map(|(a, _)| a).collect();
        let expected = Template { name: "gf2/panel.wgsl".into(), text: "changed".into() };
        assert_eq!(changed, [&expected]);
    }
}
