//! BLS12-381 G1 (Bowe 2017): u = -0xd201000000010000, r = u^4 - u^2 + 1,
//! p = (u - 1)^2 r / 3 + u, y^2 = x^3 + 4. The constants themselves are arkworks'.

use ark_bls12_381::Fq;
use ark_ff::Field;

use super::{Curve, CurveName, Encoding, Endomorphism};

// blst is written in C and is not built for the browser.
#[cfg(not(target_arch = "wasm32"))]
pub(super) mod host;
#[cfg(not(target_arch = "wasm32"))]
pub(super) mod pairing;

/// What blst does for both groups, outside the browser.
macro_rules! by_blst {
    () => {
        #[cfg(not(target_arch = "wasm32"))]
        const HOST_MSM: Option<$crate::curve::HostMsm<Self>> = Some($crate::curve::HostMsm {
            run: $crate::curve::bls12_381::host::msm,
            bytes: $crate::curve::bls12_381::host::msm_bytes::<Self>,
        });

        #[cfg(not(target_arch = "wasm32"))]
        fn shifted_sum(
            point: $crate::curve::Projective<Self>,
            times: u32,
            addend: &$crate::curve::Projective<Self>,
        ) -> $crate::curve::Projective<Self> {
            $crate::curve::bls12_381::host::shifted_sum(&point, times, addend)
        }

        #[cfg(not(target_arch = "wasm32"))]
        fn in_subgroup(point: &$crate::curve::Affine<Self>) -> bool {
            $crate::curve::bls12_381::host::in_subgroup(point)
        }
    };
}
pub(super) use by_blst;

/// arkworks' configuration of BLS12-381 G1.
pub type Bls12_381 = ark_bls12_381::g1::Config;

impl Curve for Bls12_381 {
    const NAME: CurveName = CurveName::Bls12_381;
    const ENCODING: Encoding = Encoding::Zcash;
    const ENDOMORPHISM: Option<Endomorphism<Fq>> =
        Some(Endomorphism { x: ark_bls12_381::g1::BETA, y: Fq::ONE, factor: 0xd201_0000_0001_0000, power: 2, is_negative: true });

    by_blst!();
}
