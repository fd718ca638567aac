//! The kernels that add sums of points with a thread for each element of a sum, in XYZZ coordinates. Where few sums leave the
//! device idle, a sum takes half of the time that it takes one thread.

use serde_json::json;

use super::accumulation::{FoldBuffers, FoldParams, GatherBuffers, GatherParams};
use super::formulas::{Adder, Ends, Kept};
use super::reduction::{LayerBuffers, ReduceParams};
use crate::curve::CurveName;
use crate::field::BigField;
use crate::gpu::{Arithmetic, Variant, kernel};

/// Invocations per workgroup: few, since all of them wait for each other.
const WORKGROUP: u32 = 32;
/// The last levels of the sum and of the double in `shaders/msm/by_element.wgsl`.
const LEVELS: Ends = Ends { adding: 4, doubling: 7 };
/// [`most`] over a prime field, on a large GPU. More sums fill it by themselves, and then the time that threads take for what
/// they show each other counts, and two products in sixteen that they waste (benches/notebook/msm-g2.md).
const FEW: u32 = 1 << 16;

/// The most sums of a dispatch for which a thread for each element is faster than one for each sum.
pub(super) fn most(field: &BigField) -> u32 {
    if field.degree > 1 { u32::MAX } else { FEW }
}

/// The dispatches of [`REDUCE_BY_ELEMENT`] and [`GATHER_BY_ELEMENT`].
pub(super) fn adder(field: &BigField) -> Adder {
    Adder { ends: LEVELS, sums: WORKGROUP / (4 * field.degree as u32) }
}

/// The dispatches of [`FOLD_BY_ELEMENT`], in which a thread looks at a slice before the workgroup adds up what they have found.
pub(super) const FOLDER: Adder = Adder { ends: LEVELS, sums: WORKGROUP };

kernel! {
    /// As [`REDUCE`](super::reduction::REDUCE).
    static REDUCE_BY_ELEMENT = "msm/reduce_by_element", |arithmetic| of_curves(|field| variant(field, arithmetic));
    LayerBuffers: ["array<u32>"; 2]
    ReduceParams
}

kernel! {
    /// As [`FOLD`](super::accumulation::FOLD).
    static FOLD_BY_ELEMENT = "msm/fold_by_element", |arithmetic| of_curves(|field| variant(field, arithmetic));
    FoldBuffers: ["array<u32>"; 2]
    FoldParams
}

kernel! {
    /// As [`GATHER`](super::accumulation::GATHER).
    static GATHER_BY_ELEMENT = "msm/gather_by_element",
        |arithmetic| {
            let of = |by_bucket| of_curves(|field| gather_variant(field, by_bucket, arithmetic));
            [false, true].map(of).concat()
        };
    GatherBuffers: ["array<u32>"; 3]
    GatherParams
}

/// The variant of [`REDUCE_BY_ELEMENT`] and [`FOLD_BY_ELEMENT`].
pub(super) fn variant(field: &BigField, arithmetic: Arithmetic) -> Variant {
    gather_variant(field, false, arithmetic)
}

/// The variant of [`GATHER_BY_ELEMENT`].
pub(super) fn gather_variant(field: &BigField, by_bucket: bool, arithmetic: Arithmetic) -> Variant {
    let mut context = json!({ "field": field, "by_bucket": by_bucket });
    if let Some(kept) = Kept::of(arithmetic) {
        context["kept"] = json!(kept);
    }
    Variant::new(WORKGROUP, context)
}

fn of_curves(variant: impl Fn(&BigField) -> Variant) -> Vec<Variant> {
    CurveName::all().map(|name| variant(&name.base_field())).collect()
}
