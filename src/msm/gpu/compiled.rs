//! What a multiplication compiles, all of it beside each other.

use std::sync::Arc;

use super::kernels::{DIGITS, PointKernels, Scalars, digits_variant};
use super::pairs::PairKernels;
use super::settings::Settings;
use super::subgroup;
use super::tables::TableKernels;
use crate::curve::Curve;
use crate::gpu::{Gpu, Pipeline};
use crate::msm::Cut;
use crate::primitives::Sort;
use crate::{Error, Result};

/// The kernels of a multiplication.
pub(super) struct Compiled {
    pub(super) tables: TableKernels,
    pub(super) digits: Arc<Pipeline>,
    pub(super) points: PointKernels,
    /// Only where entries are added up in pairs first.
    pub(super) pairs: Option<PairKernels>,
}

impl Compiled {
    pub(super) fn new<C: Curve>(gpu: &Gpu, settings: &Settings, plan: &Cut) -> Result<Self> {
        let points = || PointKernels::new::<C::BaseField>(gpu, settings.coordinates, settings.balance, plan);
        let pairs = || (plan.rounds > 0).then(|| PairKernels::new::<C::BaseField>(gpu)).transpose();
        let tables = || TableKernels::new::<C>(gpu, &plan.scheme);
        let digits = || gpu.pipeline(&DIGITS, &digits_variant::<C>(Scalars::Field));
        // The workspace has the sort, and finds its kernels compiled.
        let small = || gpu.beside(digits, || Sort::prepare(gpu));
        let (points, (pairs, (tables, (digits, ())))) =
            gpu.beside(points, || gpu.beside(pairs, || gpu.beside(tables, small)))?;
        Ok(Compiled { tables, digits, points, pairs })
    }
}

/// Compiles what a multiplication by `n` points takes and, with `check`, what looks for points
/// outside the subgroup, where that can go on beside other calls to the device.
pub fn prepare<C: Curve>(gpu: &Gpu, settings: &Settings, n: usize, check: bool) -> Result<()> {
    if !gpu.takes_threads() {
        return Ok(());
    }
    let multiply = || match settings.plan::<C>(gpu, n) {
        Ok(plan) => Compiled::new::<C>(gpu, settings, &plan).map(drop),
        // It goes to the device in parts, or is refused when it comes to that.
        Err(Error::OutOfMemory(_)) => Ok(()),
        Err(e) => Err(e),
    };
    gpu.beside(multiply, || if check { subgroup::prepare::<C>(gpu) } else { Ok(()) }).map(drop)
}
