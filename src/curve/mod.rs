//! The curves: short Weierstrass curves y^2 = x^3 + b over prime fields of at most 384 bits,
//! with a subgroup of prime order r. One file of constants a curve; adding one is adding a
//! file, a row in [`CurveName`] and an arm in [`with_curve`](crate::with_curve).

mod bls12_377;
mod bls12_381;
#[expect(unexpected_cfgs, reason = "arkworks' derive asks for a feature of its own crate")]
mod bls24_315;
mod bn254;
pub mod coordinates;

use std::str::FromStr;

use ark_ec::scalar_mul::variable_base::VariableBaseMSM;
use ark_ec::short_weierstrass::SWCurveConfig;
use ark_ff::{AdditiveGroup, BigInt, PrimeField};

pub use ark_ec::short_weierstrass::{Affine, Projective};
pub use bls12_377::Bls12_377;
pub use bls12_381::Bls12_381;
pub use bls24_315::{Bls24_315, Fq as Bls24_315Fq, Fr as Bls24_315Fr};
pub use bn254::Bn254;

use crate::Error;
use crate::field::Words;

/// An integer that the scalars of every curve fit.
pub type ScalarInt = BigInt<4>;

/// What multi-scalar multiplication needs of a curve, on top of what arkworks says of it.
/// The curves' names ([`Bls12_381`] and so on) are arkworks' own configurations.
///
/// a = 0 in the curve's equation, and (0, 0) is not on the curve: the kernels rely on both.
pub trait Curve:
    SWCurveConfig<BaseField: Words, ScalarField: Words + PrimeField<BigInt = ScalarInt>>
{
    /// Its name on the command line.
    const NAME: CurveName;
    /// How its points are written unless the caller says otherwise.
    const ENCODING: Encoding;
    /// What tells points of the subgroup from others; None where the subgroup is the curve.
    const ENDOMORPHISM: Option<Endomorphism<Self::BaseField>>;

    /// The sum of `scalars[i]` times `points[i]` on all cores of the host, by the fastest
    /// library at hand: arkworks' unless the curve's file names another.
    ///
    /// Both slices have the same length; points are on the curve, infinity included.
    fn host_msm(points: &[Affine<Self>], scalars: &[ScalarInt]) -> Projective<Self> {
        <Projective<Self> as VariableBaseMSM>::msm_bigint(points, scalars)
    }

    /// Whether a point of the curve lies in the subgroup of order r.
    fn in_subgroup(point: &Affine<Self>) -> bool {
        Self::ENDOMORPHISM.is_none_or(|map| map.acts_as_minus_power(point))
    }
}

/// The endomorphism (x, y) -> (beta x, y), beta a cube root of unity of the base field, which
/// is multiplication by -u^`power` exactly on the subgroup of order r.
///
/// The endomorphism satisfies f^2 + f + 1 = 0 on the whole curve. Where r equals
/// u^2k - u^k + 1 with k = `power`, f P = -u^k P therefore gives r P = 0, and the other way
/// round for the right one of the two betas: a test of membership in the subgroup that costs
/// log2 u^k doublings instead of log2 r (Scott, ePrint 2021/1130, section 6; El Housni,
/// Guillevic, Piellard, ePrint 2022/352).
#[derive(Clone, Copy, Debug)]
pub struct Endomorphism<F> {
    /// The cube root of unity.
    pub beta: F,
    /// The curve's parameter, or its opposite where `power` is even.
    pub u: u64,
    /// k.
    pub power: u32,
}

impl<F: PrimeField> Endomorphism<F> {
    /// Whether it acts on `point` as it does on the subgroup.
    fn acts_as_minus_power<C: Curve<BaseField = F>>(&self, point: &Affine<C>) -> bool {
        let image = Affine::<C>::new_unchecked(self.beta * point.x, point.y);
        let mut multiple: Projective<C> = (*point).into();
        for _ in 0..self.power {
            multiple = double_and_add(&multiple, self.u);
        }
        point.x.is_zero() && point.y.is_zero() || -multiple == image
    }
}

/// The two families of point encodings, each with a compressed and an uncompressed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// ZCash's for BLS12-381: big-endian, flags in the first byte.
    Zcash,
    /// arkworks': little-endian, flags in the last byte.
    Arkworks,
}

/// The curves by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum CurveName {
    /// BLS12-381 G1: 381-bit field, 255-bit order.
    #[cfg_attr(feature = "cli", value(name = "bls12-381"))]
    #[serde(rename = "bls12-381")]
    Bls12_381,
    /// BLS12-377 G1: 377-bit field, 253-bit order.
    #[cfg_attr(feature = "cli", value(name = "bls12-377"))]
    #[serde(rename = "bls12-377")]
    Bls12_377,
    /// BN254 G1 (also alt_bn128): 254-bit field, 254-bit order.
    #[cfg_attr(feature = "cli", value(name = "bn254"))]
    #[serde(rename = "bn254")]
    Bn254,
    /// BLS24-315 G1: 315-bit field, 253-bit order.
    #[cfg_attr(feature = "cli", value(name = "bls24-315"))]
    #[serde(rename = "bls24-315")]
    Bls24_315,
}

impl CurveName {
    /// Every curve.
    pub const ALL: [CurveName; 4] =
        [CurveName::Bls12_381, CurveName::Bls12_377, CurveName::Bn254, CurveName::Bls24_315];

    /// The name as it is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            CurveName::Bls12_381 => "bls12-381",
            CurveName::Bls12_377 => "bls12-377",
            CurveName::Bn254 => "bn254",
            CurveName::Bls24_315 => "bls24-315",
        }
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
        let named = Self::ALL.into_iter().find(|name| name.as_str().eq_ignore_ascii_case(s));
        named.ok_or_else(|| {
            Error::Usage(format!("no curve {s:?}; there are {}", Self::ALL.map(Self::as_str).join(", ")))
        })
    }
}

/// Evaluates `$body` with the type `$curve` bound to the curve that `$name` names.
#[macro_export]
macro_rules! with_curve {
    ($name:expr, $curve:ident => $body:expr) => {
        match $name {
            $crate::curve::CurveName::Bls12_381 => {
                type $curve = $crate::curve::Bls12_381;
                $body
            }
            $crate::curve::CurveName::Bls12_377 => {
                type $curve = $crate::curve::Bls12_377;
                $body
            }
            $crate::curve::CurveName::Bn254 => {
                type $curve = $crate::curve::Bn254;
                $body
            }
            $crate::curve::CurveName::Bls24_315 => {
                type $curve = $crate::curve::Bls24_315;
                $body
            }
        }
    };
}

/// `factor` times `point`, also outside the subgroup, where arkworks' own multiplication may
/// reduce the factor modulo r.
fn double_and_add<C: Curve>(point: &Projective<C>, factor: u64) -> Projective<C> {
    let mut sum = Projective::<C>::ZERO;
    for bit in (0..u64::BITS - factor.leading_zeros()).rev() {
        sum.double_in_place();
        if factor >> bit & 1 == 1 {
            sum += point;
        }
    }
    sum
}

#[cfg(test)]
mod tests;
