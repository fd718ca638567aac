//! Translating a shader to the language of each kind of driver, to be read and tested.
//!
//! The options are those of wgpu 30 for kernels without runtime checks: language versions,
//! numbering of the buffers, no bounds checks, no loop bounds, no zeroing of workgroup memory.

use naga::back::{glsl, hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ResourceBinding, ShaderStage, StorageAccess};

use wgalois::{Error, Result};

/// A shader language that drivers accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// SPIR-V, Vulkan's binary language, version 1.3, as little-endian words.
    Spirv,
    /// The Metal Shading Language, version 2.4.
    Msl,
    /// Direct3D's HLSL, shader model 6.2, the lowest that supports all of naga's output.
    Hlsl,
    /// OpenGL's GLSL, version 3.10 ES, which has no 64-bit integers.
    Glsl,
}

/// Translates the entry point `main` of the WGSL text `wgsl` to the language `target`, without bounds
/// checks and loop bounds, as the kernels of this crate are built.
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

const ENTRY: (ShaderStage, &str) = (ShaderStage::Compute, "main");

const UNCHECKED: BoundsCheckPolicies = BoundsCheckPolicies {
    index: BoundsCheckPolicy::Unchecked,
    buffer: BoundsCheckPolicy::Unchecked,
    image_load: BoundsCheckPolicy::Unchecked,
    binding_array: BoundsCheckPolicy::Unchecked,
};

/// Returns a module's buffers in the order of their bindings, in which wgpu numbers them.
fn buffers(module: &Module) -> Vec<(ResourceBinding, AddressSpace)> {
    let globals = module.global_variables.iter();
    let bound = globals.filter_map(|(_, variable)| Some((variable.binding?, variable.space)));
    let mut buffers: Vec<_> = bound.collect();
    buffers.sort_by_key(|(binding, _)| *binding);
    buffers
}

fn is_writable(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Storage { access } if access.contains(StorageAccess::STORE))
}

fn to_spirv(module: &Module, info: &ModuleInfo) -> Result<Vec<u8>> {
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::LABEL_VARYINGS | spv::WriterFlags::FORCE_POINT_SIZE,
        bounds_check_policies: UNCHECKED,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..spv::Options::default()
    };
    let pipeline = spv::PipelineOptions { shader_stage: ENTRY.0, entry_point: ENTRY.1.into() };
    let words = spv::write_vec(module, info, &options, Some(&pipeline)).map_err(refused)?;
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

fn to_msl(module: &Module, info: &ModuleInfo) -> Result<Vec<u8>> {
    let buffers = buffers(module);
    let slots = buffers.iter().zip(0..).map(|(&(binding, space), slot)| {
        let mutable = is_writable(space);
        (binding, msl::BindTarget { buffer: Some(slot), mutable, ..msl::BindTarget::default() })
    });
    let resources = msl::EntryPointResources {
        resources: slots.collect(),
        immediates_buffer: None,
        // The buffer with the lengths of runtime-sized arrays comes last.
        sizes_buffer: Some(buffers.len() as msl::Slot),
    };
    let options = msl::Options {
        lang_version: (2, 4),
        per_entry_point_map: [(ENTRY.1.to_owned(), resources)].into(),
        fake_missing_bindings: false,
        bounds_check_policies: UNCHECKED,
        zero_initialize_workgroup_memory: false,
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..msl::Options::default()
    };
    let entry_point = Some((ENTRY.0, ENTRY.1.to_owned()));
    let pipeline = msl::PipelineOptions { entry_point, ..msl::PipelineOptions::default() };
    let (text, written) = msl::write_string(module, info, &options, &pipeline).map_err(refused)?;
    written.entry_point_names.into_iter().collect::<Result<Vec<_>, _>>().map_err(refused)?;
    Ok(text.into_bytes())
}

fn to_hlsl(module: &Module, info: &ModuleInfo) -> Result<Vec<u8>> {
    // The next registers of constant buffers, of read-only buffers and of writable buffers.
    let mut next = [0; 3];
    let mut take = |class: usize| {
        let register = next[class];
        next[class] += 1;
        hlsl::BindTarget { register, ..hlsl::BindTarget::default() }
    };
    let mut binding_map = hlsl::BindingMap::default();
    for (binding, space) in buffers(module) {
        let class = if space == AddressSpace::Uniform { 0 } else { 1 + usize::from(is_writable(space)) };
        binding_map.insert(binding, take(class));
    }
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_2,
        binding_map,
        fake_missing_bindings: false,
        // Direct3D has no built-in value for the number of workgroups: wgpu passes it in a buffer of its own.
        special_constants_binding: Some(take(0)),
        zero_initialize_workgroup_memory: false,
        restrict_indexing: false,
        force_loop_bounding: false,
        ..hlsl::Options::default()
    };
    let mut text = String::new();
    let pipeline = hlsl::PipelineOptions { entry_point: Some((ENTRY.0, ENTRY.1.to_owned())) };
    let written = hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None);
    let names = written.map_err(refused)?.entry_point_names;
    names.into_iter().collect::<Result<Vec<_>, _>>().map_err(refused)?;
    Ok(text.into_bytes())
}

fn to_glsl(module: &Module, info: &ModuleInfo) -> Result<Vec<u8>> {
    let (mut uniforms, mut storages) = (0..u8::MAX, 0..u8::MAX);
    let slot = |(binding, space)| {
        let of_its_kind = if space == AddressSpace::Uniform { &mut uniforms } else { &mut storages };
        Some((binding, of_its_kind.next()?))
    };
    let options = glsl::Options {
        version: glsl::Version::new_gles(310),
        writer_flags: glsl::WriterFlags::ADJUST_COORDINATE_SPACE | glsl::WriterFlags::FORCE_POINT_SIZE,
        binding_map: buffers(module).into_iter().filter_map(slot).collect(),
        zero_initialize_workgroup_memory: false,
    };
    let pipeline =
        glsl::PipelineOptions { shader_stage: ENTRY.0, entry_point: ENTRY.1.into(), multiview: None };
    let mut text = String::new();
    glsl::Writer::new(&mut text, module, info, &options, &pipeline, UNCHECKED)
        .and_then(|mut writer| writer.write())
        .map_err(refused)?;
    Ok(text.into_bytes())
}

fn refused(error: impl std::fmt::Display) -> Error {
    Error::Shader(error.to_string())
}
