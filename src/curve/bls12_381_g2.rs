//! BLS12-381 G2 (Bowe 2017): y^2 = x^3 + 4 (1 + i) over F_p(i), i^2 = -1. u, r and p are those of G1. The constants
//! themselves are arkworks'.

use ark_bls12_381::{Fq, Fq2};
use ark_ff::{AdditiveGroup, MontFp};

use super::{Curve, CurveName, Encoding, Endomorphism};


/// arkworks' configuration of BLS12-381 G2.
pub type Bls12_381G2 = ark_bls12_381::g2::Config;

/// 1 / (1 + i)^((p - 1) / 3) and 1 / (1 + i)^((p - 1) / 2).
const FROBENIUS: [Fq2; 2] = [
    Fq2::new(
        Fq::ZERO,
        MontFp!(
            "4002409555221667392624310435006688643935503118305586438271171395842971157480381377015405980053539358417135540939437"
        ),
    ),
    Fq2::new(
        MontFp!(
            "2973677408986561043442465346520108879172042883009249989176415018091420807192182638567116318576472649347015917690530"
        ),
        MontFp!(
            "1028732146235106349975324479215795277384839936929757896155643118032610843298655225875571310552543014690878354869257"
        ),
    ),
];

impl Curve for Bls12_381G2 {
    const NAME: CurveName = CurveName::Bls12_381G2;
    const ENCODING: Encoding = Encoding::Zcash;
    const ENDOMORPHISM: Option<Endomorphism<Fq2>> = Some(Endomorphism {
        x: FROBENIUS[0],
        y: FROBENIUS[1],
        factor: 0xd201_0000_0001_0000,
        power: 1,
        is_negative: true,
    });

    super::bls12_381::by_blst!();
}
