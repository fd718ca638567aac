//! The parameters of a dispatch: for each kernel, a struct of named words.

/// The parameters of a kernel, in the order of its uniform buffer. They are declared with
/// `params!`, and the kernel's declaration lists their names.
pub trait Params {
    /// Returns their names in the shader.
    fn names(&self) -> &'static [&'static str];

    /// Returns their values, in the same order.
    fn words(&self) -> Vec<u32>;
}

/// Declares the parameters of a kernel as a struct of `u32` fields. Its constant `NAMES` is for the
/// kernel's declaration; a dispatch with the struct of another kernel is an error.
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
/// recorder.dispatch(&pipeline, "reduce", &buffers, &ReduceParams { arrays, half }, groups)?;
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

        impl $name {
            /// The names of the parameters, in the order of the uniform buffer.
            $vis const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];
        }

        impl $crate::gpu::Params for $name {
            fn names(&self) -> &'static [&'static str] {
                Self::NAMES
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
        &[]
    }

    fn words(&self) -> Vec<u32> {
        Vec::new()
    }
}
