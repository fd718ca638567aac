//! The kernels that add sums of points with a thread for each element of a sum, in XYZZ coordinates. Where few sums leave the
//! device idle, a sum takes half of the time that it takes one thread.

use serde::Serialize;

use super::accumulation::{FoldBuffers, FoldParams, GatherBuffers, GatherParams};
use super::formulas::{Adder, Ends};
use super::reduction::{LayerBuffers, ReduceParams};
use crate::curve::CurveName;
use crate::field::BigField;
use crate::gpu::{Arithmetic, Binding, Kernel, Variant};

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

/// As [`REDUCE`](super::reduction::REDUCE).
pub static REDUCE_BY_ELEMENT: Kernel = Kernel {
    name: "msm/reduce_by_element",
    source: "msm/reduce_by_element.wgsl",
    bindings: &Binding::with_types(LayerBuffers::BINDINGS, ["array<u32>"; 2]),
    params: ReduceParams::NAMES,
    variants,
};

/// As [`FOLD`](super::accumulation::FOLD).
pub static FOLD_BY_ELEMENT: Kernel = Kernel {
    name: "msm/fold_by_element",
    source: "msm/fold_by_element.wgsl",
    bindings: &Binding::with_types(FoldBuffers::BINDINGS, ["array<u32>"; 2]),
    params: FoldParams::NAMES,
    variants,
};

/// As [`GATHER`](super::accumulation::GATHER).
pub static GATHER_BY_ELEMENT: Kernel = Kernel {
    name: "msm/gather_by_element",
    source: "msm/gather_by_element.wgsl",
    bindings: &Binding::with_types(GatherBuffers::BINDINGS, ["array<u32>"; 3]),
    params: GatherParams::NAMES,
    variants: |_| [false, true].map(|by_bucket| of_curves(|field| gather_variant(field, by_bucket))).concat(),
};

#[derive(Serialize)]
struct ElementContext<'a> {
    field: &'a BigField,
    by_bucket: bool,
}

/// The variant of [`REDUCE_BY_ELEMENT`] and [`FOLD_BY_ELEMENT`].
pub(super) fn variant(field: &BigField) -> Variant {
    gather_variant(field, false)
}

/// The variant of [`GATHER_BY_ELEMENT`].
pub(super) fn gather_variant(field: &BigField, by_bucket: bool) -> Variant {
    Variant::new(WORKGROUP, ElementContext { field, by_bucket })
}

fn variants(_: Arithmetic) -> Vec<Variant> {
    of_curves(variant)
}

fn of_curves(variant: impl Fn(&BigField) -> Variant) -> Vec<Variant> {
    CurveName::all().map(|name| variant(&name.base_field())).collect()
}
