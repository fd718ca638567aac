//! The kernels that add points, compiled for one curve, one system of coordinates and one form.

use std::sync::Arc;

use super::accumulation::{
    ACCUMULATE, ACCUMULATE_BUCKET, ACCUMULATE_SPLIT, ACCUMULATE_TWO, ACCUMULATE_WHOLE, CLEAR, CLEARING, FOLD,
    GATHER, TwoFormulas,
};
use super::by_element::{self, FOLD_BY_ELEMENT, GATHER_BY_ELEMENT};
use super::digits::OFFSETS;
use super::formulas::{Adder, Ends, Formulas, PointContext, WORKGROUP, point_variant, split};
use super::reduction::ReductionKernels;
use crate::Result;
use crate::curve::coordinates::XYZZ;
use crate::field::BigField;
use crate::gpu::{Gpu, Pipeline, Variant};
use crate::msm::{Accumulators, Addends, Balance, Cut, Settings};

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
}

/// The kernels that add points of one curve in one system of coordinates.
pub(super) struct PointKernels {
    pub(super) offsets: Arc<Pipeline>,
    pub(super) form: Accumulation,
    pub(super) accumulate: Arc<Pipeline>,
    pub(super) fold: Arc<Pipeline>,
    pub(super) gather: Arc<Pipeline>,
    /// True if gathering uses a thread for each bucket instead of one for each slice.
    pub(super) by_bucket: bool,
    pub(super) clear: Arc<Pipeline>,
    pub(super) reduction: ReductionKernels,
    /// The dispatches of accumulating.
    pub(super) accumulating: Adder,
    /// Those of folding.
    pub(super) folding: Adder,
    /// Those of gathering.
    pub(super) gathering: Adder,
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

    pub(super) fn new(gpu: &Gpu, field: &BigField, settings: &Settings, cut: &Cut) -> Result<Self> {
        let coordinates = settings.coordinates;
        let additions = coordinates.compile(field)?;
        let full = Formulas::new(field, &additions.full, &additions.double);
        let (place, arithmetic) = (settings.accumulators, gpu.arithmetic());
        let (kernel, form, (accumulates, accumulating)) = match (settings.balance, settings.addends) {
            (Balance::Slices, Addends::Two) => {
                let two = TwoFormulas::new(field, coordinates, &additions)?;
                let variant = two.variant(field, coordinates, place, arithmetic);
                (&ACCUMULATE_TWO, Accumulation::SlicesByTwo(two.pair), by_one(variant, two.formulas.ends))
            }
            (Balance::Slices, _) if field.degree > 1 && place == Accumulators::Registers => {
                let kernel = split(field, coordinates, arithmetic)?;
                (&ACCUMULATE_SPLIT, Accumulation::Slices, kernel)
            }
            (balance, _) => {
                let (kernel, form) = match balance {
                    Balance::Slices => (&ACCUMULATE, Accumulation::Slices),
                    Balance::Buckets => (&ACCUMULATE_WHOLE, Accumulation::Whole),
                    Balance::BucketEach => (&ACCUMULATE_BUCKET, Accumulation::Each),
                };
                let mixed = Formulas::new(field, &additions.mixed, &additions.double);
                let variant =
                    point_variant(PointContext::new(field, coordinates, &mixed, arithmetic).placed(place));
                (kernel, form, by_one(variant, mixed.ends))
            }
        };
        let sums = || PointContext::new(field, coordinates, &full, arithmetic);
        let (adds_points, one_a_sum) = by_one(point_variant(sums().of_sums()), full.ends);
        let is_xyzz = coordinates.name == XYZZ.name;
        let (fold_kernel, folds, folding) = match is_xyzz {
            true => (&FOLD_BY_ELEMENT, by_element::variant(field, arithmetic), by_element::FOLDER),
            false => (&FOLD, adds_points.clone(), one_a_sum),
        };
        let by_bucket = cut.by_bucket();
        let (gather_kernel, gathers, gathering) = match is_xyzz && cut.gathered() <= by_element::most(field) {
            true => (
                &GATHER_BY_ELEMENT,
                by_element::gather_variant(field, by_bucket, arithmetic),
                by_element::adder(field),
            ),
            false => (&GATHER, point_variant(sums().gathering(by_bucket)), one_a_sum),
        };
        let adding = || {
            gpu.pipelines([
                (&OFFSETS, &Variant::plain(WORKGROUP)),
                (kernel, &accumulates),
                (fold_kernel, &folds),
                (gather_kernel, &gathers),
                (&CLEAR, &Variant::plain(CLEARING)),
            ])
        };
        let reducing = || {
            ReductionKernels::new(
                gpu,
                settings.reduction,
                cut,
                (&adds_points, one_a_sum),
                is_xyzz.then_some(field),
            )
        };
        let ([offsets, accumulate, fold, gather, clear], reduction) = gpu.beside(adding, reducing)?;
        Ok(PointKernels {
            offsets,
            form,
            accumulate,
            fold,
            gather,
            by_bucket,
            clear,
            reduction,
            accumulating,
            folding,
            gathering,
        })
    }
}

/// A variant in which one thread computes a sum, and its dispatches.
fn by_one(variant: Variant, ends: Ends) -> (Variant, Adder) {
    let sums = variant.workgroup;
    (variant, Adder { ends, sums })
}
