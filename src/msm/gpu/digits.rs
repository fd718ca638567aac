//! The kernels that turn scalars into entries and find the buckets among them.

use serde::Serialize;

use super::formulas::WORKGROUP;
use crate::curve::{Curve, CurveName};
use crate::field::BigField;
use crate::gpu::{Binding, Kernel, Variant, params};
use crate::with_curve;

/// Converts scalars to entries: a bucket and a point for every digit.
pub static DIGITS: Kernel = Kernel {
    name: "msm/digits",
    source: "msm/digits.wgsl",
    bindings: &[
        Binding::read("scalars", "array<u32>"),
        Binding::read_write("keys", "array<u32>"),
        Binding::read_write("values", "array<u32>"),
    ],
    params: DigitsParams::NAMES,
    variants: |_| CurveName::all().map(|name| with_curve!(name, C => digits_variant::<C>())).collect(),
};

params! {
    /// The parameters of [`DIGITS`].
    pub(super) struct DigitsParams {
        /// The number of the first scalar in its buffer.
        first,
        /// Vectors of scalars.
        vectors,
        /// Scalars of a vector.
        len,
        /// Bases of a level of the table.
        stride,
        /// Entries of a set.
        segment,
        /// Bits of a window.
        width,
        /// Windows of a scalar, filled up to the same number for every set.
        windows,
        /// Bucket sets of the whole multiplication.
        sets,
        /// The first set to write entries of.
        first_set,
        /// The set after the last one.
        last_set,
        /// 1 for odd digits.
        odd,
        /// The table's last level.
        last_level,
        /// The topmost window, and the low bits of a bucket's number that its digits fill.
        top_window,
        top_bits,
        /// The last bucket of a set.
        last_bucket,
    }
}

/// Finds the first entry of each bucket.
pub static OFFSETS: Kernel = Kernel {
    name: "msm/offsets",
    source: "msm/offsets.wgsl",
    bindings: &[Binding::read("keys", "array<u32>"), Binding::read_write("offsets", "array<u32>")],
    params: OffsetsParams::NAMES,
    variants: |_| vec![Variant::plain(WORKGROUP)],
};

params! {
    /// The parameters of [`OFFSETS`].
    pub(super) struct OffsetsParams {
        /// Buckets of all sets.
        all_buckets,
        /// Buckets of a set.
        buckets,
        /// Entries of a set.
        segment,
    }
}

#[derive(Serialize)]
struct DigitsContext {
    field: BigField,
    /// The factor that converts a scalar in arkworks' form to the integer.
    to_integer: Vec<u32>,
}

/// The variant of [`DIGITS`] for a curve.
pub(super) fn digits_variant<C: Curve>() -> Variant {
    let field = BigField::of::<C::ScalarField>();
    let to_integer = field.to_integer::<C::ScalarField>();
    Variant::new(WORKGROUP, DigitsContext { field, to_integer })
}
