//! The list of curves, and the macros that iterate over it.
//!
//! A curve takes a row here, a file in this folder, and a feature with its dependency in `Cargo.toml`, which a line here
//! connects with its rows; the second group of a pairing has the feature of the first.
//! Everything else follows from the row: [`CurveName`](super::CurveName), its names on the command line, the
//! variants of kernels, and the curves that tests run over.

/// Expands to `$callback!` of this crate with the list of the curves whose features are on, followed by `$argument`. A row
/// has the name, the module, the type, and a description. The features are those of this crate, wherever the macro is called.
#[doc(hidden)]
#[macro_export]
macro_rules! curves {
    ($callback:ident $($argument:tt)*) => {
        $crate::keep_curves! {
            [$callback $($argument)*] {} {
                keep_bls12_381 { "bls12-381" bls12_381 Bls12_381 "BLS12-381 G1: 381-bit field, 255-bit order", }
                keep_bls12_377 { "bls12-377" bls12_377 Bls12_377 "BLS12-377 G1: 377-bit field, 253-bit order", }
                keep_bn254 { "bn254" bn254 Bn254 "BN254 G1 (also alt_bn128): 254-bit field, 254-bit order", }
                keep_bls24_315 { "bls24-315" bls24_315 Bls24_315 "BLS24-315 G1: 315-bit field, 253-bit order", }
                keep_bls12_381 { "bls12-381-g2" bls12_381_g2 Bls12_381G2 "BLS12-381 G2: extension of the 381-bit field, 255-bit order", }
                keep_bls12_377 { "bls12-377-g2" bls12_377_g2 Bls12_377G2 "BLS12-377 G2: extension of the 377-bit field, 253-bit order", }
                keep_bn254 { "bn254-g2" bn254_g2 Bn254G2 "BN254 G2 (also alt_bn128): extension of the 254-bit field, 254-bit order", }
            }
        }
    };
}

/// Gives the rows one after the other to the macros of their features, which keep them or not; then calls the callback.
#[doc(hidden)]
#[macro_export]
macro_rules! keep_curves {
    ([$callback:ident $($argument:tt)*] $kept:tt {}) => { $crate::$callback! { $kept $($argument)* } };
    ($call:tt $kept:tt { $keep:ident $row:tt $($rest:tt)* }) => { $crate::curve::$keep! { $call $kept $row { $($rest)* } } };
}

/// Keeps a row, and goes on with the rest.
#[doc(hidden)]
#[macro_export]
macro_rules! keep_row {
    ($call:tt { $($kept:tt)* } { $($row:tt)* } $rest:tt) => { $crate::keep_curves! { $call { $($kept)* $($row)* } $rest } };
}

/// Drops a row, and goes on with the rest.
#[doc(hidden)]
#[macro_export]
macro_rules! drop_row {
    ($call:tt $kept:tt $row:tt $rest:tt) => {
        $crate::keep_curves! { $call $kept $rest }
    };
}

/// Names the macro of each feature: it keeps the feature's rows or drops them.
macro_rules! features {
    ($($feature:literal $keep:ident)*) => {$(
        #[cfg(not(feature = $feature))]
        #[doc(hidden)]
        pub use drop_row as $keep;
        #[cfg(feature = $feature)]
        #[doc(hidden)]
        pub use keep_row as $keep;
    )*};
}

features! {
    "bls12-381" keep_bls12_381
    "bls12-377" keep_bls12_377
    "bn254" keep_bn254
    "bls24-315" keep_bls24_315
}

/// Declares the modules, types and names of the curves whose features are on.
#[doc(hidden)]
#[macro_export]
macro_rules! declare_curves {
    ({ $($name:tt $module:ident $curve:ident $description:tt,)* }) => {
        $(
            mod $module;
            pub use $module::$curve;
        )*

        /// The curves by name: those whose features are on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum CurveName {
            $(
                #[doc = $description]
                $curve,
            )*
        }

        impl CurveName {
            const ALL: &[CurveName] = &[$(CurveName::$curve,)*];

            /// The name on the command line.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(CurveName::$curve => $name,)*
                }
            }

            /// The curve with the sizes of its fields, as shown in help texts.
            pub fn description(self) -> &'static str {
                match self {
                    $(CurveName::$curve => $description,)*
                }
            }
        }
    };
}

/// Evaluates `$body` with the type `$curve` bound to the curve that `$name` names.
#[doc(hidden)]
#[macro_export]
macro_rules! with_curve {
    ($name:expr, $curve:ident => $body:expr) => {
        $crate::curves! { with_curve_arms $name, $curve => $body }
    };
}

/// The arms of [`with_curve!`](crate::with_curve).
#[doc(hidden)]
#[macro_export]
macro_rules! with_curve_arms {
    (
        { $($shown:tt $module:ident $variant:ident $description:tt,)* }
        $name:expr, $curve:ident => $body:expr
    ) => {
        match $name {
            $(
                $crate::curve::CurveName::$variant => {
                    type $curve = $crate::curve::$variant;
                    $body
                }
            )*
        }
    };
}
