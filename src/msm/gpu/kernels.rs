//! The kernels of a multi-scalar multiplication, in the order in which they run.

use std::sync::Arc;

use serde::Serialize;

use crate::Result;
use crate::curve::coordinates::{Additions, Coordinates, XYZZ};
use crate::curve::{Curve, CurveName};
use crate::field::{BigField, Formula, Words};
use crate::gpu::{Binding, DeviceVec, Gpu, Kernel, Pipeline, Variant};
use crate::msm::Balance;
use crate::with_curve;

/// Invocations a workgroup. Register pressure, not this, decides how many run at once.
pub(super) const WORKGROUP: u32 = 64;

/// Scalars to entries: a bucket and a point for every digit.
pub static DIGITS: Kernel = Kernel {
    name: "msm_digits",
    source: "msm/digits.wgsl",
    bindings: &[
        Binding::read("scalars", "array<u32>"),
        Binding::read_write("keys", "array<u32>"),
        Binding::read_write("values", "array<u32>"),
    ],
    params: &[
        "first",
        "len",
        "stride",
        "segment",
        "width",
        "windows",
        "sets",
        "first_set",
        "last_set",
        "odd",
        "last_level",
    ],
    variants: || {
        CurveName::ALL.map(|name| with_curve!(name, C => digits_variant::<C>(Scalars::Field))).into()
    },
};

/// Where each bucket's entries begin.
pub static OFFSETS: Kernel = Kernel {
    name: "msm_offsets",
    source: "msm/offsets.wgsl",
    bindings: &[Binding::read("keys", "array<u32>"), Binding::read_write("offsets", "array<u32>")],
    params: &["all_buckets", "buckets", "segment"],
    variants: || vec![Variant::plain(WORKGROUP)],
};

/// Equal slices of the sorted entries to partial sums.
pub static ACCUMULATE: Kernel = Kernel {
    name: "msm_accumulate",
    source: "msm/accumulate.wgsl",
    bindings: &[
        Binding::read("formula", "array<vec2<u32>>"),
        Binding::read("points", "array<vec4<u32>>"),
        Binding::read("keys", "array<u32>"),
        Binding::read("values", "array<u32>"),
        Binding::read_write("partials", "array<vec4<u32>>"),
    ],
    params: &["add_steps", "all_steps", "threads", "slice", "entries", "segment", "buckets"],
    variants: point_variants,
};

/// Whole buckets to their sums, without balance: a baseline.
pub static ACCUMULATE_WHOLE: Kernel = Kernel {
    name: "msm_accumulate_whole",
    source: "msm/accumulate_whole.wgsl",
    bindings: &[
        Binding::read("formula", "array<vec2<u32>>"),
        Binding::read("points", "array<vec4<u32>>"),
        Binding::read("offsets", "array<u32>"),
        Binding::read("values", "array<u32>"),
        Binding::read_write("sums", "array<vec4<u32>>"),
    ],
    params: &["add_steps", "all_steps", "threads", "slice", "all_buckets"],
    variants: point_variants,
};

/// Blocks of partial sums of one bucket to one sum.
pub static FOLD: Kernel = Kernel {
    name: "msm_fold",
    source: "msm/fold.wgsl",
    bindings: &[
        Binding::read("formula", "array<vec2<u32>>"),
        Binding::read("offsets", "array<u32>"),
        Binding::read_write("partials", "array<vec4<u32>>"),
    ],
    params: &["add_steps", "all_steps", "blocks", "block", "slice", "all_buckets"],
    variants: point_variants,
};

/// Partial sums to bucket sums.
pub static GATHER: Kernel = Kernel {
    name: "msm_gather",
    source: "msm/gather.wgsl",
    bindings: &[
        Binding::read("formula", "array<vec2<u32>>"),
        Binding::read("offsets", "array<u32>"),
        Binding::read("partials", "array<vec4<u32>>"),
        Binding::read_write("sums", "array<vec4<u32>>"),
    ],
    params: &["add_steps", "all_steps", "sums", "weights", "buckets", "slice", "largest_block", "fresh"],
    variants: point_variants,
};

