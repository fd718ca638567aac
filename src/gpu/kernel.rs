//! Declarations of kernels, and kernels compiled for a device.

use serde::{Deserialize, Serialize};

use super::binding::Binding;
use super::params::{Declared, Named};

/// The optional features that the arithmetic of a kernel may use, and which form of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Arithmetic {
    /// 64-bit integers.
    pub int64: bool,
    /// Compact texts, with less code and fewer values alive at a time. With 64-bit integers there are others, whose code is
    /// longer and faster on some devices; the portable texts are all compact.
    pub compact: bool,
    /// Texts for compilers that have few registers for a thread: what a thread keeps between products is in workgroup memory, and
    /// the rows of a product with 64-bit integers are a loop.
    pub few_registers: bool,
    /// Subgroup operations.
    pub subgroups: bool,
}

impl Arithmetic {
    /// No optional feature: the arithmetic that every WebGPU implementation supports.
    pub const PORTABLE: Arithmetic =
        Arithmetic { int64: false, compact: false, few_registers: false, subgroups: false };
    /// 64-bit integers, no subgroup operations.
    pub const INT64: Arithmetic = Arithmetic { int64: true, ..Arithmetic::PORTABLE };
}

/// The kind of numbers that a kernel multiplies, by which its arithmetic is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Family {
    /// Words of 32 bits.
    Words,
    /// Elements of fields of up to 256 bits.
    Bits255,
    /// Elements of larger fields, up to 381 bits.
    Bits381,
}

impl Family {
    /// The family of a prime field of so many bits.
    pub fn of_bits(bits: usize) -> Self {
        if bits <= 256 { Family::Bits255 } else { Family::Bits381 }
    }
}

/// The declaration of a kernel. The bindings, the uniform `params` and the constant `WORKGROUP` in the
/// shader text are generated from it.
#[derive(Debug)]
pub struct Kernel {
    /// Its name in timelines and dumps, unique in the crate.
    pub name: &'static str,
    /// The path of its template under `shaders/`, which has one entry point, `main`.
    pub source: &'static str,
    /// Its storage buffers: the `BINDINGS` of the struct that a dispatch takes, which `buffers!` declares.
    pub bindings: &'static [Binding],
    /// The names of its u32 parameters: the `NAMES` of the struct that a dispatch takes, which `params!` declares.
    pub params: &'static [&'static str],
    /// Returns examples of every variant that the crate builds for the given arithmetic, for the dump and
    /// for the tests that cover all kernels.
    pub variants: fn(Arithmetic) -> Vec<Variant>,
}

impl Kernel {
    /// Declares a kernel whose dispatches take the buffers `B` and the parameters `P`.
    pub const fn of<B: Declared, P: Named>(
        name: &'static str,
        source: &'static str,
        variants: fn(Arithmetic) -> Vec<Variant>,
    ) -> Self {
        Kernel { name, source, bindings: B::BINDINGS, params: P::NAMES, variants }
    }
}

/// A variant of a kernel: the choices that are compiled into it.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Invocations per workgroup.
    pub workgroup: u32,
    /// The template's variables; their text is part of the variant's identity.
    context: serde_json::Value,
}

impl Variant {
    /// Creates a variant with these template variables (a struct or map).
    pub fn new(workgroup: u32, context: impl Serialize) -> Self {
        // A struct of numbers, strings and lists can always be serialized.
        Variant { workgroup, context: serde_json::to_value(context).unwrap_or_default() }
    }

    /// Creates a variant without variables.
    pub fn plain(workgroup: u32) -> Self {
        Variant::new(workgroup, serde_json::Map::new())
    }

    /// Returns the kind of numbers that it multiplies: the templates of kernels over a larger field take it as `field`.
    pub(super) fn family(&self) -> Family {
        self.field().map_or(Family::Words, |(bits, _)| Family::of_bits(bits))
    }

    /// Returns the bits and the degree of that field.
    pub(super) fn field(&self) -> Option<(usize, usize)> {
        let number = |name: &str| self.context["field"][name].as_u64().map(|number| number as usize);
        Some((number("bits")?, number("degree").unwrap_or(1)))
    }

    /// Returns the variables for the template: those of the variant and of the arithmetic.
    pub(super) fn context(&self, arithmetic: Arithmetic) -> minijinja::Value {
        let mut variables = self.context.as_object().cloned().unwrap_or_default();
        variables.insert("int64".into(), arithmetic.int64.into());
        variables.insert("compact".into(), arithmetic.compact.into());
        variables.insert("few_registers".into(), arithmetic.few_registers.into());
        variables.entry("kept").or_insert_with(|| 0.into());
        variables.insert("subgroups".into(), arithmetic.subgroups.into());
        minijinja::Value::from(minijinja::value::Serde(variables))
    }

    /// Returns a text that differs between any two variants of a kernel.
    pub fn identity(&self) -> String {
        format!("{} {}", self.workgroup, self.context)
    }
}

/// One variant of a kernel, compiled for one device.
#[derive(Debug)]
pub struct Pipeline {
    pub(super) kernel: &'static Kernel,
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) workgroup: u32,
    #[cfg(any(test, debug_assertions))]
    pub(super) wgsl: std::sync::Arc<str>,
}

impl Pipeline {
    /// The number of workgroups for so many threads.
    pub(crate) fn groups(&self, threads: u32) -> u32 {
        threads.div_ceil(self.workgroup)
    }
}
