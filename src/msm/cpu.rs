//! The CPU engine, on all cores: a library if one is faster for the curve than sums by buckets.

use ark_ec::CurveGroup;
use ark_ff::{One, PrimeField};

use super::affine_sums::sum_by_bits;
use super::buckets::sum_of_multiples;
use super::split_scalars::{SplitScalars, share_of_bits};
use crate::curve::{Affine, Curve, Projective};
use crate::parallel::*;
use crate::timeline::{Phase, named};
use crate::{Cpu, Error, Result};

/// Refuses points that do not lie on the curve.
pub(super) fn expect_on_curve<C: Curve>(points: &[Affine<C>]) -> Result<()> {
    match points.par_iter().position_first(|point| !C::contains(point)) {
        Some(index) => Err(Error::NotOnCurve { index, curve: C::NAME.as_str() }),
        None => Ok(()),
    }
}

/// At most one scalar in so many is neither 0 nor 1 where those few are multiplied by themselves: their copies then take less
/// memory than a multiplication of all.
const FEW: usize = 8;

/// The sum for scalars of which nearly all are 0 or 1, the others of which `multiply` multiplies; `None` for other scalars.
fn sum_of_bits<C: Curve>(
    points: &[Affine<C>],
    scalars: &[C::ScalarField],
    multiply: impl FnOnce(&[Affine<C>], &[C::ScalarField]) -> Projective<C>,
) -> Option<Projective<C>> {
    if share_of_bits(scalars) < 1.0 - 1.0 / FEW as f64 {
        return None;
    }
    let split = SplitScalars::of(scalars);
    let bits: Vec<bool> = scalars.par_iter().map(|scalar| scalar.is_one()).collect();
    let ones = sum_by_bits(points, &bits);
    if split.rest.is_empty() {
        return Some(ones);
    }
    let chosen: Vec<Affine<C>> = split.places.iter().map(|&place| points[place as usize]).collect();
    Some(ones + multiply(&chosen, &split.rest))
}

/// The maximum number of points of one multiplication, so that longer multiplications tell their progress.
/// Shorter parts take longer: their windows are narrower, by a tenth more additions for a quarter of the points.
const MOST_AT_A_TIME: usize = 1 << 24;

/// The sums of `scalars[i]` times `points[first + i]` for each pair of a first point and a vector of scalars, which reaches
/// no further than `points`; `part` points at a time. `name` is that of the points in timelines.
pub(super) fn sums<C: Curve>(
    cpu: &Cpu,
    points: &[Affine<C>],
    vectors: &[(usize, &[C::ScalarField])],
    part: usize,
    name: &str,
) -> Result<Vec<Affine<C>>> {
    let meter = cpu.timeline.meter(vectors.iter().map(|(_, scalars)| scalars.len() as u64).sum());
    let multiply = |points: &[Affine<C>], scalars: &[C::ScalarField]| {
        let Some(library) = C::HOST_MSM else { return sum_of_multiples(points, scalars) };
        let integers: Vec<_> = scalars.par_iter().map(|scalar| scalar.into_bigint()).collect();
        (library.run)(points, &integers)
    };
    let of_part = |(points, scalars): (&[Affine<C>], &[C::ScalarField])| {
        let points = &points[..scalars.len()];
        sum_of_bits(points, scalars, multiply).unwrap_or_else(|| multiply(points, scalars))
    };
    let part = part.clamp(1, MOST_AT_A_TIME);
    let of_vector = |(first, scalars): &(usize, &[C::ScalarField])| {
        let parts = points[*first..].chunks(part).zip(scalars.chunks(part));
        let noted = |(points, scalars): (&[Affine<C>], &[C::ScalarField])| -> Result<Projective<C>> {
            cpu.timeline.check_stop()?;
            let sum = of_part((points, scalars));
            meter.add(scalars.len() as u64);
            Ok(sum)
        };
        let sum = || parts.map(noted).sum::<Result<Projective<C>>>().map(|sum| sum.into_affine());
        cpu.timeline.time(Phase::Host, &named(name, "multiply"), sum)
    };
    let sums = || vectors.iter().map(of_vector).collect();
    Threads::for_now(cpu.threads)?.run(sums)
}
