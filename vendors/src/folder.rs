//! Texts in files: a folder of WGSL and SPIR-V with a list, or single files.

use std::path::{Path, PathBuf};

use wgalois::{Error, Result, gpu};

use crate::measure::Job;
use crate::texts::{Name, Text};

/// The list: file, kernel, variant, devices, verbs.
pub const LIST: &str = "kernels.tsv";

/// Writes texts, their SPIR-V and the list.
pub fn write(folder: &Path, texts: &[Text]) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
    let mut list = String::from("file\tkernel\tvariant\tdevices\tverbs\n");
    for text in texts {
        let Name { kernel, variant, kinds } = &text.name;
        let file = format!("{}.{variant}.{kinds}", kernel.replace('/', "-"));
        let of_text = |error: Error| error.of(kernel.clone());
        write_one(&folder.join(format!("{file}.wgsl")), text.wgsl.as_bytes())?;
        let words = gpu::spirv(&text.wgsl).map_err(of_text)?;
        write_words(&folder.join(format!("{file}.spv")), &words)?;
        let verbs: Vec<&str> = text.verbs.iter().map(String::as_str).collect();
        list += &format!("{file}\t{kernel}\t{variant}\t{kinds}\t{}\n", verbs.join(","));
    }
    write_one(&folder.join(LIST), list.as_bytes())
}

fn write_words(path: &Path, words: &[u32]) -> Result<()> {
    let bytes: Vec<u8> = words.iter().copied().flat_map(u32::to_le_bytes).collect();
    write_one(path, &bytes)
}

fn write_one(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).map_err(|error| Error::file(path, error))
}

/// Returns the texts of folders and files. A file of WGSL is translated to one of SPIR-V beside it.
pub fn jobs(paths: &[PathBuf]) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for path in paths {
        if path.is_dir() {
            jobs.extend(listed(path)?);
            continue;
        }
        let kernel = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = Name { kernel, variant: "-".into(), kinds: "-".into() };
        let spirv = path.with_extension("spv");
        if *path != spirv {
            let wgsl = std::fs::read_to_string(path).map_err(|error| Error::file(path, error))?;
            let words = gpu::spirv(&wgsl).map_err(|error| error.of(path.display().to_string()))?;
            write_words(&spirv, &words)?;
        }
        jobs.push(Job { name, spirv });
    }
    Ok(jobs)
}

/// The columns of the list without the file, which the repository keeps beside the tables: each text's name and verbs.
pub fn verbs(tables: &Path) -> Result<Vec<(Name, Vec<String>)>> {
    let path = tables.join(LIST);
    let list = std::fs::read_to_string(&path).map_err(|error| Error::file(&path, error))?;
    let text = |line: &str| match line.split('\t').collect::<Vec<_>>()[..] {
        [kernel, variant, kinds, verbs] => {
            let name = Name { kernel: kernel.into(), variant: variant.into(), kinds: kinds.into() };
            Ok((name, verbs.split(',').map(str::to_owned).collect()))
        }
        _ => Err(Error::unexpected(line, "four columns").of(path.display().to_string())),
    };
    list.lines().skip(1).map(text).collect()
}

fn listed(folder: &Path) -> Result<Vec<Job>> {
    let path = folder.join(LIST);
    let list = std::fs::read_to_string(&path).map_err(|error| Error::file(&path, error))?;
    let job = |line: &str| match line.split('\t').collect::<Vec<_>>()[..] {
        [file, kernel, variant, kinds, _] => {
            let name = Name { kernel: kernel.into(), variant: variant.into(), kinds: kinds.into() };
            Ok(Job { name, spirv: folder.join(format!("{file}.spv")) })
        }
        _ => Err(Error::unexpected(line, "five columns").of(path.display().to_string())),
    };
    list.lines().skip(1).map(job).collect()
}
