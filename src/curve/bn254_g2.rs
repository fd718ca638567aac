//! BN254 G2, also alt_bn128 (Barreto, Naehrig 2005): y^2 = x^3 + 3 / (9 + i) over F_p(i), i^2 = -1. u, r and p are those of
//! G1, but here most points of the curve are outside the subgroup. The constants themselves are arkworks'.

use ark_bn254::Fq2;
use ark_ff::MontFp;

use super::{Curve, CurveName, Encoding, Endomorphism};

/// arkworks' configuration of BN254 G2.
pub type Bn254G2 = ark_bn254::g2::Config;

/// The curve's parameter.
const U: u128 = 4_965_661_367_192_848_881;

/// (9 + i)^((p - 1) / 3) and (9 + i)^((p - 1) / 2).
const FROBENIUS: [Fq2; 2] = [
    Fq2::new(
        MontFp!("21575463638280843010398324269430826099269044274347216827212613867836435027261"),
        MontFp!("10307601595873709700152284273816112264069230130616436755625194854815875713954"),
    ),
    Fq2::new(
        MontFp!("2821565182194536844548159561693502659359617185244120367078079554186484126554"),
        MontFp!("3505843767911556378687030309984248845540243509899259641013678093033130930403"),
    ),
];

impl Curve for Bn254G2 {
    const NAME: CurveName = CurveName::Bn254G2;
    const ENCODING: Encoding = Encoding::Arkworks;
    const ENDOMORPHISM: Option<Endomorphism<Fq2>> = Some(Endomorphism {
        x: FROBENIUS[0],
        y: FROBENIUS[1],
        factor: 6 * U * U,
        power: 1,
        is_negative: false,
    });
}
