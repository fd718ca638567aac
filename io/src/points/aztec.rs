//! The points of Aztec's ceremony as barretenberg keeps them (`g1.dat`, `g2.dat`): affine points of BN254, x and y as big-endian
//! integers of 32 bytes; on G2 the coefficient of 1 comes before that of u. There is no infinity among them.

use ark_ec::AffineRepr;
use ark_ff::{BigInteger, Field, PrimeField};

use super::coordinates::{Ordered, affine, coordinate};
use wgalois::Fault;
use wgalois::curve::{Affine, Curve};

/// Bytes of an integer.
const INTEGER: usize = 32;

/// Bytes per point; `None` for curves other than BN254's.
pub fn size<C: Curve>() -> Option<usize> {
    let degree = C::BaseField::extension_degree() as usize;
    matches!(C::NAME.as_str(), "bn254" | "bn254-g2").then_some(2 * degree * INTEGER)
}

/// True for bytes that begin with the generator of BN254's G1, (1, 2), as every file of G1 does. No point has this encoding of
/// arkworks.
pub fn begins(bytes: &[u8]) -> bool {
    let mut generator = [0; 2 * INTEGER];
    (generator[INTEGER - 1], generator[2 * INTEGER - 1]) = (1, 2);
    bytes.starts_with(&generator)
}

pub fn decode<C: Curve>(bytes: &[u8]) -> Result<Affine<C>, Fault> {
    let (x, y) = bytes.split_at(bytes.len() / 2);
    let little_endian = |bytes: &[u8]| Ordered::of_big_endian(bytes, INTEGER);
    affine(coordinate("x", &little_endian(x))?, coordinate("y", &little_endian(y))?)
}

/// The bytes of a point; `None` for infinity.
pub fn encode<C: Curve>(point: &Affine<C>) -> Option<Vec<u8>> {
    let elements = |coordinate: C::BaseField| coordinate.to_base_prime_field_elements().collect::<Vec<_>>();
    let elements = [point.x, point.y].into_iter().flat_map(elements);
    (!point.is_zero()).then(|| elements.flat_map(|element| element.into_bigint().to_bytes_be()).collect())
}
