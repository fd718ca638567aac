//! Ethereum's records of points: EIP-196 and, for G2, EIP-197 for BN254, EIP-2537 for BLS12-381. The coordinates x and y are
//! big-endian integers below p of 32 bytes, or of 64 bytes of which the first 16 are zeros; infinity is all zeros. A
//! coordinate of G2 is two integers: EIP-197 has the coefficient of u first, EIP-2537 that of 1.

use ark_ec::AffineRepr;
use ark_ff::{BigInteger, Field, PrimeField};

use super::coordinates::{Ordered, affine, coordinate};
use wgalois::Fault;
use wgalois::curve::{Affine, Curve};
use wgalois::field::PrimeOf;

/// Bytes of a scalar after a point.
pub const SCALAR: usize = 32;

/// Bytes per point; `None` for a curve without records.
pub fn size<C: Curve>() -> Option<usize> {
    match C::NAME.as_str() {
        "bn254" => Some(64),
        "bls12-381" | "bn254-g2" => Some(128),
        "bls12-381-g2" => Some(256),
        _ => None,
    }
}

/// True if the coefficient of u comes first.
fn is_reversed<C: Curve>() -> bool {
    C::NAME.as_str() == "bn254-g2"
}

pub fn decode<C: Curve>(bytes: &[u8]) -> Result<Affine<C>, Fault> {
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(Affine::zero());
    }
    let (x, y) = bytes.split_at(bytes.len() / 2);
    let degree = if is_reversed::<C>() { 1 } else { C::BaseField::extension_degree() as usize };
    let little_endian = |bytes: &[u8]| Ordered::of_big_endian(bytes, bytes.len() / degree);
    affine(coordinate("x", &little_endian(x))?, coordinate("y", &little_endian(y))?)
}

pub fn encode<C: Curve>(point: &Affine<C>) -> Vec<u8> {
    let size = size::<C>().unwrap_or_default();
    let width = size / 2 / C::BaseField::extension_degree() as usize;
    let element = |element: PrimeOf<C::BaseField>| {
        let bytes = element.into_bigint().to_bytes_be();
        [vec![0; width.saturating_sub(bytes.len())], bytes].concat()
    };
    let coordinate = |coordinate: C::BaseField| {
        let mut elements: Vec<_> = coordinate.to_base_prime_field_elements().map(element).collect();
        if is_reversed::<C>() {
            elements.reverse();
        }
        elements.concat()
    };
    match point.is_zero() {
        true => vec![0; size],
        false => [point.x, point.y].map(coordinate).concat(),
    }
}
