//! Lists every template below this folder, as `(path, text)` pairs.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=.");
    let mut files = Vec::new();
    collect(Path::new("."), &mut files)?;
    files.sort();
    let rows: String = files
        .iter()
        .map(|file| {
            let name = file.strip_prefix(".").unwrap_or(file).to_string_lossy().replace('\\', "/");
            // The path is not absolute: in a copied target folder it would name the shaders of
            // another checkout.
            let path = format!("/{name}");
            format!("    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))),\n")
        })
        .collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?).join("templates.rs");
    fs::write(out, format!("&[\n{rows}]\n"))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "wgsl") {
            files.push(path);
        }
    }
    Ok(())
}
