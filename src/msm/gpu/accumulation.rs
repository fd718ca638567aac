//! The kernels that accumulate sorted entries, in registers or in workgroup memory, one point at a time or
//! two, in equal slices or by whole buckets.

use super::formulas::{
    Ends, Formulas, PointContext, curves_of_other_forms, extended_curves, full_variants, point_kernel,
    point_variant, prime_curves, split, variants_of,
};
use crate::Result;
use crate::curve::CurveName;
use crate::curve::coordinates::{Additions, Coordinates, HOMOGENEOUS, JACOBIAN, XYZZ};
use crate::field::BigField;
use crate::gpu::{Arithmetic, Variant, kernel};
use crate::msm::Accumulators;

/// Invocations per workgroup of [`CLEAR`].
pub(super) const CLEARING: u32 = 256;

kernel! {
    /// Sets bucket sums to infinity.
    static CLEAR = "msm/clear", |_| vec![Variant::plain(CLEARING)];
    ClearBuffers { sums: read_write array<vec4<u32>> }
    ClearParams {
        /// Vectors of four words to write.
        vectors,
    }
}

point_kernel! {
    /// Adds up equal slices of the sorted entries to bucket sums and partial sums.
    static ACCUMULATE = "msm/accumulate", |arithmetic| {
        let default = variants_of(prime_curves(), arithmetic, |additions| &additions.mixed, point_variant);
        [default, other_variants(Accumulators::Workgroup, arithmetic)].concat()
    };
    AccumulateBuffers {
        points: read array<vec4<u32>>, keys: read array<u32>, values: read array<u32>,
        sums: read_write array<vec4<u32>>,
    }
    AccumulateParams {
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

kernel! {
    /// As [`ACCUMULATE`] over a quadratic extension, with two threads for each slice.
    static ACCUMULATE_SPLIT = "msm/accumulate_split", |arithmetic| {
        let variant = |name: CurveName| split(&name.base_field(), &XYZZ, arithmetic).ok();
        extended_curves().filter_map(variant).map(|(variant, _)| variant).collect()
    };
    AccumulateBuffers: ["array<vec4<u32>>", "array<u32>", "array<u32>", "array<u32>"]
    AccumulateParams
}

point_kernel! {
    /// Adds up whole buckets, without load balance: a baseline.
    static ACCUMULATE_WHOLE = "msm/accumulate_whole", all_variants;
    AccumulateWholeBuffers {
        points: read array<vec4<u32>>, offsets: read array<u32>, values: read array<u32>,
        sums: read_write array<vec4<u32>>,
    }
    AccumulateWholeParams {
        /// Threads, one a slice.
        threads,
        /// Entries of a slice.
        slice,
        /// Buckets of all sets.
        all_buckets,
    }
}

point_kernel! {
    /// Adds up whole buckets, a thread a bucket: a baseline.
    static ACCUMULATE_BUCKET = "msm/accumulate_bucket", all_variants;
    AccumulateWholeBuffers
    AccumulateBucketParams {
        /// Buckets of all sets.
        all_buckets,
        /// 1 if the bucket sums begin with these entries.
        fresh,
    }
}

point_kernel! {
    /// Adds up equal slices of the sorted entries, two affine points at a time.
    static ACCUMULATE_TWO = "msm/accumulate_two", two_variants;
    AccumulateBuffers
    AccumulateTwoParams {
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

point_kernel! {
    /// Adds up blocks of partial sums that continue one bucket.
    static FOLD = "msm/fold", full_variants;
    FoldBuffers { keys: read array<u32>, sums: read_write array<vec4<u32>> }
    FoldParams {
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

point_kernel! {
    /// Adds up the partial sums of the buckets that several slices share.
    static GATHER = "msm/gather", |arithmetic| {
        let of = |by_bucket| {
            let variant = |point: PointContext| point_variant(point.gathering(by_bucket));
            variants_of(CurveName::all(), arithmetic, |additions| &additions.full, variant)
        };
        [false, true].map(of).concat()
    };
    GatherBuffers { keys: read array<u32>, offsets: read array<u32>, sums: read_write array<vec4<u32>> }
    GatherParams {
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

/// The variants of a kernel with the accumulator in this place, for curves of which each form has some.
fn other_variants(place: Accumulators, arithmetic: Arithmetic) -> Vec<Variant> {
    let variant = |point: PointContext| point_variant(point.placed(place));
    variants_of(curves_of_other_forms(), arithmetic, |additions| &additions.mixed, variant)
}

/// Those in all places.
fn all_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    Accumulators::ALL.map(|place| other_variants(place, arithmetic)).concat()
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
        arithmetic: Arithmetic,
    ) -> Variant {
        let point = PointContext::new(field, coordinates, &self.formulas, arithmetic).placed(accumulators);
        point_variant(point.by_two(&self.larger))
    }
}

fn two_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    let variant = |name: CurveName, coordinates: &Coordinates, place| {
        let field = name.base_field();
        let additions = coordinates.compile(&field).ok()?;
        let formulas = TwoFormulas::new(&field, coordinates, &additions).ok()?;
        Some(formulas.variant(&field, coordinates, place, arithmetic))
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
