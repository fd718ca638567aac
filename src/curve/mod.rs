//! The curves: short Weierstrass curves y^2 = x^3 + b over prime fields of at most 384 bits or their quadratic
//! extensions, with a subgroup of prime order r of at most 255 bits.
//!
//! The second group of a pairing, G2, is a curve of its own: [`Bls12_381`] is G1, `Bls12_381G2` is G2, with the same
//! scalars. Each pair has a cargo feature, and all are on by default. A new curve takes a file with its
//! [`Curve`] implementation, a row in `list.rs`, and a feature with its dependency in `Cargo.toml`.
//!
//! ```
//! use wgalois::curve::{Bn254, Curve, CurveName};
//!
//! assert_eq!("bn254".parse::<CurveName>()?, Bn254::NAME);
//! # Ok::<(), wgalois::Error>(())
//! ```

pub mod coordinates;
mod endomorphism;
mod list;
mod miller;
mod pairing;
mod sums;

#[doc(hidden)]
pub use list::*;

use std::any::TypeId;
use std::str::FromStr;

use ark_ec::short_weierstrass::SWCurveConfig;
use ark_ec::{AffineRepr, CurveConfig};
use ark_ff::{BigInt, PrimeField};

pub use ark_ec::short_weierstrass::{Affine, Projective};
pub use miller::{ArkworksLoops, MillerLoops};
pub use pairing::{PairingCurve, PointPair};

pub use endomorphism::{Endomorphism, Halving};
pub(crate) use sums::{added, added_affine, doubled, multiplied, normalized};

use crate::Error;
use crate::field::{BigField, CoordinateField, Words};

/// The field of a curve's coordinates.
pub type BaseField<C> = <C as CurveConfig>::BaseField;
/// The field of a curve's scalars, r elements.
pub type ScalarField<C> = <C as CurveConfig>::ScalarField;

/// An integer that holds a scalar of any curve.
pub type ScalarInt = BigInt<4>;

/// A curve, with the constants that multi-scalar multiplication needs in addition to arkworks' configuration.
/// The curves' types (`Bls12_381` and so on) are such configurations.
///
/// ```
/// use ark_ec::AffineRepr;
/// use wgalois::curve::{Affine, Bn254, Curve, Encoding};
///
/// assert!(Bn254::in_subgroup(&Affine::<Bn254>::generator()));
/// assert_eq!(Bn254::ENCODING, Encoding::Arkworks);
/// ```
///
/// a = 0 in the curve's equation, and (0, 0) is not on the curve: the kernels rely on both. Only this crate implements the trait:
/// multiplications find what is compiled for a curve by its name.
pub trait Curve:
    SWCurveConfig<BaseField: CoordinateField, ScalarField: Words + PrimeField<BigInt = ScalarInt>>
{
    /// Its name on the command line.
    const NAME: CurveName;
    /// The default encoding of its points.
    const ENCODING: Encoding;
    /// The endomorphism that distinguishes points of the subgroup from others. None if the subgroup is
    /// the whole curve, or if [`in_subgroup`](Self::in_subgroup) has a test of its own, which then runs on
    /// the CPU.
    const ENDOMORPHISM: Option<Endomorphism<Self::BaseField>>;

    /// Another library's multi-scalar multiplication on the host; None if none is faster than the CPU engine's own sums.
    const HOST_MSM: Option<HostMsm<Self>> = None;

    /// 2^`times` `point` + `addend`, for points of the curve, on the calling thread of the host.
    fn shifted_sum(mut point: Projective<Self>, times: u32, addend: &Projective<Self>) -> Projective<Self> {
        for _ in 0..times {
            point = doubled(point);
        }
        added(point, addend)
    }

    /// The endomorphism that divides scalars into halves; `None` if the curve has none of that form.
    fn halving() -> Option<Halving<Self::BaseField>> {
        Self::ENDOMORPHISM.and_then(|map| map.halving::<Self::ScalarField>())
    }

    /// True if a point lies on the curve, or is infinity.
    fn contains(point: &Affine<Self>) -> bool {
        // The products are fast in WebAssembly, too; a is 0.
        let Affine { x, y, .. } = point;
        point.is_zero() || y.squared() == x.squared().by(x) + Self::COEFF_B
    }

    /// True if a point of the curve lies in the subgroup of order r.
    fn in_subgroup(point: &Affine<Self>) -> bool {
        Self::ENDOMORPHISM.is_none_or(|map| map.acts_as_power(point))
    }
}

/// Multi-scalar multiplication by a library on all cores of the host.
pub struct HostMsm<C: Curve> {
    /// The sum of `scalars[i]` times `points[i]`. Both slices have the same length; points are on the curve, infinity included.
    pub run: fn(&[Affine<C>], &[ScalarInt]) -> Projective<C>,
    /// The maximum number of bytes that it takes in addition to its arguments, for this number of points on this number of
    /// threads.
    pub bytes: fn(u64, u64) -> u64,
}

/// The two families of point encodings, each with a compressed and an uncompressed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// ZCash's for BLS12-381: big-endian, flags in the first byte; of an element of an extension the coefficient of u
    /// first.
    Zcash,
    /// arkworks': little-endian, flags in the last byte.
    Arkworks,
}

crate::curves! { declare_curves }

impl CurveName {
    /// Every curve whose feature is on.
    pub fn all() -> impl DoubleEndedIterator<Item = CurveName> + ExactSizeIterator {
        Self::ALL.iter().copied()
    }

    /// The field of the curve's coordinates.
    pub(crate) fn base_field(self) -> BigField {
        crate::with_curve!(self, C => BigField::of::<BaseField<C>>())
    }

    /// The type of the curve's scalars.
    pub(crate) fn scalar_type(self) -> TypeId {
        crate::with_curve!(self, C => TypeId::of::<ScalarField<C>>())
    }
}

impl std::fmt::Display for CurveName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for CurveName {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self, Error> {
        // snarkjs compares letters and digits only, without their case, and knows BN254 by three names.
        let plain = |name: &str| {
            let letters = name.chars().filter(char::is_ascii_alphanumeric);
            letters.map(|letter| letter.to_ascii_lowercase()).collect::<String>()
        };
        let is_word =
            s.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | ' '));
        let asked = plain(s).replace("altbn128", "bn254").replace("bn128", "bn254");
        let named = Self::all().find(|name| is_word && plain(name.as_str()) == asked);
        named.ok_or_else(|| Error::unknown("curve", s, Self::all().map(Self::as_str)))
    }
}

impl serde::Serialize for CurveName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The sum of `scalars[i]` times `points[i]` by arkworks, from which no engine has code.
#[cfg(test)]
pub(crate) fn sum_by_arkworks<C: Curve>(points: &[Affine<C>], scalars: &[ScalarInt]) -> Projective<C> {
    <Projective<C> as ark_ec::VariableBaseMSM>::msm_bigint(points, scalars)
}

#[cfg(all(test, feature = "default"))]
mod tests;

/// The curves by which scalar fields are named: the first curve of each field.
pub fn scalar_fields() -> Vec<CurveName> {
    let mut known = Vec::new();
    let is_new = |name: &CurveName| {
        let field = name.scalar_type();
        let is_new = !known.contains(&field);
        known.push(field);
        is_new
    };
    CurveName::all().filter(is_new).collect()
}
