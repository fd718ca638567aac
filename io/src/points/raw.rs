//! Affine coordinates as little-endian integers below p, each with as many 32-bit words as a field
//! element has, two for a coordinate in an extension; infinity is all zeros.

use ark_ec::AffineRepr;
use ark_ff::{BigInteger, Field, PrimeField};

use super::coordinates::{affine, coordinate};
use wgalois::Fault;
use wgalois::curve::{Affine, Curve};

/// Bytes per point.
pub fn size<C: Curve>() -> usize {
    2 * size_of::<C::BaseField>()
}

pub fn decode<C: Curve>(bytes: &[u8]) -> Result<Affine<C>, Fault> {
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(Affine::zero());
    }
    let (x, y) = bytes.split_at(bytes.len() / 2);
    affine(coordinate("x", x)?, coordinate("y", y)?)
}

pub fn encode<C: Curve>(point: &Affine<C>) -> Vec<u8> {
    let elements =
        [point.x, point.y].into_iter().flat_map(|x| x.to_base_prime_field_elements().collect::<Vec<_>>());
    elements.flat_map(|element| element.into_bigint().to_bytes_le()).collect()
}
