//! The kernels that add sums of points with four threads for each, in XYZZ coordinates. Where few sums wait for each other,
//! a sum takes less than half of the time that it takes one thread.

use serde::Serialize;

use super::accumulation::{FoldParams, GatherParams};
use super::formulas::{Adder, Ends};
use super::reduction::ReduceParams;
use crate::curve::CurveName;
use crate::field::BigField;
use crate::gpu::{Arithmetic, Binding, Kernel, Variant};

/// Invocations per workgroup: few, since all of them wait for each other.
const WORKGROUP: u32 = 32;
/// The dispatches of these kernels, with the last levels of the sum and of the double in `shaders/msm/by_four.wgsl`.
pub(super) const ADDER: Adder = Adder { ends: Ends { adding: 4, doubling: 7 }, sums: WORKGROUP / 4 };

/// As [`REDUCE`](super::reduction::REDUCE).
pub static REDUCE_BY_FOUR: Kernel = Kernel {
    name: "msm/reduce_by_four",
    source: "msm/reduce_by_four.wgsl",
    bindings: &[Binding::read("input", "array<u32>"), Binding::read_write("output", "array<u32>")],
    params: ReduceParams::NAMES,
    variants,
};

/// As [`FOLD`](super::accumulation::FOLD).
pub static FOLD_BY_FOUR: Kernel = Kernel {
    name: "msm/fold_by_four",
    source: "msm/fold_by_four.wgsl",
    bindings: &[Binding::read("keys", "array<u32>"), Binding::read_write("sums", "array<u32>")],
    params: FoldParams::NAMES,
    variants,
};

/// As [`GATHER`](super::accumulation::GATHER).
pub static GATHER_BY_FOUR: Kernel = Kernel {
    name: "msm/gather_by_four",
    source: "msm/gather_by_four.wgsl",
    bindings: &[
        Binding::read("keys", "array<u32>"),
        Binding::read("offsets", "array<u32>"),
        Binding::read_write("sums", "array<u32>"),
    ],
    params: GatherParams::NAMES,
    variants: |_| [false, true].map(|by_bucket| of_curves(|field| gather_variant(field, by_bucket))).concat(),
};

#[derive(Serialize)]
struct FourContext<'a> {
    field: &'a BigField,
    by_bucket: bool,
}

/// The variant of [`REDUCE_BY_FOUR`] and [`FOLD_BY_FOUR`].
pub(super) fn variant(field: &BigField) -> Variant {
    gather_variant(field, false)
}

/// The variant of [`GATHER_BY_FOUR`].
pub(super) fn gather_variant(field: &BigField, by_bucket: bool) -> Variant {
    Variant::new(WORKGROUP, FourContext { field, by_bucket })
}

fn variants(_: Arithmetic) -> Vec<Variant> {
    of_curves(variant)
}

fn of_curves(variant: impl Fn(&BigField) -> Variant) -> Vec<Variant> {
    CurveName::all().map(|name| variant(&name.base_field())).collect()
}
