//! The kernels that add points, compiled for one curve, one system of coordinates and one form.

use std::sync::Arc;

<<<<<<< HEAD
use serde::Serialize;

use crate::Result;
use crate::curve::coordinates::{Additions, Coordinates, XYZZ};
use crate::curve::{BaseField, Curve, CurveName};
use crate::field::{BigField, Formula, Turn, Words};
use crate::gpu::{Arithmetic, Binding, Gpu, Kernel, Pipeline, Variant, params};
use crate::msm::{Balance, Cut};
use crate::with_curve;

/// Invocations per workgroup. Register pressure, not this number, limits how many run at once.
pub(super) const WORKGROUP: u32 = 64;

/// Invocations per workgroup of [`CLEAR`].
pub(super) const CLEARING: u32 = 256;

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
=======
use super::accumulation::{
    ACCUMULATE, ACCUMULATE_BUCKET, ACCUMULATE_TWO, ACCUMULATE_WHOLE, CLEAR, CLEARING, FOLD, GATHER,
    accumulate_variant, gather_variant, two_formulas,
>>>>>>> cb3f0b7 (Published forms of the MSM: accumulators in workgroup memory, two points at a time, one thread a bucket, reductions by digits and by prefix sums)
};
use super::digits::OFFSETS;
use super::formulas::{Ends, Formulas, PointContext, WORKGROUP, point_variant};
use super::reduction::ReductionKernels;
use crate::field::{BigField, Words};
use crate::gpu::{Gpu, Pipeline, Variant};
use crate::msm::{Addends, Balance, Cut, Settings};
use crate::{Error, Result};

