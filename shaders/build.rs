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
    let is_small = is("CARGO_CFG_TARGET_ARCH", "wasm32");
    let row = |(name, file): &(String, PathBuf)| {
        if is_small {
            return Ok(format!("    ({name:?}, {:?}),\n", without_comments(&fs::read_to_string(file)?)));
        }
        // The path is not absolute: in a copied target folder it would name the shaders of
        // another checkout.
        let path = format!("/{name}");
        Ok(format!("    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))),\n"))
    };
    let rows: String = walk::templates(Path::new("."))?.iter().map(row).collect::<io::Result<_>>()?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?).join("templates.rs");
    fs::write(out, format!("&[\n{rows}]\n"))
}

/// A template for a browser, which downloads it: without its comments and indentation, two fifths of the compressed bytes. Nothing
/// there names the lines of templates.
fn without_comments(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}
