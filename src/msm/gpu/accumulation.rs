//! The kernels that accumulate sorted entries, in registers or in workgroup memory, one point at a time or
//! two, in equal slices or by whole buckets.

use serde::Serialize;

use super::formulas::{
    Ends, Formulas, PointContext, curves_of_other_forms, extended_curves, full_variants, point_params,
    point_variant, prime_curves, split, variants, variants_of,
};
use crate::Result;
use crate::curve::CurveName;
use crate::curve::coordinates::{Additions, Coordinates, HOMOGENEOUS, JACOBIAN, XYZZ};
use crate::field::BigField;
use crate::gpu::{Arithmetic, Binding, Kernel, Variant, buffers, params};
use crate::msm::Accumulators;

/// Invocations per workgroup of [`CLEAR`].
pub(super) const CLEARING: u32 = 256;

/// Sets bucket sums to infinity.
pub static CLEAR: Kernel = Kernel {
    name: "msm/clear",
    source: "msm/clear.wgsl",
    bindings: ClearBuffers::BINDINGS,
    params: ClearParams::NAMES,
    variants: |_| vec![Variant::plain(CLEARING)],
};

buffers! {
    /// The buffers of [`CLEAR`].
    pub(super) struct ClearBuffers {
        sums: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`CLEAR`].
    pub(super) struct ClearParams {
        /// Vectors of four words to write.
        vectors,
    }
}

/// Adds up equal slices of the sorted entries to bucket sums and partial sums.
pub static ACCUMULATE: Kernel = Kernel {
    name: "msm/accumulate",
    source: "msm/accumulate.wgsl",
    bindings: AccumulateBuffers::BINDINGS,
    params: AccumulateParams::NAMES,
    variants: accumulate_variants,
};

buffers! {
    /// The buffers of [`ACCUMULATE`], [`ACCUMULATE_SPLIT`] and [`ACCUMULATE_TWO`].
    pub(super) struct AccumulateBuffers {
        points: read array<vec4<u32>>,
        keys: read array<u32>,
        values: read array<u32>,
        sums: read_write array<vec4<u32>>,
    }
}

point_params! {
    /// The parameters of [`ACCUMULATE`].
    pub(super) struct AccumulateParams {
        /// Slices.
        threads,
        /// Entries of a slice.
        slice,
        /// Entries.
        entries,
        /// Entries of a set, which the sort kept together.
        segment,
        /// Buckets of a set; 0 if keys are buckets among all sets.
        buckets,
        /// Buckets of all sets.
        all_buckets,
        /// 1 if the bucket sums begin with these entries.
        fresh,
    }
}

/// As [`ACCUMULATE`] over a quadratic extension, with two threads for each slice.
pub static ACCUMULATE_SPLIT: Kernel = Kernel {
    name: "msm/accumulate_split",
    source: "msm/accumulate_split.wgsl",
    bindings: &Binding::with_types(
        AccumulateBuffers::BINDINGS,
        ["array<vec4<u32>>", "array<u32>", "array<u32>", "array<u32>"],
    ),
    params: AccumulateParams::NAMES,
    variants: split_variants,
};

/// Adds up whole buckets, without load balance: a baseline.
pub static ACCUMULATE_WHOLE: Kernel = Kernel {
    name: "msm/accumulate_whole",
    source: "msm/accumulate_whole.wgsl",
    bindings: AccumulateWholeBuffers::BINDINGS,
    params: AccumulateWholeParams::NAMES,
    variants: whole_variants,
};

buffers! {
    /// The buffers of [`ACCUMULATE_WHOLE`] and [`ACCUMULATE_BUCKET`].
    pub(super) struct AccumulateWholeBuffers {
        points: read array<vec4<u32>>,
        offsets: read array<u32>,
        values: read array<u32>,
        sums: read_write array<vec4<u32>>,
    }
}

point_params! {
    /// The parameters of [`ACCUMULATE_WHOLE`].
    pub(super) struct AccumulateWholeParams {
        /// Threads, one a slice.
        threads,
        /// Entries of a slice.
        slice,
        /// Buckets of all sets.
        all_buckets,
    }
}

