//! The pairings whose groups are curves of this crate, for protocols that check products of points.

use std::fmt::Debug;

use ark_ec::pairing::Pairing;
use ark_ec::short_weierstrass::{Affine, Projective, SWCurveConfig};
use ark_ff::Field;

use super::{Curve, CurveName, MillerLoops};
use crate::field::Words;
use crate::parallel::*;
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
pub trait PairingCurve: 'static + Copy + Debug + Send + Sync {
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
    /// The library that computes products of pairings: blst for BLS12-381 outside the browser, arkworks for the others.
    type Loops: MillerLoops<Self>;

    /// The name of G1.
    const NAME: CurveName = Self::G1::NAME;

    /// True if the product of the pairings of these points, which must be in their subgroups, is 1.
    ///
    /// ```
    /// use ark_bn254::{Bn254, G1Affine, G2Affine};
    /// use ark_ec::AffineRepr;
    /// use wgalois::curve::PairingCurve;
    ///
    /// let (first, second) = (G1Affine::generator(), G2Affine::generator());
    /// assert!(Bn254::product_is_one(&[(first, second), (-first, second)]));
    /// assert!(!Bn254::product_is_one(&[(first, second), (first, second)]));
    /// ```
    fn product_is_one(pairs: &[PointPair<Self>]) -> bool {
        let value =
            |(first, second): &PointPair<Self>| Self::Loops::value(first, &Self::Loops::lines(second));
        pairs.par_iter().map(value).reduce_with(|a, b| a * b).is_none_or(Self::Loops::is_one)
    }
}

/// A point of each group of a pairing.
pub type PointPair<E> = (Affine<<E as PairingCurve>::G1>, Affine<<E as PairingCurve>::G2>);

/// Implements [`PairingCurve`] for the pairing of one of arkworks' crates, whose products a library computes.
macro_rules! pairing {
    ($feature:literal $library:ident $pairing:ident $loops:ty) => {
        #[cfg(feature = $feature)]
        impl PairingCurve for $library::$pairing {
            type Base = $library::Fq;
            type Scalar = $library::Fr;
            type G1 = $library::g1::Config;
            type G2 = $library::g2::Config;
            type Pairing = Self;
            type Loops = $loops;
        }
    };
}

#[cfg(all(feature = "bls12-381", not(target_arch = "wasm32")))]
type Bls12_381Loops = super::bls12_381::pairing::BlstLoops;
// blst is written in C and is not built for the browser.
#[cfg(all(feature = "bls12-381", target_arch = "wasm32"))]
type Bls12_381Loops = super::ArkworksLoops;

pairing! { "bls12-381" ark_bls12_381 Bls12_381 Bls12_381Loops }
pairing! { "bls12-377" ark_bls12_377 Bls12_377 super::ArkworksLoops }
pairing! { "bn254" ark_bn254 Bn254 super::ArkworksLoops }

#[cfg(all(test, feature = "default"))]
mod tests {
    use ark_ec::pairing::PairingOutput;
    use ark_ec::{AffineRepr, CurveGroup};
    use ark_ff::{AdditiveGroup, UniformRand};
    use ark_std::rand::{SeedableRng, rngs::StdRng};

    use super::*;

    /// True if arkworks' product of these pairings is 1.
    fn by_definition<E: PairingCurve>(pairs: &[PointPair<E>]) -> bool {
        let all = pairs.iter().map(|&(first, second)| E::Pairing::pairing(first, second));
        all.sum::<PairingOutput<_>>() == PairingOutput::ZERO
    }

    fn products<E: PairingCurve>() {
        let mut rng = StdRng::seed_from_u64(6);
        let [a, b, c] = [(); 3].map(|()| E::Scalar::rand(&mut rng));
        let (g, h) = (Affine::<E::G1>::generator(), Affine::<E::G2>::generator());
        let first = |scalar| (Projective::from(g) * scalar).into_affine();
        let second = |scalar| (Projective::from(h) * scalar).into_affine();
        let (zero, zero2) = (Affine::<E::G1>::zero(), Affine::<E::G2>::zero());
        let cases: [(Vec<PointPair<E>>, bool); 11] = [
            (vec![], true),
            (vec![(zero, h)], true),
            (vec![(g, zero2)], true),
            (vec![(zero, zero2)], true),
            (vec![(g, h)], false),
            (vec![(first(a), second(b)), (first(-a * b), h)], true),
            (vec![(first(a), second(b)), (first(a * b), h)], false),
            (vec![(first(a), second(b)), (g, second(-a * b)), (zero, second(c))], true),
            (vec![(first(a), second(b)), (g, second(-a * b)), (g, second(c))], false),
            (vec![(first(a), second(b)), (first(b), second(c)), (first(-b), second(a + c))], true),
            (vec![(first(a), second(b)), (first(b), second(c)), (first(b), second(a + c))], false),
        ];
        for (place, (pairs, expected)) in cases.into_iter().enumerate() {
            assert_eq!(by_definition::<E>(&pairs), expected, "{} {place}", E::NAME);
            assert_eq!(E::product_is_one(&pairs), expected, "{} {place}", E::NAME);
        }
    }

    #[test]
    fn products_of_pairings_are_one_where_arkworks_say_so() {
        products::<ark_bls12_381::Bls12_381>();
        products::<ark_bls12_377::Bls12_377>();
        products::<ark_bn254::Bn254>();
    }
}
