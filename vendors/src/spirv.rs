//! SPIR-V as wgpu's Vulkan backend makes it of a kernel, and the buffers that a SPIR-V text binds.

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use wgalois::{Error, Result};

/// The entry point of every kernel.
pub const ENTRY: &str = "main";

/// Translates a kernel with the options of wgpu 30 (`wgpu-hal/src/vulkan`) for kernels without runtime checks, on a device of
/// Vulkan 1.3 or later. Optional capabilities that no kernel uses are left out.
pub fn of_wgsl(wgsl: &str) -> Result<Vec<u32>> {
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
    let stage = naga::ShaderStage::Compute;
    let refused = |error: &dyn std::fmt::Display| Error::Shader(error.to_string());
    let constants = naga::back::PipelineConstants::default();
    let (module, info) =
        naga::back::pipeline_constants::process_overrides(&module, &info, Some((stage, ENTRY)), &constants)
            .map_err(|e| refused(&e))?;
    let pipeline = spv::PipelineOptions { shader_stage: stage, entry_point: ENTRY.into() };
    spv::write_vec(&module, &info, &options, Some(&pipeline)).map_err(|e| refused(&e))
}

const CAPABILITIES: [spv::Capability; 13] = [
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
    spv::Capability::DotProductInputAllKHR,
    spv::Capability::DotProductInput4x8BitKHR,
    spv::Capability::DotProductKHR,
];

/// A buffer that a kernel binds in group 0.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// Its binding.
    pub binding: u32,
    /// True for the uniform buffer of parameters, which has a dynamic offset.
    pub is_uniform: bool,
}

// From the SPIR-V specification, sections 2.3 and 3.
const HEADER_WORDS: usize = 5;
const OP_VARIABLE: u32 = 59;
const OP_DECORATE: u32 = 71;
const DECORATION_BINDING: u32 = 33;
const CLASS_UNIFORM: u32 = 2;
const CLASS_STORAGE_BUFFER: u32 = 12;

/// Returns the buffers that a SPIR-V text binds; all kernels have one group.
pub fn buffers(words: &[u32]) -> Vec<Buffer> {
    let (mut bindings, mut classes) = (Vec::new(), Vec::new());
    let mut at = HEADER_WORDS;
    while let Some(&first) = words.get(at) {
        let (length, operation) = ((first >> 16) as usize, first & 0xffff);
        match (operation, words.get(at + 1..at + length)) {
            (OP_DECORATE, Some(&[target, DECORATION_BINDING, binding])) => bindings.push((target, binding)),
            (OP_VARIABLE, Some(&[_, variable, class, ..])) => classes.push((variable, class)),
            _ => {}
        }
        at += length.max(1);
    }
    let class = |target| classes.iter().find(|(variable, _)| *variable == target).map(|(_, class)| *class);
    let buffer = |(target, binding)| match class(target) {
        Some(CLASS_UNIFORM) => Some(Buffer { binding, is_uniform: true }),
        Some(CLASS_STORAGE_BUFFER) => Some(Buffer { binding, is_uniform: false }),
        _ => None,
    };
    bindings.into_iter().filter_map(buffer).collect()
}
