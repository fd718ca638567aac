//! The pairings whose groups are curves of this crate, for protocols that check products of points.

use ark_ec::pairing::Pairing;
use ark_ec::short_weierstrass::{Affine, Projective, SWCurveConfig};
use ark_ff::Field;

use super::{Curve, CurveName};
use crate::field::Words;
use crate::scalars::Scalar;

/// A pairing of two curves: G1 is a [`Curve`] of this crate, G2 lies over the quadratic extension of its base field.
///
/// arkworks' pairings implement it, so that its types and this crate's are the same:
///
/// ```
/// use ark_ec::AffineRepr;
/// use wgalois::curve::{Affine, Bn254, PairingCurve};
///
/// fn generator<E: PairingCurve>() -> Affine<E::G1> {
///     Affine::generator()
/// }
/// assert_eq!(generator::<ark_bn254::Bn254>(), Affine::<Bn254>::generator());
/// ```
pub trait PairingCurve: 'static + Copy + Send + Sync {
    /// The field of the coordinates of G1.
    type Base: Words;
    /// The field of scalars, of r elements.
    type Scalar: Scalar;
    /// The first group.
    type G1: Curve + SWCurveConfig<BaseField = Self::Base, ScalarField = Self::Scalar>;
    /// The second group.
    type G2: Curve + SWCurveConfig<BaseField: Field<BasePrimeField = Self::Base>, ScalarField = Self::Scalar>;
    /// arkworks' pairing.
    type Pairing: Pairing<
            G1 = Projective<Self::G1>,
            G2 = Projective<Self::G2>,
            G1Affine = Affine<Self::G1>,
            G2Affine = Affine<Self::G2>,
            ScalarField = Self::Scalar,
        >;

    /// The name of G1.
    const NAME: CurveName = Self::G1::NAME;
}

/// Implements [`PairingCurve`] for the pairing of one of arkworks' crates.
macro_rules! pairing {
    ($feature:literal $library:ident $pairing:ident) => {
        #[cfg(feature = $feature)]
        impl PairingCurve for $library::$pairing {
            type Base = $library::Fq;
            type Scalar = $library::Fr;
            type G1 = $library::g1::Config;
            type G2 = $library::g2::Config;
            type Pairing = Self;
        }
    };
}

pairing! { "bls12-381" ark_bls12_381 Bls12_381 }
pairing! { "bls12-377" ark_bls12_377 Bls12_377 }
pairing! { "bn254" ark_bn254 Bn254 }
