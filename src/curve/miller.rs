//! Miller's loops and the exponentiation that ends a pairing, by a library.

use std::ops::Mul;

use ark_ec::pairing::{MillerLoopOutput, Pairing, PairingOutput};
use ark_ff::AdditiveGroup;

use super::{Affine, PairingCurve};

/// The two parts of a pairing, so that a product of pairings takes one exponentiation (Granger and Smart, "On computing products of
/// pairings", 2006), and the lines for a point that does not change are computed once (Costello and Stebila, "Fixed argument
/// pairings", LATINCRYPT 2010).
///
/// ```text
/// e(P1, Q1) e(P2, Q2) = 1    is    is_one(value(P1, lines(Q1)) value(P2, lines(Q2)))
/// ```
///
/// ```
/// use ark_ec::AffineRepr;
/// use wgalois::curve::{Affine, MillerLoops, PairingCurve};
///
/// fn is_nondegenerate<E: PairingCurve>() -> bool {
///     let lines = E::Loops::lines(&Affine::<E::G2>::generator());
///     !E::Loops::is_one(E::Loops::value(&Affine::<E::G1>::generator(), &lines))
/// }
/// assert!(is_nondegenerate::<ark_bls12_381::Bls12_381>());
/// ```
pub trait MillerLoops<E: PairingCurve> {
    /// The lines of the loop of a point of G2: some tens of KB.
    type Lines: Send + Sync;
    /// A product of values of loops.
    type Value: Copy + Send + Sync + Mul<Output = Self::Value>;

    /// The lines for a point of G2.
    fn lines(point: &Affine<E::G2>) -> Self::Lines;

    /// The value of the loop, for a point of G1; 1 if one of the points is infinity. It has no meaning unless both points are in
    /// their subgroups.
    fn value(point: &Affine<E::G1>, lines: &Self::Lines) -> Self::Value;

    /// True if the product of pairings is 1 whose loops have the product `value`.
    fn is_one(value: Self::Value) -> bool;
}

/// arkworks' loops.
pub struct ArkworksLoops;

impl<E: PairingCurve> MillerLoops<E> for ArkworksLoops {
    type Lines = <E::Pairing as Pairing>::G2Prepared;
    type Value = <E::Pairing as Pairing>::TargetField;

    fn lines(point: &Affine<E::G2>) -> Self::Lines {
        (*point).into()
    }

    fn value(point: &Affine<E::G1>, lines: &Self::Lines) -> Self::Value {
        E::Pairing::miller_loop(*point, lines.clone()).0
    }

    fn is_one(value: Self::Value) -> bool {
        E::Pairing::final_exponentiation(MillerLoopOutput(value)) == Some(PairingOutput::ZERO)
    }
}
