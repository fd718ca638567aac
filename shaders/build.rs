//! Lists every template below this folder, as `(path, text)` pairs. A development build of the workspace, which
//! `.cargo/config.toml` tells of, lists none: it reads them when it runs.

mod walk;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rustc-check-cfg=cfg(from_disk)");
    println!("cargo:rerun-if-env-changed=WGALOIS_TEMPLATES_FROM_DISK");
    let is = |name: &str, value: &str| env::var(name).as_deref() == Ok(value);
    if is("WGALOIS_TEMPLATES_FROM_DISK", "1")
        && is("PROFILE", "debug")
        && !is("CARGO_CFG_TARGET_ARCH", "wasm32")
    {
        println!("cargo:rustc-cfg=from_disk");
        return Ok(());
    }
    println!("cargo:rerun-if-changed=.");
    let rows: String = walk::templates(Path::new("."))?
        .iter()
        .map(|(name, _)| {
            // The path is not absolute: in a copied target folder it would name the shaders of
            // another checkout.
            let path = format!("/{name}");
            format!("    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))),\n")
        })
        .collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?).join("templates.rs");
    fs::write(out, format!("&[\n{rows}]\n"))
}
