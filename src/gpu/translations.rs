//! Kernels as SPIR-V, kept on disk between runs.
//!
//! A driver keeps what it compiled, and finds it again by the SPIR-V. Until then a run would parse all templates, compose the text of
//! each kernel, and parse, check and translate that: 20 ms of a core for a kernel that adds points. What comes of it is always the same,
//! and is kept instead. A file is named by the SHA-256 of all that it follows from, and has this layout:
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 15 | `wgalois spirv 1\n` |
//! | 16 to 47 | SHA-256 of the file's name, a zero byte, and the SPIR-V |
//! | 48 on | the SPIR-V, little-endian |
//!
//! A file with any other content is ignored and replaced. The files of one set of templates are in a folder; those of other sets go
//! when it is made.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use super::cache::seal;
use super::kernel::{Arithmetic, Kernel, Variant};
use super::options::Options;
use super::{shader, spirv};
use crate::Result;
use crate::files::cached;

const MAGIC: &[u8; 16] = b"wgalois spirv 1\n";
const HEADER: usize = 48;
/// The largest file that is read, in bytes. The largest kernel takes 300 KiB.
const MOST: u64 = 16 << 20;
/// What the names of the folders begin with.
const FOLDER: &str = "spirv-";

/// The translations for one device.
pub(super) struct Translations {
    folder: PathBuf,
}

impl Translations {
    /// Opens the user's cache folder, if there is one, for a device that takes SPIR-V as [`spirv::spirv`] writes it. Templates that the
    /// environment replaces are not kept.
    pub(super) fn open(adapter: &wgpu::Adapter, features: wgpu::Features, options: &Options) -> Option<Self> {
        let takes = features.contains(wgpu::Features::PASSTHROUGH_SHADERS) && is_vulkan_1_3(adapter);
        if !takes || !options.cache || shader::replaced() {
            return None;
        }
        let templates = templates_digest()?;
        Some(Translations { folder: cached::folder()?.join(format!("{FOLDER}{}", &templates[..16])) })
    }

    /// The name of a kernel's file.
    pub(super) fn name(kernel: &Kernel, variant: &Variant, arithmetic: Arithmetic) -> Option<String> {
        let of = [
            templates_digest()?,
            spirv::NAGA,
            kernel.source,
            &shader::header(kernel, variant),
            &variant.identity(),
            &format!("{arithmetic:?}"),
        ];
        Some(hex(&digest(of.map(str::as_bytes))))
    }

    /// Returns a kernel that was kept.
    pub(super) fn find(&self, name: &str) -> Option<Vec<u32>> {
        let file = cached::read(&self.folder.join(name), MOST).ok()?;
        let found = unsealed(name, &file);
        if found.is_none() {
            log::warn!("the kept kernel {name} was damaged, and is made anew");
        }
        found
    }

    /// Translates the text of a kernel and keeps that, unless the disk refuses.
    pub(super) fn make(&self, name: &str, wgsl: &str) -> Result<Vec<u32>> {
        let words = spirv::spirv(wgsl)?;
        if !self.folder.exists()
            && let Some(above) = self.folder.parent()
        {
            remove_others(above, &self.folder);
        }
        let bytes = bytes(&words);
        let written = cached::write(&self.folder.join(name), |out| {
            out.write_all(&header(name, &bytes))?;
            out.write_all(&bytes)
        });
        if let Err(error) = written {
            log::info!("a translated kernel was not written: {error}");
        }
        Ok(words)
    }
}

/// True for devices of Vulkan 1.3 and later, all of which take SPIR-V 1.6.
fn is_vulkan_1_3(adapter: &wgpu::Adapter) -> bool {
    // SAFETY: the adapter that is returned is only asked, and does not outlive this function.
    let adapter = unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() };
    // VK_API_VERSION_1_3, as the specification's section on version numbers encodes it.
    let least = 1 << 22 | 3 << 12;
    adapter.is_some_and(|adapter| adapter.physical_device_capabilities().properties().api_version >= least)
}

