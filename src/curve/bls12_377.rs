//! BLS12-377 G1 (Bowe, Chiesa, Green, Miers, Mishra, Wu 2018): u = 0x8508c00000000001,
//! r = u^4 - u^2 + 1, p = (u - 1)^2 r / 3 + u, y^2 = x^3 + 1. The constants themselves are
//! arkworks'. The cofactor is even: there are points of order two outside the subgroup.

use ark_bls12_377::Fq;
use ark_ff::{Field, MontFp};

use super::{Curve, CurveName, Encoding, Endomorphism};

/// arkworks' configuration of BLS12-377 G1.
pub type Bls12_377 = ark_bls12_377::g1::Config;

/// The curve's parameter.
const U: u128 = 0x8508_c000_0000_0001;

/// The cube root of unity with which (x, y) -> (beta x, y) is multiplication by -u^2.
const BETA: Fq = MontFp!(
    "258664426012969093929703085429980814127835149614277183275038967946009968870203535512256352201271898244626862047231"
);

impl Curve for Bls12_377 {
    const NAME: CurveName = CurveName::Bls12_377;
    const ENCODING: Encoding = Encoding::Arkworks;
    const ENDOMORPHISM: Option<Endomorphism<Fq>> = Some(Endomorphism { x: BETA, y: Fq::ONE, factor: U, power: 2, is_negative: true });
}
