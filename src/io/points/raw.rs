//! Affine coordinates as little-endian integers below p, each with as many 32-bit words as a field
//! element has; infinity is all zeros.

use ark_ec::AffineRepr;
use ark_ff::{BigInteger, PrimeField};

use super::kind::{affine, element};
use crate::curve::{Affine, Curve};
use crate::field::Words;

/// Bytes per point.
pub fn size<C: Curve>() -> usize {
    16 * C::BaseField::WORDS
}

pub fn decode<C: Curve>(bytes: &[u8]) -> Result<Affine<C>, String> {
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(Affine::zero());
    }
    let (x, y) = bytes.split_at(bytes.len() / 2);
    affine(element("x", x.iter().copied())?, element("y", y.iter().copied())?)
}

pub fn encode<C: Curve>(point: &Affine<C>) -> Vec<u8> {
    [point.x, point.y].map(|coordinate| coordinate.into_bigint().to_bytes_le()).concat()
}
