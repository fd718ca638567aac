//! Points and scalars for tests: random ones, and every special case.

use ark_ec::AffineRepr;
use ark_ff::PrimeField;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::curve::{Affine, Curve, Projective};
use crate::msm::{Known, random_scalars};

pub(in crate::msm) struct Sample<C: Curve> {
    pub(in crate::msm) points: Vec<Affine<C>>,
    pub(in crate::msm) scalars: Vec<C::ScalarField>,
}

/// The kinds of samples. An enum and not functions, so that each kind can be drawn on every curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::msm) enum Kind {
    /// Random points and scalars.
    Random,
    /// Random points, one random scalar.
    EqualScalars,
    /// One random point, random scalars.
    EqualPoints,
    /// One random point, one random scalar: nothing but doublings.
    AllEqual,
    /// P, -P, P, -P with one scalar: nothing but cancellation.
    Opposite,
    /// P_i = (i + 1) G, where sums of two points meet a third.
    Progression,
    /// Random points, every third at infinity.
    SomeInfinite,
    /// Every point at infinity.
    AllInfinite,
    /// Random points; scalars 0, 1, 2, r - 1, r - 2, (r - 1) / 2 and (r + 1) / 2 in turn.
    EdgeScalars,
    /// Random points; every scalar 0.
    ZeroScalars,
    /// Random points; scalars below 4.
    SmallScalars,
}

pub(in crate::msm) const KINDS: [Kind; 11] = [
    Kind::Random,
    Kind::EqualScalars,
    Kind::EqualPoints,
    Kind::AllEqual,
    Kind::Opposite,
    Kind::Progression,
    Kind::SomeInfinite,
    Kind::AllInfinite,
    Kind::EdgeScalars,
    Kind::ZeroScalars,
    Kind::SmallScalars,
];

/// `n` points and scalars of a kind.
pub(in crate::msm) fn sample<C: Curve>(kind: Kind, n: usize) -> Sample<C> {
    let mut points = Known::<C>::random(n.max(1), 11).points;
    let mut scalars = random_scalars::<C>(n.max(1), &mut ChaCha8Rng::seed_from_u64(12));
    let (point, scalar) = (points[0], scalars[0]);
    let of = |i: u64| C::ScalarField::from(i);
    match kind {
        Kind::Random => {}
        Kind::EqualScalars => scalars.fill(scalar),
        Kind::EqualPoints => points.fill(point),
        Kind::AllEqual => {
            points.fill(point);
            scalars.fill(scalar);
        }
        Kind::Opposite => {
            points.iter_mut().enumerate().for_each(|(i, p)| *p = if i % 2 == 0 { point } else { -point });
            scalars.fill(scalar);
        }
        Kind::Progression => {
            let mut sum = Projective::<C>::default();
            for point in &mut points {
                sum += Affine::<C>::generator();
                *point = sum.into();
            }
        }
        Kind::SomeInfinite => points.iter_mut().step_by(3).for_each(|p| *p = Affine::identity()),
        Kind::AllInfinite => points.fill(Affine::identity()),
        Kind::EdgeScalars => {
            let half = -of(1) / of(2);
            let edges = [of(0), of(1), of(2), -of(1), -of(2), half, half + of(1)];
            scalars.iter_mut().zip(edges.iter().cycle()).for_each(|(k, edge)| *k = *edge);
        }
        Kind::ZeroScalars => scalars.fill(of(0)),
        Kind::SmallScalars => {
            scalars.iter_mut().for_each(|k| *k = of(k.into_bigint().as_ref()[0] % 4));
        }
    }
    points.truncate(n);
    scalars.truncate(n);
    Sample { points, scalars }
}