/// Adds up whole buckets, a thread a bucket: a baseline.
pub static ACCUMULATE_BUCKET: Kernel = Kernel {
    name: "msm/accumulate_bucket",
    source: "msm/accumulate_bucket.wgsl",
    bindings: AccumulateWholeBuffers::BINDINGS,
    params: AccumulateBucketParams::NAMES,
    variants: whole_variants,
};

point_params! {
    /// The parameters of [`ACCUMULATE_BUCKET`].
    pub(super) struct AccumulateBucketParams {
        /// Buckets of all sets.
        all_buckets,
        /// 1 if the bucket sums begin with these entries.
        fresh,
    }
}

/// Adds up equal slices of the sorted entries, two affine points at a time.
pub static ACCUMULATE_TWO: Kernel = Kernel {
    name: "msm/accumulate_two",
    source: "msm/accumulate_two.wgsl",
    bindings: AccumulateBuffers::BINDINGS,
    params: AccumulateTwoParams::NAMES,
    variants: |_| two_variants(),
};

point_params! {
    /// The parameters of [`ACCUMULATE_TWO`].
    pub(super) struct AccumulateTwoParams {
        /// The last turn of the formula for adding two affine points, behind those.
        last_pairing,
        /// The last turn of the formula for doubling an affine point, whose turns follow.
        last_pair_doubling,
        /// Threads, one a slice.
        threads,
        /// Entries of a slice.
        slice,
        /// Entries.
        entries,
        /// Entries of a set, which the sort kept together.
        segment,
        /// Buckets of a set; 0 if keys are buckets among all sets.
        buckets,
        /// Buckets of all sets.
        all_buckets,
        /// 1 if the bucket sums begin with these entries.
        fresh,
    }
}

/// Adds up blocks of partial sums that continue one bucket.
pub static FOLD: Kernel = Kernel {
    name: "msm/fold",
    source: "msm/fold.wgsl",
    bindings: FoldBuffers::BINDINGS,
    params: FoldParams::NAMES,
    variants: full_variants,
};

buffers! {
    /// The buffers of [`FOLD`].
    pub(super) struct FoldBuffers {
        keys: read array<u32>,
        sums: read_write array<vec4<u32>>,
    }
}

point_params! {
    /// The parameters of [`FOLD`].
    pub(super) struct FoldParams {
        /// Threads, one a slice.
        threads,
        /// Slices that continue a bucket, of which one block has that many.
        block,
        /// Slices between those of a block whose partial sums are added up.
        step,
        /// Entries of a slice.
        slice,
        /// Entries.
        entries,
        /// Entries of a set, which the sort kept together.
        segment,
        /// Buckets of a set; 0 if keys are buckets among all sets.
        buckets,
        /// Buckets of all sets.
        all_buckets,
    }
}

/// Adds up the partial sums of the buckets that several slices share.
pub static GATHER: Kernel = Kernel {
    name: "msm/gather",
    source: "msm/gather.wgsl",
    bindings: GatherBuffers::BINDINGS,
    params: GatherParams::NAMES,
    variants: |_| [false, true].map(gather_variants).concat(),
};

buffers! {
    /// The buffers of [`GATHER`].
    pub(super) struct GatherBuffers {
        keys: read array<u32>,
        offsets: read array<u32>,
        sums: read_write array<vec4<u32>>,
    }
}

point_params! {
    /// The parameters of [`GATHER`].
    pub(super) struct GatherParams {
        /// Threads, one a slice.
        threads,
        /// Entries of a slice.
        slice,
        /// Entries.
        entries,
        /// Entries of a set, which the sort kept together.
        segment,
        /// Buckets of a set; 0 if keys are buckets among all sets.
        buckets,
        /// Buckets of all sets.
        all_buckets,
        /// Slices between those of a folded bucket whose partial sums are left, from the first that continues it on.
        stride,
    }
}

