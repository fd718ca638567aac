//! The parameters of a dispatch: for each kernel, a struct of named words.

use std::borrow::Cow;

/// The parameters of a kernel, in the order of its uniform buffer. They are declared with
/// `params!`, and the kernel's declaration lists their names.
pub trait Params {
    /// Returns their names in the shader; `None` for words without names.
    // Words without names are given by position, until every kernel has a struct of parameters.
    fn names(&self) -> Option<&'static [&'static str]>;

    /// Returns their values, in the same order.
    fn words(&self) -> Cow<'_, [u32]>;
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
            fn names(&self) -> Option<&'static [&'static str]> {
                Some(Self::NAMES)
            }

            fn words(&self) -> std::borrow::Cow<'_, [u32]> {
                vec![$(self.$field),*].into()
            }
        }
    };
}
pub(crate) use params;

/// The parameters of a kernel that has none.
impl Params for () {
    fn names(&self) -> Option<&'static [&'static str]> {
        Some(&[])
    }

    fn words(&self) -> Cow<'_, [u32]> {
        Cow::Borrowed(&[])
    }
}

impl Params for [u32] {
    fn names(&self) -> Option<&'static [&'static str]> {
        None
    }

    fn words(&self) -> Cow<'_, [u32]> {
        self.into()
    }
}

impl<const N: usize> Params for [u32; N] {
    fn names(&self) -> Option<&'static [&'static str]> {
        None
    }

    fn words(&self) -> Cow<'_, [u32]> {
        self[..].into()
    }
}

impl Params for Vec<u32> {
    fn names(&self) -> Option<&'static [&'static str]> {
        None
    }

    fn words(&self) -> Cow<'_, [u32]> {
        self[..].into()
    }
}
