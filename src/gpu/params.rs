//! What a dispatch takes: for each kernel, a struct of named words and a struct of named buffers.

use super::binding::Binding;

/// The parameters of a kernel, in the order of its uniform buffer. They are declared with
/// `params!`, and the kernel's declaration takes their names from there.
pub trait Params {
    /// Returns their names in the shader.
    fn names(&self) -> &'static [&'static str];

    /// Returns their values, in the same order.
    fn words(&self) -> Vec<u32>;
}

/// Parameters whose names a kernel's declaration takes from their type.
pub trait Named: Params {
    /// Their names in the shader.
    const NAMES: &'static [&'static str];
}

/// Declares the parameters of a kernel as a struct of `u32` fields. The kernel's
/// declaration takes their names from it; a dispatch with the struct of another kernel is an error.
///
/// ```text
/// params! {
///     /// The parameters of [`REDUCE`].
///     pub struct ReduceParams {
///         /// Arrays of sums.
///         arrays,
///         /// Half the length of an array.
///         half,
///     }
/// }
///
/// let params = ReduceParams { arrays, half };
/// recorder.dispatch(&pipeline, "reduce", &buffers, &params, groups)?;
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! params {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$field_meta:meta])* $field:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name {
            $($(#[$field_meta])* $vis $field: u32,)*
        }

        impl $crate::gpu::Named for $name {
            const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];
        }

        impl $crate::gpu::Params for $name {
            fn names(&self) -> &'static [&'static str] {
                <Self as $crate::gpu::Named>::NAMES
            }

            fn words(&self) -> Vec<u32> {
                vec![$(self.$field),*]
            }
        }
    };
}
pub use params;

/// The parameters of a kernel that has none.
impl Params for () {
    fn names(&self) -> &'static [&'static str] {
        <()>::NAMES
    }

    fn words(&self) -> Vec<u32> {
        Vec::new()
    }
}

impl Named for () {
    const NAMES: &'static [&'static str] = &[];
}

/// The buffers of a kernel, in the order of its bindings. They are declared with `buffers!`, and the kernel's
/// declaration takes their names, accesses and types from there.
pub trait Buffers {
    /// Returns their declarations.
    fn bindings(&self) -> &'static [Binding];

    /// Returns the buffers, in the same order.
    fn handles(&self) -> Vec<wgpu::Buffer>;
}

/// A buffer that a dispatch writes, and may read: what a binding with the access `read_write` takes.
#[derive(Clone, Copy, Debug)]
pub struct Written<'b>(pub &'b wgpu::Buffer);

/// Declares the buffers of a kernel as a struct with a field for each, named, accessed and typed as the variable in
/// its WGSL text. Its constant `BINDINGS` is for the kernel's declaration; a dispatch with the struct of another kernel is
/// an error.
///
/// ```text
/// buffers! {
///     /// The buffers of [`REDUCE`].
///     pub struct ReduceBuffers {
///         input: read array<vec4<u32>>,
///         output: read_write array<vec4<u32>>,
///     }
/// }
///
/// let buffers = ReduceBuffers { input: sums.whole()?, output: results.written()? };
/// recorder.dispatch(&pipeline, "reduce", &buffers, &params, groups)?;
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! buffers {
    (@type read $b:lifetime) => { &$b $crate::gpu::Buffer };
    (@type read_write $b:lifetime) => { $crate::gpu::Written<$b> };
    (@handle read $buffer:expr) => { $buffer.clone() };
    (@handle read_write $buffer:expr) => { $buffer.0.clone() };
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[$field_meta:meta])* $field:ident: $access:ident $ty:ty),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name<'b> {
            $($(#[$field_meta])* $vis $field: $crate::buffers!(@type $access 'b),)*
        }

        impl $name<'_> {
            /// The declarations of the buffers, in the order of the bindings.
            $vis const BINDINGS: &'static [$crate::gpu::Binding] = {
                // A static has one address, by which a dispatch knows the list.
                static BINDINGS: [$crate::gpu::Binding; [$(stringify!($field)),*].len()] =
                    [$($crate::gpu::Binding::$access(stringify!($field), stringify!($ty))),*];
                &BINDINGS
            };
        }

        impl $crate::gpu::Declared for $name<'_> {
            const BINDINGS: &'static [$crate::gpu::Binding] = $name::BINDINGS;
        }

        impl $crate::gpu::Buffers for $name<'_> {
            fn bindings(&self) -> &'static [$crate::gpu::Binding] {
                Self::BINDINGS
            }

            fn handles(&self) -> Vec<$crate::gpu::Buffer> {
                vec![$($crate::buffers!(@handle $access self.$field)),*]
            }
        }
    };
}
pub use buffers;

/// A struct of `buffers!`, which declares the buffers of a kernel.
pub trait Declared {
    /// The declarations of the buffers, in the order of the bindings.
    const BINDINGS: &'static [Binding];
}
