//! The WGSL texts of all kernels.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::kernels;
use naga::valid::{Capabilities, ModuleInfo, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};
use wgalois::gpu::Arithmetic;
use wgalois::gpu::compose;

/// A text as wgpu receives it; a browser receives it too if it is portable.
pub struct Text {
    /// Kernel, number of the variant, arithmetic: the name of the file that `wgalois shaders --dump`
    /// writes.
    pub name: String,
    pub kernel: &'static str,
    pub int64: bool,
    pub subgroups: bool,
    pub wgsl: String,
}

/// All combinations of features that shaders can use. A text that is the same in two of them belongs
/// to the first.
const ARITHMETICS: [(&str, Arithmetic); 7] = [
    ("portable", Arithmetic::PORTABLE),
    ("int64", Arithmetic::INT64),
    ("int64-compact", Arithmetic { compact: true, ..Arithmetic::INT64 }),
    ("int64-few-registers", Arithmetic { compact: true, few_registers: true, ..Arithmetic::INT64 }),
    ("few-registers", Arithmetic { few_registers: true, ..Arithmetic::PORTABLE }),
    ("subgroups", Arithmetic { subgroups: true, ..Arithmetic::PORTABLE }),
    ("int64-subgroups", Arithmetic { subgroups: true, ..Arithmetic::INT64 }),
];

/// Returns every kernel in every variant and arithmetic.
pub fn every() -> &'static [Text] {
    static TEXTS: OnceLock<Vec<Text>> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let mut texts: Vec<Text> = Vec::new();
        for kernel in kernels() {
            let first = texts.len();
            for (label, arithmetic) in ARITHMETICS {
                for (number, variant) in (kernel.variants)(arithmetic).iter().enumerate() {
                    let wgsl = compose(kernel, variant, arithmetic).unwrap().text;
                    if texts[first..].iter().all(|text| text.wgsl != wgsl) {
                        let name = format!("{}-{number}-{label}", kernel.name.replace('/', "-"));
                        let Arithmetic { int64, subgroups, .. } = arithmetic;
                        texts.push(Text { name, kernel: kernel.name, int64, subgroups, wgsl });
                    }
                }
            }
        }
        texts
    })
}

/// Returns the distinct texts among them.
pub fn all() -> Vec<&'static Text> {
    let mut seen = HashSet::new();
    every().iter().filter(|text| seen.insert(&text.wgsl)).collect()
}

/// Parses a text with naga and validates it with only the features of its arithmetic, so a text that
/// a device without 64-bit integers and subgroup operations refuses is refused here too.
pub fn validate(text: &Text) -> Result<(naga::Module, ModuleInfo), String> {
    let module =
        naga::front::wgsl::parse_str(&text.wgsl).map_err(|error| error.emit_to_string(&text.wgsl))?;
    let mut capabilities = Capabilities::empty();
    capabilities.set(Capabilities::SHADER_INT64, text.int64);
    capabilities.set(Capabilities::SUBGROUP, text.subgroups);
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .subgroup_stages(ShaderStages::COMPUTE)
        .subgroup_operations(SubgroupOperationSet::all())
        .validate(&module)
        .map_err(|error| error.emit_to_string(&text.wgsl))?;
    Ok((module, info))
}
