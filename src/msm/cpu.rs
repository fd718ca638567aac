//! The CPU engine: the fastest available host library for the curve, on all cores.

use ark_ec::{CurveGroup, VariableBaseMSM};
use ark_ff::PrimeField;
use rayon::prelude::*;

use crate::curve::{Affine, Curve, Projective};
use crate::timeline::Phase;
use crate::{Cpu, Error, Result};

/// The first of `points`, all of them on the curve, that lies outside the subgroup of order r.
pub(crate) fn first_outside<C: Curve>(points: &[Affine<C>]) -> Option<usize> {
    points.par_iter().position_first(|point| !C::in_subgroup(point))
}

/// Refuses points that do not lie on the curve.
///
/// # Errors
/// [`Error::Input`] for the first such point.
pub(super) fn expect_on_curve<C: Curve>(points: &[Affine<C>]) -> Result<()> {
    match points.par_iter().position_first(|point| !point.is_on_curve()) {
        Some(i) => Err(Error::Input(format!("point {i} is not on {}", C::NAME))),
        None => Ok(()),
    }
}

/// The scalars as bits, if all of them are 0 or 1.
fn bits<F: PrimeField>(scalars: &[F]) -> Option<Vec<bool>> {
    let bit = |scalar: &F| if scalar.is_zero() { Some(false) } else { scalar.is_one().then_some(true) };
    scalars.par_iter().map(bit).collect()
}

/// The sum of `scalars[i]` times `points[i]` up to the end of the shorter list, `part` points at a time.
///
/// # Errors
/// [`Error::Usage`] if the threads cannot be started.
pub(super) fn sum<C: Curve>(
    cpu: &Cpu,
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
    part: usize,
) -> Result<Affine<C>> {
    let of_part = |(points, scalars): (&[Affine<C>], &[C::ScalarField])| {
        if let Some(bits) = bits(scalars) {
            return <Projective<C> as VariableBaseMSM>::msm_u1(&points[..scalars.len()], &bits);
        }
        let integers: Vec<_> = scalars.par_iter().map(|scalar| scalar.into_bigint()).collect();
        C::host_msm(&points[..scalars.len()], &integers)
    };
    let parts = points.chunks(part.max(1)).zip(scalars.chunks(part.max(1)));
    let sum = || parts.map(of_part).sum::<Projective<C>>().into_affine();
    match cpu.threads {
        0 => Ok(cpu.timeline.time(Phase::Host, "multiply", sum)),
        threads => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|e| Error::Usage(format!("{threads} threads: {e}")))?;
            Ok(cpu.timeline.time(Phase::Host, "multiply", || pool.install(sum)))
        }
    }
}
