//! The declaration of a kernel with what its dispatches take.

/// Declares a kernel with the buffers and the parameters that its dispatches take: its name, under which its template lies,
/// and its variants. Buffers or parameters of another kernel go by their name alone, buffers perhaps with other types
/// (`LayerBuffers: ["array<u32>"; 2]`).
///
/// ```text
/// kernel! {
///     /// Computes one layer of the reduction of buckets.
///     static REDUCE = "msm/reduce", full_variants;
///     LayerBuffers { input: read array<vec4<u32>>, output: read_write array<vec4<u32>> }
///     ReduceParams {
///         /// Arrays of sums.
///         arrays,
///         /// Half the length of an array.
///         half,
///     }
/// }
/// ```
macro_rules! kernel {
    (@source $path:literal) => { concat!($path, ".wgsl") };
    (@source $path:literal $source:literal) => { $source };
    (@kernel $of:expr; $buffers:ident) => { $of };
    (@kernel $of:expr; $buffers:ident $types:tt) => {
        $crate::gpu::Kernel { bindings: &$crate::gpu::Binding::with_types($buffers::BINDINGS, $types), ..$of }
    };
    (
        $(#[$meta:meta])* static $name:ident = $path:literal $(in $source:literal)?, $variants:expr;
        $buffers:ident $(: $types:tt)? $({ $($buffer:tt)* })?
        $params:ident $({ $($param:tt)* })?
    ) => {
        $(#[$meta])*
        pub static $name: $crate::gpu::Kernel = $crate::gpu::kernel!(
            @kernel
            $crate::gpu::Kernel::of::<$buffers, $params>(
                $path,
                $crate::gpu::kernel!(@source $path $($source)?),
                $variants,
            );
            $buffers $($types)?
        );
        $($crate::gpu::buffers! {
            #[doc = concat!("The buffers of [`", stringify!($name), "`].")]
            pub struct $buffers { $($buffer)* }
        })?
        $($crate::gpu::params! {
            #[doc = concat!("The parameters of [`", stringify!($name), "`].")]
            pub struct $params { $($param)* }
        })?
    };
}
pub(crate) use kernel;