<<<<<<< HEAD
params! {
    /// The parameters of [`DIGITS`].
    pub(super) struct DigitsParams {
        /// The number of the first scalar in its buffer.
        first,
        /// Scalars.
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

/// Sets bucket sums to infinity.
pub static CLEAR: Kernel = Kernel {
    name: "msm/clear",
    source: "msm/clear.wgsl",
    bindings: &[Binding::read_write("sums", "array<vec4<u32>>")],
    params: ClearParams::NAMES,
    variants: |_| vec![Variant::plain(CLEARING)],
};

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
    bindings: &[
        Binding::read("points", "array<vec4<u32>>"),
        Binding::read("keys", "array<u32>"),
        Binding::read("values", "array<u32>"),
        Binding::read_write("sums", "array<vec4<u32>>"),
    ],
    params: AccumulateParams::NAMES,
    variants: mixed_variants,
};

params! {
    /// The parameters of [`ACCUMULATE`].
    pub(super) struct AccumulateParams {
        /// The last turn of the formula for adding.
        last_adding,
        /// The last turn of the formula for doubling, whose turns follow.
        last_doubling,
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

/// Adds up whole buckets, without load balance: a baseline.
pub static ACCUMULATE_WHOLE: Kernel = Kernel {
    name: "msm/accumulate_whole",
    source: "msm/accumulate_whole.wgsl",
    bindings: &[
        Binding::read("points", "array<vec4<u32>>"),
        Binding::read("offsets", "array<u32>"),
        Binding::read("values", "array<u32>"),
        Binding::read_write("sums", "array<vec4<u32>>"),
    ],
    params: AccumulateWholeParams::NAMES,
    variants: mixed_variants,
};

params! {
    /// The parameters of [`ACCUMULATE_WHOLE`].
    pub(super) struct AccumulateWholeParams {
        /// The last turn of the formula for adding.
        last_adding,
        /// The last turn of the formula for doubling, whose turns follow.
        last_doubling,
        /// Threads, one a slice.
        threads,
        /// Entries of a slice.
        slice,
        /// Buckets of all sets.
        all_buckets,
    }
}

/// Adds up blocks of partial sums of one bucket.
pub static FOLD: Kernel = Kernel {
    name: "msm/fold",
    source: "msm/fold.wgsl",
    bindings: &[Binding::read("keys", "array<u32>"), Binding::read_write("sums", "array<vec4<u32>>")],
    params: FoldParams::NAMES,
    variants: full_variants,
};

params! {
    /// The parameters of [`FOLD`].
    pub(super) struct FoldParams {
        /// The last turn of the formula for adding.
        last_adding,
        /// The last turn of the formula for doubling, whose turns follow.
        last_doubling,
        /// Blocks that are folded.
        blocks,
        /// Slices of a block.
        block,
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
    bindings: &[
        Binding::read("keys", "array<u32>"),
        Binding::read("offsets", "array<u32>"),
        Binding::read_write("sums", "array<vec4<u32>>"),
    ],
    params: GatherParams::NAMES,
    variants: |_| [false, true].map(gather_variants).concat(),
};

params! {
    /// The parameters of [`GATHER`].
    pub(super) struct GatherParams {
        /// The last turn of the formula for adding.
        last_adding,
        /// The last turn of the formula for doubling, whose turns follow.
        last_doubling,
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
        /// Slices of the largest blocks that were folded.
        largest_block,
    }
}

/// Adds the buckets beyond the table to those of their odd parts.
pub static EXCESS: Kernel = Kernel {
    name: "msm/excess",
    source: "msm/excess.wgsl",
    bindings: &[
        Binding::read("sums", "array<vec4<u32>>"),
        Binding::read_write("weights", "array<vec4<u32>>"),
    ],
    params: ExcessParams::NAMES,
    variants: full_variants,
};

params! {
    /// The parameters of [`EXCESS`].
    pub(super) struct ExcessParams {
        /// The last turn of the formula for adding.
        last_adding,
        /// The last turn of the formula for doubling, whose turns follow.
        last_doubling,
        /// Sums to write.
        sums,
        /// Weights of a set.
        weights,
        /// Buckets of a set.
        buckets,
    }
}

/// Computes one layer of the reduction of buckets.
pub static REDUCE: Kernel = Kernel {
    name: "msm/reduce",
    source: "msm/reduce.wgsl",
    bindings: &[
        Binding::read("input", "array<vec4<u32>>"),
        Binding::read_write("output", "array<vec4<u32>>"),
    ],
    params: ReduceParams::NAMES,
    variants: full_variants,
};

params! {
    /// The parameters of [`REDUCE`].
    pub(super) struct ReduceParams {
        /// The last turn of the formula for adding.
        last_adding,
        /// The last turn of the formula for doubling, whose turns follow.
        last_doubling,
        /// Arrays of sums.
        arrays,
        /// Half the length of an array.
        half,
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

#[derive(Serialize)]
struct PointContext<'a> {
    field: &'a BigField,
    /// Field elements of a point.
    size: usize,
    registers: u32,
    turns: &'a [Turn],
}

/// Kernels that add affine points.
fn mixed_variants(_: Arithmetic) -> Vec<Variant> {
    variants(|additions| &additions.mixed, point_variant)
}

/// Kernels that add points like the accumulator.
fn full_variants(_: Arithmetic) -> Vec<Variant> {
    variants(|additions| &additions.full, point_variant)
}

fn gather_variants(by_bucket: bool) -> Vec<Variant> {
    variants(|additions| &additions.full, |point| gather_variant(point, by_bucket))
}

fn variants(add: impl Fn(&Additions) -> &Formula, build: impl Fn(PointContext) -> Variant) -> Vec<Variant> {
    let variant = |name| {
        let field = with_curve!(name, C => BigField::of::<BaseField<C>>());
        let additions = XYZZ.compile(&field).ok()?;
        let formulas = Formulas::new(&field, add(&additions), &additions.double);
        Some(build(PointContext::new(&field, &XYZZ, &formulas)))
    };
    CurveName::all().filter_map(variant).collect()
}

impl<'a> PointContext<'a> {
    fn new(field: &'a BigField, coordinates: &Coordinates, formulas: &'a Formulas) -> Self {
        let Formulas { registers, ref turns, .. } = *formulas;
        PointContext { field, size: coordinates.size(), registers, turns }
    }
}

fn point_variant(point: PointContext) -> Variant {
    Variant::new(WORKGROUP, point)
}

#[derive(Serialize)]
struct GatherContext<'a> {
    #[serde(flatten)]
    point: PointContext<'a>,
    by_bucket: bool,
}

fn gather_variant(point: PointContext, by_bucket: bool) -> Variant {
    Variant::new(WORKGROUP, GatherContext { point, by_bucket })
}

/// The ends of two formulas that one loop runs through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// The last turn of adding.
    pub(super) adding: u32,
    /// The last turn of doubling, whose turns follow.
    pub(super) doubling: u32,
}

/// A formula for adding, followed by the one for doubling, in one loop.
pub(super) struct Formulas {
    pub(super) registers: u32,
    pub(super) turns: Vec<Turn>,
    pub(super) ends: Ends,
}

impl Formulas {
    pub(super) fn new(field: &BigField, add: &Formula, double: &Formula) -> Self {
        let turns = [add, double].map(|formula| Turn::of(formula, field));
        let [adding, doubling] = turns.each_ref().map(|turns| turns.len() as u32);
        let ends = Ends { adding: adding - 1, doubling: adding + doubling - 1 };
        Formulas { registers: add.registers.max(double.registers), ends, turns: turns.concat() }
    }
=======
/// The way in which threads share the sorted entries.
#[derive(Clone, Copy, Debug)]
pub(super) enum Accumulation {
    /// Equal slices, a point at a time.
    Slices,
    /// Equal slices, two affine points at a time; with the ends of the formulas for these.
    SlicesByTwo(Ends),
    /// The whole buckets that begin in a slice.
    Whole,
    /// A bucket each.
    Each,
>>>>>>> cb3f0b7 (Published forms of the MSM: accumulators in workgroup memory, two points at a time, one thread a bucket, reductions by digits and by prefix sums)
}

/// The kernels that add points of one curve in one system of coordinates.
pub(super) struct PointKernels {
    pub(super) offsets: Arc<Pipeline>,
    pub(super) form: Accumulation,
    pub(super) accumulate: Arc<Pipeline>,
    /// Invocations per workgroup of that kernel.
    pub(super) workgroup: u32,
    pub(super) fold: Arc<Pipeline>,
    pub(super) gather: Arc<Pipeline>,
    /// True if gathering uses a thread for each bucket instead of one for each slice.
    pub(super) by_bucket: bool,
    pub(super) clear: Arc<Pipeline>,
    pub(super) reduction: ReductionKernels,
    /// The ends of the accumulation's formulas.
    pub(super) accumulating: Ends,
    /// The ends of the formulas: accumulator plus point.
    pub(super) full: Ends,
}

impl PointKernels {
    /// True if threads take whole buckets, so that there are no partial sums.
    pub(super) fn take_whole_buckets(&self) -> bool {
        matches!(self.form, Accumulation::Whole | Accumulation::Each)
    }

    /// True if the kernels read the first entry of each bucket.
    pub(super) fn need_offsets(&self) -> bool {
        self.by_bucket || self.take_whole_buckets()
    }

    pub(super) fn new<F: Words>(gpu: &Gpu, settings: &Settings, cut: &Cut) -> Result<Self> {
        let (field, coordinates) = (BigField::of::<F>(), settings.coordinates());
        let additions = coordinates.compile(&field)?;
        let full = Formulas::new(&field, &additions.full, &additions.double);
        let (formulas, form) = match (settings.balance(), settings.addends()) {
            (Balance::Slices, Addends::Two) => {
                let two = two_formulas(&field, coordinates, &additions)?;
                let no_pairs = || Error::Usage(format!("{}: no formulas for two points", coordinates.name));
                let (formulas, ends) = two.ok_or_else(no_pairs)?;
                (formulas, Accumulation::SlicesByTwo(ends))
            }
            (balance, _) => {
                let form = match balance {
                    Balance::Slices => Accumulation::Slices,
                    Balance::Buckets => Accumulation::Whole,
                    Balance::BucketEach => Accumulation::Each,
                };
                (Formulas::new(&field, &additions.mixed, &additions.double), form)
            }
        };
        let kernel = match form {
            Accumulation::Slices => &ACCUMULATE,
            Accumulation::SlicesByTwo(_) => &ACCUMULATE_TWO,
            Accumulation::Whole => &ACCUMULATE_WHOLE,
            Accumulation::Each => &ACCUMULATE_BUCKET,
        };
        let context = |formulas| PointContext::new(&field, coordinates, formulas);
        let accumulates = accumulate_variant(context(&formulas), settings.accumulators());
        let adds_points = point_variant(context(&full));
        let gathers = gather_variant(context(&full), cut.by_bucket());
        let adding = || {
            gpu.pipelines([
                (&OFFSETS, &Variant::plain(WORKGROUP)),
                (kernel, &accumulates),
                (&FOLD, &adds_points),
                (&GATHER, &gathers),
                (&CLEAR, &Variant::plain(CLEARING)),
            ])
        };
        let reducing =
            || ReductionKernels::new(gpu, settings.reduction(), &cut.scheme, &adds_points, full.ends);
        let ([offsets, accumulate, fold, gather, clear], reduction) = gpu.beside(adding, reducing)?;
        Ok(PointKernels {
            offsets,
            form,
            accumulate,
            workgroup: accumulates.workgroup,
            fold,
            gather,
            by_bucket: cut.by_bucket(),
            clear,
            reduction,
            accumulating: formulas.ends,
            full: full.ends,
        })
    }
}
