//! BN254 G1, also alt_bn128 (Barreto, Naehrig 2005): u = 4965661367192848881,
//! p = 36 u^4 + 36 u^3 + 24 u^2 + 6 u + 1, r = p - 6 u^2, y^2 = x^3 + 3. The constants
//! themselves are arkworks'. The cofactor is 1: every point of the curve is in the subgroup.

use super::{Curve, CurveName, Encoding, Endomorphism};

/// arkworks' configuration of BN254 G1.
pub type Bn254 = ark_bn254::g1::Config;

impl Curve for Bn254 {
    const NAME: CurveName = CurveName::Bn254;
    const ENCODING: Encoding = Encoding::Arkworks;
    const ENDOMORPHISM: Option<Endomorphism<ark_bn254::Fq>> = None;
}
