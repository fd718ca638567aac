//! The kernels of a multiplication, compiled in parallel.

use std::sync::Arc;

use super::digits::{DIGITS, digits_variant};
use super::kernels::PointKernels;
use super::pair_kernels::PairKernels;
use super::tables::TableKernels;
use crate::Result;
use crate::curve::Curve;
use crate::field::BigField;
use crate::gpu::{Gpu, Pipeline, Variant};
use crate::msm::{Cut, Settings};
use crate::primitives::Sort;

/// The kernels of a multiplication.
pub(in crate::msm) struct Compiled {
    pub(super) tables: TableKernels,
    pub(super) digits: Arc<Pipeline>,
    pub(super) points: PointKernels,
    /// Only if entries are first added up in pairs.
    pub(super) pairs: Option<PairKernels>,
}

impl Compiled {
    pub(in crate::msm) fn new<C: Curve>(gpu: &Gpu, settings: &Settings, cut: &Cut) -> Result<Self> {
        let tables = || TableKernels::new::<C>(gpu, &cut.scheme);
        let digits = digits_variant::<C>(cut.scheme.halves);
        Self::of_field(gpu, &BigField::of::<C::BaseField>(), (settings, cut), &tables, &digits)
    }

    /// [`new`](Self::new) for points over this field.
    fn of_field(
        gpu: &Gpu,
        field: &BigField,
        (settings, cut): (&Settings, &Cut),
        tables: &(dyn Fn() -> Result<TableKernels> + Sync),
        digits: &Variant,
    ) -> Result<Self> {
        let points = || PointKernels::new(gpu, field, settings, cut);
        let pairs = || (cut.rounds > 0).then(|| PairKernels::new(gpu, field)).transpose();
        let digits = || gpu.pipeline(&DIGITS, digits);
        // Compiles the kernels of the sort, which the workspace uses later.
        let small = || gpu.beside(digits, || Sort::prepare(gpu));
        let (points, (pairs, (tables, (digits, ())))) =
            gpu.beside(points, || gpu.beside(pairs, || gpu.beside(tables, small)))?;
        Ok(Compiled { tables, digits, points, pairs })
    }
}
