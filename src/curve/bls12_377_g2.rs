//! BLS12-377 G2 (Bowe, Chiesa, Green, Miers, Mishra, Wu 2018): y^2 = x^3 + 1 / i over F_p(i), i^2 = -5. u, r and p are
//! those of G1. The constants themselves are arkworks'.

use ark_bls12_377::{Fq, Fq2};
use ark_ff::{AdditiveGroup, MontFp};

use super::{Curve, CurveName, Encoding, Endomorphism};

/// arkworks' configuration of BLS12-377 G2.
pub type Bls12_377G2 = ark_bls12_377::g2::Config;

/// i^((p - 1) / 3) and i^((p - 1) / 2).
const FROBENIUS: [Fq2; 2] = [
    Fq2::new(
        MontFp!(
            "80949648264912719408558363140637477264845294720710499478137287262712535938301461879813459410946"
        ),
        Fq::ZERO,
    ),
    Fq2::new(
        MontFp!(
            "216465761340224619389371505802605247630151569547285782856803747159100223055385581585702401816380679166954762214499"
        ),
        Fq::ZERO,
    ),
];

impl Curve for Bls12_377G2 {
    const NAME: CurveName = CurveName::Bls12_377G2;
    const ENCODING: Encoding = Encoding::Arkworks;
    const ENDOMORPHISM: Option<Endomorphism<Fq2>> = Some(Endomorphism {
        x: FROBENIUS[0],
        y: FROBENIUS[1],
        factor: 0x8508_c000_0000_0001,
        power: 1,
        is_negative: false,
    });
}