/// One layer of the reduction of buckets.
pub static REDUCE: Kernel = Kernel {
    name: "msm_reduce",
    source: "msm/reduce.wgsl",
    bindings: &[
        Binding::read("formula", "array<vec2<u32>>"),
        Binding::read("input", "array<vec4<u32>>"),
        Binding::read_write("output", "array<vec4<u32>>"),
    ],
    params: &["add_steps", "all_steps", "arrays", "half"],
    variants: point_variants,
};

/// How the scalars lie in device memory, 32 bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Scalars {
    /// Elements of the scalar field as arkworks keeps them.
    Field,
    /// Integers below r, little-endian.
    Integers,
}

#[derive(Serialize)]
struct DigitsContext {
    field: BigField,
    montgomery: bool,
    /// Times this, an element as arkworks keeps it becomes the integer.
    to_integer: Vec<u32>,
}

/// The variant of [`DIGITS`] for a curve.
pub(super) fn digits_variant<C: Curve>(scalars: Scalars) -> Variant {
    let field = BigField::of::<C::ScalarField>();
    let to_integer = field.to_integer::<C::ScalarField>();
    Variant::new(WORKGROUP, DigitsContext { field, montgomery: scalars == Scalars::Field, to_integer })
}

#[derive(Serialize)]
struct PointContext<'a> {
    field: &'a BigField,
    /// Field elements of a point.
    size: usize,
    registers: u32,
}

fn point_variants() -> Vec<Variant> {
    let variant = |name| {
        let field = with_curve!(name, C => BigField::of::<<C as ark_ec::CurveConfig>::BaseField>());
        let additions = XYZZ.compile(&field).ok()?;
        Some(point_variant(&field, &XYZZ, &additions))
    };
    CurveName::ALL.into_iter().filter_map(variant).collect()
}

fn point_variant(field: &BigField, coordinates: &Coordinates, additions: &Additions) -> Variant {
    let formulas = [&additions.mixed, &additions.full, &additions.double];
    let registers = formulas.map(|formula| formula.registers).into_iter().max().unwrap_or(0);
    Variant::new(WORKGROUP, PointContext { field, size: coordinates.size(), registers })
}

/// A formula for adding and, behind it, the one for doubling, on the device.
pub(super) struct Table {
    pub(super) steps: DeviceVec<u32>,
    /// Where the formula for adding ends, and where the table ends.
    pub(super) ends: [u32; 2],
}

impl Table {
    pub(super) fn new(gpu: &Gpu, add: &Formula, double: &Formula) -> Result<Self> {
        let (adding, all) = (add.steps.len() as u32, (add.steps.len() + double.steps.len()) as u32);
        Ok(Table { steps: gpu.upload(&[add.table(), double.table()].concat())?, ends: [adding, all] })
    }
}

/// The kernels that add points of one curve in one system of coordinates.
pub(super) struct PointKernels {
    pub(super) offsets: Arc<Pipeline>,
    pub(super) accumulate: Arc<Pipeline>,
    /// Only for the baseline.
    pub(super) accumulate_whole: Option<Arc<Pipeline>>,
    pub(super) fold: Arc<Pipeline>,
    pub(super) gather: Arc<Pipeline>,
    pub(super) reduce: Arc<Pipeline>,
    /// Accumulator plus affine point.
    pub(super) mixed: Table,
    /// Accumulator plus point.
    pub(super) full: Table,
}

impl PointKernels {
    pub(super) fn new<F: Words>(gpu: &Gpu, coordinates: &Coordinates, balance: Balance) -> Result<Self> {
        let field = BigField::of::<F>();
        let additions = coordinates.compile(&field)?;
        let variant = point_variant(&field, coordinates, &additions);
        Ok(PointKernels {
            offsets: gpu.pipeline(&OFFSETS, &Variant::plain(WORKGROUP))?,
            accumulate: gpu.pipeline(&ACCUMULATE, &variant)?,
            accumulate_whole: match balance {
                Balance::Slices => None,
                Balance::Buckets => Some(gpu.pipeline(&ACCUMULATE_WHOLE, &variant)?),
            },
            fold: gpu.pipeline(&FOLD, &variant)?,
            gather: gpu.pipeline(&GATHER, &variant)?,
            reduce: gpu.pipeline(&REDUCE, &variant)?,
            mixed: Table::new(gpu, &additions.mixed, &additions.double)?,
            full: Table::new(gpu, &additions.full, &additions.double)?,
        })
    }
}
