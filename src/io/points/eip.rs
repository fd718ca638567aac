//! Ethereum's records of points: EIP-196 for BN254 and EIP-2537 for BLS12-381. The coordinates x and y are big-endian
//! integers below p of 32 bytes, or of 64 bytes of which the first 16 are zeros; infinity is all zeros.

use ark_ec::AffineRepr;
use ark_ff::{BigInteger, PrimeField};

use super::kind::{affine, element};
use crate::curve::{Affine, Curve};

/// Bytes of a scalar after a point.
pub const SCALAR: usize = 32;

/// Bytes per point; `None` for a curve without records.
pub fn size<C: Curve>() -> Option<usize> {
    match C::NAME.as_str() {
        "bn254" => Some(64),
        "bls12-381" => Some(128),
        _ => None,
    }
}

pub fn decode<C: Curve>(bytes: &[u8]) -> Result<Affine<C>, String> {
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(Affine::zero());
    }
    let (x, y) = bytes.split_at(bytes.len() / 2);
    affine(element("x", x.iter().rev().copied())?, element("y", y.iter().rev().copied())?)
}

pub fn encode<C: Curve>(point: &Affine<C>) -> Vec<u8> {
    let width = size::<C>().unwrap_or_default() / 2;
    let coordinate = |coordinate: C::BaseField| {
        let bytes = coordinate.into_bigint().to_bytes_be();
        [vec![0; width.saturating_sub(bytes.len())], bytes].concat()
    };
    match point.is_zero() {
        true => vec![0; 2 * width],
        false => [point.x, point.y].map(coordinate).concat(),
    }
}