/// The variant of a kernel that accumulates.
pub(super) fn accumulate_variant(point: PointContext, accumulators: Accumulators) -> Variant {
    point_variant(placed(point, accumulators))
}

fn placed(point: PointContext, accumulators: Accumulators) -> PointContext {
    match accumulators {
        Accumulators::Registers => point,
        Accumulators::Workgroup => point.in_workgroup_memory(),
    }
}

fn accumulate_variants(_: Arithmetic) -> Vec<Variant> {
    let in_registers = |point: PointContext| accumulate_variant(point, Accumulators::Registers);
    let default = variants_of(prime_curves(), |additions| &additions.mixed, in_registers);
    [default, other_variants(Accumulators::Workgroup)].concat()
}

fn split_variants(_: Arithmetic) -> Vec<Variant> {
    let variant = |name: CurveName| split(&name.base_field(), &XYZZ).ok();
    extended_curves().filter_map(variant).map(|(variant, _)| variant).collect()
}

/// The variants of kernels that accumulate whole buckets.
fn whole_variants(_: Arithmetic) -> Vec<Variant> {
    Accumulators::ALL.map(other_variants).concat()
}

fn other_variants(place: Accumulators) -> Vec<Variant> {
    let variant = |point: PointContext| accumulate_variant(point, place);
    variants_of(curves_of_other_forms(), |additions| &additions.mixed, variant)
}

/// The formulas of [`ACCUMULATE_TWO`].
pub(super) struct TwoFormulas {
    pub(super) formulas: Formulas,
    /// The ends of the formulas for two affine points.
    pub(super) pair: Ends,
    /// The elements of the sum of these that have to be reduced.
    larger: Vec<usize>,
}

impl TwoFormulas {
    pub(super) fn new(field: &BigField, coordinates: &Coordinates, additions: &Additions) -> Result<Self> {
        let sum = Formulas::new(field, &additions.full, &additions.double);
        let pair = coordinates.compile_pair(field, additions)?;
        let (formulas, ends) = sum.followed_by(Formulas::new(field, &pair.add, &pair.double));
        let larger = pair.larger.iter().flat_map(|k| field.degree * k..field.degree * (k + 1)).collect();
        Ok(TwoFormulas { formulas, pair: ends, larger })
    }

    /// The variant of [`ACCUMULATE_TWO`].
    pub(super) fn variant(
        &self,
        field: &BigField,
        coordinates: &Coordinates,
        accumulators: Accumulators,
    ) -> Variant {
        let point = placed(PointContext::new(field, coordinates, &self.formulas), accumulators);
        Variant::new(point.workgroup(), TwoContext { point, larger: &self.larger })
    }
}

#[derive(Serialize)]
struct TwoContext<'a> {
    #[serde(flatten)]
    point: PointContext<'a>,
    larger: &'a [usize],
}

fn two_variants() -> Vec<Variant> {
    let variant = |name: CurveName, coordinates: &Coordinates, place| {
        let field = name.base_field();
        let additions = coordinates.compile(&field).ok()?;
        Some(TwoFormulas::new(&field, coordinates, &additions).ok()?.variant(&field, coordinates, place))
    };
    let forms = [
        (&XYZZ, Accumulators::Registers),
        (&XYZZ, Accumulators::Workgroup),
        (&HOMOGENEOUS, Accumulators::Registers),
        (&JACOBIAN, Accumulators::Registers),
    ];
    let curves = |(coordinates, place)| {
        curves_of_other_forms().filter_map(move |name| variant(name, coordinates, place))
    };
    forms.into_iter().flat_map(curves).collect()
}

#[derive(Serialize)]
struct GatherContext<'a> {
    #[serde(flatten)]
    point: PointContext<'a>,
    by_bucket: bool,
}

/// The variant of [`GATHER`].
pub(super) fn gather_variant(point: PointContext, by_bucket: bool) -> Variant {
    Variant::new(point.workgroup(), GatherContext { point, by_bucket })
}

fn gather_variants(by_bucket: bool) -> Vec<Variant> {
    variants(|additions| &additions.full, |point| gather_variant(point.of_sums(), by_bucket))
}
