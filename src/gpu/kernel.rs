//! The declaration of a kernel, and a kernel compiled for a device.

use serde::Serialize;

use super::shader::Arithmetic;

/// How a kernel uses a storage buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads only.
    Read,
    /// Reads and writes.
    ReadWrite,
}

/// One storage buffer of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Its name in the shader.
    pub name: &'static str,
    /// Its WGSL type, as `array<u32>`.
    pub ty: &'static str,
    /// How it is used.
    pub access: Access,
}

impl Binding {
    /// A buffer that the kernel only reads.
    pub const fn read(name: &'static str, ty: &'static str) -> Self {
        Binding { name, ty, access: Access::Read }
    }

    /// A buffer that the kernel writes.
    pub const fn read_write(name: &'static str, ty: &'static str) -> Self {
        Binding { name, ty, access: Access::ReadWrite }
    }
}

/// Everything about a kernel, said once. The stage writes the bindings, the uniform
/// `params` and the constant `WORKGROUP` into the shader text from this.
#[derive(Debug)]
pub struct Kernel {
    /// Its name, unique in the crate: what timelines and dumps call it.
    pub name: &'static str,
    /// Its template under `shaders/`, which holds one entry point `main`.
    pub source: &'static str,
    /// Its storage buffers, in the order of a dispatch.
    pub bindings: &'static [Binding],
    /// The names of its u32 parameters, in the order of a dispatch.
    pub params: &'static [&'static str],
    /// Examples of every variant that the crate builds of it for such arithmetic, for the tests
    /// that walk all kernels and for the dump.
    pub variants: fn(Arithmetic) -> Vec<Variant>,
}

/// The choices that are compiled into a kernel.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Invocations a workgroup.
    pub workgroup: u32,
    /// The template's variables; their text is also the variant's identity.
    context: serde_json::Value,
}

impl Variant {
    /// A variant with these template variables (a struct or map).
    pub fn new(workgroup: u32, context: impl Serialize) -> Self {
        // A struct of numbers, strings and lists always serializes.
        Variant { workgroup, context: serde_json::to_value(context).unwrap_or_default() }
    }

    /// A variant without variables.
    pub fn plain(workgroup: u32) -> Self {
        Variant::new(workgroup, serde_json::Map::new())
    }

    /// What the template sees: the variant's variables, and what the arithmetic may use.
    pub(super) fn context(&self, arithmetic: Arithmetic) -> minijinja::Value {
        let mut variables = self.context.as_object().cloned().unwrap_or_default();
        variables.insert("int64".into(), arithmetic.int64.into());
        variables.insert("subgroups".into(), arithmetic.subgroups.into());
        minijinja::Value::from(minijinja::value::Serde(variables))
    }

    /// A text that tells this variant from every other of the same kernel.
    pub fn identity(&self) -> String {
        format!("{} {}", self.workgroup, self.context)
    }
}

/// A kernel compiled for one device in one variant.
#[derive(Debug)]
pub struct Pipeline {
    pub(super) kernel: &'static Kernel,
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) pipeline: wgpu::ComputePipeline,
    #[cfg(test)]
    pub(super) wgsl: std::sync::Arc<str>,
}
