//! What wgpu's compiler makes of a shader for each kind of driver, to read and to test.

use naga::back::{glsl, hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ShaderStage};

use crate::{Error, Result};

/// A language that drivers take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Vulkan's binary form, little-endian words.
    Spirv,
    /// Metal's language.
    Msl,
    /// Direct3D's language, shader model 6.5.
    Hlsl,
    /// OpenGL's language, version 4.50.
    Glsl,
}

/// The entry point `main` of the WGSL text `wgsl` in the language `target`, without bounds
/// checks and loop bounds, as the stage builds its kernels.
///
/// # Errors
/// [`Error::Shader`] where the text is not valid or `target` cannot express it.
pub fn translate(wgsl: &str, target: Target) -> Result<Vec<u8>> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|e| Error::Shader(e.emit_to_string(wgsl)))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|e| Error::Shader(e.emit_to_string(wgsl)))?;
    match target {
        Target::Spirv => to_spirv(&module, &info),
        Target::Msl => to_msl(&module, &info),
        Target::Hlsl => to_hlsl(&module, &info),
        Target::Glsl => to_glsl(&module, &info),
    }
}

const UNCHECKED: BoundsCheckPolicies = BoundsCheckPolicies {
    index: BoundsCheckPolicy::Unchecked,
    buffer: BoundsCheckPolicy::Unchecked,
    image_load: BoundsCheckPolicy::Unchecked,
    binding_array: BoundsCheckPolicy::Unchecked,
};

fn to_spirv(module: &Module, info: &ModuleInfo) -> Result<Vec<u8>> {
    let options = spv::Options {
        lang_version: (1, 3),
        bounds_check_policies: UNCHECKED,
        force_loop_bounding: false,
        ..spv::Options::default()
    };
    let words = spv::write_vec(module, info, &options, None).map_err(refused)?;
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

fn to_msl(module: &Module, info: &ModuleInfo) -> Result<Vec<u8>> {
    let options = msl::Options {
        lang_version: (2, 4),
        bounds_check_policies: UNCHECKED,
        force_loop_bounding: false,
        ..msl::Options::default()
    };
    let pipeline = msl::PipelineOptions::default();
    let (text, _) = msl::write_string(module, info, &options, &pipeline).map_err(refused)?;
    Ok(text.into_bytes())
}

fn to_hlsl(module: &Module, info: &ModuleInfo) -> Result<Vec<u8>> {
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_5,
        restrict_indexing: false,
        force_loop_bounding: false,
        ..hlsl::Options::default()
    };
    let mut text = String::new();
    let pipeline = hlsl::PipelineOptions { entry_point: None };
    hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None).map_err(refused)?;
    Ok(text.into_bytes())
}

fn to_glsl(module: &Module, info: &ModuleInfo) -> Result<Vec<u8>> {
    let options = glsl::Options { version: glsl::Version::Desktop(450), ..glsl::Options::default() };
    let pipeline = glsl::PipelineOptions {
        shader_stage: ShaderStage::Compute,
        entry_point: "main".into(),
        multiview: None,
    };
    let mut text = String::new();
    glsl::Writer::new(&mut text, module, info, &options, &pipeline, UNCHECKED)
        .and_then(|mut writer| writer.write())
        .map_err(refused)?;
    Ok(text.into_bytes())
}

fn refused(error: impl std::fmt::Display) -> Error {
    Error::Shader(error.to_string())
}
