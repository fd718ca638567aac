//! BLS24-315 G1 (El Housni, Guillevic, ePrint 2021/1359): u = -0xbfcfffff,
//! r = u^8 - u^4 + 1 (253 bits), p = (u - 1)^2 r / 3 + u (315 bits), y^2 = x^3 + 1.
//! arkworks has no such curve; these are its constants in arkworks' terms.
#![expect(unexpected_cfgs, reason = "arkworks' derive asks for a feature of its own crate")]

use ark_ec::CurveConfig;
use ark_ec::short_weierstrass::SWCurveConfig;
use ark_ff::{AdditiveGroup, Field, Fp256, Fp320, MontBackend, MontConfig, MontFp};

use super::{Affine, Curve, CurveName, Encoding, Endomorphism};

/// BLS24-315 G1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bls24_315;

/// The base field's constants.
#[derive(MontConfig)]
#[modulus = "39705142709513438335025689890408969744933502416914749335064285505637884093126342347073617133569"]
// A quadratic non-residue, which suffices for square roots.
#[generator = "13"]
pub struct FqConfig;
/// The base field, p elements.
pub type Fq = Fp320<MontBackend<FqConfig, 5>>;

/// The scalar field's constants.
#[derive(MontConfig)]
#[modulus = "11502027791375260645628074404575422495959608200132055716665986169834464870401"]
#[generator = "7"]
pub struct FrConfig;
/// The scalar field, r elements.
pub type Fr = Fp256<MontBackend<FrConfig, 4>>;

/// |u|, the curve's parameter.
const U: u128 = 0xbfcf_ffff;

/// The cube root of unity with which (x, y) -> (beta x, y) is multiplication by -u^4.
const BETA: Fq =
    MontFp!("37014442673353839783463348892746893664389658635873267609916377398480286678854893830142");

impl CurveConfig for Bls24_315 {
    type BaseField = Fq;
    type ScalarField = Fr;

    /// (u - 1)^2 / 3
    const COFACTOR: &'static [u64] = &[0x2fe8_0300_0000_0000];

    /// 3 / (u - 1)^2 mod r
    const COFACTOR_INV: Fr =
        MontFp!("11502027748484983061746766725372608623013042341922603258659095701186171371503");
}

impl SWCurveConfig for Bls24_315 {
    const COEFF_A: Fq = Fq::ZERO;
    const COEFF_B: Fq = Fq::ONE;
    const GENERATOR: Affine<Self> = Affine::new_unchecked(
        MontFp!(
            "34223510504517033132712852754388476272837911830964394866541204856091481856889569724484362330263"
        ),
        MontFp!(
            "24215295174889464585413596429561903295150472552154479431771837786124301185073987899223459122783"
        ),
    );

    /// (0, 0) is not on the curve, since b is not 0, and can stand for infinity.
    type ZeroFlag = ();

    fn mul_by_a(_: Fq) -> Fq {
        Fq::ZERO
    }

    fn is_in_correct_subgroup_assuming_on_curve(point: &Affine<Self>) -> bool {
        Self::in_subgroup(point)
    }
}

impl Curve for Bls24_315 {
    const NAME: CurveName = CurveName::Bls24_315;
    const ENCODING: Encoding = Encoding::Arkworks;
    const ENDOMORPHISM: Option<Endomorphism<Fq>> = Some(Endomorphism { x: BETA, y: Fq::ONE, factor: U, power: 4, is_negative: true });
}
