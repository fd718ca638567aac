//! `wgalois shaders`: the kernels as the driver receives them.

use crate::prelude::*;
use crate::translate::{Target, translate};
use std::io;
use wgalois::gpu::Arithmetic;
use wgalois::gpu::{Kernel, compose};
use wgalois::parallel::*;

/// All combinations of features that shaders can use.
const ARITHMETICS: [(&str, Arithmetic); 7] = [
    ("portable", Arithmetic::PORTABLE),
    ("int64", Arithmetic::INT64),
    ("int64-compact", Arithmetic { compact: true, ..Arithmetic::INT64 }),
    ("int64-few-registers", Arithmetic { compact: true, few_registers: true, ..Arithmetic::INT64 }),
    ("few-registers", Arithmetic { few_registers: true, ..Arithmetic::PORTABLE }),
    ("subgroups", Arithmetic { subgroups: true, ..Arithmetic::PORTABLE }),
    ("int64-subgroups", Arithmetic { subgroups: true, ..Arithmetic::INT64 }),
];

/// The kernels of all crates.
fn all() -> impl Iterator<Item = &'static Kernel> {
    let others = wgalois_boolean::kernels().chain(wgalois_benches::kernels());
    wgalois::kernels().chain(others)
}

/// Write the final text of every kernel in every variant
///
/// Files are named KERNEL-NUMBER-ARITHMETIC; index.json describes each of them. A text that is the
/// same with and without 64-bit integers or subgroups is written once.
#[derive(clap::Args)]
pub struct Shaders {
    /// The folder to write to; created if it does not exist
    #[arg(long, value_name = "DIR")]
    dump: PathBuf,
    /// The language: WGSL, or one that wgpu translates it to for drivers
    #[arg(long, value_parser = named(LANGUAGES), default_value = "wgsl")]
    target: Language,
    /// Only kernels whose names begin so, such as ntt/ or gf2/panel
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
}

/// The ending of a language's files, and the language if it is not WGSL.
type Language = (&'static str, Option<Target>);

const LANGUAGES: &[Named<Language>] = &[
    ("wgsl", "", ("wgsl", None)),
    ("spirv", "", ("spv", Some(Target::Spirv))),
    ("msl", "", ("metal", Some(Target::Msl))),
    ("hlsl", "", ("hlsl", Some(Target::Hlsl))),
    ("glsl", "", ("glsl", Some(Target::Glsl))),
];

/// The description of one file of the dump.
#[derive(serde::Serialize)]
struct Entry {
    file: String,
    kernel: &'static str,
    source: &'static str,
    variant: String,
    arithmetic: Vec<&'static str>,
}

impl Run for Shaders {
    fn outputs(&self) -> Outputs {
        let folders = vec![("--dump", self.dump.clone(), &["index.json"][..])];
        Outputs { data: Data::None, folders, ..Outputs::default() }
    }

    fn run(&self, context: &Context) -> Result<()> {
        let begin = self.kernel.as_deref().unwrap_or_default();
        let kernels: Vec<&'static Kernel> = all().filter(|kernel| kernel.name.starts_with(begin)).collect();
        if kernels.is_empty() {
            return Err(Error::unexpected(begin, "the first letters of a kernel's name").of("--kernel"));
        }
        std::fs::create_dir_all(&self.dump).map_err(|e| Error::file(&self.dump, e))?;
        let progress = context.bar("translate", kernels.len() as u64);
        let entries = kernels.par_iter().map(|kernel| {
            let entries = self.dump_kernel(kernel);
            progress.advance(1);
            entries
        });
        let index: Vec<Entry> = entries.try_collect()?.into_iter().flatten().collect();
        let path = self.dump.join("index.json");
        write_whole(&path, |out| serde_json::to_writer_pretty(out, &index).map_err(io::Error::from))?;
        context.note(&format!("{} shaders in {}", index.len(), self.dump.display()));
        context.report("shaders", serde_json::json!(index));
        Ok(())
    }
}

impl Shaders {
    fn dump_kernel(&self, kernel: &'static Kernel) -> Result<Vec<Entry>> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        let (ending, target) = self.target;
        // wgpu's GLSL has no 64-bit integers.
        let is_expressed = |arithmetic: Arithmetic| target != Some(Target::Glsl) || !arithmetic.int64;
        for (label, arithmetic) in ARITHMETICS.into_iter().filter(|(_, own)| is_expressed(*own)) {
            for (number, variant) in (kernel.variants)(arithmetic).iter().enumerate() {
                let wgsl = compose(kernel, variant, arithmetic)?.text;
                if let Some(same) = texts.iter().position(|text| *text == wgsl) {
                    let labels = &mut entries[same].arithmetic;
                    if labels.last() != Some(&label) {
                        labels.push(label);
                    }
                    continue;
                }
                let name = kernel.name.replace('/', "-");
                let file = format!("{name}-{number}-{label}.{ending}");
                let translated = target.map(|target| translate(&wgsl, target)).transpose();
                let translated = translated.inspect_err(|_| log::error!("{file}"))?;
                let text = translated.as_deref().unwrap_or(wgsl.as_bytes());
                write_whole(&self.dump.join(&file), |out| out.write_all(text))?;
                let (kernel, source) = (kernel.name, kernel.source);
                let (variant, arithmetic) = (variant.identity(), vec![label]);
                entries.push(Entry { file, kernel, source, variant, arithmetic });
                texts.push(wgsl);
            }
        }
        Ok(entries)
    }
}