/// The digest of all templates in the program.
fn templates_digest() -> Option<&'static str> {
    static DIGEST: OnceLock<Option<String>> = OnceLock::new();
    let digest = || {
        let templates = wgalois_shaders::templates().ok()?;
        let texts =
            templates.iter().flat_map(|template| [template.name.as_bytes(), template.text.as_bytes()]);
        Some(hex(&digest(texts)))
    };
    DIGEST.get_or_init(digest).as_deref()
}

/// Removes the folders of other templates.
fn remove_others(above: &Path, own: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let is_of_templates = entry.file_name().to_string_lossy().starts_with(FOLDER);
        if is_of_templates && entry.path() != own {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The digest of some parts, each behind its length.
fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn header(name: &str, bytes: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..16].copy_from_slice(MAGIC);
    header[16..].copy_from_slice(&seal(name, bytes));
    header
}

/// Returns the words if the file is exactly as it was written.
fn unsealed(name: &str, file: &[u8]) -> Option<Vec<u32>> {
    let (head, bytes) = file.split_at_checked(HEADER)?;
    let (words, rest) = bytes.as_chunks::<4>();
    let is_whole = head == header(name, bytes) && rest.is_empty();
    is_whole.then(|| words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "@compute @workgroup_size(1) fn main() {}";

    fn kept(folder: &Path) -> Translations {
        Translations { folder: folder.join("spirv-of-this") }
    }

    #[test]
    fn what_was_made_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let kept = kept(folder.path());
        assert_eq!(kept.find("a"), None);
        let words = kept.make("a", TEXT).unwrap();
        assert_eq!(words, spirv::spirv(TEXT).unwrap());
        assert_eq!(kept.find("a"), Some(words));
        assert_eq!(kept.find("b"), None);
        assert!(kept.make("b", "fn main( {}").is_err());
        assert_eq!(kept.find("b"), None);
    }

    #[test]
    fn any_other_content_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let kept = kept(folder.path());
        kept.make("a", TEXT).unwrap();
        let path = kept.folder.join("a");
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1 << (at % 8);
            assert_eq!(unsealed("a", &changed), None, "byte {at}");
            assert_eq!(unsealed("a", &whole[..at]), None, "the first {at} bytes");
        }
        assert_eq!(unsealed("a", &[&whole[..], &[0; 4]].concat()), None);
        assert_eq!(unsealed("b", &whole), None);
        // A damaged file is replaced.
        fs::write(&path, &whole[..whole.len() - 4]).unwrap();
        assert_eq!(kept.find("a"), None);
        kept.make("a", TEXT).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
    }

    #[test]
    fn a_folder_that_cannot_be_written_only_costs_time() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("spirv-of-this"), "a file").unwrap();
        let kept = kept(folder.path());
        assert_eq!(kept.make("a", TEXT).unwrap(), spirv::spirv(TEXT).unwrap());
        assert_eq!(kept.find("a"), None);
    }

    #[test]
    fn folders_of_other_templates_go() {
        let folder = tempfile::tempdir().unwrap();
        for other in ["spirv-of-others", "else"] {
            fs::create_dir(folder.path().join(other)).unwrap();
        }
        kept(folder.path()).make("a", TEXT).unwrap();
        let left = |name: &str| folder.path().join(name).exists();
        assert_eq!([left("spirv-of-this"), left("spirv-of-others"), left("else")], [true, false, true]);
    }

    #[test]
    fn kernels_that_differ_have_other_names() {
        let mut names = std::collections::HashSet::new();
        let mut count = 0;
        for arithmetic in [Arithmetic::PORTABLE, Arithmetic::INT64] {
            for kernel in crate::gpu::RATE_KERNELS {
                for variant in (kernel.variants)(arithmetic) {
                    names.insert(Translations::name(kernel, &variant, arithmetic).unwrap());
                    count += 1;
                }
            }
        }
        assert!(count > 10 && names.len() == count, "{} names of {count} kernels", names.len());
    }
}
