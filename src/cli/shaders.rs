//! `wgalois shaders`: the kernels as they are given to a driver.

use super::{Context, Run};
use clap::ValueEnum;
use serde_json::json;
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use wgalois::gpu::{Arithmetic, Kernel, Target, compose, translate};
use wgalois::io::write_whole;
use wgalois::{Error, Result, ntt};

/// The kernels of every task.
const FAMILIES: [&[&Kernel]; 1] = [ntt::gpu::KERNELS];

/// Everything that shaders may or may not use.
const ARITHMETICS: [(&str, Arithmetic); 4] = [
    ("portable", Arithmetic::PORTABLE),
    ("int64", Arithmetic::INT64),
    ("subgroups", Arithmetic { int64: false, subgroups: true }),
    ("int64-subgroups", Arithmetic { int64: true, subgroups: true }),
];

/// Write the final text of every kernel in every variant
///
/// Files are called KERNEL-NUMBER-ARITHMETIC; index.json tells what each is. A text that is
/// the same with and without 64-bit integers or subgroups is written once.
#[derive(clap::Args)]
pub struct Shaders {
    /// The folder to write to; made if it is not there
    #[arg(long, value_name = "DIR")]
    dump: PathBuf,
    /// The language: WGSL, or what wgpu's compiler makes of it for a driver
    #[arg(long, value_enum, default_value_t = Language::Wgsl)]
    target: Language,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    Wgsl,
    Spirv,
    Msl,
    Hlsl,
    Glsl,
}

impl Language {
    fn ending(self) -> &'static str {
        match self {
            Language::Wgsl => "wgsl",
            Language::Spirv => "spv",
            Language::Msl => "metal",
            Language::Hlsl => "hlsl",
            Language::Glsl => "glsl",
        }
    }

    /// Whether the language has what the arithmetic uses: wgpu's GLSL knows no 64-bit integers.
    fn has(self, arithmetic: Arithmetic) -> bool {
        self != Language::Glsl || !arithmetic.int64
    }

    fn render(self, wgsl: &str) -> Result<Vec<u8>> {
        let target = match self {
            Language::Wgsl => return Ok(wgsl.as_bytes().to_vec()),
            Language::Spirv => Target::Spirv,
            Language::Msl => Target::Msl,
            Language::Hlsl => Target::Hlsl,
            Language::Glsl => Target::Glsl,
        };
        translate(wgsl, target)
    }
}

impl Run for Shaders {
    fn run(&self, context: &Context) -> Result<()> {
        std::fs::create_dir_all(&self.dump).map_err(|e| Error::file(&self.dump, e))?;
        let kernels: Vec<&Kernel> = FAMILIES.into_iter().flatten().copied().collect();
        let progress = context.bar("translate", kernels.len() as u64);
        let mut index = Vec::new();
        for kernel in kernels {
            self.dump_kernel(kernel, &mut index)?;
            progress.advance(1);
        }
        let path = self.dump.join("index.json");
        write_whole(&path, |out| serde_json::to_writer_pretty(out, &index).map_err(io::Error::from))?;
        context.note(&format!("{} shaders in {}", index.len(), self.dump.display()));
        context.report("shaders", index);
        Ok(())
    }
}

impl Shaders {
    fn dump_kernel(&self, kernel: &Kernel, index: &mut Vec<serde_json::Value>) -> Result<()> {
        for (number, variant) in (kernel.variants)().iter().enumerate() {
            let mut written: HashMap<String, usize> = HashMap::new();
            for (label, arithmetic) in ARITHMETICS.into_iter().filter(|(_, a)| self.target.has(*a)) {
                let wgsl = compose(kernel, variant, arithmetic)?.text;
                if let Some(entry) = written.get(&wgsl).and_then(|&at| index.get_mut(at)) {
                    entry["arithmetic"].as_array_mut().into_iter().for_each(|a| a.push(label.into()));
                    continue;
                }
                let file =
                    format!("{}-{number}-{label}.{}", kernel.name.replace('/', "-"), self.target.ending());
                let text = self.target.render(&wgsl).inspect_err(|_| log::error!("{file}"))?;
                write_whole(&self.dump.join(&file), |out| out.write_all(&text))?;
                written.insert(wgsl, index.len());
                index.push(json!({
                    "file": file,
                    "kernel": kernel.name,
                    "source": kernel.source,
                    "variant": variant.identity(),
                    "arithmetic": [label],
                }));
            }
        }
        Ok(())
    }
}
