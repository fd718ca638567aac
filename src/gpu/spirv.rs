//! Translating kernels to SPIR-V, the language of Vulkan's drivers.

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::{Error, Result};

/// The entry point of every kernel.
pub(super) const ENTRY: &str = "main";

/// The version of naga, whose translations differ from those of others.
pub(super) const NAGA: &str = "30.0.1";

/// Translates a kernel as wgpu 30 does (`wgpu-hal/src/vulkan`), without runtime checks, for a device of Vulkan 1.3 or later.
/// Optional capabilities that no kernel uses are left out.
///
/// ```
/// let text = "@compute @workgroup_size(1) fn main() {}";
/// assert_eq!(wgalois::gpu::spirv(text)?[0], 0x0723_0203);
/// assert!(wgalois::gpu::spirv("fn main() -> {}").is_err());
/// # Ok::<(), wgalois::Error>(())
/// ```
///
/// # Errors
/// [`Error::Shader`]: the text is no WGSL, or not valid. The error shows the place.
pub fn spirv(wgsl: &str) -> Result<Vec<u32>> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|e| Error::Shader(e.emit_to_string(wgsl)))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|e| Error::Shader(e.emit_to_string(wgsl)))?;
    let unchecked = BoundsCheckPolicy::Unchecked;
    let options = spv::Options {
        lang_version: (1, 6),
        flags: spv::WriterFlags::LABEL_VARYINGS | spv::WriterFlags::FORCE_POINT_SIZE,
        capabilities: Some(CAPABILITIES.iter().copied().collect()),
        bounds_check_policies: BoundsCheckPolicies {
            index: unchecked,
            buffer: unchecked,
            image_load: unchecked,
            binding_array: unchecked,
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..spv::Options::default()
    };
    let pipeline =
        spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: ENTRY.into() };
    spv::write_vec(&module, &info, &options, Some(&pipeline)).map_err(|e| Error::Shader(e.to_string()))
}

const CAPABILITIES: [spv::Capability; 10] = [
    spv::Capability::Shader,
    spv::Capability::Matrix,
    spv::Capability::Int64,
    spv::Capability::GroupNonUniform,
    spv::Capability::GroupNonUniformVote,
    spv::Capability::GroupNonUniformArithmetic,
    spv::Capability::GroupNonUniformBallot,
    spv::Capability::GroupNonUniformShuffle,
    spv::Capability::GroupNonUniformShuffleRelative,
    spv::Capability::GroupNonUniformQuad,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translations_are_named_by_the_version_of_naga() {
        let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock")).unwrap();
        let naga = lock.split("[[package]]").find(|package| package.contains("name = \"naga\"\n")).unwrap();
        assert!(naga.contains(&format!("version = \"{NAGA}\"")), "{naga}");
    }
}
